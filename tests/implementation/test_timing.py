"""Static timing by hand, and against OpenSTA."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import opensta
from modmul.errors import ToolFailed
from modmul.export import hdl
from modmul.implementation import cell_synthesis
from modmul.implementation.result import CellStage
from modmul.implementation.timing import Timing
from modmul.spec import Spec
from modmul.targets import libraries
from modmul.targets.libraries import NAMED, liberty
from modmul.toolchain import yosys

# Tables that are linear in slope and load, so that every figure can be found by hand.
LINEAR = """
library (linear) { time_unit : "1ns";
  lu_table_template (t) { variable_1 : input_net_transition;
    variable_2 : total_output_net_capacitance; index_1 ("0, 1"); index_2 ("0, 1"); }
  lu_table_template (s) { variable_1 : related_pin_transition;
    variable_2 : constrained_pin_transition; index_1 ("0, 1"); index_2 ("0, 1"); }
  cell (INV) { area : 1;
    pin (A) { direction : input; capacitance : 0.2; rise_capacitance : 0.3; }
    pin (Y) { direction : output; function : "!A";
      timing () { related_pin : "A"; timing_sense : negative_unate;
        cell_rise (t) { values ("1, 3", "2, 4"); } rise_transition (t) { values ("0, 1", "0, 1"); }
        cell_fall (t) { values ("2, 3", "2, 3"); } fall_transition (t) { values ("0, 2", "0, 2"); }
      } } }
  cell (DFF) { area : 4; ff (IQ, IQN) { next_state : "D"; clocked_on : "C"; }
    pin (C) { direction : input; capacitance : 0.1; clock : true; }
    pin (D) { direction : input; capacitance : 0.5;
      timing () { related_pin : "C"; timing_type : setup_rising;
        rise_constraint (s) { values ("0.1, 0.4", "9, 9"); }
        fall_constraint (s) { values ("0.2, 0.2", "9, 9"); } } }
    pin (Q) { direction : output; function : "IQ";
      timing () { related_pin : "C"; timing_type : rising_edge; timing_sense : non_unate;
        cell_rise (t) { values ("1, 2", "1, 2"); } rise_transition (t) { values ("0, 1", "0, 1"); }
        cell_fall (t) { values ("1, 1", "1, 1"); } fall_transition (t) { values ("0, 0", "0, 0"); }
      } } } }
