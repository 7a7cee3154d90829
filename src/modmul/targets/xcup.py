"""Xilinx UltraScale+: DSP48E2, whose product is 27 x 18 bits wide."""

from modmul.targets.block_ram import Ramb18e2
from modmul.targets.description import DspBlock, Target
from modmul.targets.dsp48 import Dsp48e, synthesis, with_pre_adder
from modmul.targets.tables import xcup as tables


class Dsp48e2(Dsp48e):
    """{operation}: one DSP48E2, whose multiplier is 27 x 18 bits, signed.

    {pins}  The two highest bits of OPMODE are of a multiplexer W, which adds nothing."""

    cell = "DSP48E2"
    opmode_bits = 9
    unused = (*Dsp48e.unused, "XOROUT")

    def others(self) -> dict[str, object]:
        return {
            **super().others(),
            **with_pre_adder(27),
            "p_AMULTSEL": "A",
            "p_BMULTSEL": "B",
            "p_PREADDINSEL": "A",
            "p_USE_MULT": "MULTIPLY",
        }


TARGET = Target(
    name="xcup",
    summary="Xilinx UltraScale+ (Artix, Kintex, Virtex, Zynq)",
    dsp=DspBlock(cell="DSP48E2", wide=26, narrow=17, accumulator=48),
    synthesis=synthesis("xcup", "DSP48E2"),
    cells=tables.CELLS,
    arcs=tables.ARCS,
    cell_models=("xilinx/cells_sim.v",),
    limits=tables.LIMITS,
    devices=tables.DEVICES,
    constraints=("sdc", "xdc"),
    models=("dsp48e2.v", "ramb18e2.v"),
    logic_before_carry=True,
    shallow=32,
    mac_block=Dsp48e2,
    memory_block=Ramb18e2,
)
