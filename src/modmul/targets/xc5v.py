"""Xilinx Virtex-5: LUTs of six inputs; DSP48E, the DSP48E1 without its pre-adder."""

from modmul.targets.block_ram import Ramb18sdp
from modmul.targets.description import DspBlock, Target
from modmul.targets.dsp48 import Dsp48e, synthesis
from modmul.targets.primitives import ONE
from modmul.targets.tables import xc5v as tables


class Dsp48eBlock(Dsp48e):
    """{operation}: one DSP48E, whose multiplier is 25 x 18 bits, signed.

    {pins}"""

    cell = "DSP48E"

    def others(self) -> dict[str, object]:
        return {
            **super().others(),
            "p_MULTCARRYINREG": 0,
            "p_USE_MULT": "MULT_S" if self.config.registers >= 3 else "MULT",
            "i_CEMULTCARRYIN": ONE,
        }


TARGET = Target(
    name="xc5v",
    summary="Xilinx Virtex-5 (LX, LXT, SXT)",
    dsp=DspBlock(cell="DSP48E", wide=24, narrow=17, accumulator=48),
    synthesis=synthesis("xc5v", "DSP48E"),
    cells=tables.CELLS,
    arcs=tables.ARCS,
    cell_models=("xilinx/cells_sim.v",),
    limits=tables.LIMITS,
    devices=tables.DEVICES,
    constraints=("sdc", "ucf"),
    models=("dsp48e.v", "ramb18sdp.v"),
    logic_before_carry=True,
    shallow=32,
    mac_block=Dsp48eBlock,
    memory_block=Ramb18sdp,
)
