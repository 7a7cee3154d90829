"""Needs of tables: bare cores in library cells."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from itertools import groupby
from typing import Any, NamedTuple

from modmul.implementation.result import CellsResult
from modmul.implementation.silicon import implement_cells
from modmul.papers.needs import Need
from modmul.papers.records import rounded
from modmul.spec import Spec
from modmul.targets import libraries
from modmul.toolchain.steps import EMITTED, Step

CELLS = Step("paper-cells", __name__, (*EMITTED, "numpy", "python-flint"))
_NEGLIGIBLE = 0.02  # cells per bit of the modulus


class Silicon(NamedTuple):
    """A bare core in cells.  delay: of the longest path between registers; cycles: per product,
    mean; cells: how many of each type; path: the cells on it, start, end."""

    width: int
    area: float
    delay: float
    cycles: float
    cells: dict[str, int]
    path: str

    @property
    def product(self) -> float:
        """Area-time product."""
        return self.area * self.delay * self.cycles


def installed(library: str) -> bool:
    """Whether a named library is there."""
    return libraries.NAMED[library].path.is_file()


def mapped(options: Mapping[str, Any]) -> Need[Silicon]:
    """The bare core of these options (with a width) in the cells of their library."""
    spec = Spec.from_options({**options, "target": "cells", "interface": "core"})
    library = hashlib.sha256(libraries.locate(spec.library or libraries.DEFAULT).read_bytes())
    return Need(
        CELLS.of(type(spec.multiplier)),
        {"spec": spec.options(), "library": library.hexdigest()}, Silicon,
        lambda run: of(implement_cells(spec, work=run), spec.multiplier.width),
    )  # fmt: skip


def of(result: CellsResult, width: int) -> Silicon:
    """What the tables need of a result."""
    path = result.critical_path
    assert path is not None
    stages = [stage.cell for stage in path.stages]
    runs = [(cell, len(list(group))) for cell, group in groupby(stages)]
    cells = " ".join(f"{count} {cell}" if count > 1 else cell for cell, count in runs)
    return Silicon(
        width, result.area.value, path.value, result.cycles.per_product, result.cells,
        f"{path.start} -> {path.end} through {cells}",
    )  # fmt: skip


def main_cells(core: Silicon) -> str:
    """The five most frequent cells, for each bit of the modulus."""
    most = sorted(core.cells, key=lambda name: (-core.cells[name], name))[:5]
    counts = {name: rounded(round(core.cells[name] / core.width, 2), 3) for name in most}
    return ", ".join(f"{count} {name}" for name, count in counts.items())


def area_per_bit(narrow: Silicon, wide: Silicon) -> float:
    """Slope of the area between two widths."""
    return (wide.area - narrow.area) / (wide.width - narrow.width)


def cells_per_bit(narrow: Silicon, wide: Silicon) -> str:
    """Slope of the number of each type of cell, most first, those next to nothing left out."""
    step = wide.width - narrow.width
    names = {**narrow.cells, **wide.cells}
    slopes = {name: (wide.cells.get(name, 0) - narrow.cells.get(name, 0)) / step for name in names}
    shown = sorted((n for n in slopes if slopes[n] > _NEGLIGIBLE), key=lambda n: (-slopes[n], n))
    return ", ".join(f"{rounded(round(slopes[name], 2), 3)} {name}" for name in shown)
