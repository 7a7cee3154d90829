"""What Xilinx families with LUTs of six inputs share: cells of a slice, and paths without delays.

Area in LUTs as a slice holds them: a shift register one, a RAM32M or RAM64M four, a dual-port RAM
of 32 or 64 words two.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from modmul.targets.arcs import Arc, ByParameters, CellArcs, FamilyArcs, Kind
from modmul.targets.description import CellArea
from modmul.targets.tables import xc7_arcs

_LUT, _FF = CellArea(lut=1), CellArea(ff=1)
LOGIC = {
    **{f"LUT{inputs}": _LUT for inputs in range(1, 7)},
    "INV": _LUT,
    **dict.fromkeys(("SRL16E", "SRLC32E"), _LUT),
    **{name: CellArea(lut=4) for name in ("RAM32M", "RAM64M", "RAM128X1D", "RAM256X1S")},
    **{name: CellArea(lut=2) for name in ("RAM32X1D", "RAM64X1D", "RAM128X1S")},
    **dict.fromkeys(("RAM32X1S", "RAM64X1S"), _LUT),
    **{f"{name}{edge}": _FF for name in ("FDRE", "FDSE", "FDCE", "FDPE") for edge in ("", "_1")},
    **{name: CellArea() for name in ("CARRY4", "MUXF7", "MUXF8")},
}


def untimed(cell: CellArcs | ByParameters) -> CellArcs | ByParameters:
    """The paths of a cell without delays, for families whose delays could not be read."""
    if not isinstance(cell, CellArcs):

        def by_parameters(parameters: Mapping[str, Any]) -> CellArcs:
            arcs = untimed(cell(parameters))
            assert isinstance(arcs, CellArcs)
            return arcs

        return by_parameters
    arcs = tuple(arc._replace(ns=0.0) for arc in cell.arcs)
    return CellArcs(cell.kind, arcs, cell.near)


def levels(**others: CellArcs | ByParameters) -> FamilyArcs:
    """Paths without delays through LOGIC, as in the 7 series, and through `others`."""
    shared = {name: xc7_arcs.ARCS.cells[name] for name in LOGIC}
    return FamilyArcs({name: untimed(cell) for name, cell in (shared | others).items()})


def block(kind: Kind, inputs: str, outputs: str) -> CellArcs:
    """The arcs of a hard block with registers, without delays: every path ends at its inputs
    or begins at its outputs."""
    ends = (Arc(pin, None, verified=False) for pin in inputs.split())
    begins = (Arc(None, pin, verified=False) for pin in outputs.split())
    return CellArcs(kind, (*ends, *begins))


def block_ram(inputs: str, outputs: str) -> CellArcs:
    """The arcs of a block RAM, without delays."""
    return block("ram", inputs, outputs)


def through(pins: str, outputs: str, bits: int = 0) -> Iterator[Arc]:
    """A path from each pin to each output, without delays."""
    for pin in pins.split():
        for output in outputs.split():
            yield Arc(pin, output, bits=bits, verified=False)


def memory(outputs: Mapping[str, str], inputs: str) -> CellArcs:
    """Arcs of a distributed RAM.  outputs: each with its read address.  inputs: data,
    enable."""
    pins = dict.fromkeys((*outputs.values(), *inputs.split()))
    arcs = [Arc(pin, None, verified=False) for pin in pins]
    for output, address in outputs.items():
        arcs += [Arc(None, output, verified=False), *through(address, output)]
    return CellArcs("lut", tuple(arcs))
