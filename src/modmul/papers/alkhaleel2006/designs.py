"""The multipliers of the tables: the paper's schemes, others beside them, and the modular one; and
all that is measured of them: unit cells, netlists, routed clocks, filled chips."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple

from modmul import targets
from modmul.errors import SpecError
from modmul.implementation import fit, unit_cells
from modmul.implementation.result import ImplementResult
from modmul.implementation.unit_cells import UnitCells
from modmul.multipliers import Multiplier
from modmul.papers.implemented import cells, clock, estimate_ns, routed
from modmul.papers.needs import Measuring, Need, Needs
from modmul.papers.records import Figures
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import IMPLEMENTED, Step
from modmul.toolchain.work import Work

WIDTHS = (16, 32, 64, 128)  # of Table IV
TARGETS = ("xc4v", "xc7", "ecp5")
ROUTED = "ecp5"  # the one that has a router
CHIP = "xc4v"  # the paper's family
CHIP_OF_TABLE_5 = "xc2vp"
LARGEST = "XC2VP100"  # of the chips in Table V that have the paper's design
WIDTHS_OF_TABLE_5 = (128, 256)
FOLDED_WIDTH = 128
PARTITIONS = (1, 2, 4, 8, 16)
FITTED = ("LFE5U-25F", "LFE5U-45F", "LFE5U-85F")  # chips of ECP5


class Circuit(NamedTuple):
    """A circuit of any width.  options: of the architecture, besides width and target."""

    label: str
    architecture: str
    options: tuple[tuple[str, Any], ...] = ()

    def multiplier(self, width: int, target: str = "generic") -> Multiplier:
        return self.spec(width, target).multiplier

    def spec(self, width: int, target: str) -> Spec:
        common = {"architecture": self.architecture, "width": width, "target": target}
        chip = {"device": LARGEST} if target == CHIP_OF_TABLE_5 else {}
        return Spec.from_options({**common, **chip, "interface": "core", **dict(self.options)})


ITERATIVE = Circuit("array-iterative", "array-iterative")
RIPPLE = Circuit("array-iterative, ripple", "array-iterative", (("carries", "ripple"),))
FIVE_COUNTER = Circuit("array-5counter", "array-5counter")
BOOTH = Circuit("array-booth", "array-booth")
MUX = Circuit("array-mux", "array-mux")
MUX4 = Circuit("array-mux4", "array-mux4")
DADDA = Circuit("tree-dadda", "tree-dadda")
INFERRED = Circuit("inferred, no DSP", "inferred", (("dsp", False),))
HARD = Circuit("inferred, DSP", "inferred", (("dsp", True),))

SCHEMES = {  # of the paper, by the names of its Table II
    "iterative": ITERATIVE,
    "five_counter": FIVE_COUNTER,
    "booth": BOOTH,
    "mux": MUX,
    "mux4": MUX4,
}
PRODUCTS = (ITERATIVE, RIPPLE, FIVE_COUNTER, BOOTH, MUX, MUX4, DADDA, INFERRED, HARD)


def select(design: Circuit) -> Circuit | None:
    """The circuit with final adders as published; None where there is no choice."""
    if design not in (MUX, MUX4):
        return None
    options = (*design.options, ("adders", "carry-select"))
    return Circuit(f"{design.label}, carry-select", design.architecture, options)


def folded(partitions: int) -> Circuit:
    if partitions == 1:
        return MUX4
    options = (("partitions", partitions),)
    return Circuit(f"array-mux4, P = {partitions}", "array-mux4", options)


def modular(partitions: int) -> Circuit:
    return Circuit(f"three-pass, P = {partitions}", "three-pass", (("partitions", partitions),))


def partitions(figures: Mapping[str, Any]) -> dict[int, int]:
    """How many at each width of Table III."""
    return {row["k"]: figures["model"]["partitions"][str(row["k"])] for row in figures["table_3"]}


def is_there(design: Circuit, target: str) -> bool:
    """Whether the target has what the design takes."""
    return design != HARD or targets.find(target).dsp is not None


UNIT_CELLS = Step("paper-unit-cells", IMPLEMENTED)
FIT = Step("paper-fit", IMPLEMENTED)
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
    schemes = SCHEMES.values()
    forms = [form for design in schemes for form in (design, select(design)) if form]
    folds = [(folded(count), FOLDED_WIDTH) for count in PARTITIONS[1:]]
    example = (folded(EXAMPLE[1]), EXAMPLE[0])
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
    return placed


def products() -> list[Placed]:
    """All plain products, narrow ones first."""
    return [
        (design, width, target)
        for width in WIDTHS
        for target in TARGETS
        for design in PRODUCTS
        if is_there(design, target)
    ]


def needs(printed: Figures, run: Measuring) -> Measured:
    """What is counted, mapped and routed.  run.widest: bits up to which everything is mapped and
    routed, and nothing above; None: what Tables III and IV print, and products mapped up to
    MAPPED_TO and routed up to ROUTED_TO, chips filled at FITTED_TO.  Of the rest there is what the
    cache has."""
    widths, seeds = partitions(printed), run.seeds_of(2)  # differences are large
    in_print = set(on_chip(widths))
    places = dict.fromkeys([*products(), *on_chip(widths)])

    def is_mapped(placed: Placed) -> bool:
        within = placed[1] <= (run.widest or MAPPED_TO)
        return within or (run.widest is None and placed in in_print)

    def is_routed(sized: Sized) -> bool:
        return seeds > 0 and sized[1] <= (run.widest or ROUTED_TO)

    routes = {
        place[:2]: routed(place[0].spec(*place[1:]), seeds)
        for place in places
        if place[2] == ROUTED
    }
    chips = {(width, chip): fitted(width, chip) for width in widths for chip in FITTED}
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
        UNIT_CELLS,
        {"spec": spec.options()},
        UnitCells,
        lambda _: unit_cells.count(spec.multiplier),
    )


def fitted(width: int, chip: str) -> Need[Fitted]:
    spec = modular(1).spec(width, ROUTED)
    return Need(
        FIT,
        {"spec": spec.options(), "chip": chip},
        Fitted,
        lambda run: _search(width, chip, run.cache),
    )


def _search(width: int, chip: str, cache: Cache) -> Fitted:
    spec = dataclasses.replace(modular(1).spec(width, ROUTED), device=chip)
    try:
        tried = fit.smallest_partitions(spec, work=Work(cache=cache)).tried
    except SpecError as error:
        return Fitted(None, 0, 0.0, str(error))
    best = min((t for t in tried if t.fits), key=lambda t: t.partitions)
    others = [f"P = {t.partitions}: {100 * t.share:.1f} %" for t in tried if t is not best]
    return Fitted(best.partitions, best.lut, best.share, ", ".join(others))
