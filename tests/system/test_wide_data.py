"""AXI4-Lite with data of 64 bits: the same accesses as with 32, and two words in one."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from modmul import check
from modmul.cli import main
from modmul.export import hdl
from modmul.spec import Spec
from modmul.system.build import build
from modmul.system.packets import longest
from modmul.system.register_map import register_map
from modmul.system.text import bus_ports, on_bus
from modmul.toolchain import icarus

SPEC = Spec.from_options({"architecture": "interleaved", "modulus": 251})
REGS = register_map(SPEC.design, longest(SPEC))


def on(bus: str) -> tuple[str, str, Any]:
    """Text, name and ports of the module on a bus."""
    emitted = hdl.emit(SPEC.design, f"core_of_{bus}")
    name, text = on_bus(SPEC.design, emitted, REGS, bus)
    return f"{emitted.verilog}\n{text}", name, bus_ports(REGS, bus)


BENCH = """
module bench;
  reg clk = 0, aresetn = 0, awvalid = 0, wvalid = 0, arvalid = 0;
  reg [{high}:0] address = 0;
  reg [63:0] data = 0;
  reg [7:0] strobes = 0;
  wire awready, wready, bvalid, arready, rvalid;
  wire [1:0] bresp, rresp;
  wire [63:0] rdata;
  always #5 clk = ~clk;
  {dut} dut (.clk(clk), .aresetn(aresetn),
    .s_axi_awvalid(awvalid), .s_axi_awready(awready), .s_axi_awaddr(address), .s_axi_awprot(3'd0),
    .s_axi_wvalid(wvalid), .s_axi_wready(wready), .s_axi_wdata(data), .s_axi_wstrb(strobes),
    .s_axi_bvalid(bvalid), .s_axi_bready(1'b1), .s_axi_bresp(bresp),
    .s_axi_arvalid(arvalid), .s_axi_arready(arready), .s_axi_araddr(address), .s_axi_arprot(3'd0),
    .s_axi_rvalid(rvalid), .s_axi_rready(1'b1), .s_axi_rdata(rdata), .s_axi_rresp(rresp), .irq());
  task write(input [31:0] at, input [63:0] value, input [7:0] bytes);
    begin
      @(negedge clk) address = at; data = value; strobes = bytes; awvalid = 1; wvalid = 1;
      @(negedge clk) awvalid = 0; wvalid = 0;
      while (!bvalid) @(negedge clk);
      $display("write %h: %0d", at[11:0], bresp);
    end
  endtask
  task read(input [31:0] at);
    begin
      @(negedge clk) address = at; arvalid = 1;
      @(negedge clk) arvalid = 0;
      while (!rvalid) @(negedge clk);
      $display("read %h: %0d %h %h", at[11:0], rresp, rdata[63:32], rdata[31:0]);
    end
  endtask
  initial begin
    repeat (4) @(negedge clk);
    aresetn = 1;
    repeat (40) @(negedge clk);
{calls}
    $finish;
  end
endmodule
"""
EVENTS = 4  # wiped
# What is done, and what is answered.
ACCESSES = [
    ("read(12'h000)", "read 000: 0 {version} {id}"),
    ("read(12'h004)", "read 004: 0 {version} 00000000"),
    ("read(12'h018)", f"read 018: 0 00000000 {EVENTS:08x}"),
    ("write(12'h018, {32'd3, 32'd4}, 8'hf0)", "write 018: 0"),  # enables alone
    ("read(12'h018)", f"read 018: 0 00000003 {EVENTS:08x}"),
    ("write(12'h01c, {32'd1, 32'd4}, 8'h0f)", "write 01c: 0"),  # strobes decide, not the address
    ("read(12'h018)", "read 018: 0 00000003 00000000"),
    ("write(12'h018, {32'd1, 32'd0}, 8'hff)", "write 018: 0"),  # both
    ("read(12'h018)", "read 018: 0 00000001 00000000"),
    ("write(12'h010, {32'd2, 32'd0}, 8'hff)", "write 010: 2"),  # control, and status, which cannot
    ("read(12'h020)", "read 020: 0 00000000 00000000"),  # nothing in the upper half
    ("read(12'h024)", "read 024: 2 00000000 00000000"),
    ("read(12'h040)", "read 040: 2 00000000 00000000"),
    ("write(12'h004, 64'd0, 8'h00)", "write 004: 2"),
]


@pytest.mark.skipif(not icarus.installed(), reason="needs Icarus Verilog")
def test_two_words_in_one_access(tmp_path: Path) -> None:
    verilog, name, _ = on("axi4lite64")
    calls = "".join(f"    {call};\n" for call, _ in ACCESSES)
    words = {"{high}": str(REGS.address_bits - 1), "{dut}": name, "{calls}": calls}
    bench = re.sub(r"\{(high|dut|calls)\}", lambda match: words[match[0]], BENCH)
    (tmp_path / "design.v").write_text(verilog)
    (tmp_path / "bench.v").write_text(bench)
    output = icarus.simulate([tmp_path / "design.v", tmp_path / "bench.v"], "bench")
    values = {
        register.name: sum(field.value << field.low for field in register.fields)
        for register in REGS.registers
    }
    told = {key: f"{values[key]:08x}" for key in ("id", "version")}
    wanted = [answer.format(**told) for _, answer in ACCESSES]
    assert [line for line in output.splitlines() if line.startswith(("read", "write"))] == wanted


@pytest.mark.parametrize("simulated", [False, pytest.param(True, marks=pytest.mark.long)])
def test_it_is_delivered(simulated: bool, tmp_path: Path) -> None:
    """The driver and the registers are those of 32 bits."""
    usual, wide = tmp_path / "usual", tmp_path / "wide"
    options: dict[str, Any] = {"bus": "axi4lite", "simulate": simulated}
    build(SPEC, usual, **options)
    result = build(SPEC, wide, data_bits=64, packages=["litex", "ipxact", "amaranth"], **options)
    assert result.name == "interleaved_8_axi4lite64"
    assert all(verdict or not icarus.installed() for verdict in result.checked.values())
    before, description = (
        json.loads((folder / f"{name}.json").read_text())
        for folder, name in ((usual, "interleaved_8_axi4lite"), (wide, result.name))
    )
    assert description["spec"]["data-bits"] == 64 and "data-bits" not in before["spec"]
    widths = {port["name"]: port["width"] for port in description["bus"]["ports"]}
    assert [widths[f"s_axi_{name}"] for name in ("wdata", "rdata", "wstrb")] == [64, 64, 8]
    assert description["bus"]["name"] == "axi4lite" and description["bus"]["timing_proof"]["proved"]
    for key in ("registers", "windows"):
        assert description["bus"][key] == before["bus"][key]
    for file in ("driver/interleaved_8.h", "driver/interleaved_8.c"):
        assert (usual / file).read_text() == (wide / file).read_text()
    assert "data_width=64" in (wide / f"{result.name}_litex.py").read_text()
    assert "data of the bus have 64 bits" in (wide / f"{result.name}.md").read_text()
    assert check(wide).passed


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--bus", "apb4", "--data-bits", "64"], "must be 32, or with the bus axi4lite"),
        (["--bus", "axi4lite", "--data-bits", "16"], "data-bits = 16: must be 32 or 64"),
        (["--bus", "axi4lite64"], "bus = 'axi4lite64': must be one of"),
        (["--bus", "axi4lite", "--data-bits", "64", "--seeds", "1"], "seeds = 1: must be absent"),
    ],
)
def test_what_cannot_be_is_refused(
    words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["build", "--architecture", "interleaved", "--width", "8", "-o", str(tmp_path / "x")]
    assert main([*command, *words]) == 2
    assert said in capsys.readouterr().err
