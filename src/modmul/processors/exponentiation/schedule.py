"""The cycles of an exponentiation, from the declared figures of the multiplier alone.

The control of the processor acts on what the multiplier says (ready, a result's first and last
beat), so its states are followed here one by one, with a model of when a multiplier is ready."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Literal

from modmul.operation import Cycles, Mode
from modmul.processors.exponentiation.facts import ExponentiationFacts

Case = Literal["minimum", "mean", "maximum"]
_CASES: tuple[Case, ...] = ("minimum", "mean", "maximum")
_FIRST_BIT = 3  # cycles from the command until the first bit of the exponent is there

TERMS = {
    "load": "the command and the base come in",
    "align": "wait for the turn of a slot of the multiplier",
    "enter": "the base into the Montgomery domain: a product with R^2 mod N",
    "loop": "a product and a square, or a square alone, for each bit of the exponent",
    "leave": "the power out of the Montgomery domain: a product with 1",
    "reduce": "the power below N: subtractions, and a carry-save pair becomes one number",
    "check": "with protection, what the power is checked by: four products",
    "unload": "the power goes out, with protection also the status",
}


class UnitTiming:
    """The timing of one multiplier: when it takes products, and when their results come.

    A slot begins in cycle 0.  Times may be means, and so fractions."""

    def __init__(self, facts: ExponentiationFacts, mode: Mode, case: Case):
        multiplier = facts.multiplier
        self.period, self.slots = multiplier.issue_slot_period, multiplier.slots
        self.beats = multiplier.beats_in(mode)
        square = mode.square() if multiplier.squares else mode
        self.latency = [float(getattr(multiplier.latency(kind), case)) for kind in (mode, square)]
        self.interval = [float(getattr(multiplier.interval(kind), case)) for kind in (mode, square)]
        self.free = [0.0] * self.slots

    def ready(self, time: float) -> float:
        """The cycle in which a product can begin that is offered from `time` on."""
        if self.period == 1:
            return max(time, min(self.free))
        time = -(-time // self.period) * self.period
        while self.free[self._slot(time)] > time:
            time += self.period
        return time

    def begin(self, time: float, square: bool) -> tuple[float, float]:
        """Begin a product at `time`.  Return when its first and its last result beat come."""
        self.free[self._slot(time)] = time + self.interval[square]
        last = time + self.latency[square] - 1
        return last - (self.beats - 1), last

    def _slot(self, time: float) -> int:
        if self.period == 1:
            return self.free.index(min(self.free))
        return int(time // self.period) % self.slots


class _Run:
    """Follows the control.  time: the cycle in which the present state began.  first, last: the
    cycles of the first and the last beat of the result that it waits for."""

    def __init__(self, facts: ExponentiationFacts, mode: Mode, case: Case):
        self.facts = facts
        self.units = [UnitTiming(facts, mode, case) for _ in range(facts.units)]
        self.beats = self.units[0].beats
        self.words = facts.words_in(mode)
        self.time = self.first = self.last = 0.0

    def product(self, square: bool = False) -> None:
        """Offer a product to unit 0."""
        begun = self.units[0].ready(self.time)
        self.first, self.last = self.units[0].begin(begun, square)
        self.time = begun + self.beats

    def both(self) -> None:
        """Offer a product to unit 0 and a square to unit 1, in the same cycle."""
        begun = self.time
        while (later := max(unit.ready(begun) for unit in self.units)) > begun:
            begun = later
        ends = [unit.begin(begun, number == 1) for number, unit in enumerate(self.units)]
        self.first, self.last = (max(beats) for beats in zip(*ends, strict=True))
        self.time = begun + self.beats

    def wait(self, until: float) -> None:
        """Go to the next state at the end of cycle `until`, but at least one cycle later."""
        self.time = max(self.time, until) + 1

    def step(self, bit: bool) -> None:
        """Offer the products of one bit of the exponent."""
        if not self.facts.is_ladder:
            self.product(square=True)
            if bit:
                self.wait(self.first)
                self.product()
        elif len(self.units) == 2:
            self.both()
        else:
            self.product()
            self.product(square=True)

    def enter(self, length: int) -> None:
        """Bring the base into the Montgomery domain; meanwhile 1 in the domain is fetched."""
        self.product()
        self.time += self.words
        self.wait(max(self.first, _FIRST_BIT - 1 - self.words) if length else self.last)

    def loop(self, length: int, bit: bool) -> None:
        """Do the steps of `length` bits with the same value."""
        for index in range(length):
            if index:
                self.wait(self.first)
            self.step(bit)
        if length:
            self.wait(self.last)

    def leave(self) -> None:
        self.time += self.words
        self.product()
        self.wait(self.last)

    def reduce(self) -> None:
        self.time += self.facts.passes * (self.words + 1)

    def check(self) -> None:
        """Keep the power, multiply it by the base, let the proof leave twice, and compare; let R^2
        mod N leave, and compare."""
        for passes, products in ((1, 1), (1, 2), (2, 1)):
            self.time += passes * self.words
            for _ in range(products):
                self.product()
                self.wait(self.last)
            self.reduce()
        self.time += self.words


def schedule(
    facts: ExponentiationFacts, length: int, ones: int | None, mode: Mode
) -> dict[str, Cycles]:
    """The cycles of each term.  ones: number of ones in the exponent; None: any, half of the
    bits in the mean."""
    cases = [_case(facts, length, ones, mode, case) for case in _CASES]
    return {
        name: Cycles(round(cases[0][name]), cases[1][name], round(cases[2][name]))
        for name in cases[0]
    }


def _case(
    facts: ExponentiationFacts, length: int, ones: int | None, mode: Mode, case: Case
) -> dict[str, float]:
    terms = dict(_terms(facts, length, False, mode, case))
    if not facts.is_ladder and length:
        share = {"minimum": 0.0, "mean": 0.5, "maximum": 1.0}[case]
        share = share if ones is None else ones / length
        products = _terms(facts, length, True, mode, case)["loop"] - terms["loop"]
        terms["loop"] += products * share
    return terms


@functools.lru_cache(maxsize=1024)
def _terms(
    facts: ExponentiationFacts, length: int, bit: bool, mode: Mode, case: Case
) -> Mapping[str, float]:
    run = _Run(facts, mode, case)
    words, period = run.words, facts.multiplier.issue_slot_period
    terms = {
        "load": 1.0 + words,
        "align": {"minimum": 0.0, "mean": (period - 1) / 2, "maximum": period - 1.0}[case],
    }

    def term(name: str, action: Callable[[], None]) -> None:
        before = run.time
        action()
        terms[name] = run.time - before

    if facts.enters_domain:
        term("enter", lambda: run.enter(length))
    else:
        terms["load"] = max(1.0 + words, _FIRST_BIT if length else 0.0) + 1
    term("loop", lambda: run.loop(length, bit))
    if facts.enters_domain:
        term("leave", run.leave)
    if facts.passes:
        term("reduce", run.reduce)
    if facts.checked:
        term("check", run.check)
    terms["unload"] = run.words + facts.checked * (run.words + 1.0)
    return terms
