"""Text without initial values: chips and cells that have none, and Icarus, take it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from modmul.errors import ToolFailed
from modmul.export.hdl import emit
from modmul.spec import Spec
from modmul.system.build import build
from modmul.toolchain import icarus, yosys

# Registers, RAM and ROM; the last ones in the long run.
DESIGNS = (
    {"architecture": "montgomery-radix2", "width": 16},
    pytest.param({"architecture": "fips", "width": 16, "word": 4}, marks=pytest.mark.long),
    pytest.param(
        {"architecture": "curve", "multiplier": "fips", "width": 32, "word": 16, "schemes": "none"},
        marks=pytest.mark.long,
    ),
)
WITHOUT = ("synth_microchip", "synth_sf2", "synth_achronix")


def maps(verilog: str, command: str, top: str, folder: Path) -> None:
    (folder / "text.v").write_text(verilog)
    yosys.run(f"read_verilog text.v\n{command} -top {top}", folder)


@pytest.mark.parametrize("options", DESIGNS, ids=lambda options: options["architecture"])
def test_chips_without_initial_values_take_it(options: dict[str, object], tmp_path: Path) -> None:
    """They refuse the usual text."""
    design = Spec.from_options(options).design
    text, usual = emit(design, without_initial_values=True), emit(design)
    for command in WITHOUT:
        maps(text.verilog, command, text.stream, tmp_path)
    with pytest.raises(ToolFailed, match="initialized D flip-flops are not supported"):
        maps(usual.verilog, WITHOUT[0], usual.stream, tmp_path)


def registers_with_values(verilog: str) -> list[str]:
    return re.findall(r"^  (?:output )?reg [^/\n]* = .*", verilog, re.MULTILINE)


def test_cells_never_have_them_and_a_rom_keeps_its_contents() -> None:
    options = {"architecture": "fips", "width": 16, "word": 4}
    assert registers_with_values(emit(Spec.from_options(options).design).verilog)
    cells = emit(Spec.from_options(options | {"target": "cells"}).design).verilog
    assert not registers_with_values(cells)
    program = {"architecture": "curve", "multiplier": "fips", "width": 32, "word": 16}
    design = Spec.from_options({**program, "schemes": "none"}).design
    verilog = emit(design, without_initial_values=True).verilog
    assert not registers_with_values(verilog) and "initial" in verilog


@pytest.mark.parametrize("bus", ["axi4lite", "axi4stream", None])
@pytest.mark.short("axi4lite")
def test_a_delivery_says_it_in_its_names_and_passes(bus: str | None, tmp_path: Path) -> None:
    """After one reset, also in a simulator of four values."""
    spec = Spec.from_options({"architecture": "montgomery-radix2", "width": 8})
    result = build(spec, tmp_path, bus=bus, no_initial_values=True)
    assert result.name.endswith("no_initial_values")
    description = json.loads((tmp_path / f"{result.name}.json").read_text())
    assert description["initial_values"] is False
    verilog = (tmp_path / f"{result.name}.v").read_text()
    assert not registers_with_values(verilog)
    modules = re.findall(r"^module (\w+)", verilog, re.MULTILINE)
    assert all("no_initial_values" in module for module in modules)
    passed = {simulator for simulator, verdict in result.checked.items() if verdict}
    assert {"verilator"} | ({"icarus"} if icarus.installed() else set()) <= passed
