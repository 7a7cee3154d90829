"""The dual-field multiplier at all word widths, on the primitives of its chips, and its area.

All multipliers run side by side in one simulator, fed with edge and random operands in every cycle
and compared with arithmetic of the simulator's own.  With the environment variable THOROUGH set,
more of them, and words of 32 bits are mapped (three minutes of processor time)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from amaranth.back import rtlil
from amaranth.hdl import ClockDomain, Module

from modmul import targets
from modmul.blocks.dual_field import DualFieldMultiplier
from modmul.export.check import in_verilator
from modmul.implementation import area, synthesis
from modmul.targets import models
from modmul.toolchain import yosys
from modmul.toolchain.cache import Cache

CYCLES = 20000
FIELD_CYCLES = 64  # the field changes so often; outputs count when it has been the same for long


class Case(NamedTuple):
    target: str
    word: int
    stages: int
    options: dict[str, Any] = {}

    @property
    def name(self) -> str:
        return "_".join([self.target, str(self.word), str(self.stages), *self.options])


CASES = [
    Case("xc7", 9, 2),
    Case("ecp5", 32, 4, {"riding": True}),
    Case("cells", 16, 4, {"riding": True}),
    Case("ecp5", 32, 3, {"dsp": True, "riding": True}),
    Case("xc7", 64, 3, {"dsp": True, "binary": False}),
]
MORE = [
    Case("xc7", 16, 3, {"riding": True}),
    Case("cells", 32, 1),
    Case("generic", 8, 1, {"riding": True}),
    Case("xc7", 32, 1, {"riding": True}),
    Case("xc7", 32, 6),
    Case("xc7", 64, 2),
    Case("ecp5", 64, 4, {"riding": True}),
    Case("cells", 8, 3),
    Case("cells", 64, 2),
    Case("xc7", 32, 1, {"dsp": True, "riding": True}),
    Case("xc7", 64, 3, {"dsp": True}),
    Case("ecp5", 16, 2, {"dsp": True}),
    Case("ecp5", 64, 5, {"dsp": True}),
]
thorough = pytest.mark.skipif("THOROUGH" not in os.environ, reason="THOROUGH is not set")

CHECKER = """
module check_{name}(input clk, input [255:0] random, input field, input stable, output reg bad);
  function [{top}:0] carryless(input [{word}-1:0] x, input [{word}-1:0] y);
    integer i;
    begin
      carryless = 0;
      for (i = 0; i < {word}; i = i + 1)
        if (y[i]) carryless = carryless ^ ({{{word2}'d0, x}} << i);
    end
  endfunction
  function [{word}-1:0] operand(input [2:0] kind, input [{word}-1:0] x);
    case (kind)
      0: operand = 0;
      1: operand = 1;
      2: operand = {{{word}{{1'b1}}}};
      3: operand = {{{word}{{1'b1}}}} ^ ({{{word}{{1'b1}}}} >> 1);
      default: operand = x;
    endcase
  endfunction
  reg [{word}-1:0] a, b, ride;
  reg double;
  wire [{top}:0] p;
  reg [{top}:0] wanted [0:{stages}];
  wire [{top}:0] product = {{{word2}'d0, a}} * b;
  integer k;
  always @(posedge clk) begin
    a <= operand(random[2:0], random[127:64]);
    b <= operand(random[5:3], random[191:128]);
    ride <= random[255:192];
    double <= random[6];
    wanted[0] <= {binary} && field
      ? (double ? 0 : carryless(a, b)) ^ ({riding} ? carryless(ride, ride) : 0)
      : double ? product << 1 : product;
    for (k = 0; k < {stages}; k = k + 1) wanted[k + 1] <= wanted[k];
    bad <= stable && p != wanted[{stages} - 1];
  end
  {name} dut(.clk(clk), .a(a), .b(b), .double(double), .p(p){ports});
endmodule
"""
BENCH = """
module bench(input clk);
  reg [255:0] random;
  integer count;
  reg failed;
  wire [{last}:0] bad;
  wire field = (count / {field_cycles}) % 2;
  wire stable = count % {field_cycles} > 16;
  {checkers}
  initial begin count = 0; failed = 0; end
  always @(posedge clk) begin
    count <= count + 1;
    random <= {{$random, $random, $random, $random, $random, $random, $random, $random}};
    if (count % {field_cycles} > 18 && bad != 0) begin
      failed <= 1;
      $display("FAIL in cycle %0d: %b", count, bad);
    end
    if (count == {cycles}) begin
      if (!failed) $display("PASS %0d cycles", count);
      $finish;
    end
  end
endmodule
"""


def ilang(case: Case) -> str:
    """RTLIL of a module that is one multiplier."""
    m = Module()
    domain = ClockDomain("sync", reset_less=True)
    domain.clk.name = "clk"
    m.domains += domain
    multiplier = DualFieldMultiplier(
        targets.find(case.target), case.word, case.stages, **case.options
    )
    m.submodules.multiplier = multiplier
    ports = [domain.clk, *(getattr(multiplier, name) for name in multiplier.signature.members)]
    text: str = rtlil.convert(m, name=case.name, ports=ports, emit_src=False)
    return text


def checker(case: Case) -> str:
    riding, binary = "riding" in case.options, case.options.get("binary", True)
    ports = [".binary_field(field)"] * binary + [".ride(ride)"] * riding
    return CHECKER.format(
        name=case.name,
        word=case.word,
        word2=case.word + 1,
        top=2 * case.word,
        stages=case.stages,
        riding=int(riding),
        binary=int(binary),
        ports="".join(f", {port}" for port in ports),
    )


@pytest.mark.parametrize("cases", [CASES, pytest.param(MORE, marks=thorough)], ids=["some", "more"])
@pytest.mark.long
def test_all_word_widths(tmp_path: Path, cases: list[Case]) -> None:
    lines = []
    for case in cases:
        (tmp_path / f"{case.name}.il").write_text(ilang(case))
        lines.append(f"read_rtlil {case.name}.il")
    yosys.run("\n".join([*lines, "proc", "opt_clean", "write_verilog -noattr all.v"]), tmp_path)
    checkers = "\n  ".join(
        f"check_{case.name} c{k}(clk, random, field, stable, bad[{k}]);"
        for k, case in enumerate(cases)
    )
    bench = BENCH.format(
        last=len(cases) - 1, checkers=checkers, cycles=CYCLES, field_cycles=FIELD_CYCLES
    )
    (tmp_path / "bench.v").write_text(bench + "".join(map(checker, cases)))
    needed = {file for case in cases for file in targets.find(case.target).models}
    (tmp_path / "models.v").write_text("".join(model.text for model in models.read(needed)))
    files = [tmp_path / "bench.v", tmp_path / "all.v", tmp_path / "models.v"]
    in_verilator(files, "bench", CYCLES, Cache(), what="cycles")


def mapped(case: Case, folder: Path) -> dict[str, Any]:
    (folder / "one.il").write_text(ilang(case))
    yosys.run("read_rtlil one.il\nproc -norom\nopt_clean\nwrite_verilog one.v", folder)
    chip = targets.find(case.target)
    return synthesis.synthesise((folder / "one.v").read_text(), case.name, chip, folder)


@pytest.mark.parametrize(
    "word, luts",
    [pytest.param(8, 106, marks=pytest.mark.long), pytest.param(32, 1302, marks=thorough)],
)
def test_area_on_xc7(tmp_path: Path, word: int, luts: int) -> None:
    """With a margin of 2 %: another Yosys may map a little differently."""
    case = Case("xc7", word, 1)
    measured = area.measure(mapped(case, tmp_path), case.name, targets.find("xc7"))
    assert (measured.ff, measured.dsp) == (2 * word + 1, 0)
    assert measured.lut == pytest.approx(luts, rel=0.02)


@thorough
def test_registers_of_dsp_blocks_are_used(tmp_path: Path) -> None:
    """Five stages: inputs, product and output inside the inferred block."""
    case = Case("xc7", 18, 5, {"dsp": True, "binary": False})
    cells = mapped(case, tmp_path)["modules"][case.name]["cells"].values()
    blocks = [cell["parameters"] for cell in cells if cell["type"] == "DSP48E1"]
    assert len(blocks) == 2  # 18 x 9 bits
    for block in blocks:
        assert [int(block[f"{name}REG"], 2) for name in "ABMP"] == [1, 1, 1, 1]
