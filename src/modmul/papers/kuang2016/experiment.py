"""Table III, the averages behind it, and the order of the area-time products."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from modmul.papers import ranking
from modmul.papers.kuang2016.cycles import PATTERNS
from modmul.papers.kuang2016.designs import DATA_DEPENDENT, SIZES, constant_cycles
from modmul.papers.kuang2016.measured import REAL, SILICON, Measured, in_table3
from modmul.papers.kuang2016.reasons import REASONS
from modmul.papers.ranking import Comparison, Entry
from modmul.papers.records import (
    Cell,
    Figure,
    Measurable,
    Picture,
    Point,
    Series,
    Table,
    rounded,
)
from modmul.papers.silicon import Silicon, main_cells

Figures = Mapping[str, Any]  # of figures/kuang2016.toml
Key = tuple[str, int]  # name and key size
LIMIT = 3  # standard errors
REFERENCE = "FCS-MM-1"  # what the paper compares cycles with
DELTA = (
    "against FCS-MM-1; computed: from printed cycles; measured: from simulated ones, which differ "
    "as the remarks on cycles say"
)
ONLY_PRINTED = "TSMC 90 nm after layout: printed only"
# Where the printed figure is another than the computed or measured one.
REMARKS = {
    ("SCS-MM-1(32)", 1024): "printed: k + k/w + 16; the work needs 12 fewer",
    ("SCS-MM-1(32)", 2048): "printed: k + k/w + 16; the work needs 12 fewer",
    ("SCS-MM-1(64)", 2048): "printed: k + k/w + 16; the work needs 12 fewer",
    ("SCS-MM-2", 1024): "printed k + 25, at 2048 bits k + 23, though carry chains grow",
    ("SCS-MM-2", 2048): "printed k + 23, at 1024 bits k + 25, though carry chains grow",
    ("FCS-MM-1", 1024): "printed k + 5, two cycles more than the work, not itemised",
    ("FCS-MM-1", 2048): "printed k + 5, two cycles more than the work, not itemised",
    ("FCS-MM-2", 1024): "printed k + 5, one cycle more than the work, not itemised",
    ("FCS-MM-2", 2048): "printed k + 5, one cycle more than the work, not itemised",
    (
        "FCS-MMM42",
        1024,
    ): "printed: 0.795 cycles for each more iteration; random operands give 0.800",
    (
        "FCS-MMM42",
        2048,
    ): "printed: 0.795 cycles for each more iteration; random operands give 0.800",
    ("SCS-MM-New", 1024): "not the cycles of the printed algorithm, but nearly those without a "
    "skip directly after another",
    ("SCS-MM-New", 2048): "not the cycles of the printed algorithm, but nearly those without a "
    "skip directly after another",
}
DOUBTS = {
    ("SCS-MM-1(32)", 2048): "45 % above SCS-MM-1(64), whose adder is larger: sized for timing",
    ("SCS-MM-1(64)", 2048): "below SCS-MM-1(32), whose adder is smaller: sized for timing",
    ("FCS-MM-2", 1024): "above FCS-MM-1, against Table I",
    ("FCS-MM-2", 2048): "below that at 1024 bits",
}


def table3(figures: Figures, measured: Measured) -> Table:
    """The comparison.  Nanoseconds and areas of the paper's process are printed only."""
    rows = [_row(row, figures, measured) for row in figures["table_3"]]
    columns = (
        *("key_size", "multiplier", "cycles", "delta_cycles_%", "delay_ns", "area_um2", "time_us"),
        *("throughput_Mbps", "ATP_1e3_um2_us", f"{REAL}_delay_ns", f"{REAL}_area_um2"),
        *(f"{REAL}_time_us", f"{REAL}_throughput_Mbps", f"{REAL}_ATP_1e3_um2_us"),
        *("normalised_delay_T_FA", "normalised_area_A_FA", "normalised_ATP_1e6"),
    )
    return Table("III", "Comparison at two key sizes", columns, tuple(rows))


def cycles(measured: Measured, key: Key) -> tuple[float | None, float | None]:
    """Computed, and simulated: as the paper counts.  Where the time depends on data, neither is
    known before the patterns were simulated."""
    if key[0] in DATA_DEPENDENT:
        found = measured.samples.get(key)
        return (found.modelled, found.mean) if found else (None, None)
    return constant_cycles(*key), measured.constant.get(key)


