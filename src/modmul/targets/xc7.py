"""Xilinx 7 series: DSP48E1 with a post-adder and a cascade that shifts by 17."""

from modmul.targets.block_ram import Ramb18e1
from modmul.targets.description import DspBlock, Target
from modmul.targets.dsp48 import Dsp48e, synthesis, with_pre_adder
from modmul.targets.tables import xc7 as tables
from modmul.targets.tables.xc7_arcs import ARCS


class Dsp48e1(Dsp48e):
    """{operation}: one DSP48E1, whose multiplier is 25 x 18 bits, signed.

    {pins}"""

    cell = "DSP48E1"

    def others(self) -> dict[str, object]:
        return {
            **super().others(),
            **with_pre_adder(25),
            "p_USE_DPORT": "FALSE",
            "p_USE_MULT": "MULTIPLY",
        }


TARGET = Target(
    name="xc7",
    summary="Xilinx 7 series (Artix-7, Kintex-7, Virtex-7, Spartan-7, Zynq-7000)",
    dsp=DspBlock(cell="DSP48E1", wide=24, narrow=17, accumulator=48),
    synthesis=synthesis("xc7", "DSP48E1"),
    cells=tables.CELLS,
    arcs=ARCS,
    cell_models=("xilinx/cells_sim.v",),
    limits=tables.LIMITS,
    devices=tables.DEVICES,
    constraints=("sdc", "xdc"),
    models=("dsp48e1.v", "ramb18e1.v"),
    logic_before_carry=True,
    shallow=32,
    mac_block=Dsp48e1,
    memory_block=Ramb18e1,
)
