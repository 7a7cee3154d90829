"""What the text says in figures besides the tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from modmul.papers.columns import claims
from modmul.papers.kuang2016.designs import DESIGNS, design
from modmul.papers.kuang2016.experiment import printed_rows
from modmul.papers.kuang2016.measured import Measured
from modmul.papers.records import Figures, Table, TableCell, rounded
from modmul.papers.silicon import MappedCore, area_per_bit, main_cells

NEW, OLD = "SCS-MM-New", "FCS-MMM42"
_KEYS = {  # of a claim: the column of Table III, and whether more of it is better
    "shorter_critical_path": ("delay", -1),
    "smaller_area": ("area", -1),
    "higher_throughput": ("throughput", 1),
    "smaller_atp": ("atp", -1),
}


def statements(figures: Figures, measured: Measured) -> Table:
    """Percentages of section IV-B, and what section III says of cycles and area."""
    cells: dict[str, TableCell] = {}
    for claim in figures["claim"]:
        if "shorter_critical_path" in claim:
            cells |= _against_old(claim, figures, measured)
    return claims(figures, {**cells, **_others(figures, measured)})


def _against_old(
    claim: Mapping[str, Any], figures: Figures, measured: Measured
) -> dict[str, TableCell]:
    """SCS-MM-New against FCS-MMM42: from the printed Table III, and in our cells."""
    size, table = claim["key_size"], printed_rows(figures)
    library, cells = list(measured.libraries.items())[-1]
    ours = [_factors(cells, measured, (name, size)) for name in (NEW, OLD)]
    compared = {}
    for key, (column, sign) in _KEYS.items():
        printed = 100 * (table[NEW, size][column] / table[OLD, size][column] - 1)
        new, old = (our and our[column] for our in ours)
        percent = sign * 100 * (new / old - 1) if new and old else None
        what = f"{NEW} against {OLD}, {size} bits: {key.replace('_', ' ')}, %"
        compared[what] = TableCell.arithmetic(
            claim[key], rounded(sign * printed, 3),
            f"measured: {library}, no wires{_details(cells, size, column)}",
            measured=rounded(percent, 3),
        )  # fmt: skip
    return compared


def _factors(
    cells: Mapping[tuple[str, int], MappedCore], measured: Measured, key: tuple[str, int]
) -> dict[str, float] | None:
    """What is compared; None if a part of it was not measured."""
    core, count = cells.get(key), measured.cycles(*key)[1]
    if core is None or count is None:
        return None
    return {
        "delay": core.delay,
        "area": core.area.value,
        "throughput": 1 / (core.delay * count),
        "atp": core.area.value * core.delay * count,
    }


def _details(cells: Mapping[tuple[str, int], MappedCore], size: int, column: str) -> str:
    """Paths, or cells for each bit, of both; nothing if one of them is missing."""
    if any((name, size) not in cells for name in (NEW, OLD)):
        return ""
    if column == "delay":
        return "".join(f"; {name}: {cells[name, size].path}" for name in (NEW, OLD))
    if column == "area":
        return "".join(f"; {name}, a bit: {main_cells(cells[name, size])}" for name in (NEW, OLD))
    return "; follows from path, area and simulated cycles"


def _others(figures: Figures, measured: Measured) -> dict[str, TableCell]:
    plain, new = (measured.slope(name) for name in ("SCS-MM-New, plain CSA", NEW))
    more = 100 * (area_per_bit(*new) / area_per_bit(*plain) - 1) if new and plain else None
    rows = {r["multiplier"]: r for r in figures["analysis_in_text"]}
    fixed = rows["SCS-MM-New, non-configurable CSA"]
    overhead = rounded(100 * (rows[NEW]["area_per_bit"] / fixed["area_per_bit"] - 1), 3)
    size = 1024
    (conversion,) = [c["cycles"] for c in figures["claim"] if "cycles" in c]
    worst, uncounted = design("MSCS-MM", size), DESIGNS["MSCS-MM"].uncounted
    declared, simulated = (
        None if cycle is None else cycle - 1 - (size + 2)
        for cycle in measured.cycles("SCS-MM-1(32)", size)
    )
    means = [measured.sample(name, size) for name in ("SCS-MM-New, plain CSA", NEW)]
    nearly = worst.latency_of(5, 1, 2**size - 1) - uncounted
    return {
        "configurable row: more area, %": TableCell.arithmetic(
            fixed["ccsa_overhead_percent"], overhead, measured=rounded(more, 3)
        ),
        "SCS-MM-1(32) conversion at 1024 bits, cycles": TableCell.circuit(
            conversion, declared, measured=simulated
        ),
        "MSCS-MM at 1024 bits: longest, cycles": TableCell.circuit(
            rows["MSCS-MM"]["worst_case_cycles"], worst.latency().maximum - uncounted,
            f"3k is {3 * size}; N = 2^k - 1, A = 5, B = 1 takes {nearly}",
        ),
        "cycles saved by the configurable row at 1024 bits": TableCell.ours(
            rounded(means[0].mean - means[1].mean, 3) if means[0] and means[1] else None
        ),
    }  # fmt: skip
