"""Estimates the figures of points that are not measured, and finds Pareto fronts, of estimates and
measurements."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from modmul.exploration import grid
from modmul.exploration.grid import GridPoint
from modmul.exploration.names import figure
from modmul.exploration.record import Record
from modmul.implementation import error_bands, figures
from modmul.implementation.figures import ESTIMATED, cycle_counts, equivalents, times
from modmul.implementation.result import CellsResult, Figure, ImplementResult
from modmul.operation import Mode
from modmul.spec import Spec
from modmul.targets import find_device, limits
from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import Report, silent

T = TypeVar("T")
_LAYERS = 50  # the most successive fronts; later rows are sorted by the product of their figures


def front(items: Iterable[T], figures: Callable[[T], Sequence[float | None]]) -> list[T]:
    """Return the items that no other item dominates, sorted by the first figure.  An item dominates
    another if it is as good in every figure (less is better) and better in one.  An item that lacks
    a figure is never on the front."""
    known = [(item, values) for item in items if None not in (values := figures(item))]
    if not known:
        return []
    table = np.array([values for _, values in known], dtype=float)
    chosen = [known[index] for index in _front(table, np.arange(len(table)))]
    return [item for item, _ in sorted(chosen, key=lambda pair: tuple(map(float, pair[1])))]  # type: ignore[arg-type]


def fronts(
    items: Iterable[T], figures: Callable[[T], Sequence[float | None]], group: Callable[[T], str]
) -> list[T]:
    """Return the front of each group, one after the other in the order in which groups appear.
    (LUTs of different chip families cannot be compared.)"""
    groups: dict[str, list[T]] = {}
    for item in items:
        groups.setdefault(group(item), []).append(item)
    return [point for members in groups.values() for point in front(members, figures)]


def by_layers(table: Sequence[Sequence[float | None]]) -> list[int]:
    """Return the places of the rows: the front first, then the front of the rest, and so on; within
    a front, the smallest product of all figures first.  Rows with other values than positive
    numbers come last."""
    values = np.array(table, dtype=float, ndmin=2)  # None becomes NaN
    if not len(table):
        return []
    known = np.flatnonzero(np.isfinite(values).all(axis=1) & (values > 0).all(axis=1))
    product = np.log(values[known]).sum(axis=1) if len(known) else np.array([])
    rank = dict(zip(known.tolist(), product.tolist(), strict=True))
    left, ordered = known, []
    for _ in range(_LAYERS):
        if not len(left):
            break
        layer = _front(values, left)
        ordered += sorted(layer, key=lambda place: (rank[place], place))
        left = np.setdiff1d(left, layer)
    ordered += sorted(left.tolist(), key=lambda place: (rank[place], place))
    rest = set(range(len(values))) - set(ordered)
    return ordered + sorted(rest)


def _front(values: NDArray[Any], rows: NDArray[Any]) -> list[int]:
    """Return the rows that no row dominates.  After sorting by all figures in turn, only an earlier
    row can dominate a later one."""
    order = rows[np.lexsort(values[rows].T[::-1])]
    members: list[int] = []
    best = np.empty((0, values.shape[1]))
    for row in order.tolist():
        value = values[row]
        under = (best <= value).all(axis=1) & (best < value).any(axis=1)
        if not under.any():
            members.append(row)
            best = np.vstack([best, value])
    return members


_DEFAULT_MHZ = 200.0  # used if the clock has no estimate, so that cycles alone decide


def sorted_by_estimate(points: list[GridPoint], objectives: Sequence[str]) -> list[GridPoint]:
    """Sort the points: the likely front first, then the likely next fronts, alternating between
    targets."""
    groups: dict[str, list[GridPoint]] = {}
    for point in points:
        groups.setdefault(point.spec.design.target, []).append(point)
    ordered = []
    for group in groups.values():
        records = [estimate(point.spec) for point in group]
        table = [[figure(record, name) for name in objectives] for record in records]
        ordered.append([group[place] for place in by_layers(table)])
    turns = itertools.zip_longest(*ordered)
    return [point for turn in turns for point in turn if point is not None]


def estimate(spec: Spec, mode: Mode | None = None) -> Record:
    """Return an estimate of the record of this spec, by formula: area, times, LUTs, flip-flops, DSP
    blocks, block RAM and the clock; other figures are empty.

    mode: of the operation that times are about; None: the headline."""
    record, size, counts = grid.begun(spec, mode), grid.expected(spec), cycle_counts(spec, mode)
    chip = spec.design.chip
    device, ram_blocks = find_device(chip, spec.device), chip.ram_blocks(size.ram_bits)
    used = chip.hard_blocks(dsp=size.dsp > 0, block_ram=ram_blocks > 0)
    lowest = limits(chip, device, used)
    clock = error_bands.clock_of_formula(size.mhz or _DEFAULT_MHZ, spec.design, chip, lowest)
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

    mode: see `estimate`."""
    from modmul.implementation.implement import implement  # orders of points need no tools

    result = implement(spec, route=False, cache=cache, progress=report)
    result, estimated = replace(result, cycles=cycle_counts(spec, mode)), estimate(spec, mode)
    area = figures.area(spec, result)
    if isinstance(result, CellsResult):
        return replace(estimated, chip=None, silicon=result, area=area, time=figures.time(result))
    assert estimated.chip is not None
    if result.estimated_mhz is None:
        result = replace(result, estimated_mhz=estimated.chip.estimated_mhz)
    return replace(estimated, chip=result, area=area, time=figures.time(result))
