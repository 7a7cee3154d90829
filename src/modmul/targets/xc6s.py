"""Xilinx Spartan-6: LUTs of six inputs; DSP48A1, whose cascade does not shift.

Sums shifted by 17 go through fabric to C.  Yosys infers the block, too, but its accumulator that
can also load has a multiplexer in fabric: 300 LUT and 475 FF, instantiated 267 and 491 (F44D of
gallin2019).
"""

from amaranth.hdl import Const

from modmul.targets.block_ram import RambSpartan6, Spartan6Pair
from modmul.targets.description import CellArea, Device, DspBlock, Limit, Target
from modmul.targets.dsp48 import Dsp48, synthesis
from modmul.targets.primitives import ONE, ZERO
from modmul.targets.tables.dsp48_arcs import DspPaths
from modmul.targets.tables.lut6 import LOGIC, block_ram, levels

HALF_BLOCK_RAM_BITS = 9 * 1024

CELLS = {
    **LOGIC,
    "DSP48A1": CellArea(dsp=1),
    "RAMB8BWER": CellArea(ram_blocks=1, ram_bits=HALF_BLOCK_RAM_BITS),
    "RAMB16BWER": CellArea(ram_blocks=2, ram_bits=2 * HALF_BLOCK_RAM_BITS),
}

_PAPER = "gallin2019 (doi 10.1109/TC.2019.2920352), Table I, for the XC6SLX75"
_SHEET = "data sheet DS162, quoted from memory; the highest of gallin2019, Table II, with block RAM"
LIMITS = (
    Limit("DSP48A1", 390.0, _PAPER, verified=True, speed="3"),
    Limit("RAMB8BWER", 320.0, _SHEET, verified=False, speed="3"),
    Limit("RAMB16BWER", 320.0, _SHEET, verified=False, speed="3"),
)

# Sizes as in the vendor's product table (DS160), quoted from memory: four LUTs a slice; block RAMs
# of 9 kbit.  The first is the chip of gallin2019.
DEVICES = (
    Device("XC6SLX75-3FGG676", "FGG676", "3", 46648, 132, 344, 408),
    Device("XC6SLX150-3FGG676", "FGG676", "3", 92152, 180, 536, 498),
    Device("XC6SLX45-3CSG324", "CSG324", "3", 27288, 58, 232, 218),
    Device("XC6SLX16-3CSG324", "CSG324", "3", 9112, 32, 64, 232),
    Device("XC6SLX9-3CSG324", "CSG324", "3", 5720, 16, 64, 200),
)

_CONTROLS = (
    "BCIN CARRYIN CEA CEB CEC CECARRYIN CED CEM CEOPMODE CEP D OPMODE RSTA RSTB RSTC RSTCARRYIN "
    "RSTD RSTM RSTOPMODE RSTP"
)
_RAM8 = (
    "ADDRAWRADDR ADDRBRDADDR DIADI DIBDI DIPADIP DIPBDIP ENAWREN ENBRDEN REGCEA REGCEBREGCE RSTA "
    "RSTBRST WEAWEL WEBWEU",
    "DOADO DOBDO DOPADOP DOPBDOP",
)
_RAM16 = (
    "ADDRA ADDRB DIA DIB DIPA DIPB ENA ENB REGCEA REGCEB RSTA RSTB WEA WEB",
    "DOA DOB DOPA DOPB",
)
ARCS = levels(
    DSP48A1=DspPaths(_CONTROLS, pairs=True),
    RAMB8BWER=block_ram(*_RAM8),
    RAMB16BWER=block_ram(*_RAM16),
)


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
    cells=CELLS,
    arcs=ARCS,
    cell_models=("xilinx/cells_sim.v",),
    limits=LIMITS,
    devices=DEVICES,
    constraints=("sdc", "ucf"),
    models=("dsp48a1.v", "ramb16bwer.v", "ramb8bwer.v"),
    logic_before_carry=True,
    shallow=32,
    no_shifted_sum="their sums are not shifted",
    mac_block=Dsp48a1,
    memory_block=RambSpartan6,
    pair_block=Spartan6Pair,
)
