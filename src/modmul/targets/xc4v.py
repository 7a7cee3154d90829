"""Xilinx Virtex-4: LUTs of four inputs, two in a slice with their carry logic (alkhaleel2006).

Its DSP48 multiply signed 18 x 18.  Two of them share one port C, so that a cascade's first two can
not both add a value there; fpmm uses C once in a cascade, where the tiles are of 17 bits.
"""

from amaranth.hdl import Const

from modmul.targets.block_ram import Ramb16, Ramb16Pair
from modmul.targets.description import DspBlock, Target
from modmul.targets.dsp48 import Dsp48, synthesis
from modmul.targets.primitives import ONE, ZERO
from modmul.targets.shift_registers import Srl16e
from modmul.targets.tables import xc4v as tables
from modmul.targets.virtex import NO_WIDE_LUTS, SHIFT_REGISTERS


class Dsp48Block(Dsp48):
    """{operation}: one DSP48, whose multiplier is 18 x 18 bits, signed.

    {pins}"""

    cell = "DSP48"
    a_bits = 18
    unused = ("BCOUT",)

    def others(self) -> dict[str, object]:
        return {
            "p_B_INPUT": "DIRECT",
            "p_CARRYINSELREG": 0,
            "p_LEGACY_MODE": "MULT18X18S" if self.config.registers >= 3 else "MULT18X18",
            "p_SUBTRACTREG": 0,
            "i_CEA": ONE,
            "i_CEB": self.a_enable,
            "i_CECINSUB": ZERO,
            "i_RSTCARRYIN": ZERO,
            "i_BCIN": Const(0, 18),
            "i_CARRYINSEL": Const(0, 2),
            "i_SUBTRACT": ZERO,
        }


TARGET = Target(
    name="xc4v",
    summary="Xilinx Virtex-4 LX",
    dsp=DspBlock(cell="DSP48", wide=17, narrow=17, accumulator=48),
    synthesis=synthesis("xc4v", "DSP48", NO_WIDE_LUTS, SHIFT_REGISTERS),
    cells=tables.CELLS,
    arcs=tables.ARCS,
    cell_models=("xilinx/cells_sim.v",),
    limits=tables.LIMITS,
    devices=tables.DEVICES,
    constraints=("sdc", "ucf"),
    models=("dsp48.v", "ramb16.v", "srl16e.v"),
    logic_before_carry=True,
    shallow=16,
    no_shifted_sum="two share one port C",
    mac_block=Dsp48Block,
    memory_block=Ramb16,
    pair_block=Ramb16Pair,
    shift_block=Srl16e,
)
