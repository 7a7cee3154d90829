"""kuang2016: cycles over random patterns, in hardware and by the model of it."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import pytest

from modmul.errors import CheckFailed
from modmul.multipliers.radix2.family import LoopResult
from modmul.multipliers.radix2.scs_mm_2 import ScsMm2
from modmul.papers.kuang2016 import cycles
from modmul.papers.kuang2016.cycles import Sample
from modmul.papers.kuang2016.designs import DESIGNS, design, options
from modmul.papers.needs import Measuring, Needs
from modmul.toolchain.cache import Cache
from modmul.verification import protocol
from modmul.verification.protocol import CoreRequest
from modmul.verification.simulator import Session

NAMES = ("SCS-MM-2", "FCS-MMM42")


def sampled(names: Sequence[str], count: int, run: Measuring) -> dict[str, Sample | None]:
    chunks = run.fill(Needs("chunks", cycles.chunks(names, 24, count)))
    return {name: cycles.sampled(chunks, name, 24, count) for name in names}


@pytest.fixture(scope="module")
def simulated() -> dict[str, Sample | None]:
    return sampled(NAMES, 300, Measuring(jobs=2))


def test_hardware_and_model_agree_product_by_product(simulated: dict[str, Sample | None]) -> None:
    for name, sample in simulated.items():
        assert sample is not None and sample.patterns == 300
        assert sample.mean == sample.modelled
        latency = design(name, 24).latency()
        uncounted = DESIGNS[name].uncounted
        assert latency.minimum - uncounted <= sample.smallest < sample.largest
        assert sample.largest <= latency.maximum - uncounted


def test_chunks_are_kept(
    simulated: dict[str, Sample | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cycles, "compile_cores", None)
    again = sampled(NAMES, 300, Measuring(jobs=1))
    assert again == simulated


def test_without_a_chunk_there_is_no_sample(tmp_path: Path) -> None:
    chunks = {("SCS-MM-2", 24, 0): [(20, 20)] * cycles.CHUNK}
    assert cycles.sampled(chunks, "SCS-MM-2", 24, 251) is None
    assert cycles.sampled(chunks, "SCS-MM-2", 24, 250) is not None


def test_what_is_modelled_is_kept_beside_what_is_simulated(tmp_path: Path) -> None:
    cache, key = Cache(tmp_path), {"spec": options("SCS-MM-2", 24), "chunk": 0, "count": 3}
    cache.put(cycles.CYCLES, key, {"value": [[20, 21], [22, 23], [24, 28]]})
    (sample,) = sampled(["SCS-MM-2"], 3, Measuring(jobs=1, cache=cache)).values()
    assert sample is not None
    uncounted = DESIGNS["SCS-MM-2"].uncounted
    assert (sample.mean, sample.modelled) == (22 - uncounted, 24 - uncounted)


def test_hardware_and_model_that_are_wrong_alike_are_found(
    simulated: dict[str, Sample | None], monkeypatch: pytest.MonkeyPatch
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
        sampled(NAMES[:1], 20, Measuring(jobs=1))


def test_a_model_that_is_wrong_is_found(
    simulated: dict[str, Sample | None], monkeypatch: pytest.MonkeyPatch
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
            sampled(NAMES, 20, Measuring(jobs=1))
