"""Options of clock and reset: the same design but for its pins, in every file of a delivery."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from equal import equal
from modmul import check
from modmul.cli import main
from modmul.errors import SpecError
from modmul.export import hdl, ports
from modmul.export.ports import Port
from modmul.spec import Spec
from modmul.system import buses
from modmul.system.build import build, pins_of
from modmul.system.packets import longest
from modmul.system.register_map import register_map
from modmul.system.text import bus_ports, on_bus
from modmul.toolchain import icarus

SPEC = Spec.from_options({"architecture": "interleaved", "modulus": 251})
PROCESSOR = Spec.from_options(
    {"architecture": "exponentiation", "multiplier": "interleaved", "width": 8}
)
LOW: dict[str, Any] = {"reset_active": "low"}
ASYNC: dict[str, Any] = {"reset": "async", "reset_active": "low"}


def module(spec: Spec, bus: str | None, **options: Any) -> tuple[str, str, tuple[Port, ...]]:
    """Text, name and ports of the outermost module."""
    pins = pins_of(bus, **options)
    if bus is None:
        emitted = hdl.emit(spec.design, f"x{pins.suffix}", pins=pins)
        return emitted.verilog, emitted.stream, ports.ports(spec.design, "stream", pins)
    regs = register_map(spec.design, longest(spec))
    emitted = hdl.emit(spec.design, f"x{pins.suffix}on_bus")
    name, text = on_bus(spec.design, emitted, regs, bus, pins=pins)
    return f"{emitted.verilog}\n{text}", name, bus_ports(regs, bus, pins)


@pytest.mark.parametrize("bus", [None, pytest.param("native", marks=pytest.mark.long)])
def test_a_low_reset_is_the_same_circuit(bus: str | None, tmp_path: Path) -> None:
    usual, other = module(SPEC, bus), module(SPEC, bus, **LOW)
    assert equal(usual, other, {"rst_n": "!rst"}, tmp_path)
    assert not equal(usual, other, {"rst_n": "rst"}, tmp_path)


# The synchroniser, as a model of its own: `held` is the reset inside.
HELD = """
  reg [1:0] left = 2'd2;  // edges of the clock
  always @(posedge clk) left <= rst ? 2'd2 : left != 0 ? left - 2'd1 : 2'd0;
  wire held = rst || left != 0;
