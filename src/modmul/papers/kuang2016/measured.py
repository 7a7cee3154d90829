"""Everything that is measured for the tables: mapped cells and simulated cycles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from modmul.papers.kuang2016 import designs
from modmul.papers.kuang2016.cycles import PATTERNS, Sample, sample
from modmul.papers.kuang2016.designs import CONSTANT, DESIGNS, SIZES, design, options
from modmul.papers.needs import Measuring
from modmul.papers.records import Figures
from modmul.papers.silicon import MappedCore, installed, mapped
from modmul.papers.simulated import schedules
from modmul.targets import libraries

SLOPE = (128, 256)  # bits of the modulus between which area is measured
REAL = "osu018"  # a library with units of length and time
SILICON = (
    "SCS-MM-1(32)", "SCS-MM-1(64)", "SCS-MM-2", "FCS-MM-1", "FCS-MM-2", "FCS-MMM42", "SCS-MM-New",
)  # fmt: skip
Key = tuple[str, int]  # name and size


class Slope(NamedTuple):
    """One design at two widths."""

    narrow: MappedCore
    wide: MappedCore


class Measured(NamedTuple):
    """slopes, normalised, real: in the library `normalised` and in `REAL` (None: not installed),
    by name, and by name and size.  samples: of those whose time depends on data; constant: cycles
    of the others.  contest: the multipliers of both papers, and ours, at one width.  What was not
    measured is missing."""

    slopes: Mapping[str, Slope]
    normalised: Mapping[Key, MappedCore]
    real: Mapping[Key, MappedCore] | None
    samples: Mapping[Key, Sample]
    constant: Mapping[Key, int]
    contest: Mapping[str, MappedCore]

    @property
    def libraries(self) -> dict[str, Mapping[Key, MappedCore]]:
        """What is mapped, by library."""
        return {"normalised": self.normalised, **({} if self.real is None else {REAL: self.real})}

    def cycles(self, key: Key) -> tuple[float | None, float | None]:
        """Declared, and simulated: as the paper counts.  Where the time depends on data, neither is
        known before the patterns were simulated."""
        if key[0] in designs.DATA_DEPENDENT:
            sampled = self.samples.get(key)
            return (sampled.modelled, sampled.mean) if sampled else (None, None)
        declared = design(*key).latency().maximum - DESIGNS[key[0]].uncounted
        return declared, self.constant.get(key)


def in_table3(name: str, size: int) -> bool:
    """Whether the paper has that row."""
    return not (name == "SCS-MM-1(64)" and size == SIZES[0])


def measure(printed: Figures, run: Measuring) -> Measured:
    """Map all designs, simulate them on random patterns."""

    def in_cells(keys: Sequence[Key], library: str, what: str) -> dict[Key, MappedCore]:
        needs = {(name, w): mapped(options(name, w, library=library)) for name, w in keys}
        return run.fill(what, needs)

    names = [name for name in DESIGNS if name not in ("SCS-MM-New, chained", "SCS-MM-1(64)")]
    normal = libraries.DEFAULT
    flat = in_cells([(n, width) for n in names for width in SLOPE], normal, "map for Table I")
    rows = [(n, size) for size in SIZES for n in SILICON if in_table3(n, size)]
    contest = {name: mapped(keys) for name, keys in designs.entrants().items()}
    constant = [[(name, size) for name in CONSTANT] for size in SIZES]
    simulated = ((keys, schedules([design(*key) for key in keys])) for keys in constant)
    latencies = run.each("simulate designs of constant time", simulated)
    return Measured(
        slopes={
            name: Slope(flat[name, SLOPE[0]], flat[name, SLOPE[1]])
            for name in names
            if all((name, width) in flat for width in SLOPE)
        },
        normalised=in_cells(rows, normal, "map for Table III"),
        real=in_cells(rows, REAL, f"map with {REAL}") if installed(REAL) else None,
        samples={
            (name, size): sampled
            for size in SIZES
            for name, sampled in sample(designs.DATA_DEPENDENT, size, PATTERNS, run).items()
        },
        constant={
            key: schedule.latency - DESIGNS[key[0]].uncounted for key, schedule in latencies.items()
        },
        contest=run.fill(f"map at {designs.CONTEST_WIDTH} bits, both papers and ours", contest),
    )
