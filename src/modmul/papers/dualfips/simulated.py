"""Clocks counted in simulation of the emitted Verilog, every product checked against the integers
or polynomials."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import NamedTuple

from modmul.design import Mode
from modmul.multipliers.fips import Fips
from modmul.papers.dualfips.designs import SimulatedCircuit, Stimulus
from modmul.papers.needs import Need
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import JUDGED, Step
from modmul.verification import stimuli
from modmul.verification.observed import compile_cores, observe
from modmul.verification.protocol import ModulusRun
from modmul.verification.simulator import Session

CLOCKS = Step("paper-clocks", __name__, JUDGED)
PRODUCTS = 4  # of each mode, one after the other; their times must be equal
_SEED = 2020


class TimedProducts(NamedTuple):
    """clocks: as the paper counts, from `start` to `done`: the latency at the ports without the
    declared terms for loading, subtraction and unloading.  latency: all of it.  interval: from
    product to product."""

    clocks: int
    latency: int
    interval: int


Clocks = Mapping[tuple[str, Mode], TimedProducts]  # by the name of a circuit


def simulated(subject: SimulatedCircuit) -> Need[list[TimedProducts]]:
    """The times of each of its loads.  CheckFailed if a product is wrong, or takes another time
    than is declared."""
    key = {
        "spec": Spec(subject.multiplier, interface="core").options(),
        "modes": [
            (load.mode.operation, load.mode.field, load.mode.words) for load in subject.loads
        ],
        "moduli": [hex(load.modulus) if load.modulus else None for load in subject.loads],
    }
    step = CLOCKS.of(type(subject.multiplier))
    return Need(step, key, list[TimedProducts], lambda run: simulate(subject, run.cache))


def simulate(subject: SimulatedCircuit, cache: Cache) -> list[TimedProducts]:
    """Times the products in the simulator, without a look into the cache."""
    with compile_cores([subject.multiplier], cache).start(seed=_SEED) as session:
        return [_timed(session, subject.multiplier, load) for load in subject.loads]


def _timed(session: Session, multiplier: Fips, load: Stimulus) -> TimedProducts:
    rng = random.Random(_SEED)
    if load.modulus is None:
        setting = stimuli.random_setting(multiplier, load.mode, rng)
    else:
        setting = multiplier.over(load.modulus, load.mode.field, load.mode.words)
    products = stimuli.random_products(setting, PRODUCTS, rng)
    run = ModulusRun(setting, products, operations=[load.mode.operation] * PRODUCTS)
    schedule = observe(session, 0, [run]).schedule
    terms = multiplier.cycles(load.mode)
    besides = sum(term.maximum for name, term in terms.items() if name != "multiplication")
    return TimedProducts(schedule.latency - besides, schedule.latency, schedule.interval)
