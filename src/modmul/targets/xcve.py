"""Xilinx Virtex-E: LUTs of four inputs, two in a slice, and no hard multipliers (amanor2005).

There are areas and LUTs in series only: no tool here places or routes it, and no source of its
delays was available.  Area in LUTs of four inputs, two of them in a slice: a RAM16X1D or RAM32X1S
takes two, a shift register one.  Block RAMs hold 4 kbit.
"""

from modmul.targets.description import Target
from modmul.targets.tables.lut4 import LOGIC_OF_VIRTEX_E, block_rams, device, levels
from modmul.targets.virtex import synthesis

BLOCK_RAM_BITS = 4 * 1024
_BLOCK_RAMS = block_rams("RAMB4", (1, 2, 4, 8, 16), BLOCK_RAM_BITS)
CELLS = {**LOGIC_OF_VIRTEX_E, **{name: area for name, (area, _) in _BLOCK_RAMS.items()}}
ARCS = levels(LOGIC_OF_VIRTEX_E, **{name: paths for name, (_, paths) in _BLOCK_RAMS.items()})

# Rows and columns of CLBs, block RAMs, the package with most user pins, and their number.  Data
# sheet DS022, Table 1, as in Wikipedia's List of Xilinx FPGAs, which cites it; XCV2000E has the
# 19200 slices that amanor2005 prints.  Packages and grades: those that BYU EDIF tools list; which
# of them has all the pins is from memory.  The first is the chip of amanor2005.
_PARTS = {
    "2000": (80, 120, 160, "FG1156", 804),
    "3200": (104, 156, 208, "FG1156", 804),
    "2600": (92, 138, 184, "FG1156", 804),
    "1600": (72, 108, 144, "FG1156", 724),
    "1000": (64, 96, 96, "FG1156", 660),
    "600": (48, 72, 72, "FG900", 512),
    "400": (40, 60, 40, "FG676", 404),
    "300": (32, 48, 32, "BG432", 316),
    "200": (28, 42, 28, "FG456", 284),
    "100": (20, 30, 20, "BG352", 196),
    "50": (16, 24, 16, "FG256", 176),
}
_SLICES_OF_A_CLB = 2
DEVICES = tuple(
    device(
        f"XCV{size}E",
        package,
        speed,
        slices=_SLICES_OF_A_CLB * rows * columns,
        dsps=0,
        ram_blocks=memories,
        pins=pins,
    )
    for size, (rows, columns, memories, package, pins) in _PARTS.items()
    for speed in ("8", "7", "6")
)

# The two ports of a block RAM must not meet at a word, and Yosys would build a bypass of registers
# and multiplexers for the case.  No word is used that was read in the cycle in which it was written
# (docs/decisions/synthesis-options.md).
_NO_BYPASS = "setattr -set no_rw_check 1 m:*"

TARGET = Target(
    name="xcve",
    summary="Xilinx Virtex-E",
    synthesis=f"\n{_NO_BYPASS}{synthesis('xcve')}",
    cells=CELLS,
    arcs=ARCS,
    cell_models=("xilinx/cells_sim.v",),
    devices=DEVICES,
    constraints=("sdc", "ucf"),
)
