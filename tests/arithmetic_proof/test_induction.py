"""Proofs of every product, not only of the first one after a reset."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest

from modmul.arithmetic_proof import signals
from modmul.arithmetic_proof.circuit import Circuit
from modmul.arithmetic_proof.induction import Induction
from modmul.arithmetic_proof.proof import ArithmeticProof, prove_text
from modmul.arithmetic_proof.simulator import Simulator
from modmul.export import hdl
from modmul.multipliers import Multiplier
from modmul.spec import Spec
from modmul.timing_proof.netlist import flat

SECONDS = 120
RADIX2 = {"architecture": "montgomery-radix2", "width": 16}
EVERY: list[dict[str, Any]] = [
    RADIX2,
    {"architecture": "cios", "width": 64},
    {"architecture": "fios", "width": 64},
    {"architecture": "montgomery-2csa", "width": 64},
    {"architecture": "scs-mm-1", "width": 64},
    {"architecture": "montgomery-radix2", "width": 256},
    {"architecture": "fpmm", "width": 256, "target": "ecp5"},
    {"architecture": "fpmm", "width": 256, "target": "generic"},
    {"architecture": "fpmm", "width": 256, "target": "xc7"},
]


def named(options: dict[str, Any]) -> str:
    return "-".join(map(str, options.values()))


def prove(multiplier: Multiplier, changes: dict[str, str] | None = None) -> ArithmeticProof:
    """changes: of the text, each of which must be possible once."""
    written = hdl.emit(multiplier)
    text = written.verilog
    for old, new in (changes or {}).items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    files = {f"model_{number}.v": model.text for number, model in enumerate(written.models)}
    return prove_text(multiplier, files | {"design.v": text}, written.core, SECONDS)


@pytest.mark.parametrize("options", EVERY, ids=named)
@pytest.mark.short(*map(named, EVERY[:2]))
def test_every_product_is_proved(options: dict[str, Any]) -> None:
    multiplier = Spec.from_options(options).multiplier
    proof = prove(multiplier)
    assert proof.proved and not proof.not_every
    alone = "beside which no other is in flight" in proof.scope
    assert alone if multiplier.slots > 1 else "every product after a reset" in proof.scope


SEEN = "  reg seen = 1'b0;\n\n  wire load = idle"
LATER = {
    "a second modulus is not taken": {
        "  wire load = idle": SEEN,
        "if (modulus_valid & idle) begin": (
            "seen <= !rst & (seen | (modulus_valid & idle));\n"
            "    if (modulus_valid & idle & !seen) begin"
        ),
    },
    "a modulus is taken while a product needs the one before": {
        "assign modulus_ready = idle;": "assign modulus_ready = 1'b1;",
        "if (modulus_valid & idle) begin": "if (modulus_valid) begin",
    },
    "after the first product nothing is taken": {
        "idle <= 1'b1;\n        in_subtract": "idle <= 1'b0;\n        in_subtract",
    },
    "a second product begins with a sum that is not 0": {
        "  wire load = idle": SEEN,
        "s_reg <= 17'd0;\n      b_reg": "s_reg <= {16'd0, seen};\n      b_reg",
        "if (modulus_valid & idle) begin": (
            "seen <= !rst & (seen | load);\n    if (modulus_valid & idle) begin"
        ),
    },
}


@pytest.mark.parametrize("fault", LATER)
def test_a_fault_of_later_products_is_found(fault: str) -> None:
    """The first product after a reset is right, and proved."""
    proof = prove(Spec.from_options(RADIX2).multiplier, LATER[fault])
    assert proof.proved and proof.not_every
    assert "the first product after a reset" in proof.scope


def test_a_result_in_a_wrong_cycle_is_found() -> None:
    """A result that is announced once more, long after it, is no result of a product."""
    late = {
        "  wire load = idle": "  reg [9:0] after = 10'd0;\n\n  wire load = idle",
        "assign result_valid = done;": "assign result_valid = done | (&after);",
        "if (modulus_valid & idle) begin": (
            "after <= rst | load ? 10'd0 : after + {9'd0, idle & !(&after)};\n"
            "    if (modulus_valid & idle) begin"
        ),
    }
    proof = prove(Spec.from_options(RADIX2).multiplier, late)
    assert proof.proved and "in the cycles of its latency" in proof.not_every


@pytest.mark.parametrize("options", EVERY[:2] + EVERY[-1:], ids=named)
def test_the_control_is_that_of_the_circuit(options: dict[str, Any]) -> None:
    """The machine that is explored and the simulation of the whole circuit agree in all that steers
    it, on a random way."""
    multiplier, rng = Spec.from_options(options).multiplier, random.Random(3)
    written = hdl.emit(multiplier)
    texts = [*(m.text for m in written.models), written.verilog]
    circuit = Circuit(flat("\n".join(texts), written.core))
    induction = Induction(multiplier, circuit, time.monotonic() + SECONDS)
    control, simulator = induction.control, Simulator(circuit, induction.operations)
    state = rng.choice(control.first)
    for register, value in zip(control.registers, state.registers, strict=True):
        width = register.width("Q")
        simulator.values[register.outputs["Q"]] = signals.constant(width, value)
    data = {
        name: signals.constant(circuit.widths[output], rng.getrandbits(circuit.widths[output]))
        for name, output in circuit.inputs.items()
        if name.startswith(("operand_", "modulus_")) and output not in control.outputs
    }
    for _ in range(300):
        step = rng.choice(control.steps(state))
        carried = control.carried([step])
        framing = {
            name: carried[output] for name, output in circuit.inputs.items() if output in carried
        }
        simulator.settle(data | framing)
        for output, expected in carried.items():
            assert simulator.values[output] == expected
        simulator.clock()
        state = step.after
