"""Simulates products at the bare core, back to back, and records which product is in which slot,
and when.

Every product is compared with the integers, and with the protocol and the cycles that its design
declares."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, final

import msgspec

from modmul.errors import CheckFailed
from modmul.export import hdl
from modmul.multipliers.contract import Multiplier, Operand
from modmul.multipliers.setting import Setting
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import JUDGED, Step
from modmul.verification import simulator, stimuli
from modmul.verification.judge import judge
from modmul.verification.protocol import BACK_TO_BACK, CoreOutcome, CoreRequest, ModulusRun

SCHEDULE = Step("schedule", JUDGED)
ROUNDS, FEWEST, MOST = 3, 4, 48  # products: rounds through all slots, and their limits
_SEED = 2019

Span = tuple[int, int]  # first and last cycle


@final
class ProductSchedule(msgspec.Struct, frozen=True):
    """Products of one design, in the order in which they were issued.  Cycles are counted from 1,
    the cycle in which the first beat of the first product is accepted.

    title: of the multiplier.  slots: product k is in slot k mod slots.  taken: the cycles of each
    product's operand beats.  given: those of its result's beats."""

    title: str
    slots: int
    taken: list[Span]
    given: list[Span]

    @property
    def latencies(self) -> list[int]:
        """The latency of each product: first beat in to last beat out."""
        pairs = zip(self.taken, self.given, strict=True)
        return [last - first + 1 for (first, _), (_, last) in pairs]

    @property
    def latency(self) -> int:
        """The latency that all products have.  Raises CheckFailed if they differ."""
        return self._only(set(self.latencies), "latency")

    @property
    def interval(self) -> int:
        """The cycles from one product of a slot to the next one of the same slot."""
        starts = [first for first, _ in self.taken]
        pairs = zip(starts, starts[self.slots :], strict=False)
        return self._only({later - earlier for earlier, later in pairs}, "interval")

    def cycles_for(self, count: int) -> int:
        """The cycles from the first beat of the first product to the last beat of the result
        number `count`."""
        return self.given[count - 1][1]

    def _only(self, figures: set[int], figure: str) -> int:
        """The figure that all products have.  Raises CheckFailed if they differ."""
        if len(figures) != 1:
            raise CheckFailed(f"{self.title}: {figure} is not constant: {sorted(figures)}")
        return figures.pop()


class Observed(NamedTuple):
    """Products that passed all checks.  values: their results.  schedule: the cycles of each
    product."""

    values: Sequence[Operand]
    schedule: ProductSchedule


def compile_cores(multipliers: Sequence[Multiplier], cache: Cache) -> simulator.Simulator:
    """Compile the bare cores of designs into one simulator, each by its position."""
    designs = []
    for multiplier in multipliers:
        text = hdl.emit(multiplier)
        core = simulator.CompiledCore(multiplier, text.verilog, text.core, "core", text.models)
        designs.append(core)
    return simulator.compile_simulator(designs, cache)


def observe(session: simulator.Session, design: int, runs: Sequence[ModulusRun]) -> Observed:
    """Issue the products of some runs.  design: its position in the simulator.

    Raises CheckFailed if a product is wrong or missing, differs from the golden model, or takes
    other cycles than declared."""
    multiplier = session.simulator.designs[design].multiplier
    request = CoreRequest(multiplier, design, BACK_TO_BACK, runs, _SEED)
    outcome = session.run(request)
    verdict = judge(request, outcome)
    if verdict.mismatches or verdict.products != sum(len(run.products) for run in runs):
        reason = verdict.mismatches[0].message if verdict.mismatches else "results are missing"
        raise CheckFailed(f"{multiplier.title}: {reason}")
    return Observed(outcome.values, _schedule(multiplier, outcome))


def simulate(spec: Spec, cache: Cache) -> ProductSchedule:
    """The schedule of some rounds of products, simulated or from the cache, for the modulus
    of the spec or a random one.  Raises CheckFailed if a product is wrong."""
    multiplier = spec.multiplier
    key = {"spec": spec.options()}
    record = cache.get(SCHEDULE, key)
    if record is not None:
        return msgspec.convert(record, ProductSchedule)
    count = min(MOST, max(FEWEST, ROUNDS * multiplier.slots))
    (schedule,) = simulate_all([multiplier], count, cache, setting=spec.setting)
    cache.put(SCHEDULE, key, msgspec.to_builtins(schedule))
    return schedule


def simulate_all(
    multipliers: Sequence[Multiplier], count: int, cache: Cache, *, setting: Setting | None = None
) -> list[ProductSchedule]:
    """The schedules of `count` random products of each design, compiled into one simulator.
    setting: the modulus in use; None for a random one for each design.  Raises CheckFailed if a
    product is wrong."""
    schedules = []
    with compile_cores(multipliers, cache).start(seed=_SEED) as session:
        for place, multiplier in enumerate(multipliers):
            rng = random.Random(_SEED)
            used = setting or stimuli.random_setting(multiplier, multiplier.modes[0], rng)
            run = ModulusRun(used, stimuli.random_products(used, count, rng))
            schedules.append(observe(session, place, [run]).schedule)
    return schedules


def _schedule(multiplier: Multiplier, outcome: CoreOutcome) -> ProductSchedule:
    start = int(outcome.taken["first"][0]) - 1
    return ProductSchedule(
        title=multiplier.title,
        slots=multiplier.slots,
        taken=[_span(beats, start) for beats in outcome.taken],
        given=[_span(result, start) for result in outcome.results],
    )


def _span(event: Mapping[str, Any], start: int) -> Span:
    return int(event["first"]) - start, int(event["last"]) - start
