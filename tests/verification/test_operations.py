"""`verify` of processors: right ones pass, with every stream pausing; injected faults, and declared
cycles that are wrong, are found, reduced, written and run again."""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from modmul.cli import main
from modmul.export.hdl import Hdl, emit
from modmul.multipliers.interleaved import Interleaved
from modmul.operation import Cycles, Job
from modmul.processors import Processor
from modmul.processors.exponentiation import Exponentiation
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.toolchain.work import Work
from modmul.verification.processors import StreamRequest, design_of, plan
from modmul.verification.processors.trial import OperationTrial
from modmul.verification.result import VerifyResult
from modmul.verification.streams import StreamSimulator, compile_streams
from modmul.verification.timing import prove_timing
from modmul.verification.verdict import Verdict
from modmul.verification.verify import VerifyOptions, check, verify
from powers import BOTH_FIELDS, ONES_TELL, OPTIONS, SPEC, tally_of

COMMAND = [
    item for key, value in OPTIONS.items() for item in (f"--{key.replace('_', '-')}", str(value))
]


@functools.cache
def emitted() -> Hdl:
    """The right design."""
    return emit(SPEC.design)


def streams(spec: Spec) -> list[str]:
    return [stream.name for stream in spec.design.streams]


# ---- right designs -------------------------------------------------------------------------------


def test_a_right_processor_passes() -> None:
    seen: list[tuple[str, int, int]] = []
    work = Work(jobs=2, progress=lambda *report: seen.append(report))
    result = check(SPEC, emitted(), VerifyOptions(products=30), work)
    assert result.passed and result.wrong == 0 and result.failure is None
    headline = SPEC.processor.latency(SPEC.headline).maximum
    exactly = (headline, headline)
    assert result.latency.declared == result.latency.measured == exactly
    assert result.interval.declared == result.interval.measured == exactly
    assert result.cycles_per_product == result.latency.mean == headline
    assert {count.drive for count in result.drives} == {
        drive.name for drive in plan.drives(SPEC.processor)
    }
    assert all(count.products and not count.wrong for count in result.drives)
    assert result.products > result.golden > result.drives[0].products / 2
    assert {text for text, _, _ in seen} == {"compiling the simulator", "checking operations"}


def test_jobs_do_not_matter_the_seed_does(tmp_path: Path) -> None:
    def run(jobs: int, seed: int) -> dict[str, Any]:
        result = check(SPEC, emitted(), VerifyOptions(products=20, seed=seed), Work(jobs=jobs))
        plain: dict[str, Any] = msgspec.to_builtins(result)
        for of_the_clock in ("seconds", "compile_seconds", "checked_per_second"):
            del plain[of_the_clock]
        return plain

    single, many, other = run(1, 1), run(3, 1), run(1, 2)
    assert single == many and single["cycles"] != other["cycles"]


@pytest.mark.parametrize("spec", [BOTH_FIELDS, ONES_TELL], ids=lambda spec: spec.design.title)
@pytest.mark.short("exponentiation-l2r1-w4-e8-to40-interleaved-6")
def test_modes_and_time_that_depends_on_operands(spec: Spec) -> None:
    result = verify(spec, products=10, cache=Cache())
    assert result.passed, result.failure
    low, high = result.latency.measured or (0, 0)
    declared = spec.processor.latency(spec.headline)
    assert declared.minimum <= low <= high <= declared.maximum
    assert (low < high) == (spec.design.timing != "constant")
    assert [cycles.mode for cycles in result.by_mode] == (
        [mode.name for mode in spec.modes] if len(spec.modes) > 1 else []
    )
    for cycles in result.by_mode:
        assert cycles.latency.measured == cycles.latency.declared
        assert cycles.interval.measured == cycles.interval.declared


def test_edges_alone_measure_the_headline_too() -> None:
    result = verify(SPEC, products=0, cache=Cache())
    assert result.passed and result.latency.measured == result.latency.declared


@pytest.mark.long
def test_the_second_run_is_read_from_the_cache(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    seen: list[str] = []
    usual = OperationTrial.compiled
    results = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            OperationTrial,
            "compiled",
            lambda trial, _, **more: seen.append("") or usual(trial, Cache(), **more),
        )
        for products in (1, 1, 2):
            results.append(verify(SPEC, products=products, cache=cache))
    assert results[0] == results[1] != results[2] and len(seen) == 2


# ---- injected faults ----------------------------------------------------------------------------


def taken_unoffered(valid: str, ready: str) -> tuple[str, str]:
    """`valid` of a stream behind its gate is not looked at while it is ready."""
    return rf"(?<!wire )(?<!sink_valid\()(?<![.\w]){valid}\b", f"({valid} | {ready})"


