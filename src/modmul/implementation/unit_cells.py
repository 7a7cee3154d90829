"""Counts the unit cells of an array multiplier in the Verilog that is emitted.

Every instance of a part below the bare core is looked up in the text, and counts as the unit cells
that its part declares (`Part.unit_cells`).  Registers, and logic outside parts, are not counted:
control, and the masks and selections that fold an array."""

from __future__ import annotations

import re
from collections import Counter

import msgspec

from modmul.blocks.arrays.unit_cells import SIZES, Size
from modmul.export import hdl
from modmul.export.hdl import Hdl
from modmul.export.structure import Structure
from modmul.multipliers import Multiplier


class PartCount(msgspec.Struct, frozen=True):
    """All instances of one part.  kind: its module's name without width.  part: that name with
    width.  instances: their number.  cells: the unit cells of one of them."""

    kind: str
    part: str
    instances: int
    cells: dict[str, int]


class UnitCells(msgspec.Struct, frozen=True):
    """All parts of a bare core, and the sums over their instances."""

    parts: tuple[PartCount, ...]
    cells: dict[str, int]
    gates: int
    transistors: int

    def of(self, *kinds: str) -> dict[str, int]:
        """The unit cells of the parts of these kinds.  Raises ValueError if there is none of
        a kind."""
        missing = set(kinds) - {part.kind for part in self.parts}
        if missing:
            raise ValueError(f"no parts {', '.join(sorted(missing))}")
        return _sum([part for part in self.parts if part.kind in kinds])

    def instances(self, kind: str) -> int:
        return sum(part.instances for part in self.parts if part.kind == kind)


def count(multiplier: Multiplier) -> UnitCells:
    """The unit cells of the bare core of `multiplier`; none if it is not made of such
    parts."""
    return count_in(hdl.emit(multiplier))


def count_in(written: Hdl) -> UnitCells:
    """The unit cells of a design that has been emitted already."""
    counts: Counter[str] = Counter()
    _walk(Structure(written.verilog), written, written.core, counts)
    parts = []
    for module, instances in counts.items():
        name, cells = written.parts[module].module, dict(written.parts[module].unit_cells)
        kind = re.split(r"_\d", name)[0]
        parts.append(PartCount(kind, name, instances, {k: n for k, n in cells.items() if n}))
    parts.sort(key=lambda part: (part.kind, _by_number(part.part)))
    cells = _sum(parts)
    return UnitCells(tuple(parts), cells, *size(cells))


def size(cells: dict[str, int]) -> Size:
    gates = sum(SIZES[cell].gates * number for cell, number in cells.items())
    return Size(gates, sum(SIZES[cell].transistors * number for cell, number in cells.items()))


def _walk(structure: Structure, written: Hdl, module: str, counts: Counter[str]) -> None:
    """Count every instance of a part below `module`; the instances inside a part are not
    counted."""
    unit = structure.units[module]
    for (_, inner), begun in zip(unit.children, unit.begun, strict=True):
        if begun in written.parts and written.parts[begun].kept:
            counts[begun] += 1
        elif inner in structure.units:
            _walk(structure, written, inner, counts)


def _sum(parts: list[PartCount]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for part in parts:
        total.update({cell: part.instances * number for cell, number in part.cells.items()})
    return {cell: total[cell] for cell in SIZES if total[cell]}


def _by_number(name: str) -> list[tuple[int, str]]:
    """A sorting key that puts row_10 behind row_9."""
    return [
        (int(piece or 0), "") if n % 2 else (0, piece)
        for n, piece in enumerate(re.split(r"(\d+)", name))
    ]
