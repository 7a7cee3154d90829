"""Cycle figures taken from simulation of the emitted Verilog, every product checked against the
integers."""

from __future__ import annotations

import random
from collections.abc import Sequence

from modmul.export import hdl
from modmul.multipliers import Multiplier
from modmul.toolchain.cache import Cache
from modmul.verification import simulator, stimuli
from modmul.verification.protocol import Run
from modmul.verification.schedule import Schedule, issue

PRODUCTS = 64
_SEED = 2019


def simulate(designs: Sequence[Multiplier], cache: Cache) -> list[Schedule]:
    """PRODUCTS of each design, back to back; all designs are compiled into one simulator.

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


def _run(session: simulator.Session, multiplier: Multiplier, index: int) -> Schedule:
    rng = random.Random(_SEED)
    setting = stimuli.random_setting(multiplier, multiplier.modes[0], rng)
    products = stimuli.random_products(setting, PRODUCTS, rng)
    return issue(session, multiplier, index, Run(setting, products))
