"""Proofs of products: what is proved, and that no faulty design is."""

from __future__ import annotations

import time
from typing import Any

import pytest

from modmul.arithmetic_proof.circuit import Circuit
from modmul.arithmetic_proof.products import ProductRun
from modmul.arithmetic_proof.proof import ArithmeticProof, prove_text
from modmul.arithmetic_proof.signals import sample_of
from modmul.arithmetic_proof.variables import SAMPLES
from modmul.cli import main
from modmul.export import hdl
from modmul.multipliers import Multiplier
from modmul.spec import Spec
from modmul.timing_proof.netlist import flat

SECONDS = 60
FPMM = {"architecture": "fpmm", "width": 128, "target": "ecp5"}
PROVED: list[dict[str, Any]] = [
    {"architecture": "cios", "width": 64},
    FPMM,
    {"architecture": "cios", "width": 256},
    {"architecture": "fpmm", "width": 256, "target": "generic"},
    {"architecture": "fpmm", "width": 256, "target": "xc7"},
    {"architecture": "fios", "width": 128},
    {"architecture": "fios-array", "width": 64},
    {"architecture": "montgomery-radix2", "width": 256},
    {"architecture": "montgomery-2csa", "width": 64},
    {"architecture": "scs-mm-1", "width": 64},
]


def named(options: dict[str, Any]) -> str:
    return "-".join(map(str, options.values()))


def multiplier_of(options: dict[str, Any]) -> Multiplier:
    return Spec.from_options(options).multiplier


def texts(multiplier: Multiplier) -> tuple[list[str], str, str]:
    """Models of hard blocks, the text, and the module of its bare core."""
    written = hdl.emit(multiplier)
    return [model.text for model in written.models], written.verilog, written.core


def prove(
    multiplier: Multiplier, verilog: str | None = None, seconds: int = SECONDS
) -> ArithmeticProof:
    models, text, top = texts(multiplier)
    files = {f"model_{number}.v": model for number, model in enumerate(models)}
    return prove_text(multiplier, {**files, "design.v": verilog or text}, top, seconds)


short = pytest.mark.short(*map(named, (PROVED[0], FPMM)))


@short
@pytest.mark.parametrize("options", PROVED, ids=named)
def test_products_are_proved(options: dict[str, Any]) -> None:
    proof = prove(multiplier_of(options))
    assert proof.proved, proof.missing


@short
@pytest.mark.parametrize("options", PROVED, ids=named)
def test_the_samples_are_those_of_the_golden_model(options: dict[str, Any]) -> None:
    """The simulation by words computes what the circuit does, to the last bit."""
    multiplier = multiplier_of(options)
    models, text, top = texts(multiplier)
    circuit = Circuit(flat("\n".join([*models, text]), top))
    run = ProductRun(multiplier, circuit, time.monotonic() + SECONDS)
    a, b = run.given.operands
    for place, setting in enumerate(run.given.settings):
        expected = setting.compute(a.samples[place], b.samples[place])
        assert sample_of(run.result, place) == expected
    for variable in run.given.variables:  # and every definition holds for them
        for place in range(SAMPLES):
            value = variable.samples[place]
            if variable.names is not None:
                assert run.given.variables.sample(variable.names, place) == value
            elif variable.word is not None:
                assert variable.word.samples[place] >> variable.shift == value


# Those of the final carry change a product only where a word is all ones.
PLANTED = {
    "the final carry does not look at the upper half": (
        "result_carry <= t_pending_d1 | (result_carry & t0_ones_d1 & t1_ones);",
        "result_carry <= t_pending_d1 | (result_carry & t0_ones_d1);",
    ),
    "the final carry never passes ones": (
        "result_carry <= t_pending_d1 | (result_carry & t0_ones_d1 & t1_ones);",
        "result_carry <= t_pending_d1;",
    ),
    "the final carry is lost": (
        "result_lo <= t0_d2 + {16'd0, result_carry};",
        "result_lo <= t0_d2;",
    ),
    "a bit less is looked at for ones": (
        "t0_high_ones <= &t0[16:8];",
        "t0_high_ones <= &t0[16:9];",
    ),
    "a pending carry is lost": ("t_pending <= t1_sum[18];", "t_pending <= 1'b0;"),
    "a carry in is lost": ("{t0_in, t_pending_in}", "{t0_in, 1'b0}"),
    "a carry of a product is lost": (
        "{qn11_d1[16:0], acc10_hi_carry}",
        "{qn11_d1[16:0], 1'b0}",
    ),
    "a slice is a bit too low": (
        "{qn10_d1[33:17], acc01_hi_carry}",
        "{qn10_d1[32:16], acc01_hi_carry}",
    ),
}


@pytest.mark.parametrize("fault", PLANTED)
@pytest.mark.short("the final carry never passes ones", "a carry in is lost")
def test_a_planted_fault_is_not_proved(fault: str) -> None:
    multiplier, (old, new) = multiplier_of(FPMM), PLANTED[fault]
    _, text, _ = texts(multiplier)
    assert text.count(old) == 1
    proof = prove(multiplier, text.replace(old, new))
    assert not proof.proved and proof.missing


def test_what_is_not_covered_is_said() -> None:
    """A design of each kind that the proof does not know yet, and a limit of time."""
    for options in (
        {"architecture": "fips", "width": 16, "word": 8},
        {"architecture": "interleaved", "width": 16},
        {"architecture": "array-mux", "width": 16},
    ):
        proof = prove(multiplier_of(options))
        assert not proof.proved and "covered" in proof.missing
    proof = prove(multiplier_of(FPMM), seconds=0)
    assert not proof.proved and "limit of time" in proof.missing


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    cios = ["verify", "--architecture", "cios", "--arithmetic", "--width"]
    assert main([*cios, "32"]) == 0
    told = capsys.readouterr().out
    assert "cios-32: proved" in told and "below 2 * N: r * R = a * b (mod N)" in told
    assert main(["verify", "--architecture", "interleaved", "--width", "16", "--arithmetic"]) == 1
    assert "not proved: " in capsys.readouterr().out
    assert main([*cios, "32", "--faults", "3"]) == 2
