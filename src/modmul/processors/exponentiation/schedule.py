"""The cycles of an exponentiation, from the declared figures of the multiplier alone.

The control of the processor acts on what the multiplier says (ready, a result's first and last
beat), so its states are followed here one by one, with a model of when a multiplier is ready."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal

from modmul.design import Cycles, Mode

if TYPE_CHECKING:
    from modmul.processors.exponentiation import Exponentiation

Case = Literal["minimum", "mean", "maximum"]
_CASES: tuple[Case, ...] = ("minimum", "mean", "maximum")
_FIRST_BIT = 3  # cycles from the command until the first bit of the exponent is there


class Unit:
    """One multiplier: when it takes products, and when their results come.

    Cycle 0 is one in which a slot begins.  Times may be means, so fractions."""

    def __init__(self, processor: Exponentiation, mode: Mode, case: Case):
        multiplier = processor.multiplier
        self.rotation, self.slots = multiplier.rotation, multiplier.slots
        self.beats = multiplier.beats_in(mode)
        square = mode.square() if multiplier.squares else mode
        self.latency = [float(getattr(multiplier.latency(one), case)) for one in (mode, square)]
        self.interval = [float(getattr(multiplier.interval(one), case)) for one in (mode, square)]
        self.free = [0.0] * self.slots

    def ready(self, time: float) -> float:
        """When a product that is offered from `time` on can begin."""
        if self.rotation == 1:
            return max(time, min(self.free))
        time = -(-time // self.rotation) * self.rotation
        while self.free[self._slot(time)] > time:
            time += self.rotation
        return time

    def begin(self, time: float, square: bool) -> tuple[float, float]:
        """A product begun at `time`: when its first and its last result beat come."""
        self.free[self._slot(time)] = time + self.interval[square]
        last = time + self.latency[square] - 1
        return last - (self.beats - 1), last

    def _slot(self, time: float) -> int:
        if self.rotation == 1:
            return self.free.index(min(self.free))
        return int(time // self.rotation) % self.slots


class _Run:
    """Follows the control.  time: the cycle in which the present state began; first, last: when
    the first and the last beat come of the result that it waits for."""

    def __init__(self, processor: Exponentiation, mode: Mode, case: Case):
        self.processor = processor
        self.units = [Unit(processor, mode, case) for _ in range(processor.units)]
        self.beats = self.units[0].beats
        self.words = processor.words_in(mode)
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
        """To the state after the present one, which lasts to the cycle `until`, or one cycle."""
        self.time = max(self.time, until) + 1

    def step(self, bit: bool) -> None:
        """One bit of the exponent."""
        if not self.processor.is_ladder:
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
        """The base into the domain; meanwhile 1 in the domain is fetched."""
        self.product()
        self.time += self.words
        self.wait(max(self.first, _FIRST_BIT - 1 - self.words) if length else self.last)

    def loop(self, length: int, bit: bool) -> None:
        """All steps, with equal bits."""
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


def schedule(
    processor: Exponentiation, length: int, ones: int | None, mode: Mode
) -> dict[str, Cycles]:
    """The terms.  ones: None for any number from 0 to `length`, half of the bits in the mean."""
    found = [_case(processor, length, ones, mode, case) for case in _CASES]
    return {
        name: Cycles(round(found[0][name]), found[1][name], round(found[2][name]))
        for name in found[0]
    }


def _case(
    processor: Exponentiation, length: int, ones: int | None, mode: Mode, case: Case
) -> dict[str, float]:
    terms = dict(_terms(processor, length, False, mode, case))
    if not processor.is_ladder and length:
        share = {"minimum": 0.0, "mean": 0.5, "maximum": 1.0}[case]
        share = share if ones is None else ones / length
        products = _terms(processor, length, True, mode, case)["loop"] - terms["loop"]
        terms["loop"] += products * share
    return terms


@functools.lru_cache(maxsize=1024)
def _terms(
    processor: Exponentiation, length: int, bit: bool, mode: Mode, case: Case
) -> Mapping[str, float]:
    run = _Run(processor, mode, case)
    words, rotation = run.words, processor.multiplier.rotation
    terms = {
        "load": 1.0 + words,
        "align": {"minimum": 0.0, "mean": (rotation - 1) / 2, "maximum": rotation - 1.0}[case],
    }

    def term(name: str, action: Callable[[], None]) -> None:
        before = run.time
        action()
        terms[name] = run.time - before

    if processor.enters_domain:
        term("enter", lambda: run.enter(length))
    else:
        terms["load"] = max(1.0 + words, _FIRST_BIT if length else 0.0) + 1
    term("loop", lambda: run.loop(length, bit))
    if processor.enters_domain:
        term("leave", run.leave)
    if processor.passes:
        terms["reduce"] = float(processor.passes * (run.words + 1))
    terms["unload"] = float(run.words)
    return terms


def loop_clocks(
    method: str, units: int, length: int, ones: int, multiply: float, square: float
) -> float:
    """e*T_q + u*T_m, e*(T_m + T_q), e*max(T_m, T_q) (dualfips, section 6)."""
    if method == "left-to-right":
        return length * square + ones * multiply
    return length * (max(multiply, square) if units == 2 else multiply + square)