"""


@pytest.mark.parametrize("bus", [None, pytest.param("native", marks=pytest.mark.long)])
def test_an_asynchronous_reset_is_the_same_circuit_but_for_its_end(
    bus: str | None, tmp_path: Path
) -> None:
    usual, other = module(SPEC, bus), module(SPEC, bus, **ASYNC)
    same: dict[str, Any] = {"usual_pins": {"rst": "held"}, "when": "!held"}
    assert equal(usual, other, {"rst_n": "!rst"}, tmp_path, more=HELD, **same)
    shorter = HELD.replace("2'd2", "2'd1")
    assert not equal(usual, other, {"rst_n": "!rst"}, tmp_path, more=shorter, **same)


STOPPED = """
module bench;
  reg clk = 0, rst_n = 1, modulus_valid = 0;
  wire modulus_ready, operand_ready, result_valid;
  integer edges;
  {dut} dut (.clk(clk), .rst_n(rst_n), .modulus_valid(modulus_valid), .modulus_first(1'b1),
    .modulus_last(1'b1), .modulus_data(8'd251), .modulus_ready(modulus_ready),
    .operand_valid(1'b0), .operand_ready(operand_ready), .result_valid(result_valid),
    .result_ready(1'b1));
  task tick; begin #5 clk = 1; #5 clk = 0; end endtask
  initial begin
    #3 rst_n = 0;  // without a clock
    #1 $display("begins %b%b%b", modulus_ready, operand_ready, result_valid);
    #1 rst_n = 1;
    for (edges = 0; edges < 4; edges = edges + 1) begin
      #1 $display("%0d edges %b", edges, modulus_ready);
      tick;
    end
    modulus_valid = 1;
    tick; tick;
    modulus_valid = 0;
    repeat (4) tick;
    $display("loaded %b", operand_ready);
    #2 rst_n = 0;
    #1 $display("again %b%b%b", modulus_ready, operand_ready, result_valid);
    $finish;
  end
endmodule
"""


@pytest.mark.skipif(not icarus.installed(), reason="needs Icarus Verilog")
def test_an_asynchronous_reset_begins_without_a_clock_and_ends_with_one(tmp_path: Path) -> None:
    """Also where nothing has a value at power-up."""
    emitted = hdl.emit(SPEC.design, "x", without_initial_values=True, pins=pins_of(None, **ASYNC))
    (tmp_path / "design.v").write_text(emitted.verilog)
    (tmp_path / "bench.v").write_text(STOPPED.replace("{dut}", emitted.stream))
    output = icarus.simulate([tmp_path / "design.v", tmp_path / "bench.v"], "bench")
    assert output.split("\n")[:7] == [
        "begins 000",
        "0 edges 0",
        "1 edges 0",
        "2 edges 1",
        "3 edges 1",
        "loaded 1",
        "again 000",
    ]


@pytest.mark.parametrize(
    "bus", [None, *(pytest.param(bus, marks=pytest.mark.long) for bus in buses.NAMES)]
)
def test_an_asynchronous_reset_is_delivered(bus: str | None, tmp_path: Path) -> None:
    packages = ["quartus", "amaranth"]
    result = build(SPEC, tmp_path, bus=bus, packages=packages, reset="async")
    assert all(verdict or not icarus.installed() for verdict in result.checked.values())
    assert result.name.endswith("async_reset") and check(tmp_path).passed
    description = json.loads((tmp_path / f"{result.name}.json").read_text())
    assert description["spec"]["reset"] == "async"
    kind = description["bus"]["reset_kind"] if bus else description["reset"]["kind"]
    assert kind == "asynchronous"
    reset = description["bus"]["reset"] if bus else description["reset"]["port"]
    constraints = (tmp_path / f"{result.name}.xdc").read_text()
    assert f"\nset_false_path -from [get_ports {reset}]\n" in constraints
    assert "synchronousEdges NONE" in (tmp_path / f"{result.name}_hw.tcl").read_text()
    never = "an access that begins then is never answered"
    assert (never in (tmp_path / f"{result.name}.md").read_text()) == (bus in ("native", "apb4"))
    text = (tmp_path / f"{result.name}.v").read_text()
    assert text.count("posedge reset") == 1


@pytest.fixture(scope="module")
def low(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("low")
    build(SPEC, folder, **LOW)
    return folder


def test_a_low_reset_stands_in_every_file(low: Path) -> None:
    """None of them speaks of `rst`, but for the wire of the testbench."""
    name = "interleaved_8_reset_low"
    description = json.loads((low / f"{name}.json").read_text())
    assert description["reset"] == {"port": "rst_n", "level": "low", "kind": "synchronous"}
    assert description["ports"]["stream"][1]["name"] == "rst_n"
    assert description["ports"]["core"][1]["name"] == "rst"  # inside
    passed = {simulator for simulator, verdict in description["simulated"].items() if verdict}
    assert {"verilator"} | ({"icarus"} if icarus.installed() else set()) <= passed
    for file in ("md", "sdc", "xdc", "lpf", "ucf"):
        text = (low / f"{name}.{file}").read_text()
        assert re.search(r"\brst_n\b", text) and not re.search(r"\brst\b", text), file
    modules = re.findall(r"^module (\w+)", (low / f"{name}.v").read_text(), re.M)
    assert modules and all(module.startswith(name) for module in modules)


def test_check_makes_it_again(low: Path) -> None:
    assert check(low).passed


@pytest.mark.parametrize(
    ("bus", "simulated"),
    [
        ("native", False),
        *(pytest.param(bus, True, marks=pytest.mark.long) for bus in ("native", "wishbone")),
    ],
)
def test_a_low_reset_on_a_bus(bus: str, simulated: bool, tmp_path: Path) -> None:
    packages = ["fusesoc", "ipxact", "vivado", "quartus", "litex", "amaranth"]
    result = build(SPEC, tmp_path, bus=bus, packages=packages, simulate=simulated, **LOW)
    assert result.name == f"interleaved_8_{bus}_reset_low"
    assert all(verdict or not icarus.installed() for verdict in result.checked.values())
    description = json.loads((tmp_path / f"{result.name}.json").read_text())
    told = description["bus"]
    assert (told["reset"], told["reset_level"]) == ("rst_n", "low")
    assert description["reset"]["port"] == "rst"  # of the module with streams, inside
    assert "i_rst_n=~ResetSignal()" in (tmp_path / f"{result.name}_litex.py").read_text()
    assert "i_rst_n=~ResetSignal()" in (tmp_path / f"{result.name}_amaranth.py").read_text()
    assert "ACTIVE_LOW" in (tmp_path / f"{result.name}_vivado.tcl").read_text()
    assert "rst_n reset_n Input" in (tmp_path / f"{result.name}_hw.tcl").read_text()
    assert check(tmp_path).passed


@pytest.mark.long
def test_a_low_reset_of_a_processor(tmp_path: Path) -> None:
    result = build(PROCESSOR, tmp_path, **LOW)
    assert all(result.checked.values()) and check(tmp_path).passed


@pytest.mark.parametrize("bus", buses.ACTIVE_LOW)
def test_resets_that_are_low_by_a_standard_stay(bus: str) -> None:
    assert pins_of(bus, reset_active="low") == pins_of(bus)
    with pytest.raises(SpecError, match=f"must be low: the standard of {bus}"):
        pins_of(bus, reset_active="high")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--reset", "both"], "reset = 'both': must be one of sync, async"),
        (["--reset", "async", "--interface", "core"], "must be stream with reset: the bare core"),
        (["--reset-active", "lo"], "reset-active = 'lo': must be one of high, low"),
        (["--reset-active", "low", "--interface", "core"], "interface = core: must be stream with"),
    ],
)
def test_what_cannot_be_is_refused(
    words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["build", "--architecture", "interleaved", "--width", "8", "-o", str(tmp_path / "x")]
    assert main([*command, *words]) == 2
    assert said in capsys.readouterr().err


def test_keys_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "spec.toml"
    file.write_text('architecture = "interleaved"\nwidth = 8\nreset-active = "low"\n')
    assert main(["build", str(file), "--no-check", "-o", str(tmp_path / "x")]) == 0
    assert (tmp_path / "x" / "interleaved_8_reset_low.v").is_file()
