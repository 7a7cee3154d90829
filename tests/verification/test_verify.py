"""The verb: a right design passes, a wrong one gives a small case that can be run again."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest

from injected import inject
from modmul.errors import SpecError
from modmul.export.hdl import emit
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.toolchain.work import Work
from modmul.verification import plan
from modmul.verification.result import VerifyResult
from modmul.verification.simulator import CompiledCore, Simulator, compile_simulator
from modmul.verification.verify import VerifyOptions, check, verify

SPEC = Spec.from_options({"architecture": "interleaved", "modulus": 0x1F3, "interface": "core"})
CORE = "interleaved_9_core"


def test_a_right_design_passes() -> None:
    seen: list[tuple[str, int, int]] = []
    result = verify(
        SPEC,
        products=2000,
        seed=11,
        jobs=2,
        cache=Cache(),
        progress=lambda *report: seen.append(report),
    )
    assert result.passed and result.wrong == 0 and result.products >= 2000
    latency = SPEC.multiplier.latency().maximum
    assert result.latency.declared == result.latency.measured == (latency, latency)
    assert result.latency.mean == latency
    assert result.interval.measured == result.interval.declared
    assert result.cycles_per_product == SPEC.multiplier.cycles_per_product()
    assert result.seed == 11 and result.checked_per_second > 0
    assert {(count.interface, count.drive) for count in result.drives} == {
        (drive.interface, drive.name) for drive in (*plan.CORE, *plan.STREAM)
    }


def test_the_same_seed_gives_the_same_products_whatever_the_jobs() -> None:
    cases = [
        [plan.request(SPEC.multiplier, OWN, seed, task).encode() for task in TASKS[:14]]
        for seed in (1, 1, 2)
    ]
    assert cases[0] == cases[1] != cases[2]


OWN = SPEC.multiplier.over(0x1F3)
TASKS = list(plan.tasks(SPEC.multiplier, 500, [(0, "core"), (1, "stream")]))


def test_the_second_run_is_read_from_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def compile_in_the_usual_cache(designs: list[CompiledCore], cache: Cache) -> Simulator:
        return compile_simulator(designs, Cache())

    module = importlib.import_module("modmul.verification.products")
    monkeypatch.setattr(module, "compile_simulator", compile_in_the_usual_cache)
    cache = Cache(tmp_path)
    first = verify(SPEC, products=10, cache=cache)
    assert verify(SPEC, products=10, cache=cache) == first
    assert verify(SPEC, products=10, seed=2, cache=cache) != first


@pytest.mark.long  # that of a failing case is written by default, and those of a processor
def test_waveforms(tmp_path: Path) -> None:
    result = verify(SPEC, products=0, waveform=True, output=tmp_path, cache=Cache())
    assert len(result.waveforms) == 2
    for file in map(Path, result.waveforms):
        assert file.parent == tmp_path
        assert "operand_ready" in file.read_text()


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> tuple[VerifyResult, Path]:
    """A design that goes wrong only where two subtractions are needed."""
    wrong = inject(emit(SPEC.multiplier), CORE, r"if \(total_2\[\d+\]\)", "if (1'b1)", 0)
    folder = tmp_path_factory.mktemp("failed")
    result = check(SPEC, wrong, VerifyOptions(products=2000, seed=3, output=folder), Work(jobs=1))
    return result, folder


def test_a_failing_case_is_reduced(failed: tuple[VerifyResult, Path]) -> None:
    result, folder = failed
    assert not result.passed and result.wrong > 0
    failure = result.failure
    assert failure is not None and failure.messages
    assert (failure.products, failure.moduli) == (1, 1)
    assert failure.replay is not None and failure.waveform is not None
    assert Path(failure.waveform).parent == folder
    assert "$enddefinitions" in Path(failure.waveform).read_text()
    record = json.loads(Path(failure.replay).read_text())
    assert record["spec"] == SPEC.options()
    assert len(record["runs"]) == 1 and len(record["runs"][0]["products"]) == 1


def test_a_failing_case_runs_again(failed: tuple[VerifyResult, Path], tmp_path: Path) -> None:
    """On the design as it is emitted, without the fault: so it passes now."""
    failure = failed[0].failure
    assert failure is not None and failure.replay is not None
    result = verify(replay=Path(failure.replay), output=tmp_path, cache=Cache())
    assert result.passed and result.products == 1
    assert [Path(file).parent for file in result.waveforms] == [tmp_path]


@pytest.mark.parametrize("text", ["", "{}", '{"format": 9}', "[1]"])
def test_a_file_that_is_no_case(text: str, tmp_path: Path) -> None:
    file = tmp_path / "case.json"
    file.write_text(text)
    with pytest.raises(SpecError, match=r"case\.json"):
        verify(replay=file, cache=Cache())


def test_impossible_arguments() -> None:
    for key in ("products", "jobs"):
        with pytest.raises(SpecError, match=key):
            verify(SPEC, cache=Cache(), **{key: -1})
    with pytest.raises(SpecError, match="netlist"):
        verify(SPEC, netlist=True, cache=Cache())
