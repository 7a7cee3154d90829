"""Table III, and the order of the area-time products."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from modmul.papers import ranking
from modmul.papers.kuang2016.designs import DATA_DEPENDENT, DESIGNS, SIZES, design
from modmul.papers.kuang2016.measured import REAL, SILICON, Measured, in_table3
from modmul.papers.kuang2016.reasons import REASONS
from modmul.papers.ranking import Comparison, Entry
from modmul.papers.records import (
    EMPTY,
    Cell,
    Figure,
    Figures,
    MeasuredCell,
    Origin,
    Picture,
    Point,
    Series,
    Table,
    rounded,
)
from modmul.papers.silicon import Silicon, main_cells

Key = tuple[str, int]  # name and key size
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
    """Declared, and simulated: as the paper counts.  Where the time depends on data, neither is
    known before the patterns were simulated."""
    if key[0] in DATA_DEPENDENT:
        found = measured.samples.get(key)
        return (found.modelled, found.mean) if found else (None, None)
    declared = design(*key).latency().maximum - DESIGNS[key[0]].uncounted
    return declared, measured.constant.get(key)


def _row(row: Mapping[str, Any], figures: Figures, measured: Measured) -> tuple[Figure | Cell, ...]:
    name, size = row["multiplier"], row["key_size"]
    computed, simulated = cycles(measured, (name, size))
    remark = REMARKS.get((name, size))
    doubt = DOUBTS.get((name, size))
    return (
        size,
        name,
        MeasuredCell(
            row["cycles"], rounded(computed, 6), rounded(simulated, 6), remark,
            origin=Origin.CIRCUIT,
        ),
        _delta(row, figures, measured),
        _printed(row["delay"], doubt if name == "FCS-MM-2" else None),
        _printed(row["area"], doubt if "SCS-MM-1" in name else None),
        *_from_print(row),
        *_real(measured, name, size),
        *_normalised(measured.normalised.get((name, size))),
    )  # fmt: skip


def _delta(row: Mapping[str, Any], figures: Figures, measured: Measured) -> Cell:
    """Percent of the cycles of REFERENCE."""
    name, size = row["multiplier"], row["key_size"]
    (printed,) = [
        one["cycles"]
        for one in figures["table_3"]
        if (one["multiplier"], one["key_size"]) == (REFERENCE, size)
    ]
    simulated, against = (cycles(measured, (one, size))[1] for one in (name, REFERENCE))
    return MeasuredCell(
        row.get("delta_cycles"),
        rounded(100 * (row["cycles"] / printed - 1), 3),
        rounded(100 * (simulated / against - 1), 3) if simulated and against else None,
        DELTA,
        origin=Origin.ARITHMETIC,
    )


def _printed(figure: float, doubt: str | None) -> Cell:
    remark = ONLY_PRINTED if doubt is None else f"{ONLY_PRINTED}; {doubt}"
    return Cell(figure, remark=remark, origin=Origin.PRINT)


def _from_print(row: Mapping[str, Any]) -> Iterator[Cell]:
    """Time, throughput and area-time product, from the other columns."""
    time = row["cycles"] * row["delay"] / 1000
    for printed, figure, how in (
        (row["time"], rounded(time, 7), "printed cycles times printed delay"),
        (row["throughput"], rounded(row["key_size"] / time), "key size / printed time"),
        (row["atp"], rounded(row["area"] * time / 1000, 7), "area times time"),
    ):
        yield Cell(printed, figure, None, f"computed: {how}", origin=Origin.ARITHMETIC)


def _real(measured: Measured, name: str, size: int) -> tuple[Cell, ...]:
    """In a library with real units, at the mean interval between products."""
    if measured.real is None:
        missing = Cell(None, None, f"{REAL} is not installed", origin=Origin.MEASURED)
        return (missing, *[EMPTY] * 4)
    one = measured.real.get((name, size))
    if one is None:
        return (MeasuredCell(origin=Origin.MEASURED),) * 5
    time = one.delay * one.cycles / 1000
    where = f"{REAL}, no wires, area of cells"
    figures = (
        (rounded(one.delay, 4), f"{where}: the path of each is in the ranking"),
        (rounded(one.area, 6), where),
        (rounded(time, 4), f"{where}, mean cycles from product to product"),
        (rounded(size / time, 4), where),
        (rounded(one.area * time / 1000, 5), where),
    )
    return tuple(Cell(None, None, *figure, origin=Origin.MEASURED) for figure in figures)


def _normalised(one: Silicon | None) -> tuple[Cell, ...]:
    if one is None:
        return (MeasuredCell(origin=Origin.MEASURED),) * 3
    where = "cells of Table II, no wires"
    figures = (
        (rounded(one.delay, 4), where),
        (rounded(one.area, 6), where),
        (rounded(one.product / 1e6, 4), f"{where}, A_FA T_FA"),
    )
    return tuple(Cell(None, None, *figure, origin=Origin.MEASURED) for figure in figures)


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
