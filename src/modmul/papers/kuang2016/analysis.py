"""Tables I and II, and the analysis in the text: formulas, and cells that were mapped."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from modmul.implementation.cell_synthesis import open_library
from modmul.papers.columns import Row, tabulate
from modmul.papers.kuang2016.measured import SLOPE, Measured, Slope
from modmul.papers.records import Figures, Table, TableCell, rounded
from modmul.papers.silicon import area_per_bit, cells_per_bit
from modmul.targets import libraries
from modmul.targets.libraries.library import Pin

_TERM = re.compile(r"(?P<count>\d*)\s*(?P<cell>[A-Z]+\d?)\Z")
_SHORT = {"AND": "AND2", "XOR": "XOR2"}
NO_FIGURE = "none is printed; our registers take no time"
SAME = {"SCS-MM-1": "SCS-MM-1(32)", "SCS-MM-New, non-configurable CSA": "SCS-MM-New, plain CSA"}


def table1(figures: Figures, measured: Measured) -> Table:
    """Area and delay by formula; the area is the slope between two widths."""
    rows = (_row(row, figures, measured) for row in figures["table_1"])
    return tabulate(figures, "I", rows, narrow=SLOPE[0], wide=SLOPE[1])


def in_text(figures: Figures, measured: Measured) -> Table:
    """The figures of the text for the other multipliers."""
    rows = (_row(row, figures, measured) for row in figures["analysis_in_text"])
    return tabulate(figures, "Section IV-A", rows)


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


def table2(figures: Figures, measured: Measured) -> Table:
    """The cells: as printed, and as the library `normalised` has them, which is a copy of print."""
    printed, parts = figures["table_2"], figures["derived_cells"]
    library = open_library(libraries.DEFAULT).library
    rows: list[Row] = []
    for name, cell in sorted(library.cells.items(), key=lambda item: _place(item[0], printed)):
        delays = sorted({value for pin in cell.outputs() for value in _delays(pin)})
        remark = None if name in printed["area"] else cell.source
        area, delay = (printed[what].get(name) for what in ("area", "delay"))
        why = remark or (NO_FIGURE if delay is None else _paths(delays))
        longest = (
            TableCell.arithmetic(delay, delays[-1], why)
            if delays
            else TableCell.printed(delay, why)
        )
        area_cell = TableCell.arithmetic(area, cell.area, remark)
        rows.append({"cell": name, "area": area_cell, "delay": longest})
    for name, delay in (("SM3", size("SM3", figures, "delay")), ("SR", None)):
        remark = f"{parts[f'{name}_area_formula']}: no cell of ours, mapped as its parts"
        both = {"area": size(name, figures, "area"), "delay": delay}
        cells = {what: TableCell.arithmetic(None, figure, remark) for what, figure in both.items()}
        rows.append({"cell": name, **cells})
    return tabulate(figures, "II", rows)


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
