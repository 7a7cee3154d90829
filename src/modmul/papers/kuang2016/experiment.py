"""Table III, the cycles over random patterns behind it, and the order of the area-time products."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

from modmul.papers import ranking
from modmul.papers.columns import Row, tabulate
from modmul.papers.kuang2016.cycles import PATTERNS, Sample
from modmul.papers.kuang2016.designs import DATA_DEPENDENT, DESIGNS, SIZES, design
from modmul.papers.kuang2016.measured import REAL, SILICON, Measured, in_table3
from modmul.papers.ranking import Comparison, Ranked
from modmul.papers.records import (
    EMPTY,
    Cell,
    Derived,
    Figures,
    Origin,
    Picture,
    PicturePoint,
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
LIMIT = 3  # standard errors


def table3(figures: Figures, measured: Measured) -> Table:
    """The comparison.  Nanoseconds and areas of the paper's process are printed only."""
    rows = (_row(row, figures, measured) for row in figures["table_3"])
    return tabulate("III", "Comparison at two key sizes", rows)


def cycles(measured: Measured, key: Key) -> tuple[float | None, float | None]:
    """Declared, and simulated: as the paper counts.  Where the time depends on data, neither is
    known before the patterns were simulated."""
    if key[0] in DATA_DEPENDENT:
        sample = measured.samples.get(key)
        return (sample.modelled, sample.mean) if sample else (None, None)
    declared = design(*key).latency().maximum - DESIGNS[key[0]].uncounted
    return declared, measured.constant.get(key)


def _row(row: Mapping[str, Any], figures: Figures, measured: Measured) -> Row:
    name, size = row["multiplier"], row["key_size"]
    computed, simulated = cycles(measured, (name, size))
    time = row["cycles"] * row["delay"] / 1000
    return {
        "key_size": size,
        "multiplier": name,
        "cycles": Cell.circuit(
            row["cycles"], rounded(computed, 6), row.get("cycles_note"),
            measured=rounded(simulated, 6),
        ),
        "delta_cycles_%": _delta(row, figures, measured),
        "delay_ns": _printed(row, "delay"),
        "area_um2": _printed(row, "area"),
        "time_us": Cell.arithmetic(
            row["time"], rounded(time, 7), "computed: printed cycles times printed delay"
        ),
        "throughput_Mbps": Cell.arithmetic(
            row["throughput"], rounded(size / time), "computed: key size / printed time"
        ),
        "ATP_1e3_um2_us": Cell.arithmetic(
            row["atp"], rounded(row["area"] * time / 1000, 7), "computed: area times time"
        ),
        **_real(measured, name, size),
        **_normalised(measured.normalised.get((name, size))),
    }  # fmt: skip


def _delta(row: Mapping[str, Any], figures: Figures, measured: Measured) -> Cell:
    """Percent of the cycles of REFERENCE."""
    name, size = row["multiplier"], row["key_size"]
    printed = printed_rows(figures)[REFERENCE, size]["cycles"]
    simulated, against = (cycles(measured, (one, size))[1] for one in (name, REFERENCE))
    return Cell.arithmetic(
        row.get("delta_cycles"), rounded(100 * (row["cycles"] / printed - 1), 3), DELTA,
        measured=rounded(100 * (simulated / against - 1), 3) if simulated and against else None,
    )  # fmt: skip


def printed_rows(figures: Figures) -> dict[Key, Mapping[str, Any]]:
    """Those of Table III."""
    return {(row["multiplier"], row["key_size"]): row for row in figures["table_3"]}


def _printed(row: Mapping[str, Any], what: str) -> Cell:
    return Cell.printed(row[what], "; ".join(filter(None, (ONLY_PRINTED, row.get(f"{what}_note")))))


def _real(measured: Measured, name: str, size: int) -> dict[str, Cell]:
    """In a library with real units, at the mean interval between products."""
    one = measured.real.get((name, size)) if measured.real is not None else None
    where = f"{REAL}, no wires, area of cells"

    def cell(value: Callable[[Silicon], float], digits: int, remark: str = "") -> Cell:
        if measured.real is None:
            return EMPTY
        return Cell.ours(rounded(value(one), digits), where + remark) if one else Cell.ours(None)

    def time(one: Silicon) -> float:
        return one.delay * one.cycles / 1000

    missing = Cell.seen(f"{REAL} is not installed")
    delay = cell(lambda one: one.delay, 4, ": the path of each is in the ranking")
    return {
        f"{REAL}_delay_ns": missing if measured.real is None else delay,
        f"{REAL}_area_um2": cell(lambda one: one.area, 6),
        f"{REAL}_time_us": cell(time, 4, ", mean cycles from product to product"),
        f"{REAL}_throughput_Mbps": cell(lambda one: size / time(one), 4),
        f"{REAL}_ATP_1e3_um2_us": cell(lambda one: one.area * time(one) / 1000, 5),
    }


def _normalised(one: Silicon | None) -> dict[str, Cell]:
    where = "cells of Table II, no wires"
    product = f"{where}, A_FA T_FA"
    return {
        "normalised_delay_T_FA": Cell.ours(rounded(one and one.delay, 4), one and where),
        "normalised_area_A_FA": Cell.ours(rounded(one and one.area, 6), one and where),
        "normalised_ATP_1e6": Cell.ours(rounded(one and one.product / 1e6, 4), one and product),
    }


# ---- cycles over random patterns ----------------------------------------------------------------


