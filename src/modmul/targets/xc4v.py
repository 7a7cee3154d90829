"""Xilinx Virtex-4: LUTs of four inputs, two in a slice with their carry logic (alkhaleel2006).

Its DSP48 are not used: products are LUTs, and architectures that want hard multipliers refuse.
"""

from modmul.targets.description import Target
from modmul.targets.tables import xc4v as tables

# -nodsp: no DSP48 is inferred.  -nowidelut: Yosys prices a function of five or six inputs like one
# of four, as in a chip with LUTs of six inputs, and so takes up to three times as many.
SYNTHESIS = """
synth_xilinx -family xc4v -flatten -noiopad -noclkbuf -nodsp -nowidelut -top {top}
"""

TARGET = Target(
    name="xc4v",
    summary="Xilinx Virtex-4 LX, without its DSP blocks",
    synthesis=SYNTHESIS,
    cells=tables.CELLS,
    arcs=tables.ARCS,
    cell_models=("xilinx/cells_sim.v",),
    limits=tables.LIMITS,
    devices=tables.DEVICES,
    constraints=("sdc", "ucf"),
)
