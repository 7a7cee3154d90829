"""Clocks counted in simulation of the emitted Verilog, every product checked against the integers
or polynomials."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import NamedTuple

from modmul.design import Mode
from modmul.errors import CheckFailed
from modmul.export import hdl
from modmul.multipliers.fips import Fips
from modmul.papers.dualfips.designs import Load, Subject
from modmul.papers.kept import kept
from modmul.papers.side_by_side import each
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import Report
from modmul.toolchain.steps import JUDGED, Step
from modmul.verification import simulator, stimuli
from modmul.verification.judge import judge
from modmul.verification.protocol import Drive, Request, Run
from modmul.verification.verdict import Measure

CLOCKS = Step("paper-clocks", __name__, JUDGED)
PRODUCTS = 4  # of each mode, one after the other; their times must be equal
_SEED = 2020


class Timed(NamedTuple):
    """clocks: as the paper counts, from `start` to `done`: the latency at the ports without the
    declared terms for loading, subtraction and unloading.  latency: all of it.  interval: from
    product to product."""

    clocks: int
    latency: int
    interval: int


Clocks = Mapping[tuple[str, Mode], Timed]  # by the name of a circuit


def simulate_all(
    subjects: Mapping[str, Subject], *, jobs: int, cache: Cache, progress: Report
) -> dict[tuple[str, Mode], Timed]:
    """Simulate circuits, each compiled by itself; those that `kept` has not are left out.

    CheckFailed if a product is wrong, or takes another time than is declared."""
    timed = each(
        lambda subject: simulate(subject, cache), subjects.values(),
        jobs=jobs, progress=progress, what="simulate circuits",
    )  # fmt: skip
    return {
        (name, load.mode): one
        for (name, subject), times in zip(subjects.items(), timed, strict=True)
        for load, one in zip(subject.loads if times else (), times or (), strict=True)
    }


def simulate(subject: Subject, cache: Cache) -> list[Timed] | None:
    """The times of each of its loads; None as of `kept`."""
    key = {
        "spec": Spec(subject.multiplier, interface="core").options(),
        "modes": [(one.mode.operation, one.mode.field, one.mode.words) for one in subject.loads],
        "moduli": [hex(one.modulus) if one.modulus else None for one in subject.loads],
    }
    step = CLOCKS.of(type(subject.multiplier))
    return kept(cache, step, key, list[Timed], lambda: _simulate(subject, cache))


def _simulate(subject: Subject, cache: Cache) -> list[Timed]:
    multiplier = subject.multiplier
    text = hdl.emit(multiplier)
    only = simulator.Design(multiplier, text.verilog, text.core, "core", text.models)
    with simulator.compile_simulator([only], cache).start(seed=_SEED) as session:
        return [_run(session, multiplier, load) for load in subject.loads]


def _run(session: simulator.Session, multiplier: Fips, load: Load) -> Timed:
    rng = random.Random(_SEED)
    square = load.mode.operation == "square"
    if load.modulus is None:
        setting = stimuli.random_setting(multiplier, load.mode, rng)
    else:
        setting = multiplier.over(load.modulus, load.mode.field, load.mode.words)
    products = stimuli.random_products(setting, PRODUCTS, rng)
    run = Run(setting, products, squares=[square] * PRODUCTS)
    request = Request(multiplier, 0, Drive("back to back", "core"), [run], _SEED)
    verdict = judge(request, session.run(request))
    where = f"{multiplier.title}, {load.mode.name}"
    if verdict.faults or verdict.products != PRODUCTS:
        said = verdict.faults[0].message if verdict.faults else "results are missing"
        raise CheckFailed(f"{where}: {said}")
    latency = _only(verdict.latency[load.mode], f"{where}: latency")
    terms = multiplier.cycles(load.mode)
    besides = sum(term.maximum for name, term in terms.items() if name != "multiplication")
    interval = _only(verdict.interval[load.mode], f"{where}: interval")
    return Timed(latency - besides, latency, interval)


def _only(measure: Measure, what: str) -> int:
    """The one figure that all products had."""
    if measure.smallest is None or measure.smallest != measure.largest:
        raise CheckFailed(f"{what} is not constant: {measure.smallest} to {measure.largest}")
    return measure.smallest
