"""Tables I and II, the analysis in the text, and what else it says in figures: formulas, and cells
that were mapped."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from modmul.implementation.cell_synthesis import open_library
from modmul.papers.columns import Claims, Row, Rows, claims, table
from modmul.papers.kuang2016.designs import DESIGNS, design
from modmul.papers.kuang2016.experiment import printed_rows
from modmul.papers.kuang2016.measured import SLOPE, Measured, Slope
from modmul.papers.records import Figures, TableCell, rounded
from modmul.papers.silicon import MappedCore, area_per_bit, cells_per_bit, main_cells
from modmul.targets import libraries
from modmul.targets.libraries.library import Pin

_TERM = re.compile(r"(?P<count>\d*)\s*(?P<cell>[A-Z]+\d?)\Z")
_SHORT = {"AND": "AND2", "XOR": "XOR2"}
SAME = {"SCS-MM-1": "SCS-MM-1(32)", "SCS-MM-New, non-configurable CSA": "SCS-MM-New, plain CSA"}


@table("I", narrow=SLOPE[0], wide=SLOPE[1])
def table1(figures: Figures, measured: Measured) -> Rows:
    """Area and delay by formula; the area is the slope between two widths."""
    rows = (_row(row, figures, measured) for row in figures["table_1"])
    yield from rows


@table("Section IV-A")
def in_text(figures: Figures, measured: Measured) -> Rows:
    """The figures of the text for the other multipliers."""
    rows = (_row(row, figures, measured) for row in figures["analysis_in_text"])
    yield from rows


def _row(row: Mapping[str, Any], figures: Figures, measured: Measured) -> Row:
    name = row["multiplier"]
    slope = measured.slope(SAME.get(name, name))
    cells = f"mapped, per bit: {cells_per_bit(*slope)}" if slope else ""
    path = f"mapped, {slope.wide.width} bits: {slope.wide.path}" if slope else ""

    def cell(what: str, heading: str, ours: float | None, mapped: str) -> TableCell:
        formula = row.get(f"{what}_formula")
        remarks = filter(None, (formula or "no formula", mapped, row.get(f"{what}_note")))
        if formula is None:
            return TableCell.ours(rounded(ours, 4), "; ".join(remarks), published=row.get(heading))
        value = rounded(evaluate(formula, figures, what))
        return TableCell.arithmetic(
            row.get(heading), value, "; ".join(remarks), measured=rounded(ours, 4)
        )

    area = row.get("area_formula")
    flip_flops = rounded(slope and round(_registers(slope), 2))
    counted = _count(area, ("REG", "SR")) if area else None
    return {
        "multiplier": name,
        "area_per_bit": cell("area", "area_per_bit", slope and area_per_bit(*slope), cells),
        "delay": cell("delay", "delay", slope and slope.wide.delay, path),
        "flip-flops_per_bit": TableCell.arithmetic(None, counted, measured=flip_flops)
        if area
        else TableCell.ours(flip_flops),
    }


def _registers(slope: Slope) -> float:
    flip_flops = [core.cells.get("REG", 0) for core in slope]
    return (flip_flops[1] - flip_flops[0]) / (slope.wide.width - slope.narrow.width)


def evaluate(formula: str, figures: Figures, what: str) -> float:
    """A formula of the paper with the cells of Table II.  what: "area" or "delay".

    What stands in parentheses, or second in max(...), is left out, as in the paper."""
    text = re.sub(r"\(\+.*\)", "", formula)
    inside = re.match(r"max\((.*?),", text)
    total = 0.0
    for term in (inside[1] if inside else text).split("+"):
        match = _TERM.match(term.strip())
        assert match is not None, formula
        total += int(match["count"] or 1) * size(match["cell"], figures, what)
    return round(total, 6)


def size(cell: str, figures: Figures, what: str) -> float:
    """Area or delay of a cell of Table II, or of one made of such cells."""
    derived = figures["derived_cells"].get(f"{cell}_{what}_formula")
    if derived is not None:
        return evaluate(derived, figures, what)
    return float(figures["table_2"][what][_SHORT.get(cell, cell)])


def _count(formula: str, cells: tuple[str, ...]) -> int:
    terms = (_TERM.match(term.strip()) for term in re.sub(r"\(\+.*\)", "", formula).split("+"))
    return sum(int(t["count"] or 1) for t in terms if t is not None and t["cell"] in cells)


@table("II")
def table2(figures: Figures, measured: Measured) -> Rows:
    """The cells: as printed, and as the library `normalised` has them, which is a copy of print."""
    printed, parts = figures["table_2"], figures["derived_cells"]
    library = open_library(libraries.DEFAULT).library
    for name, cell in sorted(library.cells.items(), key=lambda item: _place(item[0], printed)):
        delays = sorted({value for pin in cell.outputs() for value in _delays(pin)})
        remark = None if name in printed["area"] else cell.source
        area, delay = (printed[what].get(name) for what in ("area", "delay"))
        why = remark or (figures["table_2_notes"]["no_delay"] if delay is None else _paths(delays))
        longest = (
            TableCell.arithmetic(delay, delays[-1], why)
            if delays
            else TableCell.printed(delay, why)
        )
        area_cell = TableCell.arithmetic(area, cell.area, remark)
        yield {"cell": name, "area": area_cell, "delay": longest}
    for name, delay in (("SM3", size("SM3", figures, "delay")), ("SR", None)):
        remark = f"{parts[f'{name}_area_formula']}: {figures['table_2_notes']['parts']}"
        both = {"area": size(name, figures, "area"), "delay": delay}
        cells = {what: TableCell.arithmetic(None, figure, remark) for what, figure in both.items()}
        yield {"cell": name, **cells}


def _place(name: str, printed: Mapping[str, Any]) -> tuple[int, str]:
    names = list(printed["area"])
    return (names.index(name) if name in names else len(names), name)


def _delays(pin: Pin) -> list[float]:
    return [
        value
        for arc in pin.arcs
        for table in (arc.rise, arc.fall)
        if table is not None
        for row in table.values
        for value in row
    ]


def _paths(delays: list[float]) -> str | None:
    if len(delays) < 2:
        return None
    others = ", ".join(f"{delay:g}" for delay in delays[:-1])
    return f"the longest of its paths; the others: {others}"


NEW, OLD = "SCS-MM-New", "FCS-MMM42"
_KEYS = {  # of a claim: the column of Table III, and whether more of it is better
    "shorter_critical_path": ("delay", -1),
    "smaller_area": ("area", -1),
    "higher_throughput": ("throughput", 1),
    "smaller_atp": ("atp", -1),
}


@claims()
def statements(figures: Figures, measured: Measured) -> Claims:
    """Percentages of section IV-B, and what section III says of cycles and area."""
    cells: dict[str, TableCell] = {}
    for claim in figures["claim"]:
        if "shorter_critical_path" in claim:
            cells |= _against_old(claim, figures, measured)
    return {**cells, **_others(figures, measured)}


def _against_old(
    claim: Mapping[str, Any], figures: Figures, measured: Measured
) -> dict[str, TableCell]:
    """SCS-MM-New against FCS-MMM42: from the printed Table III, and in our cells."""
    size, table = claim["key_size"], printed_rows(figures)
    library, cells = list(measured.libraries.items())[-1]
    ours = [_factors(cells, measured, (name, size)) for name in (NEW, OLD)]
    compared = {}
    for key, (column, sign) in _KEYS.items():
        printed = 100 * (table[NEW, size].others[column] / table[OLD, size].others[column] - 1)
        new, old = (our and our[column] for our in ours)
        percent = sign * 100 * (new / old - 1) if new and old else None
        what = f"{NEW} against {OLD}, {size} bits: {key.replace('_', ' ')}, %"
        compared[what] = TableCell.arithmetic(
            claim[key],
            rounded(sign * printed, 3),
            f"measured: {library}, no wires{_details(cells, size, column)}",
            measured=rounded(percent, 3),
        )
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
            rows["MSCS-MM"]["worst_case_cycles_at_1024_bits"],
            worst.latency().maximum - uncounted,
            f"printed: about 3k; N = 2^k - 1, A = 5, B = 1 takes {nearly}",
        ).as_said("about"),
        "cycles saved by the configurable row at 1024 bits": TableCell.ours(
            rounded(means[0].mean - means[1].mean, 3) if means[0] and means[1] else None
        ),
    }
