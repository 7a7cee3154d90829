"""Needs of tables: schedules of designs, simulated, and operations of processors."""

from __future__ import annotations

import random
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from modmul.errors import CheckFailed
from modmul.multipliers import Multiplier
from modmul.operation import Mode
from modmul.papers.needs import Measuring, Need
from modmul.processors.contract import Processor
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import JUDGED, Step
from modmul.verification import processors, stimuli
from modmul.verification.observed import ProductSchedule, compile_cores, observe, simulate_all
from modmul.verification.protocol import ModulusRun
from modmul.verification.streams import compile_streams

SIMULATED = Step("paper-simulated", JUDGED)
PRODUCTS = 64  # of each design
REPEATED = 4  # products of each load, one after the other; their times must be equal
_SEED = 2020
K = TypeVar("K", bound=Hashable)


def schedules(designs: Mapping[K, Multiplier]) -> dict[K, Need[ProductSchedule]]:
    """The schedules of bare cores, which are compiled into one simulator.  CheckFailed if a product
    is wrong, or takes another time than the others of its design."""
    cores = list(designs.values())
    return Need[ProductSchedule](
        SIMULATED,
        {"specs": [Spec(core, interface="core").options() for core in cores]},
        list[ProductSchedule],
        lambda run: simulate_all(cores, PRODUCTS, run.cache),
    ).entries(designs)


class Stimulus(NamedTuple):
    """Products that are simulated, in a mode.  modulus: None for any."""

    mode: Mode
    modulus: int | None = None


def schedules_by_mode(
    multiplier: Multiplier, loads: Sequence[Stimulus]
) -> Need[list[ProductSchedule]]:
    """The schedules of a bare core under each load.  CheckFailed if a product is wrong, or takes
    another time than is declared."""
    modes = [(load.mode.operation, load.mode.field, load.mode.words) for load in loads]
    key = {
        "spec": Spec(multiplier, interface="core").options(),
        "modes": modes,
        "moduli": [hex(load.modulus) if load.modulus else None for load in loads],
    }

    def simulate(run: Measuring) -> list[ProductSchedule]:
        return simulate_loads(multiplier, loads, run.cache)

    return Need(SIMULATED, key, list[ProductSchedule], simulate)


def simulate_loads(
    multiplier: Multiplier, loads: Sequence[Stimulus], cache: Cache
) -> list[ProductSchedule]:
    """Simulates REPEATED products of each load."""
    with compile_cores([multiplier], cache).start(seed=_SEED) as session:
        results = []
        for mode, modulus in loads:
            rng = random.Random(_SEED)
            used = (
                stimuli.random_setting(multiplier, mode, rng)
                if modulus is None
                else multiplier.over(modulus, mode.field, mode.words)
            )
            products = stimuli.random_products(used, REPEATED, rng)
            run = ModulusRun(used, products, operations=[mode.operation] * REPEATED)
            results.append(observe(session, 0, [run]).schedule)
    return results


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
