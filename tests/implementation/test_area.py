"""Cells counted in the units of the issue; the routed netlist is the counted one and a harness."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from modmul import targets
from modmul.implementation import area, harness, synthesis
from modmul.targets import CellArea

# one DSP block, a distributed RAM, an adder that the RAM and the DSP block feed
SMALL = """
module small(input clk, input [8:0] a, b, input [3:0] at, output reg [17:0] sum);
  reg [17:0] product, read;
  reg [17:0] memory[0:15];
  always @(posedge clk) begin
    product <= a * b;
    memory[at] <= product;
    read <= memory[at];
    sum <= read + product;
  end
endmodule
"""


def netlist(**cells: int) -> dict[str, Any]:
    named = {f"{kind}_{i}": {"type": kind} for kind, count in cells.items() for i in range(count)}
    return {"modules": {"top": {"cells": named}}}


def test_ecp5_units() -> None:
    cells = netlist(LUT4=5, CCU2C=3, TRELLIS_DPR16X4=2, TRELLIS_FF=7, MULT18X18D=9, DP16KD=1)
    measured = area.measure(cells, "top", targets.find("ecp5"))
    assert measured == CellArea(
        lut=5 + 2 * 3 + 4 * 2, ff=7, dsp=9, ram_blocks=1, ram_bits=18 * 1024
    )


def test_xc7_units() -> None:
    luts = {f"LUT{i}": i for i in range(1, 7)}
    cells = netlist(**luts, SRL16E=2, SRLC32E=1, RAM32M=3, RAM64M=1, RAM32X1D=2, CARRY4=9)
    measured = area.measure(cells, "top", targets.find("xc7"))
    assert measured == CellArea(lut=21 + 3 + 4 * 4 + 2 * 2)
    cells = netlist(FDRE=3, FDSE=1, FDCE=1, FDPE=1, DSP48E1=9, RAMB18E1=2, RAMB36E1=1)
    measured = area.measure(cells, "top", targets.find("xc7"))
    assert measured == CellArea(ff=6, dsp=9, ram_blocks=4, ram_bits=4 * 18 * 1024)


def test_xc4v_units() -> None:
    luts = {f"LUT{i}": i for i in range(1, 5)}
    cells = netlist(
        **luts,
        INV=2,
        SRL16E=1,
        RAM16X1D=3,
        RAM16X1S=1,
        RAM32X1S=2,
        RAM64X1S=1,
        MUXCY=9,
        XORCY=9,
        MUXF5=4,
        FDRE=3,
        FDRE_1=1,
        FDPE=1,
        RAMB16=2,
    )
    measured = area.measure(cells, "top", targets.find("xc4v"))
    luts_in_all = 10 + 2 + 1 + 3 * 2 + 1 + 2 * 2 + 4
    assert measured == CellArea(lut=luts_in_all, ff=5, ram_blocks=2, ram_bits=2 * 18 * 1024)


def test_units_of_other_xilinx_families() -> None:
    cells = netlist(LUT6=1, SRLC32E=1, DSP48E=2, RAMB18SDP=1, RAMB36=1)
    measured = area.measure(cells, "top", targets.find("xc5v"))
    assert measured == CellArea(lut=2, dsp=2, ram_blocks=3, ram_bits=3 * 18 * 1024)
    cells = netlist(RAM32M=2, DSP48A1=2, RAMB8BWER=2, RAMB16BWER=1)
    measured = area.measure(cells, "top", targets.find("xc6s"))
    assert measured == CellArea(lut=8, dsp=2, ram_blocks=4, ram_bits=4 * 9 * 1024)
    cells = netlist(RAM32M16=1, CARRY8=5, DSP48E2=1, RAMB18E2=1)
    measured = area.measure(cells, "top", targets.find("xcup"))
    assert measured == CellArea(lut=8, dsp=1, ram_blocks=1, ram_bits=18 * 1024)


def test_units_of_virtex_e_and_virtex_2_pro() -> None:
    """LUTs as a slice holds them: a second port doubles those of a memory."""
    cells = netlist(LUT4=1, SRL16E=2, RAM16X1D=3, RAM32X1S=1, MUXF6=4, RAMB4_S1=1, RAMB4_S8_S16=2)
    measured = area.measure(cells, "top", targets.find("xcve"))
    assert measured == CellArea(lut=1 + 2 + 6 + 2, ram_blocks=3, ram_bits=3 * 4 * 1024)
    for newer in ("MUXF7", "RAM64X1S", "RAM32X1D", "MULT18X18", "RAMB16_S9"):
        with pytest.raises(ValueError, match=newer):
            area.measure(netlist(**{newer: 1}), "top", targets.find("xcve"))
    cells = netlist(
        RAM128X1S=1, RAM32X1D=1, RAM64X1D=1, MUXF7=3, MULT18X18=2, MULT18X18S=3, RAMB16_S36_S36=1
    )
    measured = area.measure(cells, "top", targets.find("xc2vp"))
    assert measured == CellArea(lut=8 + 4 + 8, dsp=5, ram_blocks=1, ram_bits=18 * 1024)


# A memory with a read register, and a word read while it is written, of which nobody knows
QUEUE = """
module queue(input clk, write, input [8:0] to, from, input [15:0] d, output reg [15:0] q);
  (* ram_style = "block" *) reg [15:0] memory[0:511];
  reg [15:0] read;
  always @(posedge clk) begin
    if (write) memory[to] <= d;
    read <= memory[from];
    q <= read;
  end
