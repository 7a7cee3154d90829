"""Needs of tables: schedules of designs, simulated, and operations of processors."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

from modmul.errors import CheckFailed
from modmul.multipliers import Multiplier
from modmul.papers.needs import Need
from modmul.processors.contract import Processor
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import JUDGED, Step
from modmul.verification import processors
from modmul.verification.observed import ProductSchedule, simulate_all
from modmul.verification.streams import compile_streams

SIMULATED = Step("paper-simulated", __name__, JUDGED)
PRODUCTS = 64  # of each design
K = TypeVar("K", bound=Hashable)


def schedules(designs: Mapping[K, Multiplier]) -> dict[K, Need[ProductSchedule]]:
    """The schedules of bare cores, which are compiled into one simulator.  CheckFailed if a product
    is wrong, or takes another time than the others of its design."""
    cores = list(designs.values())
    return Need[ProductSchedule](
        SIMULATED.of(*map(type, cores)),
        {"specs": [Spec(core, interface="core").options() for core in cores]},
        list[ProductSchedule],
        lambda run: simulate_all(cores, PRODUCTS, run.cache),
    ).entries(designs)


def operations(
    processor: Processor, batches: Sequence[processors.Batch], seed: int, cache: Cache
) -> list[int]:
    """Cycles of each operation, from the command on.  CheckFailed if a result is wrong, or comes at
    another time than is declared."""
    with compile_streams([processors.design_of(processor)], cache).start(seed=seed) as session:
        verdict = processors.check(processor, session, 0, batches)
    if verdict.mismatches:
        raise CheckFailed(f"{processor.title}: {verdict.mismatches[0].message}")
    return verdict.measured
