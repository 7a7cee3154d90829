"""Everything that is measured for the tables: simulated cycles, counted cells, ECP5 clocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from modmul.implementation.implement import implement_chip
from modmul.implementation.result import ImplementResult
from modmul.multipliers import Multiplier
from modmul.papers.counted import Counted, count_cells
from modmul.papers.gallin2019.designs import design
from modmul.papers.kept import kept
from modmul.papers.simulated import simulate
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import Report
from modmul.toolchain.steps import IMPLEMENTED, Step
from modmul.verification.schedule import Schedule

SIMULATED = Step("paper-simulated", __name__, IMPLEMENTED)
ON_ECP5 = Step("paper-implemented", __name__, IMPLEMENTED)

Name = tuple[int, str]  # width of the modulus and name of a design: (128, "F44D")


class Measured(NamedTuple):
    """cycles: of every design, target generic.  cells: of each on the chips that the paper put it
    on, by target.  ecp5: some of them, placed and routed on another family.

    None: not measured."""

    cycles: Mapping[Name, Schedule | None]
    cells: Mapping[tuple[Name, str], Counted | None]
    ecp5: Mapping[Name, ImplementResult | None]
    first: Schedule | None  # the design of Figure 1


def measure(
    names: Iterable[Name],
    on_chips: Iterable[tuple[Name, str]],
    on_ecp5: Iterable[Name],
    first: Multiplier,
    *,
    seeds: int,
    jobs: int,
    cache: Cache,
    progress: Report,
) -> Measured:
    """Simulate all designs, implement some.  All of it is cached."""
    names, counted, routed = list(names), list(on_chips), list(on_ecp5)
    progress("simulate", 0, 1)
    *runs, run = _simulated([*(design(*name) for name in names), first], cache)
    progress("simulate", 1, 1)
    specs = [Spec(design(*name, target), interface="core") for name, target in counted]
    cells = count_cells(specs, jobs=jobs, cache=cache, progress=progress)
    ecp5 = {name: _routed(name, seeds, jobs, cache, progress) for name in routed}
    return Measured(
        dict(zip(names, runs, strict=True)), dict(zip(counted, cells, strict=True)), ecp5, run
    )


def _simulated(designs: Sequence[Multiplier], cache: Cache) -> Sequence[Schedule | None]:
    """All of them in one simulator."""
    key = {"specs": [Spec(one, interface="core").options() for one in designs]}
    step = SIMULATED.of(*map(type, designs))
    found = kept(cache, step, key, list[Schedule], lambda: simulate(designs, cache))
    return [None] * len(designs) if found is None else found


def _routed(
    name: Name, seeds: int, jobs: int, cache: Cache, progress: Report
) -> ImplementResult | None:
    def report(what: str, done: int, total: int) -> None:
        progress(f"{name[1]}, {name[0]} bits: {what}", done, total)

    spec = Spec(design(*name, "ecp5"), interface="core")
    return kept(
        cache, ON_ECP5.of(type(spec.multiplier)),
        {"spec": spec.options(), "seeds": seeds}, ImplementResult,
        lambda: implement_chip(spec, seeds=seeds, jobs=jobs, cache=cache, progress=report),
    )  # fmt: skip
