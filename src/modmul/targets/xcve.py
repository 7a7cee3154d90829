"""Xilinx Virtex-E: LUTs of four inputs, two in a slice, and no hard multipliers (amanor2005).

There are areas and LUTs in series only: no tool here places or routes it, and no source of its
delays was available.
"""

from modmul.targets.description import Target
from modmul.targets.tables import xcve as tables
from modmul.targets.virtex import synthesis

# The two ports of a block RAM must not meet at a word, and Yosys would build a bypass of registers
# and multiplexers for the case.  No word is used that was read in the cycle in which it was written
# (docs/decisions/synthesis-options.md).
_NO_BYPASS = "setattr -set no_rw_check 1 m:*"

TARGET = Target(
    name="xcve",
    summary="Xilinx Virtex-E",
    synthesis=f"\n{_NO_BYPASS}{synthesis('xcve')}",
    cells=tables.CELLS,
    arcs=tables.ARCS,
    cell_models=("xilinx/cells_sim.v",),
    devices=tables.DEVICES,
    constraints=("sdc", "ucf"),
)
