"""The printed formulas of Table II and the printed lists of cells, as sizes."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from modmul.blocks.arrays.unit_cells import GATE, SIZES
from modmul.papers.records import Figures


def polynomial(coefficients: Sequence[float], k: int) -> float:
    """The value at k of a polynomial, whose highest power is first."""
    return functools.reduce(lambda value, coefficient: value * k + coefficient, coefficients, 0.0)


def rows_of(figures: Figures) -> dict[str, Mapping[str, Any]]:
    """Table II by scheme."""
    return {row["scheme"]: row for row in figures["table_2"]}


def listed(row: Mapping[str, Any], k: int) -> dict[str, float]:
    """Circuits of Table I, and plain gates, that the cells of a scheme have by the printed list."""
    circuits: dict[str, float] = {}  # for even k, cells of the Booth array come in halves
    for cell in row["cells"]:
        count = polynomial(cell["count"], k)
        for circuit, number in cell["contents"].items():
            circuits[circuit] = circuits.get(circuit, 0) + number * count
    return circuits


def formula_of_list(figures: Figures, row: Mapping[str, Any], unit: str) -> list[float]:
    """Coefficients of the gates or transistors of the printed list; the highest power first."""
    table = {**figures["table_1"], "gate": SIZES[GATE]._asdict()}
    total = [0.0, 0.0, 0.0]
    for cell in row["cells"]:
        size = sum(count * table[name][unit] for name, count in cell["contents"].items())
        for power, coefficient in enumerate(reversed(cell["count"])):
            total[power] += size * coefficient
    return total[::-1]


def written(coefficients: Sequence[float]) -> str:
    """13 k^2 + 39 k - 26, from its coefficients."""
    powers = range(len(coefficients) - 1, -1, -1)
    text = ""
    for power, coefficient in zip(powers, coefficients, strict=True):
        if coefficient:
            less = coefficient < 0
            sign = (" - " if less else " + ") if text else ("-" if less else "")
            of_k = f"{('', ' k')[power > 0]}{f'^{power}' if power > 1 else ''}"
            text += f"{sign}{abs(coefficient):g}{of_k}"
    return text or "0"
