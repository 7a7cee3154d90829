"""Everything that is measured for the tables: simulated cycles, xc7 counts, ECP5 clocks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from modmul.implementation.implement import implement_chip
from modmul.implementation.result import ImplementResult
from modmul.multipliers import Multiplier
from modmul.papers.counted import Counted, count_on_xc7
from modmul.papers.gallin2019.designs import design
from modmul.papers.gallin2019.simulated import Simulated, simulate
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import Report

Name = tuple[int, str]  # width of the modulus and name of a design: (128, "F44D")


class Measured(NamedTuple):
    """cycles: of every design, target generic.  xc7: those that the paper put on a Virtex-7,
    counted for that family.  ecp5: some of them, placed and routed on another family."""

    cycles: dict[Name, Simulated]
    xc7: dict[Name, Counted]
    ecp5: dict[Name, ImplementResult]
    first: Simulated  # the design of Figure 1


def measure(
    names: Iterable[Name],
    on_virtex7: Iterable[Name],
    on_ecp5: Iterable[Name],
    first: Multiplier,
    *,
    seeds: int,
    jobs: int,
    cache: Cache,
    progress: Report,
) -> Measured:
    """Simulate all designs, implement some.  All of it is cached."""
    names, counted, routed = list(names), list(on_virtex7), list(on_ecp5)
    progress("simulate", 0, 1)
    *runs, run = simulate([*(design(*name) for name in names), first], cache)
    progress("simulate", 1, 1)
    specs = [Spec(design(*name, "xc7"), interface="core") for name in counted]
    xc7 = count_on_xc7(specs, jobs=jobs, cache=cache, progress=progress)
    ecp5 = {}
    for name in routed:
        spec = Spec(design(*name, "ecp5"), interface="core")

        def report(what: str, done: int, total: int, name: Name = name) -> None:
            progress(f"{name[1]}, {name[0]} bits: {what}", done, total)

        ecp5[name] = implement_chip(spec, seeds=seeds, jobs=jobs, cache=cache, progress=report)
    return Measured(
        dict(zip(names, runs, strict=True)), dict(zip(counted, xc7, strict=True)), ecp5, run
    )
