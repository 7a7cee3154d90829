"""Forecasts the figures of points that are not measured yet, and the likely front."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from msgspec.structs import replace

from modmul.exploration import grid
from modmul.exploration.grid import GridPoint
from modmul.exploration.names import figure
from modmul.exploration.order import by_layers
from modmul.exploration.record import Record
from modmul.implementation import error_bands, figures
from modmul.implementation.error_bands import Kind
from modmul.implementation.figures import ESTIMATED, cycle_counts, equivalents, times
from modmul.implementation.result import CellsResult, Figure, ImplementResult
from modmul.operation import Mode
from modmul.processors import Processor
from modmul.spec import Spec
from modmul.targets import find_device, limits
from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import Report, silent

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


def forecast(spec: Spec, mode: Mode | None = None) -> Record:
    """Return an estimate of the record of this spec, by formula: area, times, LUTs, flip-flops, DSP
    blocks, block RAM and the clock; other figures are empty.

    mode: of the operation that times are about; None: the headline."""
    record, size, counts = grid.begun(spec, mode), grid.expected(spec), cycle_counts(spec, mode)
    chip = spec.design.chip
    device, ram_blocks = find_device(chip, spec.device), chip.ram_blocks(size.ram_bits)
    used = chip.hard_blocks(dsp=size.dsp > 0, block_ram=ram_blocks > 0)
    lowest = limits(chip, device, used)
    clock = error_bands.clock_of_formula(size.mhz or _DEFAULT_MHZ, kind(spec), chip, lowest)
    result = ImplementResult(
        spec=record.spec,
        target=record.target,
        device=record.device,
        lut=size.lut,
        ff=size.ff,
        dsp=size.dsp,
        ram_bits=size.ram_bits,
        ram_blocks=ram_blocks,
        cells={},
        cycles=counts,
        estimated_mhz=clock if size.mhz else None,
        limits=tuple(lowest),
        tools={},
    )
    area = equivalents(size.lut, size.dsp, ram_blocks, device)
    time = times(ESTIMATED, Figure(clock.period, "ns"), counts)
    return replace(record, chip=result, area=area, time=time)


def mapped(spec: Spec, cache: Cache, report: Report = silent, mode: Mode | None = None) -> Record:
    """Return the record of a spec whose area was counted in the mapped netlist, and whose clock is
    estimated: from the netlist or, on a family with a router, by formula.

    mode: see `forecast`."""
    from modmul.implementation.implement import implement  # orders of points need no tools

    result = implement(spec, route=False, cache=cache, progress=report)
    result, estimated = replace(result, cycles=cycle_counts(spec, mode)), forecast(spec, mode)
    area = figures.area(spec, result)
    if isinstance(result, CellsResult):
        return replace(estimated, chip=None, silicon=result, area=area, time=figures.time(result))
    assert estimated.chip is not None
    if result.estimated_mhz is None:
        result = replace(result, estimated_mhz=estimated.chip.estimated_mhz)
    return replace(estimated, chip=result, area=area, time=figures.time(result))


def kind(spec: Spec) -> Kind:
    """Return which error bands hold for a design."""
    return "processor" if isinstance(spec.design, Processor) else "multiplier"


def _known(record: Record, name: str) -> float:
    value = figure(record, name)
    return math.nan if value is None else value
