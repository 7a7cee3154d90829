"""Latencies of designs of constant time, simulated."""

from __future__ import annotations

from collections.abc import Sequence

from modmul.multipliers import Multiplier
from modmul.papers.gallin2019.simulated import simulate
from modmul.papers.kept import kept
from modmul.spec import Spec
from modmul.toolchain.cache import Cache


def latencies(designs: Sequence[Multiplier], cache: Cache) -> list[int]:
    """The latency that all simulated products of each design had.

    CheckFailed if a product is wrong, or takes another time than the others."""

    def make() -> list[int]:
        return [run.latency for run in simulate(designs, cache)]

    key = {"specs": [Spec(one, interface="core").options() for one in designs]}
    return kept(cache, "paper-latencies", key, list[int], make, simulate)
