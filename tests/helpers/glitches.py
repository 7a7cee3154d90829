"""Registers of emitted Verilog that take a wrong bit once, each at a time of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_BLOCK = re.compile(r"  always @\(posedge clk\) begin\n.*?\n  end\n", re.DOTALL)
_COUNTERS = """
  // which run this is, counted by resets, and how many cycles it has lasted
  reg [31:0] glitch_run = 0;
  reg [31:0] glitch_cycle = 0;
  reg glitch_rst = 0;
  always @(posedge clk) begin
    glitch_rst <= rst;
    if (glitch_rst & !rst) glitch_run <= glitch_run + 1;
    glitch_cycle <= rst ? 0 : glitch_cycle + 1;
  end
"""


class RegisterBit(NamedTuple):
    """A bit of a register, in the module whose name has that ending."""

    module: str
    register: str
    bit: int


class Glitches(NamedTuple):
    """times: cycles after the reset; run 1 is the first site at the first time, run 2 at the
    second."""

    sites: Sequence[RegisterBit]
    times: Sequence[int]

    def injected(self, verilog: str) -> str:
        for number, site in enumerate(self.sites):
            verilog = self._with_glitch(verilog, number, site)
        return verilog

    def _with_glitch(self, verilog: str, number: int, site: RegisterBit) -> str:
        name = rf"module \w+{site.module} \(" if site.module else r"module \w+ \("
        match = re.search(name + r".*?\nendmodule\n", verilog, re.DOTALL)
        assert match is not None, site
        body = match[0]
        block = next(
            block
            for block in _BLOCK.findall(body)
            if re.search(rf"\b{site.register}(\[\d+\])? <=", block)
        )
        begin = 1 + number * len(self.times)
        cases = " ".join(
            f"{begin + place}: strike = glitch_cycle == {time};"
            for place, time in enumerate(self.times)
        )
        strike = f"glitch_{number}"
        logic = f"""
  reg {strike};
  always @(*) begin : choose_{number}
    reg strike;
    strike = 0;
    case (glitch_run) {cases} default: strike = 0; endcase
    {strike} = strike;
  end
"""
        wide = re.search(rf"reg \[\d+:0\] {site.register}\b", body)
        target = f"{site.register}[{site.bit}]" if wide else site.register
        ends = "  end\n"
        struck = f"{block.removesuffix(ends)}    if ({strike}) {target} <= !{target};\n{ends}"
        counters = "" if "glitch_run" in body else _COUNTERS
        changed = body.replace(block, f"{counters}{logic}{struck}")
        return verilog.replace(body, changed)
