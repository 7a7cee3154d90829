"""The designs of the paper, by its names, and what is measured of them.

F44D is fast, has 4 slots 4 cycles apart and distributed RAM."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from modmul.arithmetic.words import ceil_div
from modmul.implementation.result import ImplementResult
from modmul.multipliers.fpmm import Fpmm
from modmul.papers.implemented import cells, routed
from modmul.papers.needs import Measuring, Needs
from modmul.papers.printed import PrintedDesign, fpmm_rows, literature
from modmul.papers.records import Figures
from modmul.papers.simulated import schedules
from modmul.processors.kummer import Kummer
from modmul.spec import Spec
from modmul.verification.observed import ProductSchedule

WORD = 34  # all published results
Name = tuple[int, str]  # width of the modulus and name of a design
FIGURE1: Name = (2 * WORD - 2, "")  # has no name
FIGURE4 = {"without": (128, "F45D"), "with": (128, "F44D")}  # latency reduction
ON_ECP5: tuple[Name, ...] = ((128, "F44D"), (256, "F28D"))  # the fastest of their width
# All designs of 128 bits that Figure 6 compares, on each of its chips: both variants and memories,
# 4 slots with latency reduction, 3 and 4 without.
FIGURE6: tuple[tuple[Name, str], ...] = tuple(
    ((128, f"{variant}{slots}{storage}"), target)
    for target in ("xc7", "xc4v")
    for variant in "FS"
    for slots in (44, 35, 45)
    for storage in "BD"
)
# The processors: multipliers, each with a port, and what goes between registers and units in a
# cycle.  The registers of A2 are in one bank, those of A4 in two, on Virtex-4 in one.
PROCESSORS: Mapping[str, dict[str, Any]] = {
    "A2": {"units": 1, "interconnect": "word", "register_file": "one-bank"},
    "A3": {"units": 2, "interconnect": "operand"},
    "A4": {"units": 2, "interconnect": "word", "register_file": "two-banks"},
}
FEWER_BLOCKS: Mapping[tuple[str, str], dict[str, Any]] = {
    ("A4", "xc4v"): {"register_file": "one-bank"},
}
# Their multipliers: print has F44B in all.
WIDTH, MULTIPLIERS = 128, {"A2": "F44B", "A3": "F44B", "A4": "F44D"}
_NAME = re.compile(r"(?P<variant>[FS])(?P<slots>\d)(?P<theta>\d)(?P<storage>[BD])")
_VARIANTS = {"F": "fast", "S": "small"}
_STORAGES = {"B": "block", "D": "distributed"}


# Designs of print as they are built here: options of the architecture.  What print does not tell is
# chosen as the notes beside its figures say.
BUILT: Mapping[Name, Mapping[str, Any]] = {
    (128, "MA16"): {"architecture": "orup"},
    (256, "MA16"): {"architecture": "orup"},
    (128, "MR8"): {"architecture": "systolic-cios", "words": 8},
    (256, "MR8"): {"architecture": "systolic-cios", "words": 8},
    (256, "MR16"): {"architecture": "systolic-cios", "words": 16, "output-register": True},
    (256, "MO64"): {"architecture": "iddmm", "word": 64, "stages": 1},
    (256, "AM32"): {
        "architecture": "iddmm",
        "word": 32,
        "stages": 4,
        "u-register": True,
        "iteration": 13,
    },
    (256, "AM64"): {
        "architecture": "iddmm",
        "word": 64,
        "stages": 6,
        "u-register": True,
        "iteration": 17,
    },
    (256, "MAS1"): {"architecture": "cios", "word": 17, "adder": True},
    (256, "MAS2"): {"architecture": "fios", "word": 17, "dsp-registers": 2, "adder": True},
}
MULTIPLYING = " multiplying alone"  # the same options, but for the adder
ONE_CHIP = "ecp5"  # all are routed on it; cells of families without a target here are counted on it
WITHOUT = " without adder"
# Routed beside them: for MAS1 and MAS2 their architectures with default options, which have no
# adder, and an architecture of ours that is not in the paper.
OTHERS: Mapping[Name, Mapping[str, Any]] = {
    (256, f"MAS1{WITHOUT}"): {"architecture": "cios"},
    (256, f"MAS2{WITHOUT}"): {"architecture": "fios"},
    (128, "fios-array"): {"architecture": "fios-array"},
    (256, "fios-array"): {"architecture": "fios-array"},
}


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
    return Fpmm(width=FIGURE1[0], word=WORD, target="generic")


def processor(name: str, target: str = "generic", **others: Any) -> Kummer:
    """The processor of that name on a target, or one with other options; points come wrapped."""
    multiplier = design(WIDTH, MULTIPLIERS[name], target)
    options = PROCESSORS[name] | FEWER_BLOCKS.get((name, target), {}) | others
    return Kummer(multiplier=multiplier, ports=options["units"], wrapped=True, **options)


def compared(name: Name, target: str) -> Spec:
    """The bare core of a compared design, or of the same multiplying alone."""
    width, label = name
    options = {**BUILT, **OTHERS}[width, label.removesuffix(MULTIPLYING)]
    if label.endswith(MULTIPLYING):
        options = {**options, "adder": False}
    common = {"width": width, "target": target, "interface": "core"}
    return Spec.from_options({**options, **common})


def on_one_chip() -> dict[Name, Spec]:
    """Those that are routed on one chip: what multiplies alone, of both."""
    names = [name for name in BUILT if not _adds(name)]
    return {name: compared(name, ONE_CHIP) for name in [*names, *OTHERS]}


def _adds(name: Name) -> bool:
    return bool(BUILT[name].get("adder"))


def on_chips(figures: Figures) -> Iterator[tuple[Name, str]]:
    """Design and target of each row, and of the same alone."""
    for row in literature(figures):
        name = row.width, row.design
        yield name, target_of(row)
        if _adds(name):
            yield multiplying_alone(name), target_of(row)


def multiplying_alone(name: Name) -> Name:
    """The name of a design without what it does besides."""
    return name[0], f"{name[1]}{MULTIPLYING}"


def target_of(row: PrintedDesign) -> str:
    return row.target or ONE_CHIP


class Measured(NamedTuple):
    """cycles: simulated, of every design, on `generic`.  cells: of each on the chips of print, by
    design and target.  ecp5: some of them, placed and routed on another family.  processors: cells
    of those of Table V, by name and target.  What was not measured is missing."""

    cycles: Mapping[Name, ProductSchedule]
    cells: Mapping[tuple[Name, str], ImplementResult]
    ecp5: Mapping[Name, ImplementResult]
    processors: Mapping[tuple[str, str], ImplementResult] = MappingProxyType({})


def needs(printed: Figures, run: Measuring) -> Measured:
    """All designs are simulated, cells of those of Tables II, III and V counted, some routed."""
    on_paper = [((row.width, row.design), row.target) for row in fpmm_rows(printed)]
    names = [*dict.fromkeys(name for name, _ in on_paper), FIGURE4["without"]]
    fpmms = {name: design(*name) for name in names} | {FIGURE1: figure1_design()}
    others = {name: compared(name, "generic").multiplier for name in BUILT}
    counted = {chip: cells(_spec(*chip)) for chip in [*on_paper, *FIGURE6]}
    built = {
        (name, target): cells(Spec(processor(name, target)))
        for name in PROCESSORS
        for target in dict.fromkeys(chip for _, chip in on_paper)
    }
    chosen = {name: _spec(name, ONE_CHIP) for name in ON_ECP5} | on_one_chip()
    routes = {
        name: routed(spec, run.seeds, f"{name[1]}, {name[0]} bits") for name, spec in chosen.items()
    }
    return Measured(
        cycles=Needs("simulate", schedules(fpmms) | schedules(others)),
        cells=Needs(
            "count cells", counted | {chip: cells(compared(*chip)) for chip in on_chips(printed)}
        ),
        ecp5=Needs("place and route", routes, lambda _: run.seeds > 0),
        processors=Needs("count cells of processors", built),
    )


def _spec(name: Name, target: str) -> Spec:
    device = "XC7VX690T" if target == "xc7" else None  # the paper's; the others' stand first
    return Spec(design(*name, target), device=device, interface="core")
