"""Everything that is measured for the tables: unit cells, mapped netlists, routed clocks."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from modmul import targets
from modmul.arithmetic.words import ceil_div
from modmul.export import hdl
from modmul.implementation import place_and_route, synthesis, unit_cells
from modmul.implementation.implement import implement_chip, map_module, nearest
from modmul.implementation.levels import PathLevels, Paths
from modmul.implementation.unit_cells import UnitCells
from modmul.papers.alkhaleel2006.designs import (
    CHIP,
    CHIP_OF_TABLE_5,
    FITTED,
    FOLDED_WIDTH,
    MUX,
    MUX4,
    PARTITIONS,
    PRODUCTS,
    ROUTED,
    SCHEMES,
    TARGETS,
    WIDTHS,
    WIDTHS_OF_TABLE_5,
    Circuit,
    folded,
    is_there,
    modular,
    partitions,
    select,
)
from modmul.papers.alkhaleel2006.fitted import Fitted, fitted
from modmul.papers.needs import Measuring, Need
from modmul.papers.parallel import parallel_map
from modmul.papers.records import Figures
from modmul.toolchain import packed
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import IMPLEMENTED, Step
from modmul.toolchain.work import Work

UNIT_CELLS = Step("paper-unit-cells", __name__, IMPLEMENTED)
MAPPED = Step("paper-mapped", __name__, IMPLEMENTED)
MAPPED_TO, ROUTED_TO, FITTED_TO = 64, 32, 128  # bits: mapped, routed, chips filled by default
EXAMPLE = (32, 4)  # bits and partitions of the paper's example
Sized = tuple[Circuit, int]  # a design and its width
Placed = tuple[Circuit, int, str]  # and its target


class MappedCore(NamedTuple):
    """A mapped core.  levels: LUTs in series; estimate_ns: of its slowest path, not routed, None
    where the target is routed; path: that one, for people; routable: digest of what is routed, None
    where nothing is; limit_mhz, limited_by: of the slowest hard block in it, where that is routed
    and such a limit is known."""

    lut: int
    ff: int
    dsp: int
    levels: int
    estimate_ns: float | None
    path: str
    routable: str | None
    limit_mhz: float | None = None
    limited_by: str = ""

    @property
    def slices(self) -> int:
        """At least: a slice of a Virtex-4 has two LUTs and two flip-flops."""
        return ceil_div(max(self.lut, self.ff), 2)


class RoutedClock(NamedTuple):
    """mhz: the median of the seeds; path: the slowest of the seed nearest to it, for people."""

    mhz: float
    seeds: int
    path: str

    @property
    def period(self) -> float:
        """In ns, of the routed clock."""
        return 1000 / self.mhz


class Measured(NamedTuple):
    """cells: counted in the emitted text; mapped: synthesised; routed: placed and routed too;
    fitted: by width and chip.  Wide ones may be missing."""

    cells: Mapping[Sized, UnitCells]
    mapped: Mapping[Placed, MappedCore]
    routed: Mapping[Sized, RoutedClock]
    fitted: Mapping[tuple[int, str], Fitted]

    def delay(self, design: Circuit, width: int, target: str) -> float | None:
        """ns from register to register: where the target is routed at the usable clock, which is
        the routed one within the limits of the hard blocks; else the estimate."""
        netlist = self.mapped.get((design, width, target))
        if target != ROUTED:
            return netlist.estimate_ns if netlist else None
        routed = self.routed.get((design, width))
        if routed is None:
            return None
        limit = netlist.limit_mhz if netlist else None
        return routed.period if limit is None else max(routed.period, 1000 / limit)


def seeds_of(seeds: int) -> int:
    """One in four: there are many designs, and differences between them are large."""
    return ceil_div(seeds, 4)


def counted() -> list[Sized]:
    """Designs whose unit cells are counted."""
    forms = [one for design in SCHEMES.values() for one in (design, select(design)) if one]
    example = (folded(EXAMPLE[1]), EXAMPLE[0])
    folds = [(folded(count), FOLDED_WIDTH) for count in PARTITIONS[1:]]
    return [*((form, width) for form in forms for width in WIDTHS), example, *folds]


def on_chip(modular_widths: Mapping[int, int]) -> list[Placed]:
    """What the paper has figures of, and partitions, on its families.

    modular_widths: the number of partitions at each width of Table III."""
    placed = [(design, width, CHIP) for width in WIDTHS for design in (MUX, MUX4)]
    placed.append((folded(EXAMPLE[1]), EXAMPLE[0], CHIP))
    placed += [(folded(count), FOLDED_WIDTH, CHIP) for count in PARTITIONS]
    for width, count in modular_widths.items():
        placed += [(modular(count), width, CHIP), (folded(count), width, CHIP)]
    for width in WIDTHS_OF_TABLE_5:
        placed.append((modular(modular_widths[width]), width, CHIP_OF_TABLE_5))
    return list(dict.fromkeys(placed))


def wanted(modular_widths: Mapping[int, int], widest: int | None) -> list[Placed]:
    """What is mapped: everything up to `widest` bits; None: products up to MAPPED_TO, and all
    of `on_chip`."""
    mine = on_chip(modular_widths)
    if widest is not None:
        mine = [one for one in mine if one[1] <= widest]
    limit = MAPPED_TO if widest is None else widest
    return list(dict.fromkeys([*(product for product in products() if product[1] <= limit), *mine]))


def products() -> list[Placed]:
    """All plain products, narrow ones first."""
    return [
        (design, width, target)
        for width in WIDTHS
        for target in TARGETS
        for design in PRODUCTS
        if is_there(design, target)
    ]


def measure(printed: Figures, run: Measuring) -> Measured:
    """Count, map and route.  run.widest: bits up to which everything is mapped and routed, and
    nothing above; None: what Tables III and IV print, and products mapped up to MAPPED_TO and
    routed up to ROUTED_TO, chips filled at FITTED_TO.  Of the rest there is what the cache has."""
    widths = partitions(printed)
    places = list(dict.fromkeys([*products(), *on_chip(widths)]))
    due = set(wanted(widths, run.widest))
    mapped = run.fill("synthesis", {one: netlist(*one) for one in places}, due.__contains__)
    chips = {(width, chip): fitted(width, chip) for width in widths for chip in FITTED}
    limit = run.widest or FITTED_TO
    return Measured(
        cells=run.fill("count unit cells", {one: unit_cells_of(*one) for one in counted()}),
        mapped=mapped,
        routed=_all_routed(mapped, run),
        fitted=run.fill("fill chips", chips, lambda one: one[0] <= limit),
    )


def _all_routed(mapped: Mapping[Placed, MappedCore], run: Measuring) -> dict[Sized, RoutedClock]:
    """Those with all seeds in the cache, or routed now; of wide ones the seeds that there are."""
    seeds, limit = seeds_of(run.seeds), run.widest or ROUTED_TO
    routed: dict[Sized, RoutedClock] = {}
    missing = []
    for design, width, target in products():
        one = mapped.get((design, width, target))
        if target != ROUTED or one is None:
            continue
        results = _finished(one, seeds, run.cache)
        if len(results) < seeds and width <= limit and not run.read_only:
            missing.append((design, width))
        elif results:
            routed[design, width] = of(results)
    new = parallel_map(lambda one: _route(one, seeds, run.cache), missing, "place and route", run)
    return routed | dict(zip(missing, new, strict=True))


def unit_cells_of(design: Circuit, width: int) -> Need[UnitCells]:
    """The unit cells in the emitted text of a design."""
    spec = design.spec(width, "generic")
    return Need(
        UNIT_CELLS.of(type(spec.multiplier)), {"spec": spec.options()}, UnitCells,
        lambda run: unit_cells.count(spec.multiplier),
    )  # fmt: skip


def netlist(design: Circuit, width: int, target: str) -> Need[MappedCore]:
    """A design mapped to a target."""
    spec = design.spec(width, target)
    return Need(
        MAPPED.of(type(spec.multiplier)), {"spec": spec.options()}, MappedCore,
        lambda run: _map((design, width, target), run.cache),
    )  # fmt: skip


def _map(one: Placed, cache: Cache) -> MappedCore:
    design, width, target = one
    multiplier = design.multiplier(width, target)
    written = hdl.emit(multiplier)
    core = map_module(written.verilog, written.core, multiplier.chip, cache)
    assert multiplier.chip.arcs is not None
    paths = Paths(core.module, multiplier.chip.arcs)
    deepest, estimate = paths.deepest(), paths.slowest()
    assert deepest is not None  # from operand to result
    routable, limit = None, None
    if target == ROUTED:
        file = synthesis.routable(core.file, core.top, multiplier.chip, cache)
        routable = packed.digest(file)
        limits = targets.limits(
            multiplier.chip, targets.find_device(multiplier.chip), set(core.cells)
        )
        limit = limits[0] if limits else None
    return MappedCore(
        core.area.lut,
        core.area.ff,
        core.area.dsp,
        deepest.lut_levels,
        estimate.delay_ns if estimate else None,
        in_words(estimate.path if estimate else deepest),
        routable,
        limit.mhz if limit else None,
        limit.words if limit else "",
    )


def in_words(path: PathLevels) -> str:
    """A path in one line."""
    chains = f", {path.carry_bits} bits of carry chains" if path.carry_bits else ""
    return f"{path.start} -> {path.end}: {path.lut_levels} LUTs in series{chains}"


def _finished(netlist: MappedCore, seeds: int, cache: Cache) -> list[place_and_route.RoutedSeed]:
    """What is routed of a netlist."""
    target = targets.find(ROUTED)
    device = targets.find_device(target)
    assert target.router is not None and device is not None and netlist.routable is not None
    chosen: Sequence[int] = range(1, seeds + 1)
    return place_and_route.finished(netlist.routable, target.router, device.options, chosen, cache)


def _route(one: Sized, seeds: int, cache: Cache) -> RoutedClock:
    design, width = one
    result = implement_chip(design.spec(width, ROUTED), seeds=seeds, work=Work(1, cache))
    clock, path = result.fmax_mhz, result.critical_path
    assert clock is not None and path is not None
    return RoutedClock(clock.median, len(clock.seeds), path.in_words())


def of(results: list[place_and_route.RoutedSeed]) -> RoutedClock:
    """The median of some seeds."""
    median = statistics.median(result.mhz for result in results)
    return RoutedClock(round(median, 2), len(results), nearest(results, median).path.in_words())
