"""Cycles over random patterns, behind Table III, beside those of an independent model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from modmul.papers.kuang2016.cycles import PATTERNS, Sample
from modmul.papers.kuang2016.designs import DATA_DEPENDENT, SIZES
from modmul.papers.kuang2016.experiment import REMARKS
from modmul.papers.kuang2016.measured import Measured
from modmul.papers.records import (
    Cell,
    Derived,
    Figure,
    Figures,
    MeasuredCell,
    Origin,
    Table,
    rounded,
)

LIMIT = 3  # standard errors


def averages(figures: Figures, measured: Measured) -> Table:
    """Cycles over random patterns: simulated, modelled, and of an independent model."""
    printed = {(r["multiplier"], r["key_size"]): r["cycles"] for r in figures["table_3"]}
    reference = {(r["multiplier"], r["key_size"]): r for r in figures["independent_model"]}
    rows: list[tuple[Figure | Cell, ...]] = []
    for size in SIZES:
        for name in DATA_DEPENDENT:
            found = measured.samples.get((name, size))
            remark = REMARKS.get((name, size))
            cell = MeasuredCell(
                printed.get((name, size)),
                rounded(found.modelled, 6) if found else None,
                rounded(found.mean, 6) if found else None,
                remark,
                origin=Origin.CIRCUIT,
            )
            rows.append((size, name, cell, *_statistics(found, reference[name, size])))
    columns = (
        *("key_size", "multiplier", "cycles", "standard_deviation", "standard_error"),
        *("independent_model", "difference_in_standard_errors", "range"),
    )
    count = next((one.patterns for one in measured.samples.values()), PATTERNS)
    title = f"Cycles over {count} random patterns, hardware and model equal product by product"
    return Derived("Cycles", title, columns, tuple(rows))


def _statistics(found: Sample | None, other: Mapping[str, Any]) -> Sequence[Cell]:
    """Of a sample, beside that of the independent model."""
    if found is None:
        return (MeasuredCell(origin=Origin.MEASURED),) * 5
    off = distance(found.mean, found.deviation, found.patterns, other)
    verdict = "agrees" if abs(off) <= LIMIT else f"NOT within {LIMIT} standard errors"
    theirs = f"{other['patterns']} patterns of its own"
    deviation = rounded(found.deviation, 3)
    return (
        MeasuredCell(None, other.get("sd"), deviation, origin=Origin.ARITHMETIC),
        Cell(None, None, rounded(found.error, 2), origin=Origin.MEASURED),
        Cell(None, other["mean"], None, theirs, origin=Origin.ARITHMETIC),
        Cell(None, None, rounded(round(off, 2)), verdict, origin=Origin.MIXED),
        Cell(None, None, f"{found.smallest} to {found.largest}", origin=Origin.MEASURED),
    )


def distance(mean: float, deviation: float, count: int, other: Mapping[str, Any]) -> float:
    """From the mean of an independent sample, in standard errors of the difference.

    That sample's mean is given to one decimal place; what rounding may add is no difference."""
    error = math.sqrt(deviation**2 / count + other.get("sd", deviation) ** 2 / other["patterns"])
    apart = max(abs(mean - other["mean"]) - 0.05, 0.0)
    return math.copysign(
        apart / error if error else (math.inf if apart else 0.0), mean - other["mean"]
    )
