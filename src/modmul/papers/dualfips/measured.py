"""Everything that is measured for the tables: simulated clocks, xc7 counts, ECP5 clocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from modmul.arithmetic.words import ceil_div
from modmul.implementation.implement import implement_chip
from modmul.implementation.result import ImplementResult
from modmul.papers.counted import Counted, count_on_xc7
from modmul.papers.dualfips import exponentiation
from modmul.papers.dualfips.designs import BITS, CONTROLLERS, ONE, TWO_DEFAULT, WORD, subjects
from modmul.papers.dualfips.exponentiation import Loops
from modmul.papers.dualfips.simulated import Clocks, simulate_all
from modmul.papers.kept import kept
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


class Routed(NamedTuple):
    """A bare core on an ECP5.  mhz: the median of the seeds; usable: the same, but not above the
    limits of its hard blocks; path: the slowest, for people."""

    lut: int
    ff: int
    dsp: int
    mhz: float
    usable: float
    seeds: int
    path: str


class Measured(NamedTuple):
    """clocks: simulated products; loops: simulated exponentiations; xc7: counted; ecp5: placed and
    routed, empty if that was not wanted."""

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
    xc7 = count_on_xc7(specs, jobs=jobs, cache=cache, progress=progress)
    ecp5 = {}
    if seeds > 0:
        for name in ROUTED:
            ecp5[name] = _route(name, seeds_of(seeds), jobs, cache, progress)
    return Measured(clocks, loops, dict(zip(AREAS, xc7, strict=True)), ecp5)


def _route(name: str, seeds: int, jobs: int, cache: Cache, progress: Report) -> Routed:
    def report(what: str, done: int, total: int) -> None:
        progress(f"{name}: {what}", done, total)

    spec = spec_of(name, "ecp5")
    return kept(
        cache, "paper-routed", {"spec": spec.options(), "seeds": seeds}, Routed,
        lambda: of(implement_chip(spec, seeds=seeds, jobs=jobs, cache=cache, progress=report)),
    )  # fmt: skip


def of(result: ImplementResult) -> Routed:
    """What the tables need of a routed result."""
    clock, path = result.fmax_mhz, result.critical_path
    assert clock is not None and path is not None
    return Routed(
        result.lut, result.ff, result.dsp, clock.median, clock.usable, len(clock.seeds),
        path.in_words(),
    )  # fmt: skip