"""


def module(text: str, library: Path, folder: Path) -> dict[str, Any]:
    """The module `top` of a Verilog text with cells of a library, as Yosys JSON."""
    (folder / "top.v").write_text(text)
    (folder / "x.lib").write_bytes(library.read_bytes())
    yosys.run(
        "read_liberty -lib x.lib\nread_verilog top.v\nhierarchy -top top\nproc\nwrite_json x.json",
        folder,
    )
    netlist: dict[str, Any] = json.loads((folder / "x.json").read_text())["modules"]["top"]
    return netlist


def test_three_gates_by_hand(tmp_path: Path) -> None:
    text = """module top(input clk, input x, output y); wire a, b, n, s;
      REG first(.CK(clk), .D(x), .Q(a)); REG other(.CK(clk), .D(x), .Q(b));
      NAND2 g1(.A(a), .B(b), .Y(n)); XOR2 g2(.A(n), .B(x), .Y(s));
      wire sum, carry; FA g3(.A(b), .B(s), .C(1'b0), .S(sum), .CO(carry));
      REG last(.CK(clk), .D(sum), .Q(y)); endmodule"""
    path = NAMED["normalised"].path
    slowest = Timing(module(text, path, tmp_path), liberty.read(path)).critical_path()
    assert slowest is not None
    assert (slowest.value, slowest.unit, slowest.setup) == (1.46, "T_FA", 0.0)  # 0.12 + 0.34 + 1
    assert slowest.start in ("a", "b") and slowest.end == "y"
    assert slowest.stages[1:] == (
        CellStage("NAND2", "n", 0.12),
        CellStage("XOR2", "s", 0.34),
        CellStage("FA", "sum", 1.0),
    )
    assert slowest.stages[0].cell == "REG" and slowest.stages[0].delay == 0


def test_slopes_and_loads_by_hand(tmp_path: Path) -> None:
    """Register, inverter, register.  The net a: 0.3 rising, 0.2 falling; the net b: 0.5.

    a rises at 1 + 0.3 with slope 0.3, falls at 1 with slope 0.  b falls at 1.3 + 2 + 0.5 = 3.8 with
    slope 1.0 and setup 0.2: 4.0.  b rises at 1 + 1 + 2 * 0.5 = 3 with slope 0.5 and setup
    0.1 + 0.3 * 0.5 = 0.25: 3.25."""
    (tmp_path / "linear.lib").write_text(LINEAR)
    library = liberty.read(tmp_path / "linear.lib")
    text = """module top(input clk, x, output y); wire a, b;
      DFF first(.C(clk), .D(x), .Q(a)); INV g(.A(a), .Y(b)); DFF last(.C(clk), .D(b), .Q(y));
      endmodule"""
    timing = Timing(module(text, tmp_path / "linear.lib", tmp_path), library)
    path = timing.critical_path()
    assert path is not None
    assert (path.value, path.setup, path.unit) == (4.0, 0.2, "ns")
    assert [stage.delay for stage in path.stages] == [1.3, 2.5]
    ends = sorted(round(value, 9) for value, *_ in timing._ends() if value > 0)
    assert ends == [3.25, 4.0]


def test_ports_are_no_ends_of_paths(tmp_path: Path) -> None:
    text = """module top(input clk, x, output y, z); wire a;
      INV in(.A(x), .Y(a)); REG one(.CK(clk), .D(a), .Q(y)); INV out(.A(y), .Y(z)); endmodule"""
    path = NAMED["normalised"].path
    assert Timing(module(text, path, tmp_path), liberty.read(path)).critical_path() is None


def test_a_loop_without_register_and_a_foreign_cell_are_refused(tmp_path: Path) -> None:
    path = NAMED["normalised"].path
    library = liberty.read(path)
    loop = module(
        "module top(output a); wire b; INV i(.A(a), .Y(b)); INV j(.A(b), .Y(a)); endmodule",
        path,
        tmp_path,
    )
    with pytest.raises(ToolFailed, match="loop"):
        Timing(loop, library)
    loop["cells"]["i"]["type"] = "$_NOT_"
    with pytest.raises(ToolFailed, match=r"\$_NOT_"):
        Timing(loop, library)


@pytest.mark.skipif(not opensta.installed(), reason="OpenSTA is not installed")
@pytest.mark.parametrize(
    ("name", "architecture"),
    [("normalised", "scs-mm-new"), ("osu018", "scs-mm-new"), ("osu018", "interleaved")],
)
def test_opensta_agrees(tmp_path: Path, name: str, architecture: str) -> None:
    """Length and setup time, to the fourth digit."""
    if not NAMED[name].path.is_file():
        pytest.skip(f"{name} is not installed")
    options = {"architecture": architecture, "width": 8, "target": "cells", "library": name}
    spec = Spec.from_options(options)
    written, shelf = hdl.emit(spec.multiplier), cell_synthesis.open_library(name)
    cell_synthesis.synthesise(written.verilog, written.core, spec.multiplier.chip, shelf, tmp_path)
    netlist = json.loads((tmp_path / cell_synthesis.NETLIST).read_text())
    own = Timing(netlist["modules"][written.core], shelf.library).critical_path()
    yosys.run(f"read_json {cell_synthesis.NETLIST}\nwrite_verilog -noattr netlist.v", tmp_path)
    (tmp_path / "x.lib").write_bytes(libraries.locate(name).read_bytes())
    other = opensta.longest_path(tmp_path, "x.lib", "netlist.v", written.core)
    assert own is not None
    assert own.value == pytest.approx(other.value, rel=1e-4)
    assert own.setup == pytest.approx(other.setup, abs=2e-4)


@pytest.mark.skipif(not opensta.installed(), reason="OpenSTA is not installed")
def test_opensta_says_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "x.v").write_text("module top(input clk, x, output y); INV i(.A(x), .Y(y));\n")
    (tmp_path / "x.lib").write_bytes(NAMED["normalised"].path.read_bytes())
    with pytest.raises(ToolFailed, match="sta"):
        opensta.longest_path(tmp_path, "x.lib", "x.v", "top")
    (tmp_path / "x.v").write_text(
        "module top(input clk, x, output y); REG r(.CK(clk), .D(x), .Q(y)); endmodule"
    )
    with pytest.raises(ToolFailed, match="no path"):
        opensta.longest_path(tmp_path, "x.lib", "x.v", "top")
