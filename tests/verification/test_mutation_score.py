"""What counts as caught: what testbench or `verify` say, not that a simulator gave no answer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from benchmarks import mutation_score

from modmul.errors import CheckFailed, ToolFailed
from modmul.export import vectors
from modmul.export.hdl import emit
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.verification.campaign import CampaignTotals
from modmul.verification.simulator import Simulator

SPEC = Spec.from_options({"architecture": "interleaved", "width": 8})
COUNT = len(vectors.plan(SPEC).products)


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> dict[int, tuple[int, str] | None]:
    """By number: how the testbench ends; None: it does not."""
    answers: dict[int, tuple[int, str] | None] = {0: (0, f"PASS {COUNT} products\n")}

    real = mutation_score.child.run

    def run(command: Sequence[str], **options: Any) -> tuple[int, str]:
        if not command[-1].startswith("+mutant="):  # a tool
            return real(command, **options)
        answer = answers[int(command[-1].partition("=")[2])]
        if answer is None:
            raise mutation_score.child.TimedOut("")
        return answer

    monkeypatch.setattr(mutation_score.child, "run", run)
    monkeypatch.setattr(mutation_score.check, "compile_bench", lambda *given: Path("program"))
    return answers


def test_only_a_verdict_of_the_testbench_is_a_catch(
    bench: dict[int, tuple[int, str] | None], tmp_path: Path
) -> None:
    """A hang of the design is one: the testbench ends, and says so."""
    bench |= {1: None, 2: (-6, "did not converge"), 3: (0, "FAIL 0 errors, 3 of 9 products\n")}
    bench |= {4: bench[0], 5: (0, f"PASS {COUNT - 1} products\n")}
    tried = mutation_score.bench_catches(
        SPEC, emit(SPEC.multiplier), list(range(1, 6)), Cache(tmp_path)
    )
    assert tried == ({3, 5}, {1, 2})


@pytest.mark.parametrize(
    ("without", "error"), [(None, ToolFailed), ((1, ""), ToolFailed), ((0, "FAIL"), CheckFailed)]
)
def test_the_testbench_passes_without_a_mutant(
    without: tuple[int, str] | None,
    error: type[Exception],
    bench: dict[int, tuple[int, str] | None],
    tmp_path: Path,
) -> None:
    bench[0] = without
    with pytest.raises(error):
        mutation_score.bench_catches(SPEC, emit(SPEC.multiplier), [], Cache(tmp_path))


@pytest.mark.parametrize("clean", [True, False])
def test_verify_is_asked_without_a_mutant_too(
    clean: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def run(simulator: Simulator, *given: Any, **named: Any) -> CampaignTotals:
        number = int(simulator.arguments[0].partition("=")[2])
        if number == 1:
            raise ToolFailed("the simulator ended with -6")
        return CampaignTotals(wrong=number == 2 or not (clean or number))

    monkeypatch.setattr(mutation_score.campaign, "run", run)
    simulator = Simulator(Path("program"), ())
    monkeypatch.setattr(mutation_score, "compile_simulator", lambda *given: simulator)
    given = SPEC, emit(SPEC.multiplier), [1, 2, 3], Cache(tmp_path), 10
    if clean:
        assert mutation_score.verify_catches(*given) == ({2}, {1})
    else:
        with pytest.raises(CheckFailed, match="without a mutant"):
            mutation_score.verify_catches(*given)