EVERY_FAULT = {
    "modulus taken when it is not offered": taken_unoffered(
        "sink_valid", "modulus_gate_sink_ready"
    ),
    "base taken when it is not offered": taken_unoffered(
        "operand_gate_sink_valid", "operand_gate_sink_ready"
    ),
    "exponent taken when it is not offered": taken_unoffered(
        "exponent_word_valid", "exponent_word_ready"
    ),
    "command taken when it is not offered": taken_unoffered(
        "command_gate_sink_valid", "sink_ready"
    ),
    "result does not wait": (r"(?<!input wire )(?<![.\w])result_ready\b", "1'b1"),
    "command before the modulus that waits": (r" & !sink_valid", ""),
    "no last": (r"assign result_last = .*;", "assign result_last = 1'b0;"),
    "wrong bit": (r"exponent_word_reg >> exponent_index", "exponent_word_reg >> ~exponent_index"),
    "a bit too few": (r"<= (command_gate_sink_bits);", r"<= \1 - 1'b1;"),
    "another cycle before the next command": (
        r"wire sink_ready = (.*);",
        r"wire sink_ready_written = \1; reg idle_before = 1'b0;"
        "always @(posedge clk) idle_before <= sink_ready_written;\n"
        "wire sink_ready = sink_ready_written & idle_before;",
    ),
}
# By default one stream of those whose `valid` is not looked at is enough, the exponent's, whose
# case is written; and one count that is wrong.
LEFT_OUT = {f"{stream} taken when it is not offered" for stream in ("modulus", "base", "command")}
LEFT_OUT |= {"a bit too few"}
FAULTS = {
    fault: change
    for fault, change in EVERY_FAULT.items()
    if fault not in LEFT_OUT or os.environ.get("CONFORMANCE")
}
FOUND_BY = {  # by the first drive that can
    "modulus taken when it is not offered": "pauses of modulus",
    "exponent taken when it is not offered": "pauses of exponent",
    "result does not wait": "pauses of result",
    "command before the modulus that waits": "reload in flight",
    "no last": "back to back",
    "wrong bit": "back to back",
}


def injected(name: str) -> Hdl:
    """The fault in the outermost module."""
    right = emitted()
    pattern, replacement = FAULTS[name]
    top, end, below = right.verilog.partition("\nendmodule")
    changed = re.sub(pattern, replacement, top)
    assert changed != top, name
    verilog = f"{changed}{end}{below}"
    if "sink_ready_written" in verilog:  # what begins an operation must not see the first cycle
        begins = "command_gate_sink_valid & modulus_loaded"
        verilog = verilog.replace(begins, f"{begins} & idle_before")
    return dataclasses.replace(right, verilog=verilog)


@pytest.fixture(scope="module")
def simulator() -> StreamSimulator:
    """The right design, and after it those with faults."""
    every = [emitted(), *map(injected, FAULTS)]
    return compile_streams([design_of(SPEC.processor, written) for written in every], Cache())


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_by_the_edges(simulator: StreamSimulator, fault: str) -> None:
    trial = OperationTrial(SPEC, emitted())
    tally = tally_of(trial, simulator, 1 + list(FAULTS).index(fault))
    assert tally.wrong > 0 and tally.failed is not None
    request, verdict = tally.failed
    assert request.drive.name == FOUND_BY.get(fault, request.drive.name)
    small, again = trial.reduced(
        request, verdict, lambda candidate: judged(trial, simulator, candidate)
    )
    assert again.mismatches and len(small.jobs) <= 2 and len(small.batches) <= 2
    assert all((job.mode.length or 0) <= 9 for job in small.jobs)
    assert judged(trial, simulator, small).mismatches  # it fails again, from a reset


def judged(trial: OperationTrial, simulator: StreamSimulator, request: StreamRequest) -> Verdict:
    with simulator.start() as session:
        return trial.judged(request, trial.answered(session, request))


def like_spec(design: type[Exponentiation]) -> Exponentiation:
    """With the parameters of SPEC."""
    return design(multiplier=Interleaved(width=6), beat=4, exponent_word=8, longest_exponent=40)


class Slow(Exponentiation):
    """Declares a cycle more than it takes."""

    def declared(self, job: Job) -> Cycles:
        cycles = super().declared(job)
        return Cycles(cycles.minimum + 1, cycles.mean + 1, cycles.maximum + 1)

    def declared_interval(self, job: Job) -> Cycles:
        return super().declared(job)


class Eager(Exponentiation):
    """Declares that the next operation begins a cycle sooner than it does."""

    def declared_interval(self, job: Job) -> Cycles:
        return Cycles.constant(super().declared(job).maximum - 1)


