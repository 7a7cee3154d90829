"""Forecasts for points that are not measured yet: their figures, and the likely front."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

from modmul.exploration import grid
from modmul.exploration.grid import GridPoint
from modmul.exploration.order import by_layers, figure
from modmul.exploration.record import Expected
from modmul.implementation.figures import cycle_counts, equivalents, luts_per_dsp, times
from modmul.implementation.result import Figure
from modmul.spec import Spec
from modmul.targets import Limit, find_device, limits

_DEFAULT_MHZ = 200.0  # where there is no forecast of the clock: only the cycles tell designs apart


def sorted_by_forecast(points: list[GridPoint], objectives: Sequence[str]) -> list[GridPoint]:
    """The likely front first, then what is likely to lie behind it; the targets by turns."""
    groups: dict[str, list[GridPoint]] = {}
    for point in points:
        groups.setdefault(point.spec.design.target, []).append(point)
    ordered = [_sorted(group, objectives) for group in groups.values()]
    turns = itertools.zip_longest(*ordered)
    return [point for turn in turns for point in turn if point is not None]


def _sorted(points: list[GridPoint], objectives: Sequence[str]) -> list[GridPoint]:
    table = []
    for point in points:
        members = forecast(point.spec)
        table.append([_known(members, name) for name in objectives])
    return [points[place] for place in by_layers(table)]


def forecast(spec: Spec) -> dict[str, Any]:
    """What a record of this spec will say, roughly: area, times, resources."""
    size, counts = grid.expected(spec), cycle_counts(spec)
    mhz, limit = usable_mhz(spec, size)
    speed = times("forecast", Figure(1000 / mhz, "ns"), counts)
    why = limit.words if limit else "the forecast of the routed clock"
    return {**grid.facts(spec), "area": equivalents(size.lut, size.dsp, luts_per_dsp(spec)),
            "time": speed, "lut": size.lut, "ff": size.ff, "dsp": size.dsp,
            "ram_bits": size.ram_bits,
            "fmax_mhz": {"usable": mhz, "limited_by": why,
                         "verified": limit is None or limit.verified}}  # fmt: skip


def usable_mhz(spec: Spec, size: Expected) -> tuple[float, Limit | None]:
    """The forecast of the routed clock within the limits of the hard blocks; the limit that decides
    it, None where none does."""
    chip = spec.design.chip
    used = {"clock"} | ({chip.dsp.cell} if chip.dsp and chip.dsp.cell and size.dsp else set())
    routed = size.mhz or _DEFAULT_MHZ
    slowest = limits(chip, find_device(chip, spec.device), used)
    if slowest and slowest[0].mhz < routed:
        return slowest[0].mhz, slowest[0]
    return routed, None


def _known(members: dict[str, Any], name: str) -> float:
    value = figure(members, name)
    return math.nan if value is None else value
