"""Our simulation models of Xilinx' hard multipliers against those of Yosys."""

from __future__ import annotations

import re
from pathlib import Path

import pyosys
import pytest

from modmul import targets
from modmul.export.check import in_verilator
from modmul.targets import models
from modmul.toolchain.cache import Cache
from random_bench import CYCLES, bench

# Registers of A and B, then M, P, C, OPMODE
SETTINGS = [(1, 1, 1, 1, 1), (2, 0, 1, 0, 0), (0, 0, 1, 1, 1), (1, 1, 0, 1, 0)]
_SHARED = (
    ".CLK(clk), .C(random[95:48]), .PCIN(random[143:96]), .CARRYIN(1'b0), .CEC(random[154]), "
    ".CEM(random[156]), .CEP(random[157]), .CECARRYIN(1'b1), .RSTA(&random[161:158]), "
    ".RSTB(&random[165:162]), .RSTC(&random[169:166]), .RSTM(&random[177:174]), "
    ".RSTP(&random[181:178])"
)
_ONE_ENABLE = ".A(random[17:0]), .B(random[47:30]), .CEA(random[151]), .CEB(random[153])"
_CONTROL = ".CECTRL(random[155]), .RSTCTRL(&random[173:170])"
_TWO_ENABLES = (
    ".A({{5{random[24]}}, random[24:0]}), .B(random[47:30]), .CEA1(random[150]), "
    ".CEA2(random[151]), .CEB1(random[152]), .CEB2(random[153]), .CEALUMODE(1'b0), "
    f".ALUMODE(4'd0), .CARRYINSEL(3'd0), .RSTALLCARRYIN(1'b0), .RSTALUMODE(1'b0), {_CONTROL}"
)
_PRE_ADDER = (
    ".CEAD(1'b0), .CED(1'b0), .CEINMODE(1'b0), .RSTD(1'b0), .RSTINMODE(1'b0), .D(0), .INMODE(5'd0)"
)
# What else is connected to a block; Z: the code of its multiplexer
PINS = {
    "DSP48": f"{_ONE_ENABLE}, {_CONTROL}, .OPMODE({{Z, 4'b0101}}), .BCIN(18'd0), "
    ".SUBTRACT(1'b0), .CARRYINSEL(2'd0), .CECINSUB(1'b0), .RSTCARRYIN(1'b0)",
    "DSP48A1": f"{_ONE_ENABLE}, .OPMODE({{4'd0, Z[1:0], 2'b01}}), .CEOPMODE(random[155]), "
    ".RSTOPMODE(&random[173:170]), .D(18'd0), .CED(1'b0), .RSTD(1'b0), .RSTCARRYIN(1'b0)",
    "DSP48E": f"{_TWO_ENABLES}, .OPMODE({{Z, 4'b0101}}), .CARRYCASCIN(1'b0), .MULTSIGNIN(1'b0), "
    ".CEMULTCARRYIN(1'b0)",
    "DSP48E1": f"{_TWO_ENABLES}, {_PRE_ADDER}, .OPMODE({{Z, 4'b0101}})",
    "DSP48E2": f"{_TWO_ENABLES}, {_PRE_ADDER}, .OPMODE({{2'd0, Z, 4'b0101}})",
}
# Yosys has no models of two of them: here they are a DSP48E1, since A has 25 bits
LIKE = {cell: "DSP48E1" if cell in ("DSP48E", "DSP48E2") else cell for cell in PINS}


def registers(cell: str, setting: tuple[int, ...]) -> str:
    """The parameters of a block; A and B have as many registers."""
    inputs, product, p, c, opmode = setting
    values = {"MREG": product, "PREG": p, "CREG": c, "OPMODEREG": opmode, "CARRYINREG": 0}
    if cell == "DSP48A1":
        values |= {f"{port}{k}REG": int(inputs > 1 - k) for port in "AB" for k in (0, 1)}
        values |= {"CARRYOUTREG": 0, "DREG": 0}
    else:
        values |= {"AREG": inputs, "BREG": inputs, "CARRYINSELREG": 0}
    if cell == "DSP48":
        values |= {"SUBTRACTREG": 0}
    if cell.startswith("DSP48E"):
        values |= {"ACASCREG": inputs, "BCASCREG": inputs, "ALUMODEREG": 0}
    if cell in ("DSP48E1", "DSP48E2"):
        values |= {"ADREG": 0, "DREG": 0, "INMODEREG": 0}
    if cell == "DSP48E":
        values |= {"MULTCARRYINREG": 0}
    return ", ".join(f".{name}({value})" for name, value in values.items())


