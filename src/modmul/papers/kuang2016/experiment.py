"""Table III, the cycles over random patterns behind it, and the order of the area-time products."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from modmul.papers import printed
from modmul.papers.columns import Rows, table, waiting
from modmul.papers.kuang2016 import contest
from modmul.papers.kuang2016.cycles import PATTERNS, Sample
from modmul.papers.kuang2016.designs import DATA_DEPENDENT, SIZES
from modmul.papers.kuang2016.measured import REAL, SILICON, Key, Measured, in_table3
from modmul.papers.printed import PrintedDesign
from modmul.papers.ranking import Comparison, Ranked
from modmul.papers.records import Figures, Origin, Picture, Series, TableCell, rounded
from modmul.papers.silicon import MappedCore, installed, main_cells

REFERENCE = "FCS-MM-1"  # what the paper compares cycles with
LIMIT = 3  # standard errors


@table("III")
def table3(figures: Figures, measured: Measured) -> Rows:
    """The comparison.  Nanoseconds and areas of the paper's process are printed only."""
    only, arithmetic = figures["table_3_notes"]["process"], TableCell.arithmetic
    for row in printed.kuang2016(figures):
        name, size, us = row.design, row.width, row.ns / 1000
        computed, simulated = measured.cycles(name, size)
        delay, area = (
            TableCell.printed(figure, "; ".join(filter(None, (only, row.notes.get(what)))))
            for what, figure in (("delay", row.period), ("area", row.um2))
        )
        yield {
            "key_size": size,
            "multiplier": name,
            "cycles": TableCell.circuit(
                row.latency,
                rounded(computed, 6),
                row.notes.get("cycles"),
                measured=rounded(simulated, 6),
            ),
            "delta_cycles_%": _delta(row, figures, measured),
            "delay_ns": delay,
            "area_um2": area,
            "time_us": arithmetic(row.others["time"], rounded(us, 7)),
            "throughput_Mbps": arithmetic(row.others["throughput"], rounded(size / us)),
            "ATP_1e3_um2_us": arithmetic(
                row.others["atp"], rounded(row.um2 and row.um2 * us / 1000, 7)
            ),
            **_real(figures, measured, name, size),
            **_normalised(figures, measured.normalised.get((name, size))),
        }


def _delta(row: PrintedDesign, figures: Figures, measured: Measured) -> TableCell:
    """Percent of the cycles of REFERENCE."""
    against = printed_rows(figures)[REFERENCE, row.width]
    said = row.latency and against.latency and 100 * (row.latency / against.latency - 1)
    ours, theirs = (measured.cycles(each.design, row.width)[1] for each in (row, against))
    simulated = 100 * (ours / theirs - 1) if ours and theirs else None
    return TableCell.arithmetic(
        row.others.get("delta_cycles"), rounded(said, 3), measured=rounded(simulated, 3)
    )


def printed_rows(figures: Figures) -> dict[Key, PrintedDesign]:
    return {(row.design, row.width): row for row in printed.kuang2016(figures)}


def _real(figures: Figures, measured: Measured, name: str, size: int) -> dict[str, TableCell]:
    """The cells for a library with real units, at the mean interval between products."""
    if not installed(REAL):
        return {f"{REAL}_delay_ns": TableCell.seen(f"{REAL} is not installed")}
    core = measured.real.get((name, size))
    if core is None:
        return waiting(figures, "III", REAL)
    where, time = f"{REAL}, no wires, area of cells", core.delay * core.cycles.per_product / 1000
    path, mean = "the path of each is in the ranking", "mean cycles from product to product"
    return {
        f"{REAL}_delay_ns": TableCell.ours(rounded(core.delay, 4), f"{where}: {path}"),
        f"{REAL}_area_um2": TableCell.ours(rounded(core.area.value, 6), where),
        f"{REAL}_time_us": TableCell.ours(rounded(time, 4), f"{where}, {mean}"),
        f"{REAL}_throughput_Mbps": TableCell.ours(rounded(size / time, 4), where),
        f"{REAL}_ATP_1e3_um2_us": TableCell.ours(rounded(core.area.value * time / 1000, 5), where),
    }


def _normalised(figures: Figures, core: MappedCore | None) -> dict[str, TableCell]:
    """The cells for the library that is a copy of Table II."""
    if core is None:
        return waiting(figures, "III", "normalised")
    where = "cells of Table II, no wires"
    return {
        "normalised_delay_T_FA": TableCell.ours(rounded(core.delay, 4), where),
        "normalised_area_A_FA": TableCell.ours(rounded(core.area.value, 6), where),
        "normalised_ATP_1e6": TableCell.ours(
            rounded(core.area_time.value / 1e6, 4), f"{where}, A_FA T_FA"
        ),
    }


# ---- cycles over random patterns ----------------------------------------------------------------


