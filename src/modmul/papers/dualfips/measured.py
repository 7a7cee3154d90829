"""Everything that is measured for the tables: simulated clocks, xc7 counts, ECP5 clocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from modmul.arithmetic.words import ceil_div
from modmul.papers.counted import Counted, count_cells
from modmul.papers.dualfips import exponentiation
from modmul.papers.dualfips.designs import BITS, CONTROLLERS, ONE, TWO_DEFAULT, WORD, subjects
from modmul.papers.dualfips.exponentiation import Loops
from modmul.papers.dualfips.simulated import Clocks, simulate_all
from modmul.papers.kept import known
from modmul.papers.routed import Routed, route
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import Report

# Circuits of Table 2, 1024 bits: options besides the default ones.
AREAS: dict[str, Mapping[str, Any]] = {
    "one, as drawn": CONTROLLERS[ONE].options,
    "one": {},
    "one, 3 stages": {"stages": 3},
    "one, DSP": {"dsp": True},
    "one, DSP, 3 stages": {"dsp": True, "stages": 3},
    "two": CONTROLLERS[TWO_DEFAULT].options,
    "one, GF(p) alone": {"field": "prime"},
}
ROUTED = ("one, as drawn", "one", "one, 3 stages", "one, DSP", "one, DSP, 3 stages")


class Measured(NamedTuple):
    """clocks: simulated products; loops: simulated exponentiations; xc7: counted; ecp5: placed and
    routed.  What was not measured is missing."""

    clocks: Clocks
    loops: Loops
    xc7: Mapping[str, Counted]
    ecp5: Mapping[str, Routed]


def spec_of(name: str, target: str) -> Spec:
    """One of AREAS as a bare core."""
    common = {"architecture": "fips", "width": BITS, "word": WORD, "interface": "core"}
    return Spec.from_options({**common, "target": target, **AREAS[name]})


def seeds_of(seeds: int) -> int:
    """Three in eight, as these circuits are wide."""
    return ceil_div(3 * seeds, 8)


def measure(
    rows: Sequence[int], *, seeds: int, jobs: int, cache: Cache, progress: Report
) -> Measured:
    """Simulate, count, and with at least one seed route.  All of it is cached, each seed by itself.

    rows: words of an operand, of Table 1."""
    clocks = simulate_all(subjects(rows), jobs=jobs, cache=cache, progress=progress)
    loops = exponentiation.measure(exponentiation.BITS, jobs=jobs, cache=cache, progress=progress)
    specs = [spec_of(name, "xc7") for name in AREAS]
    xc7 = count_cells(specs, jobs=jobs, cache=cache, progress=progress)
    names = ROUTED if seeds > 0 else ()
    ecp5 = [
        route(
            spec_of(name, "ecp5"), name,
            seeds=seeds_of(seeds), jobs=jobs, cache=cache, progress=progress,
        )
        for name in names
    ]  # fmt: skip
    return Measured(clocks, loops, known(AREAS, xc7), known(names, ecp5))