def side_by_side() -> str:
    """A module with each block and Yosys' like it, in each setting."""
    body = [
        f"module pairs (input clk, input rst, input [255:0] random, output {', '.join(PINS)});",
        # without own P, which has no register where PREG is 0; with it
        "  wire [2:0] z0 = random[148] ? {random[147], 2'b01} : {1'b0, {2{random[147]}}};",
        "  wire [2:0] z1 = random[149] ? {random[147], 2'b10} : z0;",
    ]
    for cell, like in LIKE.items():
        terms = []
        for k, setting in enumerate(SETTINGS):
            for module, pins in ((f"THEIRS_{like}", like), (f"OURS_{cell}", cell)):
                name, p = f"{module}_{cell}_{k}".lower(), setting[2]
                body.append(f"  wire [47:0] {name};")
                body.append(f"  {module} #({registers(pins, setting)}) block_{name} ({_SHARED},")
                body.append(f"    {PINS[pins].replace('Z', f'z{p}')}, .P({name}), .PCOUT());")
            terms.append(f"theirs_{like}_{cell}_{k} != ours_{cell}_{cell}_{k}".lower())
        body.append(f"  assign {cell} = {' || '.join(terms)};")
    return "\n".join([*body, "endmodule\n"])


def test_the_multiplier_of_virtex_2_equals_that_of_yosys(tmp_path: Path) -> None:
    library = (Path(pyosys.__file__).parent / "share" / "xilinx" / "cells_sim.v").read_text()
    theirs = re.search(r"^module MULT18X18S \(.*?^endmodule", library, re.M | re.S)
    assert theirs is not None
    (ours,) = models.read(targets.find("xc2vp").models)
    pins = ".C(clk), .A(random[17:0]), .B(random[35:18]), .CE(random[36]), .R(&random[39:37])"
    pair = f"""
module pairs (input clk, input rst, input [255:0] random, output differs);
  wire [35:0] theirs, ours;
  reg known = 0;  // theirs has no initial value
  always @(posedge clk) known <= known | &random[39:37];
  THEIRS block_theirs ({pins}, .P(theirs));
  MULT18X18S block_ours ({pins}, .P(ours));
  assign differs = known && theirs != ours;
endmodule
"""
    files = {
        "bench.v": bench(["differs"], ".differs(differs)"),
        "pairs.v": pair,
        "theirs.v": theirs[0].replace("module MULT18X18S", "module THEIRS"),
        "ours.v": ours.text,
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    in_verilator([tmp_path / name for name in files], "bench", CYCLES, Cache(), what="cycles")


@pytest.mark.long
def test_models_equal_those_of_yosys(tmp_path: Path) -> None:
    """Yosys' own model of each block, register by register and with every Z multiplexer setting."""
    library = (Path(pyosys.__file__).parent / "share" / "xilinx" / "cells_sim.v").read_text()
    connections = ", ".join(f".{cell}({cell})" for cell in PINS)
    files = {"bench.v": bench(list(PINS), connections), "pairs.v": side_by_side()}
    for like in set(LIKE.values()):
        theirs = re.search(rf"^module {like} \(.*?^endmodule", library, re.M | re.S)
        assert theirs is not None
        files[f"theirs_{like}.v"] = theirs[0].replace(f"module {like} ", f"module THEIRS_{like} ")
    for name in ("xc4v", "xc5v", "xc6s", "xc7", "xcup"):
        target = targets.find(name)
        assert target.dsp is not None
        cell, ours = target.dsp.cell, models.read(target.models)[0].text
        files[f"ours_{cell}.v"] = ours.replace(f"module {cell} ", f"module OURS_{cell} ")
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    sources = [tmp_path / name for name in files]
    in_verilator(sources, "bench", CYCLES, Cache(), what="cycles")