def averages(figures: Figures, measured: Measured) -> Table:
    """Cycles over random patterns: simulated, modelled, and of an independent model."""
    printed = printed_rows(figures)
    models = {(one["multiplier"], one["key_size"]): one for one in figures["independent_model"]}
    rows: list[Row] = []
    for size, name in product(SIZES, DATA_DEPENDENT):
        found, model = measured.samples.get((name, size)), models[name, size]
        said = printed.get((name, size), {})
        cell = Cell.circuit(
            said.get("cycles"), rounded(found and found.modelled, 6), said.get("cycles_note"),
            measured=rounded(found and found.mean, 6),
        )  # fmt: skip
        rows.append(
            {"key_size": size, "multiplier": name, "cycles": cell, **_statistics(found, model)}
        )
    count = next((one.patterns for one in measured.samples.values()), PATTERNS)
    title = f"Cycles over {count} random patterns, hardware and model equal product by product"
    return tabulate("Cycles", title, rows, kind=Derived)


def _statistics(found: Sample | None, other: Mapping[str, Any]) -> dict[str, Cell]:
    """Of a sample, beside that of the independent model."""
    waiting = Cell.ours(None)
    off = found and distance(found.mean, found.deviation, found.patterns, other)
    verdict = "agrees" if abs(off or 0) <= LIMIT else f"NOT within {LIMIT} standard errors"
    theirs = f"{other['patterns']} patterns of its own"
    spread = Cell.arithmetic(None, other.get("sd"), measured=rounded(found and found.deviation, 3))
    away = Cell(None, None, rounded(round(off or 0, 2)), verdict, origin=Origin.MIXED)
    mean = Cell.arithmetic(None, other["mean"], theirs)
    return {
        "standard_deviation": spread if found else waiting,
        "standard_error": Cell.ours(rounded(found and found.error, 2)),
        "independent_model": mean if found else waiting,
        "difference_in_standard_errors": away if found else waiting,
        "range": Cell.ours(found and f"{found.smallest} to {found.largest}"),
    }


def distance(mean: float, deviation: float, count: int, other: Mapping[str, Any]) -> float:
    """From the mean of an independent sample, in standard errors of the difference.

    That sample's mean is given to one decimal place; what rounding may add is no difference."""
    error = math.sqrt(deviation**2 / count + other.get("sd", deviation) ** 2 / other["patterns"])
    apart = max(abs(mean - other["mean"]) - 0.05, 0.0)
    return math.copysign(
        apart / error if error else (math.inf if apart else 0.0), mean - other["mean"]
    )


# ---- area-time products --------------------------------------------------------------------------


def printed_entries(figures: Figures, size: int) -> list[Ranked]:
    """Table III: um^2, ns, cycles."""
    rows = [row for row in figures["table_3"] if row["key_size"] == size]
    return [Ranked(r["multiplier"], r["area"], r["delay"], r["cycles"]) for r in rows]


def our_entries(cells: Mapping[Key, Silicon], measured: Measured, size: int) -> list[Ranked]:
    """Mapped area and path, simulated cycles as the paper counts them.  Empty if one that is
    printed is missing."""
    printed = [(name, size) for name in SILICON if in_table3(name, size)]
    if any(key not in cells or cycles(measured, key)[1] is None for key in printed):
        return []
    return [
        Ranked(
            name, one.area, one.delay, cycles(measured, (name, size))[1] or 0,
            f"{one.area / size:.2f} a bit ({main_cells(one)})", f"{one.delay:g}, {one.path}",
        )
        for (name, width), one in cells.items()
        if width == size
    ]  # fmt: skip


def rankings(figures: Figures, measured: Measured) -> tuple[Table, Table]:
    """Both orders, and every pair that changes places, for each size and library."""
    libraries = [("normalised", measured.normalised)]
    libraries += [(REAL, measured.real)] if measured.real is not None else []
    compared = [
        Comparison(f"{size} bits, {library}", printed_entries(figures, size), ours)
        for size in SIZES
        for library, cells in libraries
        if (ours := our_entries(cells, measured, size))
    ]
    why = ranking.reasons(figures)
    return (
        ranking.orders("Order", "Area-time products, lowest first", compared),
        ranking.swaps("Swaps", "Pairs in another order than printed: ratios", compared, why),
    )


def pictures(figures: Figures, measured: Measured) -> tuple[Picture, ...]:
    """Area over time, printed and ours."""
    pictures = []
    for size in SIZES:
        title = f"kuang2016, Table III, {size} bits: as printed (90 nm)"
        entries = printed_entries(figures, size)
        pictures.append(_plane(f"table3_{size}", title, ("us", "1000 um^2"), "printed", entries))
        for library, cells, units in (
            ("normalised", measured.normalised, ("1000 T_FA", "1000 A_FA")),
            (REAL, measured.real, ("us", "1000 um^2")),
        ):
            title = f"kuang2016 at {size} bits, measured: {library}, no wires"
            if entries := our_entries(cells or {}, measured, size):
                pictures.append(_plane(f"{library}_{size}", title, units, "measured", entries))
    return tuple(pictures)


def _plane(
    id: str, title: str, units: tuple[str, str], name: str, entries: Sequence[Ranked]
) -> Picture:
    points = (
        PicturePoint(entry.delay * entry.cycles / 1000, entry.area / 1000, entry.name)
        for entry in entries
    )
    axes = f"time of a product, {units[0]}", f"area, {units[1]}"
    return Picture(id, title, "plane", *axes, (Series(name, tuple(points)),))
