"""`implement`: from a specification to area, routed clock and time per product.

Every step is kept in the cache by its contents: the mapped netlist, and each routed seed.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from modmul import targets
from modmul.export import hdl
from modmul.implementation import area, error_bands, place_and_route, silicon, synthesis
from modmul.implementation.figures import by_mode, cycle_counts, performance
from modmul.implementation.levels import Paths
from modmul.implementation.place_and_route import RoutedSeed
from modmul.implementation.result import (
    Adapter,
    CellsResult,
    Clock,
    Estimate,
    Figure,
    ImplementResult,
    PathLevels,
    SeedClock,
    Slices,
)
from modmul.parameters import MOST_JOBS, MOST_SEEDS, SEEDS, check_number
from modmul.spec import Spec
from modmul.targets import CellArea, Device, Limit, Target
from modmul.toolchain import packed
from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import Report, silent
from modmul.toolchain.versions import version
from modmul.toolchain.work import Work

ADAPTER_SEEDS = 2  # the adapter's clock is a check that it keeps up, not a figure to compare
JOBS = 2


class MappedNetlist(NamedTuple):
    """A netlist in the cache.  file: its packed file.  module: the flat top module."""

    top: str
    file: Path
    cells: dict[str, int]
    area: CellArea
    module: Mapping[str, Any]


def implement(
    spec: Spec,
    *,
    seeds: int = SEEDS,
    jobs: int = JOBS,
    route: bool = True,
    cache: Cache | None = None,
    progress: Report = silent,
) -> ImplementResult | CellsResult:
    """Synthesise and time a design, by `implement_chip` or, if the target is a cell library, by
    `implement_cells` (which routes nothing and uses no seeds)."""
    check_number("seeds", seeds, 1, MOST_SEEDS)
    check_number("jobs", jobs, 1, MOST_JOBS)
    work = Work(jobs, cache or Cache(), progress)
    if spec.design.chip.takes_library:
        return silicon.implement_cells(spec, work=work)
    return implement_chip(spec, seeds=seeds, route=route, work=work)


def implement_chip(
    spec: Spec,
    *,
    seeds: int = SEEDS,
    route: bool = True,
    work: Work | None = None,
) -> ImplementResult:
    """Synthesise, place, route and time a design on a chip.

    seeds: place and route with seeds 1 to `seeds`, if the target has a router.  route: False for
    synthesis only, without a clock.  Raises SpecError if the device is too small, ToolFailed or
    ToolMissing if a tool fails or is missing."""
    check_number("seeds", seeds, 1, MOST_SEEDS)
    work = work or Work()
    cache, progress = work.cache, work.progress
    target = spec.design.chip
    device = targets.find_device(target, spec.device)
    written = hdl.emit(spec.design)
    stages = 2 if with_adapter(spec) else 1
    progress("synthesis", 0, stages)
    core = map_module(written.verilog, written.measured, target, cache)
    progress("synthesis", 1, stages)
    stream = None
    if with_adapter(spec):
        stream = map_module(written.verilog, written.stream, target, cache)
        progress("synthesis", 2, stages)
    if device:
        targets.check_size(target, device, stream.area if stream else core.area)
    chosen = range(1, seeds + 1) if route else range(0)
    routed = _route(core, target, device, chosen, "place and route", work)
    adapter = None
    if stream:
        seeds_with_adapter = chosen[:ADAPTER_SEEDS]
        both = _route(stream, target, device, seeds_with_adapter, "with adapter", work)
        adapter = _adapter(core, stream, both)
    return _result(spec, target, device, core, routed, adapter)


def implement_module(
    spec: Spec,
    verilog: str,
    top: str,
    *,
    seeds: int = SEEDS,
    route: bool = True,
    what: str,
    work: Work,
) -> ImplementResult:
    """Synthesise, place, route and time a module around a design, as `implement_chip` does with the
    design.  what: the step, for the progress."""
    target = spec.design.chip
    device = targets.find_device(target, spec.device)
    work.progress(f"synthesis, {what}", 0, 1)
    mapped = map_module(verilog, top, target, work.cache)
    work.progress(f"synthesis, {what}", 1, 1)
    if device:
        targets.check_size(target, device, mapped.area)
    chosen = range(1, seeds + 1) if route else range(0)
    routed = _route(mapped, target, device, chosen, what, work)
    return _result(spec, target, device, mapped, routed, None)


def with_adapter(spec: Spec) -> bool:
    """Whether the spec asks for the elastic adapter, whose area is reported apart."""
    return spec.interface == "stream" and "core" in spec.design.interfaces


def map_module(verilog: str, top: str, target: Target, cache: Cache) -> MappedNetlist:
    file = synthesis.mapped(verilog, top, target, cache)
    netlist = json.loads(packed.read(file))
    counted = area.measure(netlist, top, target)
    return MappedNetlist(
        top, file, area.count_cells(netlist, top), counted, netlist["modules"][top]
    )


def _route(
    mapped: MappedNetlist,
    target: Target,
    device: Device | None,
    seeds: range,
    what: str,
    work: Work,
) -> list[RoutedSeed]:
    """Route one netlist with all seeds; return an empty list on a target without a router."""
    if not target.router or device is None or not seeds:
        return []
    return place_and_route.route_all(
        synthesis.routable(mapped.file, mapped.top, target, work.cache),
        target.router,
        device.options,
        seeds,
        what=what,
        work=work,
    )


def _paths(mapped: MappedNetlist, target: Target) -> tuple[PathLevels | None, Estimate | None]:
    """The LUTs in series, if the target describes paths through its cells, and an estimated
    delay, if no router is there."""
    if target.arcs is None:
        return None, None
    paths = Paths(mapped.module, target.arcs)
    return paths.deepest(), None if target.router else paths.slowest()


def _adapter(core: MappedNetlist, stream: MappedNetlist, routed: list[RoutedSeed]) -> Adapter:
    extra = area.difference(stream.area, core.area)
    mhz = statistics.median(seed.mhz for seed in routed) if routed else None
    return Adapter(extra.lut, extra.ff, extra.ram_bits, mhz)


def _clock(routed: list[RoutedSeed], limits: tuple[Limit, ...]) -> Clock:
    """Median and best clock of the seeds, and the usable clock with its limit."""
    median = statistics.median(seed.mhz for seed in routed)
    path = nearest(routed, median).path
    usable, reason, verified = median, f"routed path {path.start} -> {path.end}", True
    if not limits:
        reason += "; no limit of this chip is known, so usable is routed"
    for limit in limits:
        if limit.mhz < usable:
            usable, reason, verified = limit.mhz, limit.words, limit.verified
    return Clock(
        median=round(median, 2),
        best=max(seed.mhz for seed in routed),
        usable=round(usable, 2),
        limited_by=reason,
        seeds=tuple(SeedClock(seed.seed, seed.mhz) for seed in routed),
        verified=verified,
    )


def nearest(routed: list[RoutedSeed], mhz: float) -> RoutedSeed:
    """The seed whose clock is nearest to `mhz`."""
    return min(routed, key=lambda seed: abs(seed.mhz - mhz))


def _result(
    spec: Spec,
    target: Target,
    device: Device | None,
    core: MappedNetlist,
    routed: list[RoutedSeed],
    adapter: Adapter | None,
) -> ImplementResult:
    limits = tuple(targets.limits(target, device, set(core.cells)))
    cycles = cycle_counts(spec)
    clock = _clock(routed, limits) if routed else None
    levels, estimate = _paths(core, target)
    estimated = None
    if estimate is not None:
        estimated = error_bands.clock_of_netlist(1000 / estimate.delay_ns, limits)
    tools = {"yosys": version("pyosys")}
    if routed and target.router:
        tools[target.router] = version(place_and_route.ROUTERS[target.router].PACKAGE)
    return ImplementResult(
        spec=spec.options(),
        target=target.name,
        device=device.name if device else None,
        lut=core.area.lut,
        ff=core.area.ff,
        dsp=core.area.dsp,
        ram_bits=core.area.ram_bits,
        ram_blocks=core.area.ram_blocks,
        cells=core.cells,
        cycles=cycles,
        by_mode=by_mode(spec, Figure(clock.period, "ns") if clock else None),
        fmax_mhz=clock,
        routed=performance(clock.median, cycles, core.area) if clock else None,
        usable=performance(clock.usable, cycles, core.area) if clock else None,
        limits=limits,
        critical_path=nearest(routed, clock.median).path if clock else None,
        levels=levels,
        estimate=estimate,
        estimated_mhz=estimated,
        adapter=adapter,
        slices=_slices(device, core.area),
        tools=tools,
    )


def _slices(device: Device | None, counted: CellArea) -> Slices | None:
    least = targets.slices_at_least(device, counted.lut, counted.ff)
    if device is None or device.slices is None or least is None:
        return None
    return Slices(least, device.slices, round(100 * least / device.slices, 2))
