"""Forecasts the figures of points that are not measured yet, and the likely front."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from msgspec.structs import replace

from modmul.exploration import grid
from modmul.exploration.grid import GridPoint
from modmul.exploration.order import by_layers
from modmul.exploration.record import Expected, Record
from modmul.exploration.view import figure
from modmul.implementation.figures import cycle_counts, equivalents, luts_per_dsp, times
from modmul.implementation.result import Clock, Figure, ImplementResult
from modmul.spec import Spec
from modmul.targets import find_device, limits

_DEFAULT_MHZ = 200.0  # used if the clock has no forecast, so that cycles alone decide


def sorted_by_forecast(points: list[GridPoint], objectives: Sequence[str]) -> list[GridPoint]:
    """Sort the points: the likely front first, then the likely next fronts, alternating between
    targets."""
    groups: dict[str, list[GridPoint]] = {}
    for point in points:
        groups.setdefault(point.spec.design.target, []).append(point)
    ordered = [_sorted(group, objectives) for group in groups.values()]
    turns = itertools.zip_longest(*ordered)
    return [point for turn in turns for point in turn if point is not None]


def _sorted(points: list[GridPoint], objectives: Sequence[str]) -> list[GridPoint]:
    table = []
    for point in points:
        record = forecast(point.spec)
        table.append([_known(record, name) for name in objectives])
    return [points[place] for place in by_layers(table)]


def forecast(spec: Spec) -> Record:
    """Return a forecast of the record of this spec: area, times, LUTs, flip-flops, DSP blocks, bits
    of RAM and the clock; other figures are empty."""
    record, size, counts = grid.begun(spec), grid.expected(spec), cycle_counts(spec)
    clock = _clock(spec, size)
    chip = ImplementResult(
        spec=record.spec, target=record.target, device=record.device, lut=size.lut, ff=size.ff,
        dsp=size.dsp, ram_bits=size.ram_bits, ram_blocks=0, cells={}, cycles=counts,
        fmax_mhz=clock, tools={},
    )  # fmt: skip
    area = equivalents(size.lut, size.dsp, luts_per_dsp(spec))
    time = times("forecast", Figure(1000 / clock.usable, "ns"), counts)
    return replace(record, chip=chip, area=area, time=time)


def _clock(spec: Spec, size: Expected) -> Clock:
    """Return the forecast of the routed clock, within the limits of the hard blocks."""
    chip = spec.design.chip
    used = {"clock"} | ({chip.dsp.cell} if chip.dsp and chip.dsp.cell and size.dsp else set())
    routed = size.mhz or _DEFAULT_MHZ
    usable, reason, verified = routed, "the forecast of the routed clock", True
    for limit in limits(chip, find_device(chip, spec.device), used)[:1]:
        if limit.mhz < routed:
            usable, reason, verified = limit.mhz, limit.words, limit.verified
    return Clock(routed, routed, usable, reason, (), verified)


def _known(record: Record, name: str) -> float:
    value = figure(record, name)
    return math.nan if value is None else value
