"""Xilinx 7 series: DSP48E1 with a post-adder and a cascade that shifts by 17."""

from modmul.targets.block_ram import Ramb18e1
from modmul.targets.description import CellArea, Device, DspBlock, Limit, Target
from modmul.targets.dsp48 import Dsp48e, synthesis, with_pre_adder
from modmul.targets.tables.lut6 import LOGIC
from modmul.targets.tables.xc7_arcs import ARCS

HALF_BLOCK_RAM_BITS = 18 * 1024

CELLS = {
    **LOGIC,
    "DSP48E1": CellArea(dsp=1),
    "RAMB18E1": CellArea(ram_blocks=1, ram_bits=HALF_BLOCK_RAM_BITS),
    "RAMB36E1": CellArea(ram_blocks=2, ram_bits=2 * HALF_BLOCK_RAM_BITS),
}

_PAPER = "gallin2019 (doi 10.1109/TC.2019.2920352), for the XC7VX690T"
LIMITS = (
    Limit("DSP48E1", 741.0, f"{_PAPER}, Table I", verified=True, speed="3"),
    Limit("RAMB18E1", 530.0, f"{_PAPER}, text: about 530", verified=True, speed="3"),
    Limit("RAMB36E1", 530.0, f"{_PAPER}, text: about 530", verified=True, speed="3"),
    *(
        Limit(block, mhz, "DS181 (Artix-7), quoted from memory", verified=False, speed=speed)
        for speed, dsp, ram in (("2", 550.66, 460.83), ("1", 464.25, 388.2))
        for block, mhz in (("DSP48E1", dsp), ("RAMB18E1", ram), ("RAMB36E1", ram))
    ),
)

# Sizes as in the vendor's product tables (DS180, DS190), block RAMs of 18 kbit, quoted from memory.
# Those with flip-flops (two a LUT, UG474) were compared with what Vivado reports as available, or
# with two tables of other projects; what could not be compared was left out.
# The first, a chip of common boards, is taken if no chip is named.  The tables of papers name
# theirs, the XC7VX690T.
DEVICES = (
    Device("XC7A100T-1CSG324", "CSG324", "1", 63400, 240, 270, 210, ffs=126800),
    Device("XC7VX690T-3FFG1761", "FFG1761", "3", 433200, 3600, 2940, 850),
    Device("XC7VX485T-2FFG1761", "FFG1761", "2", 303600, 2800, 2060, 700, ffs=607200),
    Device("XC7K325T-2FFG900", "FFG900", "2", 203800, 840, 890, 500),
    Device("XC7A200T-2FBG484", "FBG484", "2", 133800, 740, 730, 285),
    Device("XC7A75T-1CSG324", "CSG324", "1", 47200, 180, 210, 210, ffs=94400),
    Device("XC7A50T-1CSG324", "CSG324", "1", 32600, 120, 150, 210, ffs=65200),
    Device("XC7A35T-1CSG324", "CSG324", "1", 20800, 90, 100, 210, ffs=41600),
    Device("XC7S50-1CSGA324", "CSGA324", "1", 32600, 120, 150, 210, ffs=65200),
    Device("XC7S25-1CSGA225", "CSGA225", "1", 14600, 80, 90, 150, ffs=29200),
    Device("XC7Z020-1CLG484", "CLG484", "1", 53200, 220, 280, 200, ffs=106400),
    Device("XC7Z010-1CLG400", "CLG400", "1", 17600, 80, 120, 100, ffs=35200),
)


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
    cells=CELLS,
    arcs=ARCS,
    cell_models=("xilinx/cells_sim.v",),
    limits=LIMITS,
    devices=DEVICES,
    constraints=("sdc", "xdc"),
    models=("dsp48e1.v", "ramb18e1.v"),
    logic_before_carry=True,
    shallow=32,
    mac_block=Dsp48e1,
    memory_block=Ramb18e1,
)
