"""Looks up many entries of many timing tables at once, and selects ranges of one array by
another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from modmul.targets.libraries.library import LookupTable

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Tables:
    """All tables of the cells in use, in one array, so that many can be looked up at once."""

    def __init__(self) -> None:
        self.numbers: dict[int, int] = {}
        self.kept: list[LookupTable] = []

    def add(self, table: LookupTable) -> int:
        """Add a table, if it is new; return its number."""
        if id(table) not in self.numbers:
            self.numbers[id(table)] = len(self.kept)
            self.kept.append(table)
        return self.numbers[id(table)]

    def pack(self) -> None:
        """Put all tables into the array; call this once, when all have been added."""
        count = max(len(self.kept), 1)
        rows = max([2, *(len(table.slopes) for table in self.kept)])
        columns = max([2, *(len(table.loads) for table in self.kept)])
        self.slopes, self.slope_sizes = _axes([table.slopes for table in self.kept], rows)
        self.loads, self.load_sizes = _axes([table.loads for table in self.kept], columns)
        self.values = np.zeros((count, rows, columns))
        for k, table in enumerate(self.kept):
            values = np.array(table.values)
            values = np.repeat(values, 2, 0) if len(table.slopes) == 1 else values
            values = np.repeat(values, 2, 1) if len(table.loads) == 1 else values
            self.values[k, : values.shape[0], : values.shape[1]] = values

    def at(self, table: Ints, slope: Floats, load: Floats) -> Floats:
        """The value of each given table at its slope and load."""
        i, x = _between(self.slopes[table], self.slope_sizes[table], slope)
        j, y = _between(self.loads[table], self.load_sizes[table], load)
        low = self.values[table, i, j] * (1 - y) + self.values[table, i, j + 1] * y
        high = self.values[table, i + 1, j] * (1 - y) + self.values[table, i + 1, j + 1] * y
        return low * (1 - x) + high * x


def _axes(axes: Sequence[tuple[float, ...]], size: int) -> tuple[Floats, Ints]:
    """Put axes of different length into one array; an axis with one entry gets a second one."""
    packed = np.full((max(len(axes), 1), size), np.inf)
    for k, axis in enumerate(axes):
        packed[k, : max(len(axis), 2)] = axis if len(axis) > 1 else (axis[0], axis[0] + 1)
    return packed, np.array([max(len(axis), 2) for axis in axes], np.int64)


def _between(axis: Floats, size: Ints, value: Floats) -> tuple[Ints, Floats]:
    index = np.clip((axis <= value[:, None]).sum(1) - 1, 0, size - 2)
    rows = np.arange(len(value))
    low, high = axis[rows, index], axis[rows, index + 1]
    return index, (value - low) / (high - low)


class Ranges:
    """For each number below `size`, the places in `keys` at which it stands."""

    def __init__(self, keys: Ints, size: int):
        self.order = np.argsort(keys, kind="stable")
        self.first = np.searchsorted(keys[self.order], np.arange(size + 1))

    def of(self, nodes: Ints) -> Ints:
        counts = self.first[nodes + 1] - self.first[nodes]
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        edges: Ints = self.order[np.repeat(self.first[nodes], counts) + within]
        return edges
