"""Everything that is measured for the tables: mapped cells and simulated cycles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from typing import NamedTuple

from modmul.papers.kuang2016 import designs
from modmul.papers.kuang2016.cycles import CHUNK, Chunk, Chunks, Sample, chunks, sampled
from modmul.papers.kuang2016.designs import (
    CONSTANT,
    DATA_DEPENDENT,
    DESIGNS,
    SIZES,
    design,
    options,
)
from modmul.papers.needs import Measuring, Need, Needs
from modmul.papers.records import Figures
from modmul.papers.silicon import MappedCore, installed, mapped
from modmul.papers.simulated import schedules
from modmul.targets import libraries
from modmul.verification.observed import ProductSchedule

SLOPE = (128, 256)  # bits of the modulus between which area is measured
REAL = "osu018"  # a library with units of length and time
SILICON = (
    "SCS-MM-1(32)",
    "SCS-MM-1(64)",
    "SCS-MM-2",
    "FCS-MM-1",
    "FCS-MM-2",
    "FCS-MMM42",
    "SCS-MM-New",
)
Key = tuple[str, int]  # name and size


class Slope(NamedTuple):
    """One design at two widths."""

    narrow: MappedCore
    wide: MappedCore


class Measured(NamedTuple):
    """flat: for slopes, by name and width.  normalised, real: in the library `normalised` and in
    `REAL`, by name and size.  constant: schedules of those of constant time; chunks: of the cycles
    of the others.  contest: the multipliers of both papers, and ours, at one width.  What was not
    measured is missing."""

    constant: Mapping[Key, ProductSchedule]
    flat: Mapping[Key, MappedCore]
    normalised: Mapping[Key, MappedCore]
    real: Mapping[Key, MappedCore]
    chunks: Chunks
    contest: Mapping[str, MappedCore]

    @property
    def libraries(self) -> dict[str, Mapping[Key, MappedCore]]:
        """What is mapped, by library."""
        real = {REAL: self.real} if installed(REAL) else {}
        return {"normalised": self.normalised, **real}

    def slope(self, name: str) -> Slope | None:
        """The design at both widths; None if one of them is missing."""
        cores = [self.flat.get((name, width)) for width in SLOPE]
        return None if None in cores else Slope(*cores)  # type: ignore[arg-type]

    def sample(self, name: str, size: int) -> Sample | None:
        """Cycles of a design whose time depends on data."""
        return sampled(self.chunks, name, size)

    def cycles(self, name: str, size: int) -> tuple[float | None, float | None]:
        """Declared, and simulated: as the paper counts.  Where the time depends on data, neither is
        known before the patterns were simulated."""
        if name in DATA_DEPENDENT:
            sample = self.sample(name, size)
            return (sample.modelled, sample.mean) if sample else (None, None)
        run, uncounted = self.constant.get((name, size)), DESIGNS[name].uncounted
        declared = design(name, size).latency().maximum - uncounted
        return declared, run and run.latency - uncounted


def in_table3(name: str, size: int) -> bool:
    return not (name == "SCS-MM-1(64)" and size == SIZES[0])


def needs(printed: Figures, run: Measuring) -> Measured:
    """All designs are mapped, and simulated on random patterns."""

    def in_cells(keys: Iterable[Key], library: str, what: str) -> Needs[Key, MappedCore]:
        return Needs(what, {(n, w): mapped(options(n, w, library=library)) for n, w in keys})

    names = [name for name in DESIGNS if name not in ("SCS-MM-New, chained", "SCS-MM-1(64)")]
    rows = [(name, size) for size in SIZES for name in SILICON if in_table3(name, size)]
    constant: dict[Key, Need[ProductSchedule]] = {}
    patterns: dict[Chunk, Need[list[tuple[int, int]]]] = {}
    for size in SIZES:
        constant |= schedules({(name, size): design(name, size) for name in CONSTANT})
        patterns |= chunks(DATA_DEPENDENT, size)
    contest = {name: mapped(keys) for name, keys in designs.entrants().items()}
    return Measured(
        constant=Needs("simulate designs of constant time", constant),
        flat=in_cells(product(names, SLOPE), libraries.DEFAULT, "map for Table I"),
        normalised=in_cells(rows, libraries.DEFAULT, "map for Table III"),
        real=in_cells(rows if installed(REAL) else (), REAL, f"map with {REAL}"),
        chunks=Needs(f"chunks of {CHUNK} products", patterns),
        contest=Needs(f"map at {designs.CONTEST_WIDTH} bits, both papers and ours", contest),
    )
