"""The designs of the paper, by its names, and what is measured of them.

F44D is fast, has 4 slots 4 cycles apart and distributed RAM."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from modmul.arithmetic.words import ceil_div
from modmul.implementation.result import ImplementResult
from modmul.multipliers.fpmm import Fpmm
from modmul.papers.gallin2019 import compared
from modmul.papers.gallin2019.compared import Compared, Label
from modmul.papers.implemented import cells, routed
from modmul.papers.needs import Measuring
from modmul.papers.printed import fpmm_rows
from modmul.papers.records import Figures
from modmul.papers.simulated import schedules
from modmul.processors.kummer import Kummer
from modmul.spec import Spec
from modmul.verification.observed import ProductSchedule

WORD = 34  # all published results
Name = tuple[int, str]  # width of the modulus and name of a design
_FIGURE1: Name = (2 * WORD - 2, "")  # has no name
FIGURE4 = {"without": (128, "F45D"), "with": (128, "F44D")}  # latency reduction
ON_ECP5: tuple[Name, ...] = ((128, "F44D"), (256, "F28D"))  # the fastest of their width
# All designs of 128 bits that Figure 6 compares, on each of its chips: both variants and memories,
# 4 slots with latency reduction, 3 and 4 without.
FIGURE6: tuple[tuple[Name, str], ...] = tuple(
    ((128, f"{variant}{slots}{storage}"), target)
    for target in ("xc7", "xc4v") for variant in "FS" for slots in (44, 35, 45) for storage in "BD"
)  # fmt: skip
# The processors: multipliers, each with a port, and what goes between registers and units in a
# cycle.  The registers of A2 are in one bank, those of A4 in two, on Virtex-4 in one.
PROCESSORS: Mapping[str, dict[str, Any]] = {
    "A2": {"units": 1, "interconnect": "word", "register_file": "one-bank"},
    "A3": {"units": 2, "interconnect": "operand"},
    "A4": {"units": 2, "interconnect": "word", "register_file": "two-banks"},
}  # fmt: skip
FEWER_BLOCKS: Mapping[tuple[str, str], dict[str, Any]] = {
    ("A4", "xc4v"): {"register_file": "one-bank"},
}
# Their multipliers: print has F44B in all.
WIDTH, MULTIPLIERS = 128, {"A2": "F44B", "A3": "F44B", "A4": "F44D"}
_NAME = re.compile(r"(?P<variant>[FS])(?P<slots>\d)(?P<theta>\d)(?P<storage>[BD])")
_VARIANTS = {"F": "fast", "S": "small"}
_STORAGES = {"B": "block", "D": "distributed"}


def words(n_bits: int) -> int:
    """s, words per operand: 4P < 2^(s*w)."""
    return ceil_div(n_bits + 2, WORD)


def design(n_bits: int, name: str, target: str = "generic") -> Fpmm:
    """The multiplier of that name and width on a target.  Its second digit tells whether latency
    reduction is on (s cycles between slots) or off (s + 1)."""
    match = _NAME.fullmatch(name)
    assert match is not None, name
    return Fpmm(
        width=n_bits,
        word=WORD,
        slots=int(match["slots"]),
        variant=_VARIANTS[match["variant"]],
        storage=_STORAGES[match["storage"]],
        latency_reduction=int(match["theta"]) == words(n_bits),
        target=target,
    )


def figure1_design() -> Fpmm:
    """The smallest design with s = 2 words that hides its pipeline."""
    return Fpmm(width=_FIGURE1[0], word=WORD, target="generic")


def processor(name: str, target: str = "generic", **others: Any) -> Kummer:
    """The processor of that name on a target, or one with other options; points come wrapped."""
    multiplier = design(WIDTH, MULTIPLIERS[name], target)
    options = PROCESSORS[name] | FEWER_BLOCKS.get((name, target), {}) | others
    return Kummer(multiplier=multiplier, ports=options["units"], wrapped=True, **options)


class Measured(NamedTuple):
    """cycles: of every design, target generic.  cells: of each on the chips that the paper put it
    on, by target.  ecp5: some of them, placed and routed on another family.  first: the design of
    Figure 1.  processors: cells of those of Table V, by name and target.  compared: the designs of
    Table III.  one_chip: compared designs, as ecp5.  None, or missing: not measured."""

    cycles: Mapping[Name, ProductSchedule]
    cells: Mapping[tuple[Name, str], ImplementResult]
    ecp5: Mapping[Name, ImplementResult]
    first: ProductSchedule | None
    processors: Mapping[tuple[str, str], ImplementResult] = MappingProxyType({})
    compared: Compared = Compared({}, {})
    one_chip: Mapping[Label, ImplementResult] = MappingProxyType({})


def measure(printed: Figures, run: Measuring) -> Measured:
    """Simulate all designs, count cells of those of Tables II, III and V, route some."""
    on_chips = [((row.width, row.design), row.target) for row in fpmm_rows(printed)]
    names = [*dict.fromkeys(name for name, _ in on_chips), FIGURE4["without"]]
    simulated = schedules([*(design(*name) for name in names), figure1_design()])
    cycles = run.each("simulate", [([*names, _FIGURE1], simulated)])
    first = cycles.pop(_FIGURE1, None)
    counted = {chip: cells(_spec(*chip)) for chip in [*on_chips, *FIGURE6]}
    built = {
        (name, target): cells(Spec(processor(name, target)))
        for name in PROCESSORS for target in dict.fromkeys(chip for _, chip in on_chips)
    }  # fmt: skip
    others = [(list(compared.BUILT), schedules(compared.designs()))]
    their_cells = {chip: cells(compared.spec(*chip)) for chip in compared.on_chips(printed)}
    routes = {
        name: routed(_spec(name, "ecp5"), run.seeds, f"{name[1]}, {name[0]} bits")
        for name in (ON_ECP5 if run.seeds else ())
    }
    peers = {
        label: routed(Spec(multiplier, interface="core"), run.seeds, f"{label[0]}, {label[1]} bits")
        for label, multiplier in (compared.on_one_chip().items() if run.seeds else ())
    }
    return Measured(
        cycles=cycles,
        cells=run.fill("count cells", counted),
        ecp5=run.fill("place and route", routes),
        first=first,
        processors=run.fill("count cells", built),
        compared=Compared(
            cycles=run.each("simulate compared designs", others),
            cells=run.fill("count cells of compared designs", their_cells),
        ),
        one_chip=run.fill("place and route", peers),
    )


def _spec(name: Name, target: str) -> Spec:
    device = "XC7VX690T" if target == "xc7" else None  # the paper's; the others' stand first
    return Spec(design(*name, target), device=device, interface="core")
