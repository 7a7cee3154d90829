"""What Xilinx families with LUTs of four inputs share: cells of a slice, and paths without delays.

Areas and paths are those of Virtex-4.  In all of them a slice has two LUTs and two flip-flops.
"""

from collections.abc import Iterable

from modmul.targets.arcs import ByParameters, CellArcs, FamilyArcs
from modmul.targets.description import CellArea, Device
from modmul.targets.tables import xc4v
from modmul.targets.tables.lut6 import block_ram, untimed

LUTS_OF_A_SLICE = FLIP_FLOPS_OF_A_SLICE = 2

# Cells of Virtex-II and later families, and of Virtex-E.
LOGIC = {name: area for name, area in xc4v.CELLS.items() if name not in ("DSP48", "RAMB16")}
_NEWER = ("RAM64X1S", "MUXF7", "MUXF8")
LOGIC_OF_VIRTEX_E = {name: area for name, area in LOGIC.items() if name not in _NEWER}


def levels(logic: Iterable[str], **others: CellArcs | ByParameters) -> FamilyArcs:
    """Paths without delays through the cells `logic` of Virtex-4 and through `others`."""
    return FamilyArcs({name: untimed(xc4v.ARCS.cells[name]) for name in logic} | others)


def block_rams(stem: str, widths: Iterable[int], bits: int) -> dict[str, tuple[CellArea, CellArcs]]:
    """Area and paths, by name, of block RAMs with one port (RAMB4_S8) and with two
    (RAMB4_S8_S16, the narrower first), of `bits` bits each.  widths: bits of a port, rising."""
    area, widths = CellArea(ram_blocks=1, ram_bits=bits), tuple(widths)
    rams = {f"{stem}_S{width}": (area, _ports("")) for width in widths}
    for place, width in enumerate(widths):
        for other in widths[place:]:
            rams[f"{stem}_S{width}_S{other}"] = (area, _ports("A", "B"))
    return rams


def _ports(*letters: str) -> CellArcs:
    """The arcs of a block RAM: every path ends at an input or begins at an output.

    RST is a pin of Virtex-E; SSR and parity (DIP, DOP) came with Virtex-II."""

    def pins(names: str) -> str:
        return " ".join(f"{name}{letter}" for name in names.split() for letter in letters)

    return block_ram(pins("ADDR DI DIP EN RST SSR WE"), pins("DO DOP"))


def device(
    name: str, package: str, speed: str, *, slices: int, dsps: int, ram_blocks: int, pins: int
) -> Device:
    """A chip by the number of its slices."""
    return Device(
        f"{name}-{speed}{package}",
        package,
        speed,
        luts=LUTS_OF_A_SLICE * slices,
        dsps=dsps,
        ram_blocks=ram_blocks,
        pins=pins,
        ffs=FLIP_FLOPS_OF_A_SLICE * slices,
        slices=slices,
    )
