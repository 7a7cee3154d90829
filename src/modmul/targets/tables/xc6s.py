"""Xilinx Spartan-6: cells of `synth_xilinx -family xc6s`, devices, limits of the hard blocks."""

from modmul.targets.description import CellArea, Device, Limit
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
