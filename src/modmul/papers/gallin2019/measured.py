"""Everything that is measured for the tables: simulated cycles, xc7 counts, ECP5 clocks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from modmul.implementation.implement import implement
from modmul.implementation.result import ImplementResult
from modmul.multipliers import Multiplier
from modmul.papers.gallin2019.designs import design
from modmul.papers.gallin2019.simulated import Simulated, simulate
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import Report

Name = tuple[int, str]  # width of the modulus and name of a design: (128, "F44D")


class Measured(NamedTuple):
    """cycles: of every design, target generic.  xc7, ecp5: the designs that the paper put on a
    Virtex-7, counted for that family; placed and routed on another, Lattice's."""

    cycles: dict[Name, Simulated]
    xc7: dict[Name, ImplementResult]
    ecp5: dict[Name, ImplementResult]
    first: Simulated  # the design of Figure 1


def measure(
    names: Iterable[Name],
    on_virtex7: Iterable[Name],
    first: Multiplier,
    *,
    seeds: int,
    jobs: int,
    cache: Cache,
    progress: Report,
) -> Measured:
    """Simulate all designs; implement those of `on_virtex7`.  All of it is cached."""
    names, chosen = list(names), list(on_virtex7)
    progress("simulate", 0, 1)
    *runs, run = simulate([*(design(*name) for name in names), first], cache)
    progress("simulate", 1, 1)
    found: dict[str, dict[Name, ImplementResult]] = {"xc7": {}, "ecp5": {}}
    for done, (target, name) in enumerate((t, n) for t in found for n in chosen):
        progress("implement", done, 2 * len(chosen))
        spec = Spec(design(*name, target), interface="core")
        found[target][name] = implement(
            spec, seeds=seeds, jobs=jobs, cache=cache, progress=progress
        )
    progress("implement", 2 * len(chosen), 2 * len(chosen))
    return Measured(dict(zip(names, runs, strict=True)), found["xc7"], found["ecp5"], run)