@table("Cycles", patterns=PATTERNS)
def averages(figures: Figures, measured: Measured) -> Rows:
    """Cycles over random patterns: simulated, modelled, and of an independent model."""
    rows = printed_rows(figures)
    models = {
        (model["multiplier"], model["key_size"]): model for model in figures["independent_model"]
    }
    for size, name in product(SIZES, DATA_DEPENDENT):
        sample, said = measured.sample(name, size), rows.get((name, size))
        cycles = TableCell.circuit(
            said.latency if said else None,
            rounded(sample and sample.modelled, 6),
            said.notes.get("cycles") if said else None,
            measured=rounded(sample and sample.mean, 6),
        )
        statistics = _statistics(sample, models[name, size])
        yield {"key_size": size, "multiplier": name, "cycles": cycles, **statistics}


def _statistics(sample: Sample | None, other: Mapping[str, Any]) -> dict[str, TableCell]:
    """The figures of a sample, beside those of the independent model."""
    waiting = TableCell.ours(None)
    off = sample and distance(sample.mean, sample.deviation, sample.patterns, other)
    verdict = "agrees" if abs(off or 0) <= LIMIT else f"NOT within {LIMIT} standard errors"
    theirs = f"{other['patterns']} patterns of its own"
    deviation = rounded(sample and sample.deviation, 3)
    spread = TableCell.arithmetic(None, other.get("sd"), measured=deviation)
    away = TableCell(None, None, rounded(round(off or 0, 2)), verdict, origin=Origin.MIXED)
    mean = TableCell.arithmetic(None, other["mean"], theirs)
    return {
        "standard_deviation": spread if sample else waiting,
        "standard_error": TableCell.ours(rounded(sample and sample.error, 2)),
        "independent_model": mean if sample else waiting,
        "difference_in_standard_errors": away if sample else waiting,
        "range": TableCell.ours(sample and f"{sample.smallest} to {sample.largest}"),
    }


def distance(mean: float, deviation: float, count: int, other: Mapping[str, Any]) -> float:
    """How far a mean is from that of an independent sample, in standard errors of the difference.

    That sample's mean is given to one decimal place; what rounding may add is no difference."""
    error = math.sqrt(deviation**2 / count + other.get("sd", deviation) ** 2 / other["patterns"])
    apart = max(abs(mean - other["mean"]) - 0.05, 0.0)
    return math.copysign(
        apart / error if error else (math.inf if apart else 0.0), mean - other["mean"]
    )


# ---- area-time products --------------------------------------------------------------------------


def printed_entries(figures: Figures, size: int) -> list[Ranked]:
    """Table III: um^2, ns, cycles."""
    rows = [row for row in printed.kuang2016(figures) if row.width == size]
    return [Ranked(r.design, r.um2 or 0, r.period or 0, r.latency or 0) for r in rows]


def our_entries(cells: Mapping[Key, MappedCore], measured: Measured, size: int) -> list[Ranked]:
    """Mapped area and path, simulated cycles as the paper counts them.  Empty if one that is
    printed is missing."""
    rows = [(name, size) for name in SILICON if in_table3(name, size)]
    if any(key not in cells or measured.cycles(*key)[1] is None for key in rows):
        return []
    return [
        Ranked(
            name,
            cell.area.value,
            cell.delay,
            measured.cycles(name, size)[1] or 0,
            f"{cell.area.value / size:.2f} a bit ({main_cells(cell)})",
            f"{cell.delay:g}, {cell.path}",
        )
        for (name, width), cell in cells.items()
        if width == size
    ]


def compared(figures: Figures, measured: Measured) -> list[Comparison]:
    """Printed and ours, for each size and library."""
    return [
        Comparison(f"{size} bits, {library}", printed_entries(figures, size), ours)
        for size in SIZES
        for library, cells in measured.libraries.items()
        if (ours := our_entries(cells, measured, size))
    ]


def pictures(figures: Figures, measured: Measured) -> tuple[Picture, ...]:
    """Area over time, printed and ours."""
    drawn = []
    for size in SIZES:
        title = f"kuang2016, Table III, {size} bits: as printed (90 nm)"
        entries = printed_entries(figures, size)
        drawn.append(_plane(f"table3_{size}", title, ("us", "1000 um^2"), "printed", entries))
        for library, cells in measured.libraries.items():
            units = ("us", "1000 um^2") if library == REAL else ("1000 T_FA", "1000 A_FA")
            title = f"kuang2016 at {size} bits, measured: {library}, no wires"
            if entries := our_entries(cells, measured, size):
                drawn.append(_plane(f"{library}_{size}", title, units, "measured", entries))
    return (*drawn, contest.picture(measured.contest))


def _plane(
    id: str, title: str, units: tuple[str, str], name: str, entries: Sequence[Ranked]
) -> Picture:
    points = (
        (entry.delay * entry.cycles / 1000, entry.area / 1000, entry.name) for entry in entries
    )
    axes = f"time of a product, {units[0]}", f"area, {units[1]}"
    return Picture(id, title, "plane", *axes, (Series.of(name, points),))
