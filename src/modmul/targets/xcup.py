"""Xilinx UltraScale+: DSP48E2, whose product is 27 x 18 bits wide.

Area in LUTs as a slice of eight holds them: a RAM32M16 or RAM64M8 eight."""

from modmul.targets.arcs import Arc, CellArcs
from modmul.targets.block_ram import Ramb18e2
from modmul.targets.description import CellArea, Device, DspBlock, Limit, Target
from modmul.targets.dsp48 import Dsp48e, synthesis, with_pre_adder
from modmul.targets.tables.dsp48_arcs import DspPaths
from modmul.targets.tables.lut6 import LOGIC, block_ram, levels, memory, through

HALF_BLOCK_RAM_BITS = 18 * 1024

_SLICE = ("RAM32M16", "RAM64M8", "RAM256X1D", "RAM512X1S", "RAM64X8SW", "RAM32X16DR8")
CELLS = {
    **LOGIC,
    **dict.fromkeys(_SLICE, CellArea(lut=8)),
    **{name: CellArea() for name in ("CARRY8", "MUXF9")},
    "DSP48E2": CellArea(dsp=1),
    "RAMB18E2": CellArea(ram_blocks=1, ram_bits=HALF_BLOCK_RAM_BITS),
    "RAMB36E2": CellArea(ram_blocks=2, ram_bits=2 * HALF_BLOCK_RAM_BITS),
}

_SHEET = "data sheets DS922, DS923, quoted from memory: grade 3"
LIMITS = (
    Limit("DSP48E2", 891.0, _SHEET, verified=False, speed="3"),
    Limit("RAMB18E2", 825.0, _SHEET, verified=False, speed="3"),
    Limit("RAMB36E2", 825.0, _SHEET, verified=False, speed="3"),
    Limit("clock", 891.0, _SHEET, verified=False, speed="3"),
)

# Sizes as in the vendor's product tables (DS890), quoted from memory; block RAMs of 18 kbit.
DEVICES = (
    Device("XCVU9P-3FLGA2104", "FLGA2104", "3", 1182240, 6840, 4320, 832),
    Device("XCKU5P-3FFVB676", "FFVB676", "3", 216960, 1824, 960, 280),
    Device("XCKU3P-2FFVB676", "FFVB676", "2", 162720, 1368, 720, 280),
    Device("XCZU9EG-2FFVB1156", "FFVB1156", "2", 274080, 2520, 1824, 328),
    Device("XCZU3EG-1SFVC784", "SFVC784", "1", 70560, 360, 432, 252),
)

_CONTROLS = (
    "ACIN ALUMODE BCIN CARRYCASCIN CARRYIN CARRYINSEL CEA1 CEA2 CEAD CEALUMODE CEB1 CEB2 CEC "
    "CECARRYIN CECTRL CED CEINMODE CEM CEP D INMODE MULTSIGNIN OPMODE RSTA RSTALLCARRYIN "
    "RSTALUMODE RSTB RSTC RSTCTRL RSTD RSTINMODE RSTM RSTP"
)
_RAM_INPUTS = (
    "ADDRARDADDR ADDRBWRADDR ADDRENA ADDRENB CASDIMUXA CASDIMUXB CASDINA CASDINB CASDINPA CASDINPB "
    "CASDOMUXA CASDOMUXB CASDOMUXEN_A CASDOMUXEN_B CASINDBITERR CASINSBITERR CASOREGIMUXA "
    "CASOREGIMUXB CASOREGIMUXEN_A CASOREGIMUXEN_B DINADIN DINBDIN DINPADINP DINPBDINP ECCPIPECE "
    "ENARDEN ENBWREN INJECTDBITERR INJECTSBITERR REGCEAREGCE REGCEB RSTRAMARSTRAM RSTRAMB "
    "RSTREGARSTREG RSTREGB SLEEP WEA WEBWE"
)
_RAM_OUTPUTS = "CASDOUTA CASDOUTB CASDOUTPA CASDOUTPB DOUTADOUT DOUTBDOUT DOUTPADOUTP DOUTPBDOUTP"


def _carry8() -> CellArcs:
    arcs: list[Arc] = []
    for out in range(8):
        arcs += through("CI CI_TOP", f"CO[{out}] O[{out}]", bits=out + 1)
        for k in range(out + 1):
            bits = out - k + 1
            arcs += through(f"S[{k}]", f"CO[{out}] O[{out}]", bits=bits)
            arcs += through(f"DI[{k}]", f"CO[{out}]", bits=bits)
            arcs += through(f"DI[{k}]", f"O[{out}]", bits=bits) if k < out else ()
    return CellArcs("carry", tuple(arcs), {"CI": ("carry",), "S": ("lut",)})


def _ports(letters: str) -> dict[str, str]:
    """The outputs of a memory with one output for each LUT, each with its address."""
    return {f"DO{letter}": f"ADDR{letter}" for letter in letters}


_EIGHT = "ABCDEFGH"
_DATA = " ".join(f"DI{letter}" for letter in _EIGHT)
ARCS = levels(
    CARRY8=_carry8(),
    MUXF9=CellArcs("mux", tuple(through("I0 I1 S", "O")), {"I0": ("mux",), "I1": ("mux",)}),
    RAM32M16=memory(_ports(_EIGHT), f"{_DATA} WE"),
    RAM64M8=memory(_ports(_EIGHT), f"{_DATA} WE"),
    RAM32X16DR8=memory(_ports(_EIGHT), f"{_DATA} WE"),
    RAM256X1D=memory({"SPO": "A", "DPO": "DPRA"}, "D WE"),
    RAM512X1S=memory({"O": "A"}, "D WE"),
    RAM64X8SW=memory({"O": "A"}, "D WE WSEL"),
    DSP48E2=DspPaths(_CONTROLS),
    **dict.fromkeys(("RAMB18E2", "RAMB36E2"), block_ram(_RAM_INPUTS, _RAM_OUTPUTS)),
)


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
    cells=CELLS,
    arcs=ARCS,
    cell_models=("xilinx/cells_sim.v",),
    limits=LIMITS,
    devices=DEVICES,
    constraints=("sdc", "xdc"),
    models=("dsp48e2.v", "ramb18e2.v"),
    logic_before_carry=True,
    shallow=32,
    mac_block=Dsp48e2,
    memory_block=Ramb18e2,
)
