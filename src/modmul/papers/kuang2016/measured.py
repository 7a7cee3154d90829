"""Everything that is measured for the tables: mapped cells and simulated cycles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from modmul.papers.kept import known
from modmul.papers.kuang2016 import best
from modmul.papers.kuang2016.cycles import PATTERNS, Sample, sample
from modmul.papers.kuang2016.designs import (
    CONSTANT,
    DATA_DEPENDENT,
    DESIGNS,
    SIZES,
    design,
    options,
)
from modmul.papers.latencies import latencies
from modmul.papers.silicon import Silicon, implement_all, installed
from modmul.targets import libraries
from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import Report

SLOPE = (128, 256)  # bits of the modulus between which area is measured
REAL = "osu018"  # a library with units of length and time
SILICON = (
    "SCS-MM-1(32)", "SCS-MM-1(64)", "SCS-MM-2", "FCS-MM-1", "FCS-MM-2", "FCS-MMM42", "SCS-MM-New",
)  # fmt: skip


class Slope(NamedTuple):
    """One design at two widths."""

    narrow: Silicon
    wide: Silicon


class Measured(NamedTuple):
    """slopes, normalised, real: in the library `normalised` and in `REAL` (None: not installed),
    by name, and by name and size.  samples: of those whose time depends on data; constant: cycles
    of the others.  contest: the multipliers of both papers, and ours, at one width.  What was not
    measured is missing."""

    slopes: Mapping[str, Slope]
    normalised: Mapping[tuple[str, int], Silicon]
    real: Mapping[tuple[str, int], Silicon] | None
    samples: Mapping[tuple[str, int], Sample]
    constant: Mapping[tuple[str, int], int]
    contest: Mapping[best.Entrant, Silicon]

    @property
    def slope_title(self) -> str:
        """Between which widths."""
        widths = next(((a.width, b.width) for a, b in self.slopes.values()), SLOPE)
        return f"measured from {widths[0]} to {widths[1]} bits, delay at the latter"


def in_table3(name: str, size: int) -> bool:
    """Whether the paper has that row."""
    return not (name == "SCS-MM-1(64)" and size == SIZES[0])


def measure(*, patterns: int = PATTERNS, jobs: int, cache: Cache, progress: Report) -> Measured:
    """Map all designs, simulate them on `patterns` random patterns.  All of it is cached."""

    def mapped(
        keys: list[tuple[str, int]], library: str, what: str
    ) -> dict[tuple[str, int], Silicon]:
        specs = [options(name, width, library=library) for name, width in keys]
        found = implement_all(specs, jobs=jobs, cache=cache, progress=progress, what=what)
        return known(keys, found)

    names = [name for name in DESIGNS if name not in ("SCS-MM-New, chained", "SCS-MM-1(64)")]
    normal = libraries.DEFAULT
    flat = mapped([(n, width) for n in names for width in SLOPE], normal, "map for Table I")
    rows = [(n, size) for size in SIZES for n in SILICON if in_table3(n, size)]
    normalised = mapped(rows, normal, "map for Table III")
    real = mapped(rows, REAL, f"map with {REAL}") if installed(REAL) else None
    contest = best.measure(jobs=jobs, cache=cache, progress=progress)
    samples, constant = _cycles(patterns, jobs, cache, progress)
    slopes = {
        name: Slope(flat[name, SLOPE[0]], flat[name, SLOPE[1]])
        for name in names
        if all((name, width) in flat for width in SLOPE)
    }
    return Measured(slopes, normalised, real, samples, constant, contest)


def _cycles(
    patterns: int, jobs: int, cache: Cache, progress: Report
) -> tuple[dict[tuple[str, int], Sample], dict[tuple[str, int], int]]:
    samples: dict[tuple[str, int], Sample] = {}
    constant: dict[tuple[str, int], int] = {}
    for size in SIZES:
        found = sample(DATA_DEPENDENT, size, patterns, jobs=jobs, cache=cache, progress=progress)
        samples |= {(name, size): one for name, one in found.items()}
        what = f"{size} bits, designs of constant time"
        progress(what, 0, 1)
        counted = latencies([design(name, size) for name in CONSTANT], cache)
        progress(what, 1, 1)
        for name, latency in zip(CONSTANT, counted, strict=True):
            if latency is not None:
                constant[name, size] = latency - DESIGNS[name].uncounted
    return samples, constant
