"""Tables I and II, and the analysis in the text: formulas, and cells that were mapped."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from modmul.papers.kuang2016.measured import Measured, Slope
from modmul.papers.records import Cell, Figure, Figures, MeasuredCell, Origin, Table, rounded
from modmul.papers.silicon import area_per_bit, cells_per_bit
from modmul.targets.libraries.library import Library, Pin

_TERM = re.compile(r"(?P<count>\d*)\s*(?P<cell>[A-Z]+\d?)\Z")
_SHORT = {"AND": "AND2", "XOR": "XOR2"}
NO_FIGURE = "none is printed; our registers take no time"
# What makes the difference between formula and mapped design: of the area, of the delay.
NOTES = {
    "SCS-MM-1": (
        "the formula has no AND for A_i*B and q*N, as the row of SCS-MM-2 has (with them 7.16); "
        "counted here, too: the ways into A, B and N, and to and from the adder that makes the "
        "result binary",
        "beyond the formula: what a sum passes on its way into its register, which is also that of "
        "the conversion",
    ),
    "SCS-MM-2": (
        "counted here, too: the ways into A, B and N",
        "the formula has two MUX2 on the path; the choice of the shift is made of NAND2 here, "
        "faster than the AND of the addend beside it",
    ),
    "FCS-MM-1": (
        "counted here, too: the ways into A, B and N",
        "XOR of the formula is made of NAND2 here, a little faster",
    ),
    "FCS-MM-2": (
        "counted here, too: a row of its own for BS + BC + N, the ways into A, B and N",
        "XOR, AND and MUX4 of the formula are NAND gates here, faster, and q comes last",
    ),
    "FCS-MMM42": (
        "counted here, too: a row of its own for BS^ + BC^ + N^, and the ways into A, B and N; "
        "registers that load and shift by one and by two take MUX3, not the MUX2 of the formula",
        "MUX4 is made of NAND2 here, and takes no longer than AND2",
    ),
    "MSCS-MM": (
        "",
        "claimed for the data path; q of the next iteration as printed is made from the sum that "
        "leaves the adders, and so it follows them here",
    ),
    "SCS-MM-New": (
        "counted here, too: the ways into A, B and N; a register that loads and shifts by one and "
        "by two takes MUX3, not the MUX2 of the formula; SC is tested for 0",
        "MUX4 and the detector are NAND gates here, faster than by formula, which has no test of "
        "SC for 0: a tree of gates, ending a phase in the same cycle",
    ),
}
NOTES["SCS-MM-New, non-configurable CSA"] = (f"as SCS-MM-New: {NOTES['SCS-MM-New'][0]}", "")
SAME = {"SCS-MM-1": "SCS-MM-1(32)", "SCS-MM-New, non-configurable CSA": "SCS-MM-New, plain CSA"}


def table1(figures: Figures, measured: Measured) -> Table:
    """Area and delay by formula; the area is the slope between two widths."""
    rows = [_row(row, figures, measured) for row in figures["table_1"]]
    return Table(
        "I", f"Area per bit (A_FA) and delay (T_FA): {measured.slope_title}", _COLUMNS, tuple(rows)
    )


def in_text(figures: Figures, measured: Measured) -> Table:
    """The same figures for the other multipliers."""
    rows = [_row(row, figures, measured) for row in figures["analysis_in_text"]]
    return Table("Section IV-A", "The same, given in the text", _COLUMNS, tuple(rows))


_COLUMNS = ("multiplier", "area_per_bit", "delay", "flip-flops_per_bit")


def _row(row: Mapping[str, Any], figures: Figures, measured: Measured) -> tuple[Figure | Cell, ...]:
    name = row["multiplier"]
    slope = measured.slopes.get(SAME.get(name, name))
    of_area, of_delay = (f"; {note}" if note else "" for note in NOTES[name])
    area, delay = row.get("area_formula"), row.get("delay_formula")
    registers = _count(area, ("REG", "SR")) if area else None
    cells = f"; mapped, per bit: {cells_per_bit(*slope)}" if slope else ""
    path = f"; mapped, {slope.wide.width} bits: {slope.wide.path}" if slope else ""
    return (
        name,
        MeasuredCell(
            row.get("area_per_bit"),
            rounded(evaluate(area, figures, "area")) if area else None,
            rounded(slope and area_per_bit(*slope), 4),
            f"{area or 'no formula'}{cells}{of_area}",
            origin=Origin.ARITHMETIC if area else Origin.MEASURED,
        ),
        MeasuredCell(
            row.get("delay"),
            rounded(evaluate(delay, figures, "delay")) if delay else None,
            rounded(slope and slope.wide.delay, 4),
            f"{delay or 'no formula'}{path}{of_delay}",
            origin=Origin.ARITHMETIC if delay else Origin.MEASURED,
        ),
        MeasuredCell(
            None,
            registers,
            rounded(slope and round(_registers(slope), 2)),
            origin=Origin.ARITHMETIC if area else Origin.MEASURED,
        ),
    )


def _registers(slope: Slope) -> float:
    flip_flops = [one.cells.get("REG", 0) for one in slope]
    return (flip_flops[1] - flip_flops[0]) / (slope.wide.width - slope.narrow.width)


def evaluate(formula: str, figures: Figures, what: str) -> float:
    """A formula of the paper with the cells of Table II.  what: "area" or "delay".

    What stands in parentheses, or second in max(...), is left out, as in the paper."""
    text = re.sub(r"\(\+.*\)", "", formula)
    inside = re.match(r"max\((.*?),", text)
    total = 0.0
    for term in (inside[1] if inside else text).split("+"):
        found = _TERM.match(term.strip())
        assert found is not None, formula
        total += int(found["count"] or 1) * size(found["cell"], figures, what)
    return round(total, 6)


def size(cell: str, figures: Figures, what: str) -> float:
    """Of a cell of Table II, or of one made of such cells."""
    derived = figures["derived_cells"].get(f"{cell}_{what}_formula")
    if derived is not None:
        return evaluate(derived, figures, what)
    return float(figures["table_2"][what][_SHORT.get(cell, cell)])


def _count(formula: str, cells: tuple[str, ...]) -> int:
    terms = (_TERM.match(term.strip()) for term in re.sub(r"\(\+.*\)", "", formula).split("+"))
    return sum(int(t["count"] or 1) for t in terms if t is not None and t["cell"] in cells)


def table2(figures: Figures, library: Library) -> Table:
    """The cells: as printed, and as the library `normalised` has them, which is a copy of print."""
    printed = figures["table_2"]
    rows: list[tuple[Figure | Cell, ...]] = []
    for name, cell in sorted(library.cells.items(), key=lambda item: _place(item[0], printed)):
        inside = name in printed["area"]
        delays = sorted({value for pin in cell.outputs() for value in _delays(pin)})
        remark = None if inside else cell.source
        delay = printed["delay"].get(name)
        longest = delays[-1] if delays else None
        why = remark or (NO_FIGURE if delay is None else _paths(delays))
        origin = Origin.PRINT if longest is None else Origin.ARITHMETIC
        rows.append(
            (
                name,
                Cell(printed["area"].get(name), cell.area, None, remark, origin=Origin.ARITHMETIC),
                Cell(delay, longest, None, why, origin=origin),
            )
        )
    derived = [name for name in ("SM3", "SR") if f"{name}_area_formula" in figures["derived_cells"]]
    for name in derived:
        formulas = figures["derived_cells"]
        parts = formulas[f"{name}_area_formula"]
        remark = f"{parts}: no cell of ours, mapped as its parts"
        delay = size(name, figures, "delay") if name == "SM3" else None
        both = (size(name, figures, "area"), delay)
        cells = (Cell(None, one, None, remark, origin=Origin.ARITHMETIC) for one in both)
        rows.append((name, *cells))
    title = "Cells: area (A_FA) and delay (T_FA); computed: of the library that is a copy of them"
    return Table("II", title, ("cell", "area", "delay"), tuple(rows))


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
    return f"the longest of its paths; the others: {', '.join(f'{one:g}' for one in delays[:-1])}"
