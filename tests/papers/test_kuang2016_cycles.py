"""kuang2016: cycles over random patterns, in hardware and by the model of it."""

import pytest

from modmul.errors import CheckFailed
from modmul.multipliers.radix2.family import Outcome
from modmul.multipliers.radix2.scs_mm_2 import ScsMm2
from modmul.papers.kuang2016 import cycles
from modmul.papers.kuang2016.cycles import Sample
from modmul.papers.kuang2016.designs import DESIGNS, design
from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import silent

NAMES = ("SCS-MM-2", "FCS-MMM42")


@pytest.fixture(scope="module")
def simulated() -> dict[str, Sample]:
    return cycles.sample(NAMES, 24, 300, jobs=2, cache=Cache(), progress=silent)


def test_hardware_and_model_agree_product_by_product(simulated: dict[str, Sample]) -> None:
    for name, one in simulated.items():
        assert one.patterns == 300
        assert one.mean == one.modelled
        latency = design(name, 24).latency()
        uncounted = DESIGNS[name].uncounted
        assert latency.minimum - uncounted <= one.smallest < one.largest
        assert one.largest <= latency.maximum - uncounted


def test_chunks_are_kept(simulated: dict[str, Sample], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cycles.simulator, "compile_simulator", None)
    again = cycles.sample(NAMES, 24, 300, jobs=1, cache=Cache(), progress=silent)
    assert again == simulated


def test_a_model_that_is_wrong_is_found(
    simulated: dict[str, Sample], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In cycles, and in value; on patterns that are not in the cache yet."""
    right = ScsMm2.run

    def slow(self: ScsMm2, a: int, b: int, modulus: int) -> Outcome:
        found = right(self, a, b, modulus)
        return Outcome(found.value, found.phases | {"unload": 2})

    def other(self: ScsMm2, a: int, b: int, modulus: int) -> Outcome:
        found = right(self, a, b, modulus)
        assert isinstance(found.value, int)
        return Outcome(found.value + modulus, found.phases)

    for wrong in (slow, other):
        monkeypatch.setattr(ScsMm2, "run", wrong)
        with pytest.raises(CheckFailed, match="scs-mm-2-24"):
            cycles.sample(NAMES, 24, 20, jobs=1, cache=Cache(), progress=silent)
