"""kuang2016: cycles over random patterns, in hardware and by the model of it."""

import dataclasses
from pathlib import Path

import pytest

from modmul.errors import CheckFailed
from modmul.multipliers.radix2.family import LoopResult
from modmul.multipliers.radix2.scs_mm_2 import ScsMm2
from modmul.papers.kuang2016 import cycles
from modmul.papers.kuang2016.cycles import Sample
from modmul.papers.kuang2016.designs import DESIGNS, design, options
from modmul.papers.needs import Measuring
from modmul.toolchain.cache import Cache
from modmul.verification import protocol
from modmul.verification.protocol import CoreRequest
from modmul.verification.simulator import Session

NAMES = ("SCS-MM-2", "FCS-MMM42")


@pytest.fixture(scope="module")
def simulated() -> dict[str, Sample]:
    return cycles.sample(NAMES, 24, 300, Measuring(jobs=2))


def test_hardware_and_model_agree_product_by_product(simulated: dict[str, Sample]) -> None:
    for name, sample in simulated.items():
        assert sample.patterns == 300
        assert sample.mean == sample.modelled
        latency = design(name, 24).latency()
        uncounted = DESIGNS[name].uncounted
        assert latency.minimum - uncounted <= sample.smallest < sample.largest
        assert sample.largest <= latency.maximum - uncounted


def test_chunks_are_kept(simulated: dict[str, Sample], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cycles, "compile_cores", None)
    again = cycles.sample(NAMES, 24, 300, Measuring(jobs=1))
    assert again == simulated


def test_what_is_modelled_is_kept_beside_what_is_simulated(tmp_path: Path) -> None:
    cache, key = Cache(tmp_path), {"spec": options("SCS-MM-2", 24), "chunk": 0, "count": 3}
    step = cycles.CYCLES.of(type(design("SCS-MM-2", 24)))
    cache.put(step, key, {"value": [[20, 21], [22, 23], [24, 28]]})
    (sample,) = cycles.sample(["SCS-MM-2"], 24, 3, Measuring(jobs=1, cache=cache)).values()
    uncounted = DESIGNS["SCS-MM-2"].uncounted
    assert (sample.mean, sample.modelled) == (22 - uncounted, 24 - uncounted)


def test_hardware_and_model_that_are_wrong_alike_are_found(
    simulated: dict[str, Sample], monkeypatch: pytest.MonkeyPatch
) -> None:
    right, sound = ScsMm2.run, Session.run

    def other(self: ScsMm2, a: int, b: int, modulus: int) -> LoopResult:
        result = right(self, a, b, modulus)
        assert isinstance(result.value, int)
        return LoopResult(result.value ^ 1, result.phases)

    def lying(self: Session, request: CoreRequest) -> protocol.CoreOutcome:
        outcome = sound(self, request)
        return dataclasses.replace(outcome, values=[int(value) ^ 1 for value in outcome.values])

    monkeypatch.setattr(ScsMm2, "run", other)
    monkeypatch.setattr(Session, "run", lying)
    with pytest.raises(CheckFailed, match="scs-mm-2-24.* gave"):
        cycles.sample(NAMES[:1], 24, 20, Measuring(jobs=1))


def test_a_model_that_is_wrong_is_found(
    simulated: dict[str, Sample], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In cycles, and in value; on patterns that are not in the cache yet."""
    right = ScsMm2.run

    def slow(self: ScsMm2, a: int, b: int, modulus: int) -> LoopResult:
        result = right(self, a, b, modulus)
        return LoopResult(result.value, result.phases | {"unload": 2})

    def other(self: ScsMm2, a: int, b: int, modulus: int) -> LoopResult:
        result = right(self, a, b, modulus)
        assert isinstance(result.value, int)
        return LoopResult(result.value + modulus, result.phases)

    for wrong in (slow, other):
        monkeypatch.setattr(ScsMm2, "run", wrong)
        with pytest.raises(CheckFailed, match="scs-mm-2-24"):
            cycles.sample(NAMES, 24, 20, Measuring(jobs=1))
