"""Everything that is measured for the tables: unit cells, netlists, routed clocks, filled chips."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import NamedTuple

from modmul.errors import SpecError
from modmul.implementation import fit, unit_cells
from modmul.implementation.result import ImplementResult
from modmul.implementation.unit_cells import UnitCells
from modmul.papers.alkhaleel2006 import designs
from modmul.papers.alkhaleel2006.designs import CHIP, ROUTED, WIDTHS, Circuit, folded, modular
from modmul.papers.implemented import cells, clock, estimate_ns, routed
from modmul.papers.needs import Measuring, Need, Needs
from modmul.papers.records import Figures
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import IMPLEMENTED, Step
from modmul.toolchain.work import Work

UNIT_CELLS = Step("paper-unit-cells", __name__, IMPLEMENTED)
FIT = Step("paper-fit", __name__, IMPLEMENTED)
MAPPED_TO, ROUTED_TO, FITTED_TO = 64, 32, 128  # bits: mapped, routed, chips filled by default
EXAMPLE = (32, 4)  # bits and partitions of the paper's example
Sized = tuple[Circuit, int]  # a design and its width
Placed = tuple[Circuit, int, str]  # and its target


class Fitted(NamedTuple):
    """The fewest partitions of the modular multiplier that fit a chip; None: no number does.
    share: of its LUTs; tried: what else was synthesised, for people."""

    partitions: int | None
    lut: int
    share: float
    tried: str


class Measured(NamedTuple):
    """cells: counted in the emitted text; mapped: synthesised; routed: placed and routed too;
    fitted: by width and chip.  Wide ones may be missing."""

    cells: Mapping[Sized, UnitCells]
    mapped: Mapping[Placed, ImplementResult]
    routed: Mapping[Sized, ImplementResult]
    fitted: Mapping[tuple[int, str], Fitted]

    def delay(self, design: Circuit, width: int, target: str) -> float | None:
        """ns from register to register: where the target is routed at the usable clock, which is
        the routed one within the limits of the hard blocks; else the estimate."""
        if target == ROUTED:
            core = self.routed.get((design, width))
            return core and clock(core).period
        return estimate_ns(self.mapped.get((design, width, target)))


def with_unit_cells() -> list[Sized]:
    """Designs whose unit cells are counted."""
    schemes = designs.SCHEMES.values()
    forms = [form for design in schemes for form in (design, designs.select(design)) if form]
    folds = [(folded(count), designs.FOLDED_WIDTH) for count in designs.PARTITIONS[1:]]
    example = (folded(EXAMPLE[1]), EXAMPLE[0])
    return [*((form, width) for form in forms for width in WIDTHS), example, *folds]


def on_chip(modular_widths: Mapping[int, int]) -> list[Placed]:
    """What the paper has figures of, and partitions, on its families.

    modular_widths: the number of partitions at each width of Table III."""
    placed = [(design, width, CHIP) for width in WIDTHS for design in (designs.MUX, designs.MUX4)]
    placed.append((folded(EXAMPLE[1]), EXAMPLE[0], CHIP))
    placed += [(folded(count), designs.FOLDED_WIDTH, CHIP) for count in designs.PARTITIONS]
    for width, count in modular_widths.items():
        placed += [(modular(count), width, CHIP), (folded(count), width, CHIP)]
    for width in designs.WIDTHS_OF_TABLE_5:
        placed.append((modular(modular_widths[width]), width, designs.CHIP_OF_TABLE_5))
    return placed


def products() -> list[Placed]:
    """All plain products, narrow ones first."""
    return [
        (design, width, target)
        for width in WIDTHS
        for target in designs.TARGETS
        for design in designs.PRODUCTS
        if designs.is_there(design, target)
    ]


def needs(printed: Figures, run: Measuring) -> Measured:
    """What is counted, mapped and routed.  run.widest: bits up to which everything is mapped and
    routed, and nothing above; None: what Tables III and IV print, and products mapped up to
    MAPPED_TO and routed up to ROUTED_TO, chips filled at FITTED_TO.  Of the rest there is what the
    cache has."""
    widths, seeds = designs.partitions(printed), run.seeds_of(2)  # differences are large
    in_print = set(on_chip(widths))
    places = dict.fromkeys([*products(), *on_chip(widths)])

    def is_mapped(placed: Placed) -> bool:
        within = placed[1] <= (run.widest or MAPPED_TO)
        return within or (run.widest is None and placed in in_print)

    def is_routed(sized: Sized) -> bool:
        return seeds > 0 and sized[1] <= (run.widest or ROUTED_TO)

    routes = {place[:2]: routed(place[0].spec(*place[1:]), seeds)
              for place in places if place[2] == ROUTED}  # fmt: skip
    chips = {(width, chip): fitted(width, chip) for width in widths for chip in designs.FITTED}
    netlists = {place: cells(place[0].spec(*place[1:])) for place in places}
    return Measured(
        cells=Needs("count unit cells", {cell: counted(*cell) for cell in with_unit_cells()}),
        mapped=Needs("synthesis", netlists, is_mapped),
        routed=Needs("place and route", routes, is_routed),
        fitted=Needs("fill chips", chips, lambda key: key[0] <= (run.widest or FITTED_TO)),
    )


def counted(design: Circuit, width: int) -> Need[UnitCells]:
    """The unit cells in the emitted text of a design."""
    spec = design.spec(width, "generic")
    return Need(
        UNIT_CELLS.of(type(spec.multiplier)), {"spec": spec.options()}, UnitCells,
        lambda run: unit_cells.count(spec.multiplier),
    )  # fmt: skip


def fitted(width: int, chip: str) -> Need[Fitted]:
    """The modular multiplier of a width in a chip."""
    spec = modular(1).spec(width, ROUTED)
    return Need(
        FIT.of(type(spec.multiplier)), {"spec": spec.options(), "chip": chip}, Fitted,
        lambda run: _search(width, chip, run.cache),
    )  # fmt: skip


def _search(width: int, chip: str, cache: Cache) -> Fitted:
    spec = dataclasses.replace(modular(1).spec(width, ROUTED), device=chip)
    try:
        tried = fit.smallest_partitions(spec, work=Work(cache=cache)).tried
    except SpecError as error:
        return Fitted(None, 0, 0.0, str(error))
    best = min((t for t in tried if t.fits), key=lambda t: t.partitions)
    others = [f"P = {t.partitions}: {100 * t.share:.1f} %" for t in tried if t is not best]
    return Fitted(best.partitions, best.lut, best.share, ", ".join(others))
