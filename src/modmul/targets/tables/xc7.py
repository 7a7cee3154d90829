"""Xilinx 7 series: cells of `synth_xilinx -family xc7`, devices, limits of the hard blocks.

Area in LUTs as a slice holds them: a shift register one, a RAM32M or RAM64M four, a dual-port RAM
of 32 or 64 words two.
"""

from modmul.targets.description import CellArea, Device, Limit

HALF_BLOCK_RAM_BITS = 18 * 1024

_LUT, _FF = CellArea(lut=1), CellArea(ff=1)
CELLS = {
    **{f"LUT{inputs}": _LUT for inputs in range(1, 7)},
    "INV": _LUT,
    **dict.fromkeys(("SRL16E", "SRLC32E"), _LUT),
    **{name: CellArea(lut=4) for name in ("RAM32M", "RAM64M", "RAM128X1D", "RAM256X1S")},
    **{name: CellArea(lut=2) for name in ("RAM32X1D", "RAM64X1D", "RAM128X1S")},
    **dict.fromkeys(("RAM32X1S", "RAM64X1S"), _LUT),
    **{f"{name}{edge}": _FF for name in ("FDRE", "FDSE", "FDCE", "FDPE") for edge in ("", "_1")},
    **{name: CellArea() for name in ("CARRY4", "MUXF7", "MUXF8")},
    "DSP48E1": CellArea(dsp=1),
    "RAMB18E1": CellArea(ram_blocks=1, ram_bits=HALF_BLOCK_RAM_BITS),
    "RAMB36E1": CellArea(ram_blocks=2, ram_bits=2 * HALF_BLOCK_RAM_BITS),
}

_PAPER = "gallin2019 (doi 10.1109/TC.2019.2920352), for the XC7VX690T"
LIMITS = (
    Limit("DSP48E1", 741.0, f"{_PAPER}, Table I", verified=True, speed="3"),
    Limit("RAMB18E1", 530.0, f"{_PAPER}, text: about 530", verified=True, speed="3"),
    Limit("RAMB36E1", 530.0, f"{_PAPER}, text: about 530", verified=True, speed="3"),
)

# Sizes as in the vendor's product tables (DS180), quoted from memory; block RAMs of 18 kbit.
# The first is the chip that the papers use.
DEVICES = (
    Device("XC7VX690T-3FFG1761", "FFG1761", "3", 433200, 3600, 2940, 850),
    Device("XC7K325T-2FFG900", "FFG900", "2", 203800, 840, 890, 500),
    Device("XC7A200T-2FBG484", "FBG484", "2", 133800, 740, 730, 285),
    Device("XC7A100T-1CSG324", "CSG324", "1", 63400, 240, 270, 210),
    Device("XC7A35T-1CSG324", "CSG324", "1", 20800, 90, 100, 210),
    Device("XC7Z020-1CLG484", "CLG484", "1", 53200, 220, 280, 200),
)