def _row(row: Mapping[str, Any], figures: Figures, measured: Measured) -> tuple[Figure | Cell, ...]:
    name, size = row["multiplier"], row["key_size"]
    computed, simulated = cycles(measured, (name, size))
    against = cycles(measured, (REFERENCE, size))[1]
    delta = 100 * (simulated / against - 1) if simulated and against else None
    time = row["cycles"] * row["delay"] / 1000
    doubt = DOUBTS.get((name, size))
    printed = next(
        r for r in figures["table_3"] if (r["multiplier"], r["key_size"]) == (REFERENCE, size)
    )
    from_print = 100 * (row["cycles"] / printed["cycles"] - 1)
    return (
        size,
        name,
        Measurable(
            row["cycles"], rounded(computed, 6), rounded(simulated, 6), REMARKS.get((name, size))
        ),
        Measurable(row["delta_cycles"], rounded(from_print, 3), rounded(delta, 3), DELTA),
        Cell(row["delay"], remark=_both(ONLY_PRINTED, doubt if name == "FCS-MM-2" else None)),
        Cell(row["area"], remark=_both(ONLY_PRINTED, doubt if "SCS-MM-1" in name else None)),
        Cell(row["time"], rounded(time, 7), remark="computed: printed cycles times printed delay"),
        Cell(row["throughput"], rounded(size / time), remark="computed: key size / printed time"),
        Cell(row["atp"], rounded(row["area"] * time / 1000, 7), remark="computed: area times time"),
        *_real(measured, name, size),
        *_normalised(measured.normalised.get((name, size))),
    )


def _both(first: str, second: str | None) -> str:
    return first if second is None else f"{first}; {second}"


def _real(measured: Measured, name: str, size: int) -> tuple[Cell, ...]:
    """In a library with real units, at the mean interval between products."""
    if measured.real is None:
        return (Cell(None, None, f"{REAL} is not installed"), *[Cell()] * 4)
    one = measured.real.get((name, size))
    if one is None:
        return (Measurable(),) * 5
    time = one.delay * one.cycles / 1000
    where = f"{REAL}, no wires, area of cells"
    return (
        Cell(None, None, rounded(one.delay, 4), f"{where}: the path of each is in the ranking"),
        Cell(None, None, rounded(one.area, 6), where),
        Cell(None, None, rounded(time, 4), f"{where}, mean cycles from product to product"),
        Cell(None, None, rounded(size / time, 4), where),
        Cell(None, None, rounded(one.area * time / 1000, 5), where),
    )


def _normalised(one: Silicon | None) -> tuple[Cell, ...]:
    if one is None:
        return (Measurable(),) * 3
    where = "cells of Table II, no wires"
    return (
        Cell(None, None, rounded(one.delay, 4), where),
        Cell(None, None, rounded(one.area, 6), where),
        Cell(None, None, rounded(one.product / 1e6, 4), f"{where}, A_FA T_FA"),
    )


def averages(figures: Figures, measured: Measured) -> Table:
    """Cycles over random patterns: simulated, modelled, and of an independent model."""
    printed = {(r["multiplier"], r["key_size"]): r["cycles"] for r in figures["table_3"]}
    reference = {(r["multiplier"], r["key_size"]): r for r in figures["independent_model"]}
    rows: list[tuple[Figure | Cell, ...]] = []
    for size in SIZES:
        for name in DATA_DEPENDENT:
            found, other = measured.samples.get((name, size)), reference[name, size]
            head = (size, name)
            if found is None:
                cell = Measurable(printed.get((name, size)), remark=REMARKS.get((name, size)))
                rows.append((*head, cell, *(Measurable(),) * 5))
                continue
            off = distance(found.mean, found.deviation, found.patterns, other)
            remark = REMARKS.get((name, size))
            inside = abs(off) <= LIMIT
            verdict = "agrees" if inside else f"NOT within {LIMIT} standard errors"
            rows.append(
                (
                    size,
                    name,
                    Cell(
                        printed.get((name, size)),
                        rounded(found.modelled, 6),
                        rounded(found.mean, 6),
                        remark,
                    ),
                    Cell(None, other.get("sd"), rounded(found.deviation, 3)),
                    Cell(None, None, rounded(found.error, 2)),
                    Cell(None, other["mean"], None, f"{other['patterns']} patterns of its own"),
                    Cell(None, None, rounded(round(off, 2)), verdict),
                    Cell(None, None, f"{found.smallest} to {found.largest}"),
                )
            )
    columns = (
        *("key_size", "multiplier", "cycles", "standard_deviation", "standard_error"),
        *("independent_model", "difference_in_standard_errors", "range"),
    )
    count = next((one.patterns for one in measured.samples.values()), PATTERNS)
    title = f"Cycles over {count} random patterns, hardware and model equal product by product"
    return Table("Cycles", title, columns, tuple(rows))