@pytest.mark.parametrize(("wrong", "what"), [(Slow, "latency"), (Eager, "interval")])
def test_wrong_declared_cycles_are_found(
    simulator: StreamSimulator, wrong: type[Exponentiation], what: str
) -> None:
    processor: Processor = like_spec(wrong)
    tally = tally_of(OperationTrial(Spec(processor), emitted()), simulator, 0)
    assert tally.failed is not None
    messages = [mismatch.message for mismatch in tally.failed[1].mismatches]
    assert messages and all(f": {what} " in text and "declared" in text for text in messages)


def test_a_golden_model_that_is_wrong_is_found(simulator: StreamSimulator) -> None:
    class Rounded(Exponentiation):
        def compute(self, job: Job) -> dict[str, int]:
            return {name: value & ~1 for name, value in super().compute(job).items()}

    processor = like_spec(Rounded)
    tally = tally_of(OperationTrial(Spec(processor), emitted()), simulator, 0)
    assert tally.failed is not None
    mismatches = tally.failed[1].mismatches
    assert all("but the golden model" in mismatch.message for mismatch in mismatches)


# ---- the failing case as a file ------------------------------------------------------------------


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> tuple[VerifyResult, Path]:
    folder = tmp_path_factory.mktemp("failed")
    wrong = injected("exponent taken when it is not offered")
    result = check(SPEC, wrong, VerifyOptions(products=20, seed=3, output=folder), Work(jobs=1))
    return result, folder


def test_a_failing_case_is_written(failed: tuple[VerifyResult, Path]) -> None:
    result, folder = failed
    failure = result.failure
    assert not result.passed and failure is not None and failure.replay and failure.waveform
    assert (failure.drive, failure.moduli) == ("pauses of exponent", 1)
    assert failure.products <= 2 and failure.messages
    assert Path(failure.waveform).parent == folder
    assert "$enddefinitions" in Path(failure.waveform).read_text()
    record = json.loads(Path(failure.replay).read_text())
    assert record["spec"] == SPEC.options() and record["drive"]["pauses"] == {"exponent": 200}


def test_a_failing_case_runs_again(
    failed: tuple[VerifyResult, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On the design as it is emitted, without the fault: so it passes now."""
    failure = failed[0].failure
    assert failure is not None and failure.replay is not None
    assert main(["verify", "--replay", failure.replay, "-o", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert f"{failure.products} checked, 0 mismatches" in " ".join(text.split())
    assert list(tmp_path.glob("*.vcd"))


# ---- other ways, and the command line ------------------------------------------------------------


def test_waveforms(tmp_path: Path) -> None:
    result = verify(SPEC, products=0, waveform=True, output=tmp_path, cache=Cache())
    assert [Path(file).name for file in result.waveforms] == [f"{name(SPEC)}_stream.vcd"]
    text = Path(result.waveforms[0]).read_text()
    assert all(f"{stream}_ready" in text for stream in streams(SPEC))


def name(spec: Spec) -> str:
    return spec.design.title.replace("-", "_")


@pytest.mark.long
def test_the_netlist_after_synthesis_is_right() -> None:
    spec = Spec.from_options({**OPTIONS, "target": "ecp5"})
    result = verify(spec, products=5, netlist=True, cache=Cache())
    assert result.netlist and result.passed, result.failure
    assert result.latency.measured == result.latency.declared


@pytest.mark.long
def test_constant_time_is_proved(tmp_path: Path) -> None:
    result = prove_timing(SPEC, Work(cache=Cache(tmp_path)))
    assert (
        result.passed
        and result.claim == "constant"
        and all(certificate.proved for certificate in result.certificates)
    )
    assert [certificate.form for certificate in result.certificates] == [
        "as written",
        "mapped for generic",
    ]
    assert result.certificates[0].secrets == ("modulus_data", "operand_data", "exponent_data")


def test_the_verb(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", *COMMAND, "--products", "3"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "operations" in text and "cycles per operation" in text and "pauses of exponent" in text
    assert "product" not in text
    assert main(["verify", *COMMAND, "--products", "3", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["passed"] and record["spec"]["multiplier"] == "interleaved"


@pytest.mark.parametrize(
    ("words", "key"),
    [
        (["--products", "-1"], "products"),
        (["--products", "1.5"], "products"),
        (["--jobs", "0"], "jobs"),
        (["--seed", "-1"], "seed"),
        (["--netlist"], "netlist"),  # the target has no cells
        (["--modulus", "0x41"], "modulus"),
        (["--multiplier", "array-mux"], "multiplier"),
        (["--interface", "core"], "interface"),
    ],
)
def test_bad_arguments(capsys: pytest.CaptureFixture[str], words: list[str], key: str) -> None:
    assert main(["verify", *COMMAND, *words, "--json"]) == 2
    error = json.loads(capsys.readouterr().out)["error"]
    assert key in error["message"]
