"""What the text says in figures besides the tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from modmul.papers.kuang2016.designs import DESIGNS, design
from modmul.papers.kuang2016.experiment import cycles
from modmul.papers.kuang2016.measured import REAL, Measured
from modmul.papers.records import Cell, Figure, Figures, MeasuredCell, Origin, Table, rounded
from modmul.papers.silicon import Silicon, area_per_bit, main_cells

NEW, OLD = "SCS-MM-New", "FCS-MMM42"
_KEYS = {
    "shorter_critical_path": ("delay", False),
    "smaller_area": ("area", False),
    "higher_throughput": ("throughput", True),
    "smaller_atp": ("atp", False),
}


def claims(figures: Figures, measured: Measured) -> Table:
    """Percentages of section IV-B, and what section III says of cycles and area."""
    rows: list[tuple[Figure | Cell, ...]] = []
    for claim in figures["claim"]:
        if "shorter_critical_path" in claim:
            rows += _against_old(claim, figures, measured)
    return Table(
        "Claims", "Figures in the text", ("claim", "figure"), (*rows, *_others(figures, measured))
    )


def _against_old(
    claim: Mapping[str, Any], figures: Figures, measured: Measured
) -> list[tuple[Figure | Cell, ...]]:
    """SCS-MM-New against FCS-MMM42: from the printed Table III, and in our cells."""
    size = claim["key_size"]
    table = {r["multiplier"]: r for r in figures["table_3"] if r["key_size"] == size}
    cells, library = measured.normalised, "normalised"
    if measured.real is not None:
        cells, library = measured.real, REAL
    ours = [_factors(cells, measured, (name, size)) for name in (NEW, OLD)]
    rows: list[tuple[Figure | Cell, ...]] = []
    for key, (column, more) in _KEYS.items():
        printed = 100 * (table[NEW][column] / table[OLD][column] - 1)
        sign = 1 if more else -1
        new, old = (one and one[column] for one in ours)
        here = sign * 100 * (new / old - 1) if new and old else None
        what = f"{NEW} against {OLD}, {size} bits: {key.replace('_', ' ')}, %"
        remark = f"measured: {library}, no wires{_details(cells, size, column)}"
        cell = MeasuredCell(
            claim[key],
            rounded(sign * printed, 3),
            rounded(here, 3),
            remark,
            origin=Origin.ARITHMETIC,
        )
        rows.append((what, cell))
    return rows


def _factors(
    cells: Mapping[tuple[str, int], Silicon], measured: Measured, key: tuple[str, int]
) -> dict[str, float] | None:
    """What is compared; None if a part of it was not measured."""
    one, count = cells.get(key), cycles(measured, key)[1]
    if one is None or count is None:
        return None
    return {
        "delay": one.delay,
        "area": one.area,
        "throughput": 1 / (one.delay * count),
        "atp": one.area * one.delay * count,
    }


def _details(cells: Mapping[tuple[str, int], Silicon], size: int, column: str) -> str:
    """Paths, or cells for each bit, of both; nothing if one of them is missing."""
    if any((name, size) not in cells for name in (NEW, OLD)):
        return ""
    if column == "delay":
        return "".join(f"; {name}: {cells[name, size].path}" for name in (NEW, OLD))
    if column == "area":
        return "".join(f"; {name}, a bit: {main_cells(cells[name, size])}" for name in (NEW, OLD))
    return "; follows from path, area and simulated cycles"


def _others(figures: Figures, measured: Measured) -> list[tuple[Figure | Cell, ...]]:
    plain, new = (measured.slopes.get(name) for name in ("SCS-MM-New, plain CSA", NEW))
    more = 100 * (area_per_bit(*new) / area_per_bit(*plain) - 1) if new and plain else None
    rows = {r["multiplier"]: r for r in figures["analysis_in_text"]}
    per_bit = [rows[name]["area_per_bit"] for name in (NEW, "SCS-MM-New, non-configurable CSA")]
    overhead = rows["SCS-MM-New, non-configurable CSA"]["ccsa_overhead_percent"]
    size = 1024
    (conversion,) = [c["cycles"] for c in figures["claim"] if "cycles" in c]
    worst = design("MSCS-MM", size)
    longest = worst.latency().maximum - DESIGNS["MSCS-MM"].uncounted
    declared, simulated = (
        None if one is None else one - 1 - (size + 2)
        for one in cycles(measured, ("SCS-MM-1(32)", size))
    )
    means = [measured.samples.get((name, size)) for name in ("SCS-MM-New, plain CSA", NEW)]
    nearly = worst.latency_of(5, 1, 2**size - 1) - DESIGNS["MSCS-MM"].uncounted
    return [
        ("configurable row: more area, %", MeasuredCell(
            overhead, rounded(100 * (per_bit[0] / per_bit[1] - 1), 3), rounded(more, 3),
            "measured: of all that was mapped, control included", origin=Origin.ARITHMETIC,
        )),
        ("SCS-MM-1(32) conversion at 1024 bits, cycles", MeasuredCell(
            conversion, declared, simulated,
            "the result has k + 1 bits, so 33 words", origin=Origin.CIRCUIT,
        )),
        ("MSCS-MM at 1024 bits: longest, cycles", Cell(
            rows["MSCS-MM"]["worst_case_cycles"], longest, None,
            f"3k is {3 * size}; N = 2^k - 1, A = 5, B = 1 takes {nearly}", origin=Origin.CIRCUIT,
        )),
        ("cycles saved by the configurable row at 1024 bits", MeasuredCell(
            None, None,
            rounded(means[0].mean - means[1].mean, 3) if means[0] and means[1] else None,
            "both conversions take about half as long, of 1 % of the time each",
            origin=Origin.MEASURED,
        )),
    ]  # fmt: skip
