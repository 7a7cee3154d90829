"""Which product is in which slot, and when: taken from a simulation of the emitted Verilog.

Products are issued back to back at the bare core; every result is compared with the integers."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, final

import msgspec

from modmul.errors import CheckFailed
from modmul.export import hdl
from modmul.multipliers.contract import Multiplier
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import JUDGED, Step
from modmul.verification import simulator, stimuli
from modmul.verification.judge import judge
from modmul.verification.protocol import Drive, Request, Run

SCHEDULE = Step("schedule", __name__, JUDGED)
ROUNDS, FEWEST, MOST = 3, 4, 48  # products: times round all slots; at least, at most
_SEED = 2019

Span = tuple[int, int]  # first and last cycle


@final
class Schedule(msgspec.Struct, frozen=True):
    """Products of one design, in the order in which they were issued.  Cycles count from 1, in
    which the first beat of the first product is taken.

    title: of the multiplier.  slots: product k is in slot k mod slots.
    taken: cycles of each product's operand beats; given: of its result's beats."""

    title: str
    slots: int
    taken: list[Span]
    given: list[Span]

    @property
    def latency(self) -> int:
        """First beat in to last beat out; the same for every product."""
        pairs = zip(self.taken, self.given, strict=True)
        return _only({last - first + 1 for (first, _), (_, last) in pairs}, "latency")

    @property
    def interval(self) -> int:
        """Between two products of one slot."""
        starts = [first for first, _ in self.taken]
        pairs = zip(starts, starts[self.slots :], strict=False)
        return _only({later - earlier for earlier, later in pairs}, "interval")

    def cycles_for(self, count: int) -> int:
        """First beat of the first product in to last beat of the count-th out."""
        return self.given[count - 1][1]


def simulate(spec: Spec, cache: Cache) -> Schedule:
    """Some rounds of products, from the cache or from a simulation, for the modulus of the spec or
    a random one.  CheckFailed if a product is wrong."""
    multiplier = spec.multiplier
    step = SCHEDULE.of(type(multiplier))
    key = {"spec": spec.options()}
    kept = cache.get(step, key)
    if kept is not None:
        return msgspec.convert(kept, Schedule)
    rng = random.Random(_SEED)
    setting = spec.setting or stimuli.random_setting(multiplier, multiplier.modes[0], rng)
    count = min(MOST, max(FEWEST, ROUNDS * multiplier.slots))
    run = Run(setting, stimuli.random_products(setting, count, rng))
    text = hdl.emit(multiplier)
    only = simulator.Design(multiplier, text.verilog, text.core, "core", text.models)
    with simulator.compile_simulator([only], cache).start(seed=_SEED) as session:
        made = issue(session, multiplier, 0, run)
    cache.put(step, key, msgspec.to_builtins(made))
    return made


def issue(session: simulator.Session, multiplier: Multiplier, design: int, run: Run) -> Schedule:
    """Issue the products of a run at a bare core.  design: its position in the simulator.

    CheckFailed if a product is wrong or missing, or takes another time than declared."""
    request = Request(multiplier, design, Drive("back to back", "core"), [run], _SEED)
    outcome = session.run(request)
    verdict = judge(request, outcome)
    if verdict.faults or verdict.products != len(run.products):
        said = verdict.faults[0].message if verdict.faults else "results are missing"
        raise CheckFailed(f"{multiplier.title}: {said}")
    start = int(outcome.taken["first"][0]) - 1
    return Schedule(
        title=multiplier.title,
        slots=multiplier.slots,
        taken=[_span(one, start) for one in outcome.taken],
        given=[_span(one, start) for one in outcome.results],
    )


def _span(event: Mapping[str, Any], start: int) -> Span:
    return int(event["first"]) - start, int(event["last"]) - start


def _only(found: set[int], what: str) -> int:
    if len(found) != 1:
        raise CheckFailed(f"{what} is not constant: {sorted(found)}")
    return found.pop()
