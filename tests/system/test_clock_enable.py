"""The clock enable: while it is low nothing changes, and with it the circuit is the usual one."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from typing import Any

import pytest

from equal import equal
from modmul import check
from modmul.cli import main
from modmul.export import hdl, ports
from modmul.export.check import in_verilator
from modmul.export.contents import Contents, name_of
from modmul.export.deliver import put
from modmul.export.pins import Pins
from modmul.export.ports import Port
from modmul.spec import Spec
from modmul.system import buses
from modmul.system.build import build
from modmul.system.packets import longest
from modmul.system.register_map import register_map
from modmul.system.text import bus_ports, on_bus
from modmul.toolchain import icarus, yosys
from modmul.toolchain.cache import Cache
from modmul.toolchain.work import Work
from modmul.verification import replay
from modmul.verification.verify import VerifyOptions, verify
from modmul.verification.verify import check as check_text

ENABLED = Pins(clock_enable=True)
SMALL = Spec.from_options({"architecture": "interleaved", "modulus": 251})
POWERS: dict[str, Any] = {"architecture": "exponentiation", "multiplier": "interleaved", "width": 8}
ON_DSP: dict[str, Any] = {"architecture": "fpmm", "modulus": 2**64 - 59}


def module(spec: Spec, bus: str | None, pins: Pins) -> tuple[str, str, tuple[Port, ...]]:
    """Text, name and ports of the outermost module, with the models of its hard blocks."""
    if bus is None:
        emitted = hdl.emit(spec.design, f"x{pins.suffix}", pins=pins)
        listed = ports.ports(spec.design, "stream", pins)
        verilog = emitted.simulated if pins.clock_enable else emitted.verilog
        return verilog, emitted.stream, listed
    regs = register_map(spec.design, longest(spec))
    emitted = hdl.emit(spec.design, f"x{pins.suffix}on_bus", pins=pins.inner)
    name, text = on_bus(spec.design, emitted, regs, bus, pins=pins)
    return f"{emitted.verilog}\n{text}", name, bus_ports(regs, bus, pins)


@pytest.mark.parametrize(
    ("options", "bus"),
    [
        ({"architecture": "interleaved", "modulus": 251}, None),
        *(
            pytest.param(options, bus, marks=pytest.mark.long)
            for options, bus in (
                ({"architecture": "interleaved", "modulus": 251}, "native"),
                ({"architecture": "interleaved", "modulus": 251}, "axi4lite"),
                ({"architecture": "cios", "modulus": 65521, "target": "xc7"}, None),
                ({"architecture": "cios", "modulus": 65521, "target": "ecp5"}, None),
            )
        ),
    ],
)
def test_always_enabled_is_the_usual_circuit(
    options: dict[str, Any], bus: str | None, tmp_path: Path
) -> None:
    spec = Spec.from_options(options)
    usual, other = module(spec, bus, Pins()), module(spec, bus, ENABLED)
    enable = "aclken" if bus == "axi4lite" else "clk_en"
    assert equal(usual, other, {enable: "1'b1"}, tmp_path)
    assert not equal(usual, other, {enable: "1'b0"}, tmp_path)


# Registers whose input is their own output go away.
_PAUSED = """read_verilog -formal design.v paused.v
hierarchy -top paused
proc
memory_collect
flatten -noscopeinfo
opt -full
write_json left.json
"""


@pytest.mark.parametrize(
    "options",
    [
        {**ON_DSP, "target": "ecp5"},
        *(
            pytest.param(options, marks=pytest.mark.long)
            for options in (
                {**ON_DSP, "target": "xc7"},
                {**ON_DSP, "target": "xc6s"},
                {**ON_DSP, "target": "xc4v"},
                {**ON_DSP, "target": "xc5v"},
                {**ON_DSP, "target": "xcup"},
                {**ON_DSP, "target": "xc2vp"},
                {
                    "architecture": "exponentiation",
                    "multiplier": "cios",
                    "width": 64,
                    "target": "ecp5",
                },
                {"architecture": "curve", "multiplier": "fpmm", "curve": "p256", "target": "xc7"},
                {"architecture": "curve", "multiplier": "fpmm", "curve": "p256", "target": "xc6s"},
            )
        ),
    ],
    ids=lambda options: "-".join(str(options[key]) for key in ("architecture", "target")),
)
def test_no_register_or_memory_changes_in_a_pause(options: dict[str, Any], tmp_path: Path) -> None:
    """With the clock enable tied to 0, synthesis finds nothing that an edge of the clock changes,
    hard blocks included."""
    verilog, top, listed = module(Spec.from_options(options), None, ENABLED)
    (tmp_path / "design.v").write_text(verilog)
    assert not _changing(tmp_path, top, listed, 0)
    assert {"$dff", "$mem_v2"} <= _changing(tmp_path, top, listed, 1)


def _changing(folder: Path, top: str, listed: tuple[Port, ...], level: int) -> set[str]:
    """The kinds of registers, and of memories that are written, with this clock enable."""
    fixed = {"rst": "1'b0", "clk_en": f"1'b{level}"}
    pins = ", ".join(f".{p.name}({fixed.get(p.name, p.name)})" for p in listed)
    own = ", ".join(f"{p.direction} [{p.width - 1}:0] {p.name}" for p in listed)
    (folder / "paused.v").write_text(f"module paused ({own});\n  {top} dut ({pins});\nendmodule\n")
    yosys.run(_PAUSED, folder)
    cells = json.loads((folder / "left.json").read_text())["modules"]["paused"]["cells"]
    return {
        cell["type"]
        for cell in cells.values()
        if "dff" in cell["type"]
        or (cell["type"] == "$mem_v2" and set(cell["connections"]["WR_EN"]) != {"0"})
    }


DESIGNS = [
    {"architecture": "interleaved", "modulus": 251},
    *(
        pytest.param(options, marks=pytest.mark.long)
        for options in (
            {**ON_DSP, "target": "ecp5"},
            {**ON_DSP, "target": "xc7"},
            POWERS,
            {"architecture": "exponentiation", "multiplier": "cios", "width": 64, "target": "xc7"},
        )
    ),
]


@pytest.mark.parametrize("options", DESIGNS)
def test_pauses_change_no_cycle_of_the_others(options: dict[str, Any], tmp_path: Path) -> None:
    """All ports in all cycles with the clock enable high, as the testbench prints them, are those
    of the usual design; in the other cycles it inverts all inputs."""
    usual, paused = (
        _traced(options, pins, tmp_path / f"x{pins.suffix}") for pins in (Pins(), ENABLED)
    )
    assert usual == paused
    assert all(any(line.startswith("TRACE") for line in lines) for lines in usual.values())
    assert all(any(line.startswith("PASS") for line in lines) for lines in usual.values())


def _traced(options: dict[str, Any], pins: Pins, folder: Path) -> dict[str, list[str]]:
    """What the testbench prints, by simulator."""
    spec = Spec.from_options(options)
    contents = Contents.of(spec, name_of(spec, pins=pins), pins=pins)
    folder.mkdir()
    put(contents.texts(), folder)
    files = [folder / file for file in contents.places.simulated]
    bench = contents.bench
    printed = {
        "verilator": in_verilator(
            files, f"{contents.name}_check", bench.tried, Cache(folder / "cache"), what=bench.what
        )
    }
    if icarus.installed():
        printed["icarus"] = icarus.simulate(files, f"{contents.name}_tb", ["+trace"])
    return {
        simulator: [line for line in text.splitlines() if re.match(r"TRACE|PASS|\d+ cycles", line)]
        for simulator, text in printed.items()
    }


# A source and a receiver that know nothing of the clock enable.
NEIGHBOURS = """
module bench;
  reg clk = 0, rst = 1, clk_en = 1, loaded = 0, operand_valid = 0, result_ready = 0;
  reg [7:0] a = 0, b = 0;
  reg [15:0] products [0:255];
  reg [31:0] noise = 32'h2545f491;
  integer sent = 0, received = 0, errors = 0, cycle = 0;
  wire modulus_ready, operand_ready, result_valid;
  wire [7:0] result_data;
  {dut} dut (.clk(clk), .rst(rst), .clk_en(clk_en), .modulus_valid(!loaded && !rst),
    .modulus_first(1'b1), .modulus_last(1'b1), .modulus_data(8'd251), .modulus_ready(modulus_ready),
    .operand_valid(operand_valid), .operand_first(1'b1), .operand_last(1'b1), .operand_a(a),
    .operand_b(b), .operand_ready(operand_ready), .result_valid(result_valid), .result_first(),
    .result_last(), .result_data(result_data), .result_ready(result_ready));
  always #5 clk = !clk;
  always @(posedge clk) begin
    cycle <= cycle + 1;
    noise = {noise[30:0], noise[31] ^ noise[21] ^ noise[1] ^ noise[0]};
    rst <= cycle < 2;
    clk_en <= noise[3] | noise[9];
    if (modulus_ready && !rst) loaded <= 1;
    if (result_valid && result_ready) begin
      if (received == sent || result_data !== products[received % 256]) errors = errors + 1;
      received = received + 1;
    end
    if (operand_valid && operand_ready) begin
      products[sent % 256] = (a * b) % 251;
      sent = sent + 1;
      operand_valid <= 0;
    end
    if (!operand_valid && loaded && noise[5]) begin
      operand_valid <= 1;
      a <= noise[15:8] % 251;
      b <= noise[23:16] % 251;
    end
    result_ready <= noise[2];
    if (cycle == 20000) begin
      $display("%s %0d", errors == 0 && sent - received < 10 ? "PASS" : "FAIL", received);
      $finish;
    end
  end
endmodule
"""


@pytest.mark.skipif(not icarus.installed(), reason="needs Icarus Verilog")
def test_neighbours_without_the_clock_enable_lose_nothing(tmp_path: Path) -> None:
    emitted = hdl.emit(SMALL.design, "x", pins=ENABLED)
    (tmp_path / "bench.v").write_text(NEIGHBOURS.replace("{dut}", emitted.stream))
    unmasked = re.sub(r"(assign \w+_(?:valid|ready) = \w+) & clk_en;", r"\1;", emitted.verilog)
    verdicts = []
    for verilog in (emitted.verilog, unmasked):
        (tmp_path / "design.v").write_text(verilog)
        output = icarus.simulate([tmp_path / "design.v", tmp_path / "bench.v"], "bench")
        verdicts.append(output.split()[:2])
    assert verdicts[0][0] == "PASS" and int(verdicts[0][1]) > 100
    assert verdicts[1][0] == "FAIL"


@pytest.mark.skipif(not icarus.installed(), reason="needs Icarus Verilog")
@pytest.mark.long
@pytest.mark.parametrize(
    ("bus", "passes"), [("axi4lite", True), ("wishbone", True), ("apb4", False), ("native", False)]
)
def test_masters_without_the_clock_enable(bus: str, passes: bool, tmp_path: Path) -> None:
    """Where an access is asked for in one cycle, the master must know the clock enable.  On AXI
    one that does not sees `valid` fall before its beat is taken, and loses nothing."""
    result = build(SMALL, tmp_path, bus=bus, clock_enable=True, simulate=False)
    enable = json.loads((tmp_path / f"{result.name}.json").read_text())["bus"]["clock_enable"]
    bench = tmp_path / "sim" / f"{result.name}_bus_tb.v"
    text = bench.read_text()
    alone = text.replace(f"(posedge clk) if ({enable}) begin", "(posedge clk) begin")
    alone = re.sub(rf" \^ \{{\d+\{{!{enable}\}}\}}", "", alone)
    assert alone.count(enable) < text.count(enable) - 2
    alone = re.sub(r"\n.*a waiting answer to a.*", "", alone)
    bench.write_text(alone)
    listed = (tmp_path / f"{result.name}_bus_sim.f").read_text().splitlines()
    files = [tmp_path / line for line in listed if not line.startswith("//")]
    output = icarus.simulate(files, f"{result.name}_bus_tb")
    assert ("PASS" in output) == passes


@pytest.mark.parametrize(
    "options",
    [
        {"architecture": "interleaved", "modulus": 251},
        *(
            pytest.param(options, marks=pytest.mark.long)
            for options in (
                {**ON_DSP, "target": "ecp5"},
                {"architecture": "fips", "width": 64, "target": "xc7"},
                POWERS,
            )
        ),
    ],
)
def test_verify_pauses_all_at_random(options: dict[str, Any], tmp_path: Path) -> None:
    """Cycles do not count while the clock enable is low."""
    spec = Spec.from_options(options)
    result = verify(spec, products=50, jobs=1, clock_enable=True, cache=Cache(tmp_path))
    assert result.passed and result.spec == spec.options() | ENABLED.options
    assert result.latency.measured is not None


def test_verify_finds_a_register_without_the_clock_enable(tmp_path: Path) -> None:
    written = hdl.emit(SMALL.design, pins=ENABLED)
    of_core = "if (clk_en) begin\n      if (|left) begin"
    wrong = written.verilog.replace(of_core, of_core.replace("clk_en", "1'b1"), 1)
    assert wrong != written.verilog
    asked, work = VerifyOptions(products=50, output=tmp_path), Work(jobs=1)
    result = check_text(SMALL, dataclasses.replace(written, verilog=wrong), asked, work)
    assert result.failure is not None
    place = Path(result.failure.replay)
    assert json.loads(place.read_text())["spec"]["clock-enable"] is True
    assert verify(replay=place, output=tmp_path).passed  # of the right text
    assert replay.read(place).clock_enable


def test_verify_takes_the_clock_enable_from_a_delivery(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    built = build(SMALL, tmp_path, clock_enable=True, simulate=False)
    words = [str(tmp_path / f"{built.name}.json"), "--products", "20", "--jobs", "1", "--json"]
    assert main(["verify", *words]) == 0
    assert json.loads(capsys.readouterr().out)["spec"]["clock-enable"] is True


RESET = """
module bench;
  reg clk = 0, rst = 1, clk_en = 1, modulus_valid = 0;
  wire modulus_ready, operand_ready;
  {dut} dut (.clk(clk), .rst(rst), .clk_en(clk_en), .modulus_valid(modulus_valid),
    .modulus_first(1'b1), .modulus_last(1'b1), .modulus_data(8'd251),
    .modulus_ready(modulus_ready), .operand_valid(1'b0), .operand_ready(operand_ready),
    .result_ready(1'b1));
  task tick; begin #5 clk = 1; #5 clk = 0; end endtask
  initial begin
    tick; rst = 0; modulus_valid = 1;
    tick; tick; modulus_valid = 0;
    repeat (4) tick;
    $display("loaded %b", operand_ready);
    clk_en = 0; #1 $display("pause %b%b", modulus_ready, operand_ready);
    repeat (4) tick;
    clk_en = 1; #1 $display("after %b", operand_ready);
    clk_en = 0; rst = 1; tick; rst = 0; tick;
    clk_en = 1; #1 $display("reset %b", operand_ready);
    $finish;
  end
endmodule
"""


@pytest.mark.skipif(not icarus.installed(), reason="needs Icarus Verilog")
def test_a_reset_acts_in_a_pause(tmp_path: Path) -> None:
    emitted = hdl.emit(SMALL.design, "x", pins=ENABLED)
    (tmp_path / "design.v").write_text(emitted.verilog)
    (tmp_path / "bench.v").write_text(RESET.replace("{dut}", emitted.stream))
    output = icarus.simulate([tmp_path / "design.v", tmp_path / "bench.v"], "bench")
    assert output.split("\n")[:4] == ["loaded 1", "pause 00", "after 1", "reset 0"]


@pytest.mark.parametrize(
    ("bus", "options", "simulated"),
    [
        (None, {}, True),
        ("axi4lite", {"reset": "async"}, False),
        *(
            pytest.param(bus, options, True, marks=pytest.mark.long)
            for bus, options in (
                *((bus, {}) for bus in buses.NAMES),
                (None, {"reset": "async", "reset_active": "low"}),
                ("axi4lite", {"data_bits": 64}),
            )
        ),
    ],
)
def test_it_is_delivered(
    bus: str | None, options: dict[str, Any], simulated: bool, tmp_path: Path
) -> None:
    kinds = ["fusesoc", "ipxact", "vivado", "quartus", "amaranth"]
    kinds += ["litex"] * (bus not in ("native", "apb4"))
    result = build(
        SMALL, tmp_path, bus=bus, packages=kinds, clock_enable=True, simulate=simulated, **options
    )
    assert all(verdict or not icarus.installed() for verdict in result.checked.values())
    assert result.name.endswith("clock_enable") and check(tmp_path).passed
    description = json.loads((tmp_path / f"{result.name}.json").read_text())
    assert description["spec"]["clock-enable"] is True
    told = description["bus"] if bus else description
    standard = {"apb4": "pclken", "axi4lite": "aclken", "axi4stream": "aclken"}
    enable = standard.get(bus or "", "clk_en")
    assert told["clock_enable"] == enable and description["timing"] == "constant"
    files = {
        kind: tmp_path / f"{result.name}{end}"
        for kind, end in (
            ("vivado", "_vivado.tcl"),
            ("quartus", "_hw.tcl"),
            ("amaranth", "_amaranth.py"),
            ("litex", "_litex.py"),
            ("ipxact", ".xml"),
            ("sheet", ".md"),
        )
    }
    for kind in (*kinds[1:], "sheet"):
        assert re.search(rf"\b(?:i_)?{enable}\b", files[kind].read_text()), kind
    shared = "the other side must have the same clock enable"
    assert (shared in files["sheet"].read_text()) == (bus in buses.AT_ONCE)
    modules = re.findall(r"^module (\w+)", (tmp_path / f"{result.name}.v").read_text(), re.M)
    assert all("clock_enable" in module for module in modules)


@pytest.mark.long
@pytest.mark.parametrize(
    "options",
    [
        {"architecture": "interleaved", "modulus": 251, "interface": "core"},
        {"architecture": "fips", "width": 64, "target": "xc7"},
        {"architecture": "fips", "width": 64, "interface": "core"},
        POWERS,
    ],
)
def test_other_designs_are_delivered(options: dict[str, Any], tmp_path: Path) -> None:
    result = build(Spec.from_options(options), tmp_path, clock_enable=True)
    assert all(verdict or not icarus.installed() for verdict in result.checked.values())
    assert result.timing_proof.proved and check(tmp_path).passed


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--seeds", "1"], "seeds = 1: must be absent"),
        (["--bus", "native", "--package", "litex"], "absent with litex on the native port"),
        (["--reset", "async", "--interface", "core"], "must be stream with reset"),
    ],
)
def test_what_cannot_be_is_refused(
    words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["build", "--architecture", "interleaved", "--width", "8", "-o", str(tmp_path / "x")]
    assert main([*command, "--clock-enable", *words]) == 2
    assert said in capsys.readouterr().err
