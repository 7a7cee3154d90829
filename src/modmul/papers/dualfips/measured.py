"""Everything that is measured for the tables: simulated clocks, xc7 counts, ECP5 clocks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from modmul.arithmetic.words import ceil_div
from modmul.implementation.result import ImplementResult
from modmul.papers.dualfips.designs import BITS, CONTROLLERS, ONE, TWO_DEFAULT, WORD, subjects
from modmul.papers.dualfips.exponentiation import BITS as BITS_OF_LOOPS
from modmul.papers.dualfips.exponentiation import METHODS, Loops, exponentiations
from modmul.papers.dualfips.simulated import Clocks, simulated
from modmul.papers.implemented import cells, routed
from modmul.papers.needs import Measuring
from modmul.papers.records import Figures
from modmul.spec import Spec

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
    xc7: Mapping[str, ImplementResult]
    ecp5: Mapping[str, ImplementResult]


def spec_of(name: str, target: str) -> Spec:
    """One of AREAS as a bare core."""
    common = {"architecture": "fips", "width": BITS, "word": WORD, "interface": "core"}
    return Spec.from_options({**common, "target": target, **AREAS[name]})


def seeds_of(seeds: int) -> int:
    """Three in eight, as these circuits are wide."""
    return ceil_div(3 * seeds, 8)


def measure(printed: Figures, run: Measuring) -> Measured:
    """Simulate, count, and with at least one seed route."""
    timed = (
        ([(name, load.mode) for load in subject.loads], simulated(subject))
        for name, subject in subjects([row["words"] for row in printed["table1"]]).items()
    )
    powers = (
        ([(method, bits) for bits in BITS_OF_LOOPS], exponentiations(method, BITS_OF_LOOPS))
        for method in METHODS
    )
    counts = {name: cells(spec_of(name, "xc7")) for name in AREAS}
    routes = {
        name: routed(spec_of(name, "ecp5"), seeds_of(run.seeds), name)
        for name in (ROUTED if run.seeds else ())
    }
    return Measured(
        clocks=run.each("simulate circuits", timed),
        loops=run.each("simulate exponentiations", powers),
        xc7=run.fill("count cells", counts),
        ecp5=run.fill("place and route", routes),
    )
