"""Xilinx Spartan-6: LUTs of six inputs; DSP48A1, whose cascade does not shift.

Sums shifted by 17 go through fabric to C.  Yosys infers the block, too, but its accumulator that
can also load has a multiplexer in fabric: 300 LUT and 475 FF, instantiated 267 and 491 (F44D of
gallin2019).
"""

from amaranth.hdl import Const

from modmul.targets.block_ram import RambSpartan6, Spartan6Pair
from modmul.targets.description import DspBlock, Target
from modmul.targets.dsp48 import Dsp48, synthesis
from modmul.targets.primitives import ONE, ZERO
from modmul.targets.tables import xc6s as tables


class Dsp48a1(Dsp48):
    """{operation}: one DSP48A1, whose multiplier is 18 x 18 bits, signed.

    {pins}"""

    cell = "DSP48A1"
    a_bits = 18
    z = {("zero", 0): 0b00, ("neighbour", 0): 0b01, ("own", 0): 0b10, ("addend", 0): 0b11}
    opmode_bits = 8
    z_at = 2
    product_code = 0b01
    op_pins = "OPMODE"
    unused = ("BCOUT", "CARRYOUT", "CARRYOUTF", "M")

    @classmethod
    def link_delay(cls, shift: int) -> int:
        """1 for shifted links, which go through fabric to C and its register, else 0."""
        return int(shift > 0)

    def pipeline(self, a: int, b: int) -> dict[str, object]:
        return {
            "p_A0REG": int(a == 2),
            "p_A1REG": int(a >= 1),
            "p_B0REG": int(b == 2),
            "p_B1REG": int(b >= 1),
        }

    def others(self) -> dict[str, object]:
        return {
            "p_CARRYOUTREG": 0,
            "p_CARRYINSEL": "OPMODE5",
            "p_DREG": 0,
            "p_RSTTYPE": "SYNC",
            "i_CEA": ONE,
            "i_CEB": self.a_enable,
            "i_CED": ZERO,
            "i_RSTCARRYIN": ZERO,
            "i_RSTD": ZERO,
            "i_D": Const(0, 18),
        }


TARGET = Target(
    name="xc6s",
    summary="Xilinx Spartan-6 (LX, LXT)",
    dsp=DspBlock(cell="DSP48A1", wide=17, narrow=17, accumulator=48),
    synthesis=synthesis("xc6s", "DSP48A1"),
    cells=tables.CELLS,
    arcs=tables.ARCS,
    cell_models=("xilinx/cells_sim.v",),
    limits=tables.LIMITS,
    devices=tables.DEVICES,
    constraints=("sdc", "ucf"),
    models=("dsp48a1.v", "ramb16bwer.v", "ramb8bwer.v"),
    logic_before_carry=True,
    shallow=32,
    no_shifted_sum="their sums are not shifted",
    mac_block=Dsp48a1,
    memory_block=RambSpartan6,
    pair_block=Spartan6Pair,
)
