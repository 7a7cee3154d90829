"""Random faults in small designs: a proof only where all products of all moduli are right."""

from __future__ import annotations

import itertools
import json
import os
import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

from modmul.arithmetic_proof.circuit import Circuit
from modmul.arithmetic_proof.compiled import compiled
from modmul.arithmetic_proof.proof import prove_netlist
from modmul.arithmetic_proof.variables import NoProof
from modmul.export import hdl
from modmul.multipliers import Multiplier
from modmul.spec import Spec
from modmul.timing_proof.netlist import flat_text, parse

SECONDS = 20
FAULTS = 150 if os.environ.get("CONFORMANCE") else 12
SWAPS = {"$add": "$sub", "$sub": "$add", "$and": "$or", "$or": "$xor", "$xor": "$or"}
PORTS = ("modulus_ready", "operand_ready", "result_valid", "result_first", "result_last")
SMALL = [
    ("montgomery-radix2", 3),
    ("montgomery-radix2", 5),
    ("montgomery-2csa", 3),
    ("montgomery-2csa", 4),
    ("scs-mm-1", 3),
    ("scs-mm-1", 4),
]


class Core(NamedTuple):
    multiplier: Multiplier
    netlist: dict[str, Any]
    top: str


def core(architecture: str, width: int) -> Core:
    multiplier = Spec.from_options({"architecture": architecture, "width": width}).multiplier
    written = hdl.emit(multiplier)
    text = "\n".join([*(model.text for model in written.models), written.verilog])
    return Core(multiplier, json.loads(flat_text(text, written.core)), written.core)


def mutant(netlist: dict[str, Any], top: str, rng: random.Random) -> dict[str, Any]:
    """With one fault: another operation, a stuck or moved bit, words swapped, no register."""
    faulty: dict[str, Any] = json.loads(json.dumps(netlist))
    cells = [c for c in faulty["modules"][top]["cells"].values() if c["connections"]]
    while True:
        cell, kind = rng.choice(cells), rng.randrange(5)
        pins, ports = cell["connections"], cell["port_directions"]
        if kind == 0 and cell["type"] in SWAPS:
            cell["type"] = SWAPS[cell["type"]]
        elif kind == 1 and cell["type"] == "$mux":
            pins["A"], pins["B"] = pins["B"], pins["A"]
        elif kind == 2 and cell["type"] == "$dff":
            cell["type"] = "$pos"
            pins["A"], pins["Y"] = pins.pop("D"), pins.pop("Q")
            del pins["CLK"]
            cell["port_directions"] = {"A": "input", "Y": "output"}
            cell["parameters"] = {"A_SIGNED": "0"}
        elif kind > 2:
            inputs = [p for p, way in ports.items() if way == "input" and p != "CLK" and pins[p]]
            port = rng.choice(inputs)
            bit = rng.randrange(len(pins[port]))
            if kind == 3:
                pins[port][bit] = rng.choice("01")
            else:
                pins[port] = [*pins[port][1:], pins[port][0]]
        else:
            continue
        return faulty


def is_right(multiplier: Multiplier, circuit: Circuit) -> bool:
    """Whether all products of all moduli are right, in the declared cycles, from two states of the
    registers."""
    names = [name for name in circuit.inputs if name != "clk"]
    pins = [circuit.outputs[name] for name in (*PORTS, "result_data")]
    inputs, clock = [circuit.inputs[name] for name in names], {circuit.inputs["clk"]}
    run = compiled(circuit.registers, inputs, clock, circuit.order, [], pins)
    widths = [each.width("Q") for each in circuit.registers]
    starts = [0] * len(widths), [(1 << width) - 1 for width in widths]

    def cycle(state: tuple[int, ...], given: dict[str, int]) -> Any:
        return run(state, [given.get(name, 0) for name in names])

    moduli = range(3, 1 << multiplier.width, 2)
    return all(
        right
        for start, modulus in itertools.product(starts, moduli)
        for right in products(multiplier, cycle, tuple(start), modulus)
    )


def products(
    multiplier: Multiplier, run: Callable[..., Any], start: tuple[int, ...], modulus: int
) -> Iterator[bool]:
    setting = multiplier.over(modulus)
    state, _, _ = run(start, {"rst": 1})

    def send(state: Any, stream: str, beats: list[dict[str, int]]) -> tuple[Any, list[list[int]]]:
        seen = []
        for place, beat in enumerate(beats):
            last = int(place == len(beats) - 1)
            framing = {f"{stream}_valid": 1, f"{stream}_first": int(not place)}
            given = {**beat, **framing, f"{stream}_last": last}
            for _ in range(100):
                state, _, ports = run(state, given)
                if ports[0 if stream == "modulus" else 1]:
                    break
            seen.append(ports)
        return state, seen

    loaded, _ = send(state, "modulus", [{"modulus_data": c.value} for c in setting.constants])
    beat, latency = multiplier.beat, int(multiplier.latency().maximum)
    limit = setting.operand_bound
    for a, b in itertools.product(range(limit), repeat=2):
        words = [
            {"operand_a": a >> place & (1 << beat) - 1, "operand_b": b >> place & (1 << beat) - 1}
            for place in range(0, multiplier.beats * beat, beat)
        ]
        state, seen = send(loaded, "operand", words)
        while len(seen) < latency:
            state, _, ports = run(state, {})
            seen.append(ports)
        *before, tail = seen[: -multiplier.beats], seen[-multiplier.beats :]
        result = sum(ports[5] << i * beat for i, ports in enumerate(tail))
        framed = [tuple(ports[2:5]) for ports in tail]
        ends = range(multiplier.beats)
        right = [(1, int(i == 0), int(i == multiplier.beats - 1)) for i in ends]
        silent = not any(ports[2] for part in before for ports in part)
        factor = multiplier.montgomery_factor
        assert factor is not None
        product = (result * factor - a * b) % modulus == 0 and result < setting.result_bound
        yield framed == right and silent and product


@pytest.mark.parametrize(("architecture", "width"), SMALL)
@pytest.mark.short("montgomery-radix2-3", "scs-mm-1-3")
def test_a_proof_only_where_all_products_are_right(architecture: str, width: int) -> None:
    design = core(architecture, width)
    text, rng = json.dumps(design.netlist), random.Random(f"{architecture} {width}")
    assert is_right(design.multiplier, Circuit(parse(text, design.top)))
    assert prove_netlist(design.multiplier, text, design.top, {}, SECONDS).proved
    wrong = proved = 0
    for number in range(FAULTS):
        faulty = json.dumps(mutant(design.netlist, design.top, rng))
        proof = prove_netlist(design.multiplier, faulty, design.top, {}, SECONDS)
        try:
            right = is_right(design.multiplier, Circuit(parse(faulty, design.top)))
        except (NoProof, KeyError):
            right = False  # a loop
        assert right or not proof.proved, number
        wrong, proved = wrong + (not right), proved + proof.proved
    print(f"{architecture}, {width} bits: {FAULTS} faults, {wrong} wrong, {proved} proved")
    assert wrong > FAULTS // 3
