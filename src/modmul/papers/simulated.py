"""Needs of tables: schedules of designs, simulated."""

from __future__ import annotations

from collections.abc import Sequence

from modmul.multipliers import Multiplier
from modmul.papers.needs import Need
from modmul.spec import Spec
from modmul.toolchain.steps import JUDGED, Step
from modmul.verification.observed import ProductSchedule, simulate_all

SIMULATED = Step("paper-simulated", __name__, JUDGED)
PRODUCTS = 64  # of each design


def schedules(designs: Sequence[Multiplier]) -> Need[list[ProductSchedule]]:
    """The schedules of bare cores, which are compiled into one simulator.  CheckFailed if a product
    is wrong, or takes another time than the others of its design."""
    return Need(
        SIMULATED.of(*map(type, designs)),
        {"specs": [Spec(design, interface="core").options() for design in designs]},
        list[ProductSchedule],
        lambda run: simulate_all(designs, PRODUCTS, run.cache),
    )