endmodule
"""


@pytest.mark.long  # synthesis for Virtex-E by default: test_implement.py
def test_block_ram_of_virtex_e_has_nothing_around_it(tmp_path: Path) -> None:
    target = targets.find("xcve")
    counted = area.measure(synthesis.synthesise(QUEUE, "queue", target, tmp_path), "queue", target)
    assert (counted.ram_blocks, counted.ff) == (2, 16) and counted.lut <= 1


@pytest.mark.long
@pytest.mark.parametrize("target", ["xcve", "xc2vp"])
def test_old_chips_have_shift_registers_and_narrow_multipliers(target: str, tmp_path: Path) -> None:
    text = """
module line(input clk, input [3:0] d, input [16:0] a, b, output reg [3:0] q, output [33:0] p);
  reg [3:0] line[0:7];
  integer k;
  always @(posedge clk) begin
    line[0] <= d;
    for (k = 1; k < 8; k = k + 1) line[k] <= line[k - 1];
    q <= line[7];
  end
  assign p = a * b;
endmodule
"""
    chip = targets.find(target)
    netlist = synthesis.synthesise(text, "line", chip, tmp_path)
    counted, cells = area.measure(netlist, "line", chip), area.count_cells(netlist, "line")
    assert counted.ff < 4 * 9 and cells["SRL16E"] == 4
    assert counted.dsp == (target == "xc2vp")


def test_scope_markers_count_nothing_and_unknown_cells_are_refused() -> None:
    marked = {"modules": {"top": {"cells": {"s": {"type": "$scopeinfo"}}}}}
    assert area.measure(marked, "top", targets.find("ecp5")) == CellArea()
    assert area.count_cells(marked, "top") == {}
    with pytest.raises(ValueError, match="MYSTERY"):
        area.measure(netlist(MYSTERY=1), "top", targets.find("ecp5"))


def test_generic_counts_registers_multipliers_and_memory_bits(tmp_path: Path) -> None:
    target = targets.find("generic")
    netlist = synthesis.synthesise(SMALL, "small", target, tmp_path)
    counted = area.measure(netlist, "small", target)
    assert (counted.ff, counted.dsp, counted.ram_bits) == (3 * 18, 1, 16 * 18)
    assert 18 <= counted.lut <= 3 * 18


@pytest.mark.long
def test_xc7_area_of_a_small_design(tmp_path: Path) -> None:
    target = targets.find("xc7")
    netlist = synthesis.synthesise(SMALL, "small", target, tmp_path)
    counted = area.measure(netlist, "small", target)
    assert counted.dsp == 1 and counted.ram_blocks == 0
    assert counted.lut >= 18 + 12  # the adder and three RAM32M


def test_harness_leaves_the_counted_core_as_it_is(tmp_path: Path) -> None:
    target = targets.find("ecp5")
    core = synthesis.synthesise(SMALL, "small", target, tmp_path)
    synthesis.put_in_harness(core, "small", target, tmp_path)
    routable = json.loads((tmp_path / synthesis.ROUTABLE_NETLIST).read_text())
    cells = routable["modules"][harness.TOP]["cells"]
    inside = Counter(
        cell["type"]
        for name, cell in cells.items()
        if f"{harness.CORE}." in name and cell["type"] != "$scopeinfo"
    )
    assert inside == area.count_cells(core, "small")
    outside = Counter(cell["type"] for cell in cells.values()) - inside
    # one register a core input, two a core output: every path at the ports has a register
    assert outside["TRELLIS_FF"] == (9 + 9 + 4) + 2 * 18
    assert set(routable["modules"][harness.TOP]["ports"]) == {"clk", "serial_in", "serial_out"}
