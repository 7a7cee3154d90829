"""Xilinx Virtex-5: LUTs of six inputs; DSP48E, the DSP48E1 without its pre-adder."""

from modmul.targets.block_ram import Ramb18sdp
from modmul.targets.description import CellArea, Device, DspBlock, Limit, Target
from modmul.targets.dsp48 import Dsp48e, synthesis
from modmul.targets.primitives import ONE
from modmul.targets.tables.dsp48_arcs import DspPaths
from modmul.targets.tables.lut6 import LOGIC, block_ram, levels

HALF_BLOCK_RAM_BITS = 18 * 1024

_HALF = CellArea(ram_blocks=1, ram_bits=HALF_BLOCK_RAM_BITS)
_WHOLE = CellArea(ram_blocks=2, ram_bits=2 * HALF_BLOCK_RAM_BITS)
CELLS = {
    **LOGIC,
    "DSP48E": CellArea(dsp=1),
    **dict.fromkeys(("RAMB18", "RAMB18SDP"), _HALF),
    **dict.fromkeys(("RAMB36", "RAMB36SDP"), _WHOLE),
}

_PAPER = "gallin2019 (doi 10.1109/TC.2019.2920352), Table I, for the XC5VLX110T"
_SHEET = "data sheet DS202, quoted from memory"
LIMITS = (
    Limit("DSP48E", 550.0, _PAPER, verified=True, speed="3"),
    *(
        Limit(cell, 550.0, f"{_SHEET}: grade 3", verified=False, speed="3")
        for cell in ("RAMB18", "RAMB18SDP", "RAMB36", "RAMB36SDP")
    ),
)

# Sizes as in the vendor's product table (DS100), quoted from memory: four LUTs a slice; block RAMs
# of 18 kbit.  The first is the chip of gallin2019.
DEVICES = (
    Device("XC5VLX110T-3FF1136", "FF1136", "3", 69120, 64, 296, 640),
    Device("XC5VSX95T-2FF1136", "FF1136", "2", 58880, 640, 488, 640),
    Device("XC5VLX50T-3FF1136", "FF1136", "3", 28800, 48, 120, 480),
    Device("XC5VLX30-3FF676", "FF676", "3", 19200, 32, 64, 400),
)

_CONTROLS = (
    "ALUMODE CARRYCASCIN CARRYIN CARRYINSEL CEA1 CEA2 CEALUMODE CEB1 CEB2 CEC CECARRYIN CECTRL CEM "
    "CEMULTCARRYIN CEP MULTSIGNIN OPMODE RSTA RSTALLCARRYIN RSTALUMODE RSTB RSTC RSTCTRL RSTM RSTP "
    "ACIN BCIN"
)
_RAM_SINGLE = (
    "DI DIP RDADDR RDEN REGCE SSR WE WRADDR WREN",
    "DO DOP",
)
_RAM_DUAL = (
    "ADDRA ADDRAL ADDRAU ADDRB ADDRBL ADDRBU CASCADEINLATA CASCADEINLATB CASCADEINREGA "
    "CASCADEINREGB DIA DIB DIPA DIPB ENA ENAL ENAU ENB ENBL ENBU REGCEA REGCEAL REGCEAU REGCEB "
    "REGCEBL REGCEBU SSRA SSRAL SSRAU SSRB SSRBL SSRBU WEA WEAL WEAU WEB WEBL WEBU",
    "CASCADEOUTLATA CASCADEOUTLATB CASCADEOUTREGA CASCADEOUTREGB DOA DOB DOPA DOPB",
)

ARCS = levels(
    DSP48E=DspPaths(_CONTROLS),
    **dict.fromkeys(("RAMB18", "RAMB36"), block_ram(*_RAM_DUAL)),
    **dict.fromkeys(("RAMB18SDP", "RAMB36SDP"), block_ram(*_RAM_SINGLE)),
)


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
    cells=CELLS,
    arcs=ARCS,
    cell_models=("xilinx/cells_sim.v",),
    limits=LIMITS,
    devices=DEVICES,
    constraints=("sdc", "ucf"),
    models=("dsp48e.v", "ramb18sdp.v"),
    logic_before_carry=True,
    shallow=32,
    mac_block=Dsp48eBlock,
    memory_block=Ramb18sdp,
)
