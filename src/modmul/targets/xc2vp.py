"""Xilinx Virtex-II Pro: LUTs of four inputs, two in a slice; MULT18X18 blocks (alkhaleel2006).

There are areas and LUTs in series only: no tool here places or routes it, and no source of its
delays was available.  Yosys infers MULT18X18 from `*`, but never with a register: so it is
instantiated.

Area in LUTs of four inputs, two of them in a slice.  A dual-port RAM takes twice the LUTs of a
single-port one of as many words.  Block RAMs hold 18 kbit.
"""

from amaranth.hdl import Cat, ClockSignal, Const, Instance, Module, Signal, Value

from modmul.targets.arcs import CellArcs
from modmul.targets.description import CellArea, DspBlock, Target
from modmul.targets.fabric_mac import FabricMac
from modmul.targets.primitives import ONE, ZERO, HardMultiplier
from modmul.targets.tables import lut6
from modmul.targets.tables.lut4 import LOGIC, block_rams, device, levels
from modmul.targets.virtex import synthesis

BLOCK_RAM_BITS = 18 * 1024
_BLOCK_RAMS = block_rams("RAMB16", (1, 2, 4, 9, 18, 36), BLOCK_RAM_BITS)
CELLS = {
    **LOGIC,
    "RAM128X1S": CellArea(lut=8),
    "RAM32X1D": CellArea(lut=4),
    "RAM64X1D": CellArea(lut=8),
    **dict.fromkeys(("MULT18X18", "MULT18X18S"), CellArea(dsp=1)),
    **{name: area for name, (area, _) in _BLOCK_RAMS.items()},
}


def _address(first: str, bits: int) -> str:
    return " ".join(f"{first}{k}" for k in range(bits))


def _two_ports(bits: int) -> CellArcs:
    outputs = {"SPO": _address("A", bits), "DPO": _address("DPRA", bits)}
    return lut6.memory(outputs, "D WE")


ARCS = levels(
    LOGIC,
    RAM128X1S=lut6.memory({"O": _address("A", 7)}, "D WE"),
    RAM32X1D=_two_ports(5),
    RAM64X1D=_two_ports(6),
    MULT18X18=CellArcs("dsp", tuple(lut6.through("A B", "P"))),
    MULT18X18S=lut6.block("dsp", "A B CE R", "P"),
    **{name: paths for name, (_, paths) in _BLOCK_RAMS.items()},
)

# Slices, multiplier blocks (as many as block RAMs), grades, package with most user pins and these,
# where the printed chip has another package that too.  Data sheet DS083, Table 1, as in Wikipedia's
# List of Xilinx FPGAs, which cites it.  XC2VP125, which later editions leave out: slices from rows
# and columns in Xilinx' own driver xhwicap (136 x 106 CLBs of four slices, less four processors of
# 16 x 8 CLBs), multipliers and pins from memory.  Packages and grades: those that BYU EDIF tools
# list; pins of packages are from memory.  The first is a chip of alkhaleel2006.
_PARTS = {
    "P50": (23616, 232, "7 6 5", {"FF1517": 852}),
    "P125": (55616, 556, "7 6 5", {"FF1696": 1200}),
    "P100": (44096, 444, "6 5", {"FF1696": 1164, "FF1704": 1040}),
    "P70": (33088, 328, "7 6 5", {"FF1704": 996}),
    "PX70": (33088, 308, "7 6 5", {"FF1704": 992}),
    "P40": (19392, 192, "7 6 5", {"FF1148": 804}),
    "P30": (13696, 136, "7 6 5", {"FF1152": 644}),
    "PX20": (9792, 88, "7 6 5", {"FF896": 552}),
    "P20": (9280, 88, "7 6 5", {"FF1152": 564}),
    "P7": (4928, 44, "7 6 5", {"FF896": 396}),
    "P4": (3008, 28, "7 6 5", {"FF672": 348}),
    "P2": (1408, 12, "7 6 5", {"FF672": 204}),
}
DEVICES = tuple(
    device(
        f"XC2V{size}",
        package,
        speed,
        slices=slices,
        dsps=blocks,
        ram_blocks=blocks,
        pins=pins,
    )
    for size, (slices, blocks, speeds, packages) in _PARTS.items()
    for speed in speeds.split()
    for package, pins in packages.items()
)


class Mult18x18s(HardMultiplier):
    """One MULT18X18S: signed 18 x 18 bits, with one register, behind the product.  All other
    registers are in fabric."""

    def place(
        self, m: Module, a: Value, b: Value, a_enable: Value = ONE, a_clear: Value = ZERO
    ) -> Value:
        a, b = self.inputs(m, a, b, (a_enable, a_clear))
        product = Signal(36, name=f"{self.name}_m" if self.registers >= 3 else self.name)
        m.submodules[f"{self.name}_block"] = Instance(
            "MULT18X18S",
            i_A=Cat(a, Const(0, 18 - len(a))),
            i_B=Cat(b, Const(0, 18 - len(b))),
            i_C=ClockSignal(),
            i_CE=ONE,
            i_R=ZERO,
            o_P=product,
        )
        if self.registers < 3:
            return product[: len(a) + len(b)]
        output = Signal(len(a) + len(b), name=self.name, reset_less=True)
        m.d.sync += output.eq(product)
        return output


class Xc2vpMac(FabricMac):
    """{operation}: a MULT18X18S, and the adder and the register of p in fabric."""

    block = Mult18x18s


TARGET = Target(
    name="xc2vp",
    summary="Xilinx Virtex-II Pro",
    dsp=DspBlock(cell="MULT18X18S", wide=17, narrow=17, accumulator=None),
    synthesis=synthesis("xc2vp"),
    cells=CELLS,
    arcs=ARCS,
    cell_models=("xilinx/cells_sim.v",),
    devices=DEVICES,
    constraints=("sdc", "ucf"),
    models=("mult18x18s.v",),
    mac_block=Xc2vpMac,
    multiplier_block=Mult18x18s,
)
