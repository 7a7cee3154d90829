"""Chip primitives and their simulation models against the plain HDL they stand for.

Everything runs in one simulation: a design with all pairs side by side, fed with random numbers,
raises `wrong` when two outputs that must be equal differ."""

from __future__ import annotations

import re
from pathlib import Path

import pyosys
from amaranth.back import rtlil
from amaranth.hdl import Elaboratable, Module, Mux, Signal, Value

from modmul import targets
from modmul.blocks.delay import delay
from modmul.export.check import in_verilator
from modmul.targets.primitives import Link, MacConfig, MacSlice, Multiplier
from modmul.toolchain import yosys
from modmul.toolchain.cache import Cache

XC7, ECP5 = targets.find("xc7"), targets.find("ecp5")
SETTLE = 200  # cycles until every accumulator has been loaded once

TESTBENCH = """
module bench (input clk);
  reg [255:0] random;
  reg [15:0] count;
  reg failed;
  wire {wires};
  pairs pairs (.clk(clk), .rst(1'b0), .random(random), {connections});
  initial begin
    count = 0;
    failed = 0;
    random = 0;
  end
  always @(posedge clk) begin
    count <= count + 1;
    random <= {{$random, $random, $random, $random, $random, $random, $random, $random}};
    if (count > {settle} && ({any})) begin
      failed <= 1;
      $display("FAIL {format}", {flags});
    end
    if (count == 20000) begin
      if (!failed) $display("PASS 20000 cycles");
      $finish;
    end
  end
endmodule
"""


class Bits:
    """Random bits, taken piece by piece."""

    def __init__(self, source: Value):
        self.source, self.used = source, 0

    def take(self, width: int) -> Value:
        start = self.used
        self.used += width
        return self.source[start : start + width]


def drive(m: Module, mac: MacSlice, inputs: dict[str, Value], step_late: int = 0) -> None:
    for name, value in inputs.items():
        port = getattr(mac, name)
        if len(port):
            late = step_late if name == "step" else 0
            m.d.comb += port.eq(delay(m, value, late, f"{name}_late") if late else value)


def chain(m: Module, name: str, kinds: tuple[type, ...], registers: int, source: Value) -> Signal:
    """Two slices, the first with a value on C, the second linked by >> 17: equal for all kinds."""
    outputs = []
    for kind in kinds:
        bits = Bits(source)
        first = kind(
            MacConfig(17, 24, 44, (Link("addend"),), registers, hold=True, addend_width=40,
                      addend_register=True)
        )  # fmt: skip
        late = int(registers > 1)  # the block's spare register in front of B
        link = (Link("neighbour", 17),)
        second = kind(MacConfig(17, 24, 44, link, registers, neighbour_width=44, b_delay=late))
        m.submodules += [first, second]
        inputs = {"a": bits.take(17), "b": bits.take(24), "a_enable": bits.take(1)}
        drive(m, first, inputs | {"addend": bits.take(40), "addend_clear": bits.take(1)})
        drive(m, second, {"a": bits.take(17), "b": bits.take(24), "neighbour": first.p})
        m.d.comb += second.link_in.eq(first.link_out)
        outputs.append(second.p)
    return differ(m, name, outputs)


def accumulator(m: Module, name: str, kinds: tuple[type, ...], shift: int, source: Value) -> Signal:
    """One slice that loads, accumulates, or accumulates shifted."""
    outputs = []
    steps = (Link("zero"), Link("own", 0), Link("own", shift))
    for kind in kinds:
        bits = Bits(source)
        mac = kind(MacConfig(17, 17, 48, steps))
        m.submodules += mac
        chosen = bits.take(3)
        # one of three, and often enough the shift that keeps the sum inside 48 bits
        step = Mux(chosen[0], 0b100, Mux(chosen[1], 0b010, 0b001))[:3]
        inputs = {"a": bits.take(17), "b": bits.take(17), "step": step}
        drive(m, mac, inputs, step_late=XC7.mac.step_register - mac.step_register)
        outputs.append(mac.p)
    return differ(m, name, outputs)


def product(m: Module, name: str, registers: int, source: Value) -> Signal:
    outputs = []
    for kind in (Multiplier, ECP5.multiplier):
        bits = Bits(source)
        multiplier = kind(18, 18, registers, f"{name}_{kind.__name__}")
        multiplier.place(m)
        m.d.comb += [
            multiplier.a.eq(bits.take(18)),
            multiplier.b.eq(bits.take(18)),
            multiplier.a_enable.eq(bits.take(1)),
        ]
        outputs.append(multiplier.p)
    return differ(m, name, outputs)


def fabric_slice(m: Module, name: str, source: Value) -> Signal:
    """The ECP5 slice has one more register, in fabric: two in the block stand for three."""
    outputs = []
    for kind, registers in ((MacSlice, 3), (ECP5.mac, 2)):
        bits = Bits(source)
        mac = kind(MacConfig(17, 17, 36, (Link("addend"),), registers, addend_width=34))
        m.submodules += mac
        drive(m, mac, {"a": bits.take(17), "b": bits.take(17), "addend": bits.take(34)})
        outputs.append(mac.p)
    return differ(m, name, outputs)


def differ(m: Module, name: str, outputs: list[Value]) -> Signal:
    flag = Signal(name=name)
    m.d.comb += flag.eq(outputs[0] != outputs[1])
    return flag


