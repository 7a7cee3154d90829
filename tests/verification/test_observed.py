"""Products issued back to back: when each was taken and given, and that the integers judge them."""

import dataclasses
import itertools

import pytest

from modmul.errors import CheckFailed
from modmul.multipliers.interleaved import Interleaved
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.verification.observed import FEWEST, simulate, simulate_all
from modmul.verification.protocol import CoreOutcome, CoreRequest
from modmul.verification.simulator import Session

DESIGN = Interleaved(width=6)


def test_when_products_are_taken_and_given() -> None:
    schedule = simulate(Spec(DESIGN, interface="core"), Cache())
    latency, interval = DESIGN.latency().maximum, DESIGN.interval().maximum
    assert schedule.title == DESIGN.title and schedule.slots == 1 and len(schedule.taken) == FEWEST
    assert schedule.taken[0][0] == 1
    starts = [first for first, _ in schedule.taken]
    assert {b - a for a, b in itertools.pairwise(starts)} == {interval}
    assert [last for _, last in schedule.given] == [first + latency - 1 for first in starts]
    (same,) = simulate_all([DESIGN], 64, Cache())
    assert (same.latency, same.interval) == (latency, interval)


def test_hardware_and_golden_model_that_are_wrong_alike_are_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compute, run = Interleaved.compute, Session.run

    def other(self: Interleaved, a: int, b: int, modulus: int) -> int:
        return compute(self, a, b, modulus) ^ 1

    def lying(self: Session, request: CoreRequest) -> CoreOutcome:
        outcome = run(self, request)
        return dataclasses.replace(outcome, values=[int(value) ^ 1 for value in outcome.values])

    monkeypatch.setattr(Interleaved, "compute", other)
    monkeypatch.setattr(Session, "run", lying)
    with pytest.raises(CheckFailed, match=r"interleaved-6: .* mod .* gave"):
        simulate_all([DESIGN], 64, Cache())
