"""Needs of tables: bare cores in library cells."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from itertools import groupby
from typing import Any, final

import msgspec

from modmul.implementation.result import CellPath, CellsResult, Figure
from modmul.implementation.silicon import implement_cells
from modmul.papers.needs import Need
from modmul.papers.records import rounded
from modmul.spec import Spec
from modmul.targets import libraries
from modmul.toolchain.steps import EMITTED, Step

CELLS = Step("paper-cells", (*EMITTED, "numpy", "python-flint"))
_NEGLIGIBLE = 0.02  # cells per bit of the modulus


@final
class MappedCore(CellsResult, frozen=True, kw_only=True):
    """A bare core in cells that has a path between registers, and so times."""

    critical_path: CellPath
    area_time: Figure

    @property
    def width(self) -> int:
        """Bits of the modulus."""
        return int(str(self.spec["width"]))

    @property
    def delay(self) -> float:
        return self.critical_path.value

    @property
    def path(self) -> str:
        """The cells on the longest path, start, end."""
        path = self.critical_path
        runs = [(cell, len(list(same))) for cell, same in groupby(s.cell for s in path.stages)]
        cells = " ".join(f"{count} {cell}" if count > 1 else cell for cell, count in runs)
        return f"{path.start} -> {path.end} through {cells}"


def installed(library: str) -> bool:
    return libraries.NAMED[library].path.is_file()


def mapped(options: Mapping[str, Any]) -> Need[MappedCore]:
    """The bare core of these options (with a width) in the cells of their library."""
    spec = Spec.from_options({**options, "target": "cells", "interface": "core"})
    library = hashlib.sha256(libraries.locate(spec.library or libraries.DEFAULT).read_bytes())
    return Need(
        CELLS,
        {"spec": spec.options(), "library": library.hexdigest()},
        MappedCore,
        lambda run: MappedCore(**msgspec.structs.asdict(implement_cells(spec, work=run))),
    )


def main_cells(core: MappedCore) -> str:
    """The five most frequent cells, for each bit of the modulus."""
    most = sorted(core.cells, key=lambda name: (-core.cells[name], name))[:5]
    counts = {name: rounded(round(core.cells[name] / core.width, 2), 3) for name in most}
    return ", ".join(f"{count} {name}" for name, count in counts.items())


def area_per_bit(narrow: MappedCore, wide: MappedCore) -> float:
    """Slope of the area between two widths."""
    return (wide.area.value - narrow.area.value) / (wide.width - narrow.width)


def cells_per_bit(narrow: MappedCore, wide: MappedCore) -> str:
    """Slope of the number of each type of cell, most first, those next to nothing left out."""
    step = wide.width - narrow.width
    names = {**narrow.cells, **wide.cells}
    slopes = {name: (wide.cells.get(name, 0) - narrow.cells.get(name, 0)) / step for name in names}
    shown = sorted((n for n in slopes if slopes[n] > _NEGLIGIBLE), key=lambda n: (-slopes[n], n))
    return ", ".join(f"{rounded(round(slopes[name], 2), 3)} {name}" for name in shown)