def distance(mean: float, deviation: float, count: int, other: Mapping[str, Any]) -> float:
    """From the mean of an independent sample, in standard errors of the difference.

    That sample's mean is given to one decimal place; what rounding may add is no difference."""
    error = math.sqrt(deviation**2 / count + other.get("sd", deviation) ** 2 / other["patterns"])
    apart = max(abs(mean - other["mean"]) - 0.05, 0.0)
    return math.copysign(
        apart / error if error else (math.inf if apart else 0.0), mean - other["mean"]
    )


# ---- area-time products --------------------------------------------------------------------------


def printed_entries(figures: Figures, size: int) -> list[Entry]:
    """Table III: um^2, ns, cycles."""
    rows = [row for row in figures["table_3"] if row["key_size"] == size]
    return [Entry(r["multiplier"], r["area"], r["delay"], r["cycles"]) for r in rows]


def our_entries(cells: Mapping[Key, Silicon], measured: Measured, size: int) -> list[Entry]:
    """Mapped area and path, simulated cycles as the paper counts them.  Empty if one that is
    printed is missing."""
    found = []
    printed = [(name, size) for name in SILICON if in_table3(name, size)]
    if any(key not in cells or cycles(measured, key)[1] is None for key in printed):
        return []
    for (name, width), one in cells.items():
        if width == size:
            simulated = cycles(measured, (name, size))[1] or 0
            detail = f"{one.area / size:.2f} a bit ({main_cells(one)})"
            found.append(
                Entry(name, one.area, one.delay, simulated, detail, f"{one.delay:g}, {one.path}")
            )
    return found


def rankings(figures: Figures, measured: Measured) -> tuple[Table, Table]:
    """Both orders, and every pair that changes places, for each size and library."""
    libraries = [("normalised", measured.normalised)]
    libraries += [(REAL, measured.real)] if measured.real is not None else []
    compared = [
        Comparison(
            f"{size} bits, {library}",
            printed_entries(figures, size),
            ours,
        )
        for size in SIZES
        for library, cells in libraries
        if (ours := our_entries(cells, measured, size))
    ]
    return (
        ranking.orders("Order", "Area-time products, lowest first", compared),
        ranking.swaps("Swaps", "Pairs in another order than printed: ratios", compared, REASONS),
    )


def pictures(figures: Figures, measured: Measured) -> tuple[Picture, ...]:
    """Area over time, printed and ours."""
    found = []
    for size in SIZES:
        printed = [
            Point(e.delay * e.cycles / 1000, e.area / 1000, e.name)
            for e in printed_entries(figures, size)
        ]
        found.append(
            _plane(
                f"table3_{size}", f"kuang2016, Table III, {size} bits: as printed (90 nm)",
                ("time of a product, us", "area, 1000 um^2"), [("printed", printed)],
            )
        )  # fmt: skip
        for library, cells, units in (
            ("normalised", measured.normalised, ("1000 T_FA", "1000 A_FA")),
            (REAL, measured.real, ("us", "1000 um^2")),
        ):
            entries = our_entries(cells, measured, size) if cells is not None else []
            if not entries:
                continue
            ours = [Point(e.delay * e.cycles / 1000, e.area / 1000, e.name) for e in entries]
            found.append(
                _plane(
                    f"{library}_{size}", f"kuang2016 at {size} bits, measured: {library}, no wires",
                    (f"time of a product, {units[0]}", f"area, {units[1]}"), [("measured", ours)],
                )
            )  # fmt: skip
    return tuple(found)


def _plane(
    id: str, title: str, axes: tuple[str, str], series: list[tuple[str, list[Point]]]
) -> Picture:
    lines = tuple(Series(name, tuple(points)) for name, points in series)
    return Picture(id, title, "plane", axes[0], axes[1], lines)