class Pairs(Elaboratable):
    """All pairs; built at once, so that the outputs are known."""

    def __init__(self) -> None:
        self.random = source = Signal(256)
        self.module = m = Module()
        kinds = (MacSlice, XC7.mac)
        flags = [
            *(chain(m, f"chain_{r}", kinds, r, source) for r in (1, 2, 3)),
            *(accumulator(m, f"accumulator_{shift}", kinds, shift, source) for shift in (17, 7)),
            *(product(m, f"product_{r}", r, source) for r in (1, 2, 3)),
            fabric_slice(m, "fabric_slice", source),
        ]
        self.outputs = [Signal(name=f"{flag.name}_differs") for flag in flags]
        m.d.comb += [out.eq(flag) for out, flag in zip(self.outputs, flags, strict=True)]

    def elaborate(self, platform: object) -> Module:
        return self.module


def bench(flags: list[str], connections: str) -> str:
    return TESTBENCH.format(
        wires=", ".join(flags),
        connections=connections,
        any=" || ".join(flags),
        format=" ".join(f"{flag}=%b" for flag in flags),
        flags=", ".join(flags),
        settle=SETTLE,
    )


def test_primitives_equal_the_generic_blocks(tmp_path: Path) -> None:
    pairs = Pairs()
    (tmp_path / "pairs.il").write_text(
        rtlil.convert(pairs, ports=[pairs.random, *pairs.outputs], name="pairs", emit_src=False)
    )
    yosys.run("read_rtlil pairs.il\nproc\nwrite_verilog -noattr pairs.v", tmp_path)
    flags = [out.name for out in pairs.outputs]
    (tmp_path / "bench.v").write_text(bench(flags, ", ".join(f".{f}({f})" for f in flags)))
    files = [tmp_path / "bench.v", tmp_path / "pairs.v", *XC7.model_files, *ECP5.model_files]
    assert "PASS" in in_verilator(files, "bench", Cache())


SETTINGS = [
    {"AREG": 1, "BREG": 1, "MREG": 1, "PREG": 1, "CREG": 1, "OPMODEREG": 1},
    {"AREG": 2, "BREG": 2, "MREG": 0, "PREG": 1, "CREG": 0, "OPMODEREG": 0},
    {"AREG": 0, "BREG": 0, "MREG": 0, "PREG": 1, "CREG": 1, "OPMODEREG": 1},
]
BLOCK = """
  {module} #(.ADREG(0), .ALUMODEREG(0), .CARRYINREG(0), .CARRYINSELREG(0), .DREG(0), .INMODEREG(0),
    .ACASCREG({AREG}), .BCASCREG({BREG}), .USE_DPORT("FALSE"), {parameters}) {name} (
    .CLK(clk), .A(random[29:0]), .B(random[47:30]), .C(random[95:48]), .D(25'd0),
    .PCIN(random[143:96]), .OPMODE({{z, 4'b0101}}), .ALUMODE(4'd0), .CARRYINSEL(3'd0),
    .INMODE(5'd0), .CARRYIN(1'b0), .CEA1(random[150]), .CEA2(random[151]), .CEAD(1'b0),
    .CEALUMODE(1'b0), .CEB1(random[152]), .CEB2(random[153]), .CEC(random[154]), .CECARRYIN(1'b1),
    .CECTRL(random[155]), .CED(1'b0), .CEINMODE(1'b0), .CEM(random[156]), .CEP(random[157]),
    .RSTA(&random[161:158]), .RSTALLCARRYIN(1'b0), .RSTALUMODE(1'b0), .RSTB(&random[165:162]),
    .RSTC(&random[169:166]), .RSTCTRL(&random[173:170]), .RSTD(1'b0), .RSTINMODE(1'b0),
    .RSTM(&random[177:174]), .RSTP(&random[181:178]), .P({name}_p), .PCOUT());
"""


def test_dsp48e1_model_equals_that_of_yosys(tmp_path: Path) -> None:
    """Yosys' own model of the block, register by register and with every Z multiplexer setting."""
    library = Path(pyosys.__file__).parent / "share" / "xilinx" / "cells_sim.v"
    theirs = re.search(r"^module DSP48E1 \(.*?^endmodule", library.read_text(), re.M | re.S)
    assert theirs is not None
    ours = XC7.model_files[0].read_text()
    body = [
        "module pairs (input clk, input rst, input [255:0] random, output differs);",
        "  wire [2:0] z = random[149:147] == 3'd4 || random[149:147] == 3'd7 ? 3'd0"
        " : random[149:147];",
    ]
    terms = []
    for k, setting in enumerate(SETTINGS):
        parameters = ", ".join(f".{key}({value})" for key, value in setting.items())
        for module, name in (("DSP48E1", f"theirs{k}"), ("OURS", f"ours{k}")):
            body.append(f"  wire [47:0] {name}_p;")
            body.append(BLOCK.format(module=module, name=name, parameters=parameters, **setting))
        terms.append(f"theirs{k}_p != ours{k}_p")
    body.append(f"  assign differs = {' || '.join(terms)};\nendmodule\n")
    files = {
        "bench.v": bench(["differs"], ".differs(differs)"),
        "pairs.v": "\n".join(body),
        "theirs.v": theirs[0],
        "ours.v": ours.replace("module DSP48E1", "module OURS"),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    output = in_verilator([tmp_path / name for name in files], "bench", Cache())
    assert "PASS" in output
