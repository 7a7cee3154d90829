"""Cells of chips: what of an output each pin has a say in, compared with Yosys' own models."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from modmul.timing_proof.netlist import NetlistCell, flat
from modmul.timing_proof.propagation import CycleCase, reached
from modmul.timing_proof.rules import edges

SHARE = Path(str(importlib.util.find_spec("pyosys").origin)).parent / "share"  # type: ignore[union-attr]
MODELS = {
    "CARRY4": "xilinx",
    "CARRY8": "xilinx",
    "RAM32M": "xilinx",
    "RAM64M": "xilinx",
    "CCU2C": "ecp5",
    "TRELLIS_DPR16X4": "ecp5",
}


def model(name: str) -> str:
    """Of a cell, and of LUTs that may be in it."""
    folder = SHARE / MODELS[name]
    files = [folder / "cells_sim.v", *sorted(folder.glob("*.vh"))]
    text = "\n".join(file.read_text() for file in files)
    parts = (name, "LUT4", "LUT2")
    wanted = [re.search(rf"^module {part}\b.*?^endmodule", text, re.M | re.S) for part in parts]
    return "\n".join(match[0] for match in wanted if match)


def outputs_by_input(name: str, rule: bool) -> dict[str, set[str]]:
    """The output pins that each input pin taints, by the rule of the cell or through its model."""
    netlist = flat(model(name), name)
    if rule:
        pins = {port: bits for port, (_, bits) in netlist.ports.items()}
        directions = {port: direction for port, (direction, _) in netlist.ports.items()}
        # an output may be the same net as an input in the model: a cell has nets of its own
        number, own = 0, {}
        for port, bits in pins.items():
            own[port] = list(range(number + 2, number + 2 + len(bits)))
            number += len(bits)
        ports = {port: (directions[port], bits) for port, bits in own.items()}
        cell = NetlistCell("one", name, {}, directions, own)
        netlist = type(netlist)(ports, [cell], {}, "")
    tainted = {}
    for port, (direction, bits) in netlist.ports.items():
        for place, bit in enumerate(bits):
            if direction == "input":
                seen = reached(netlist, [CycleCase([bit])], edges)
                tainted[f"{port}[{place}]"] = {
                    f"{out}[{index}]"
                    for out, (role, nets) in netlist.ports.items()
                    if role == "output"
                    for index, net in enumerate(nets)
                    if net in seen
                }
    return tainted


@pytest.mark.parametrize("name", MODELS)
def test_a_rule_covers_what_the_model_does(name: str) -> None:
    by_rule, by_model = outputs_by_input(name, True), outputs_by_input(name, False)
    assert by_rule.keys() == by_model.keys()
    for pin, outputs in by_model.items():
        if name.startswith("RAM"):  # whose model is one long word for each lane, not columns
            outputs = {out for out in outputs if not pin.startswith("DI") or out[-3:] == pin[-3:]}
        assert outputs <= by_rule[pin], pin


def test_lanes_are_apart() -> None:
    by_rule = outputs_by_input("RAM32M", True)
    assert by_rule["DIA[1]"] == {"DOA[1]"} and by_rule["ADDRB[0]"] == {"DOB[0]", "DOB[1]"}
    assert len(by_rule["ADDRD[2]"]) == len(by_rule["WE[0]"]) == 8
    assert outputs_by_input("TRELLIS_DPR16X4", True)["DI[2]"] == {"DO[2]"}
    assert "O[0]" not in outputs_by_input("CARRY4", True)["DI[0]"]
    assert "S0[0]" not in outputs_by_input("CCU2C", True)["A1[0]"]
