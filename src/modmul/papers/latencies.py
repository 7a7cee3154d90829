"""Latencies of designs of constant time, simulated."""

from __future__ import annotations

from collections.abc import Sequence

from modmul.multipliers import Multiplier
from modmul.papers.kept import kept
from modmul.papers.simulated import simulate
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import JUDGED, Step

LATENCIES = Step("paper-latencies", __name__, JUDGED)


def latencies(designs: Sequence[Multiplier], cache: Cache) -> Sequence[int | None]:
    """The latency that all simulated products of each design had; None as of `kept`.

    CheckFailed if a product is wrong, or takes another time than the others."""

    def make() -> list[int]:
        return [run.latency for run in simulate(designs, cache)]

    key = {"specs": [Spec(one, interface="core").options() for one in designs]}
    step = LATENCIES.of(*map(type, designs))
    found = kept(cache, step, key, list[int], make)
    return [None] * len(designs) if found is None else found
