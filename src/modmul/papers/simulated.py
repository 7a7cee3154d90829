"""Cycle figures taken from simulation of the emitted Verilog, every product checked against the
integers."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

from modmul.errors import CheckFailed
from modmul.export import hdl
from modmul.multipliers import Multiplier
from modmul.toolchain.cache import Cache
from modmul.verification import simulator, stimuli
from modmul.verification.protocol import Run
from modmul.verification.schedule import issue

PRODUCTS = 64
_SEED = 2019


class Simulated(NamedTuple):
    """Products issued back to back at the bare core.  Cycles are counted from 1, the cycle in which
    the first word of the first product is taken.

    taken: first and last cycle of each product's operand words; given: of its result words."""

    taken: tuple[tuple[int, int], ...]
    given: tuple[tuple[int, int], ...]
    slots: int

    @property
    def latency(self) -> int:
        """First word in to last word out; the same for every product."""
        pairs = zip(self.taken, self.given, strict=True)
        return _only({last - first + 1 for (first, _), (_, last) in pairs}, "latency")

    @property
    def interval(self) -> int:
        """Between two products of one slot."""
        starts = [first for first, _ in self.taken]
        pairs = zip(starts, starts[self.slots :], strict=False)
        return _only({later - earlier for earlier, later in pairs}, "interval")

    def cycles_for(self, count: int) -> int:
        """First word of the first product in to last word of the count-th out."""
        return self.given[count - 1][1]


def simulate(designs: Sequence[Multiplier], cache: Cache) -> list[Simulated]:
    """Run all designs, compiled into one simulator.

    CheckFailed if a product is wrong, by the integers, or takes another time than declared."""
    written = [hdl.emit(multiplier) for multiplier in designs]
    compiled = simulator.compile_simulator(
        [
            simulator.Design(multiplier, text.verilog, text.core, "core", text.models)
            for multiplier, text in zip(designs, written, strict=True)
        ],
        cache,
    )
    with compiled.start(seed=_SEED) as session:
        return [_run(session, multiplier, index) for index, multiplier in enumerate(designs)]


def _run(session: simulator.Session, multiplier: Multiplier, index: int) -> Simulated:
    rng = random.Random(_SEED)
    modulus = stimuli.random_modulus(multiplier, None, rng)
    products = stimuli.random_products(multiplier, modulus, PRODUCTS, rng)
    found = issue(session, multiplier, index, Run(modulus, products))
    return Simulated(tuple(found.taken), tuple(found.given), found.slots)


def _only(found: set[int], what: str) -> int:
    if len(found) != 1:
        raise CheckFailed(f"{what} is not constant: {sorted(found)}")
    return found.pop()
