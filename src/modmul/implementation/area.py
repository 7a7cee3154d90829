"""Counts the cells of a mapped netlist in the units of a chip family."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from modmul.targets import CellArea, Target

FIELDS = ("lut", "ff", "dsp", "ram_blocks", "ram_bits")

# Cells of the technology-neutral netlist (Yosys' own names): one flip-flop each.
_GENERIC_FF = re.compile(r"\$_(ALDFF|DFF|DFFE|DFFSR|DFFSRE|FF|SDFF|SDFFE|SDFFCE)_")


def count_cells(netlist: Mapping[str, Any], top: str) -> dict[str, int]:
    """The number of cells of each type in the flat module `top` of a Yosys JSON netlist, in
    alphabetical order of the types.  $scopeinfo, which only records the hierarchy before
    flattening, is left out."""
    cells = netlist["modules"][top]["cells"].values()
    types = Counter(cell["type"] for cell in cells if cell["type"] != "$scopeinfo")
    return dict(sorted(types.items()))


def measure(netlist: Mapping[str, Any], top: str, target: Target) -> CellArea:
    """The area of module `top` in the target's units.

    Raises ValueError for a cell that the target's table does not know."""
    cells = netlist["modules"][top]["cells"].values()
    areas = [
        target.cells.get(cell["type"]) or _generic(cell)
        for cell in cells
        if cell["type"] != "$scopeinfo"
    ]
    return CellArea(*(sum(getattr(area, field) for area in areas) for field in FIELDS))


def difference(whole: CellArea, part: CellArea) -> CellArea:
    """The area of `whole` minus that of `part` (negative where `part` has more)."""
    return CellArea(*(getattr(whole, field) - getattr(part, field) for field in FIELDS))


def _generic(cell: Mapping[str, Any]) -> CellArea:
    """The area of a technology-neutral cell: LUT, flip-flop, multiplier or memory as
    written."""
    kind = cell["type"]
    if kind == "$lut":
        return CellArea(lut=1)
    if kind == "$__multiplier":
        return CellArea(dsp=1)
    if kind == "$__memory":
        size, width = (int(cell["parameters"][key], 2) for key in ("SIZE", "WIDTH"))
        return CellArea(ram_blocks=1, ram_bits=size * width)
    if _GENERIC_FF.match(kind):
        return CellArea(ff=1)
    raise ValueError(f"no area known for a cell {kind}")
