"""Tables I and II: gates and transistors, by the printed formulas, by the printed list of cells,
and counted in the emitted text."""

from __future__ import annotations

from collections.abc import Sequence

from modmul.blocks.arrays.unit_cells import (
    FULL_ADDER,
    GATE,
    HALF_ADDER,
    MUX2,
    MUX4,
    SIZES,
    XOR,
)
from modmul.papers.alkhaleel2006 import designs
from modmul.papers.alkhaleel2006.designs import SCHEMES, WIDTHS, select
from modmul.papers.alkhaleel2006.formulas import (
    formula_of_list,
    listed,
    polynomial,
    rows_of,
    size_of_list,
    written,
)
from modmul.papers.alkhaleel2006.measured import Measured
from modmul.papers.records import (
    EMPTY,
    Cell,
    Derived,
    Figure,
    Figures,
    MeasuredCell,
    Origin,
    Table,
    rounded,
)

UNITS = ("gates", "transistors")
OWN = "mux4"
CIRCUITS = {  # of Table I: what they are called here
    "full_adder": FULL_ADDER,
    "mux_4_to_1": MUX4,
    "half_adder": HALF_ADDER,
    "xor_gate": XOR,
    "mux_2_to_1": MUX2,
    "gate": GATE,
    "cla_2": "2-bit CLA",
}
_SEARCHED = 4000  # bits


def table1(figures: Figures) -> Table:
    """Printed, and what is counted with here, which are copies of it."""
    rows: list[tuple[Figure | Cell, ...]] = []
    for name, printed in figures["table_1"].items():
        size = SIZES.get(CIRCUITS[name])
        cells = (
            Cell(printed[u], getattr(size, u), None, origin=Origin.ARITHMETIC)
            if size
            else Cell(printed[u], remark=_PARTS, origin=Origin.PRINT)
            for u in UNITS
        )
        rows.append((CIRCUITS[name], *cells))
    plain = (
        Cell(None, getattr(SIZES[GATE], u), None, _GATE, origin=Origin.ARITHMETIC) for u in UNITS
    )
    rows.append(("any other gate", *plain))
    title = "Size of the building blocks; computed: what this tool counts with, a copy"
    return Table("I", title, ("circuit", *UNITS), tuple(rows))


def table2(figures: Figures) -> Table:
    """The printed formulas, and those that follow from the printed list of cells."""
    rows: list[tuple[Figure | Cell, ...]] = []
    for scheme, row in rows_of(figures).items():
        cells = (
            Cell(
                written(row[unit]), written(formula_of_list(figures, row, unit)), None,
                _LIST[scheme][unit], origin=Origin.ARITHMETIC,
            )
            for unit in UNITS
        )  # fmt: skip
        rows.append((SCHEMES[scheme].label, *cells))
    title = "Gates and transistors of k bits; computed: from the printed list of cells"
    return Table("II", title, ("scheme", *UNITS), tuple(rows))


def at_widths(figures: Figures, measured: Measured) -> Table:
    """Each scheme at the widths of Table IV: values of formula and list, and counted."""
    rows: list[tuple[Figure | Cell, ...]] = []
    for k in WIDTHS:
        for scheme, row in rows_of(figures).items():
            design = SCHEMES[scheme]
            cells: list[Cell] = []
            for unit in UNITS:
                remark = f"{_LIST[scheme][unit]}.  Counted: {_COUNTED[scheme]}"
                count = _counted(measured, design, k, unit)
                computed = size_of_list(figures, row, k, unit)
                printed = polynomial(row[unit], k)
                cells.append(
                    MeasuredCell(
                        _whole(printed), _whole(computed), count, remark, origin=Origin.ARITHMETIC
                    )
                )
            form = select(design)
            for unit in UNITS:
                count = _counted(measured, form, k, unit) if form else None
                kind = MeasuredCell if form else Cell
                cells.append(kind(None, None, count, _SELECT, origin=Origin.MEASURED))
            rows.append((k, design.label, *cells))
    title = "Gates and transistors; formula, list and our netlist at the widths of Table IV"
    columns = ("bits", "scheme", *UNITS, *(f"{unit}_carry-select" for unit in UNITS))
    return Derived("II, sizes", title, columns, tuple(rows))


def _counted(measured: Measured, design: designs.Design, k: int, unit: str) -> int | None:
    """Gates or transistors in our netlist."""
    cells = measured.cells.get((design, k))
    return None if cells is None else int(getattr(cells, unit))


def unit_cells(figures: Figures, measured: Measured) -> Table:
    """What Table II is made of."""
    rows: list[tuple[Figure | Cell, ...]] = []
    for k in WIDTHS:
        for scheme, row in rows_of(figures).items():
            design, inside = SCHEMES[scheme], listed(row, k)
            for form in filter(None, (design, select(design))):
                counted = measured.cells.get((form, k))
                cells = [
                    (MeasuredCell if name in SIZES else Cell)(
                        None,
                        _whole(inside.get(circuit, 0)) if form == design else None,
                        counted.cells.get(name, 0) if counted and name in SIZES else None,
                        origin=Origin.ARITHMETIC,
                    )
                    for circuit, name in CIRCUITS.items()
                ]
                rows.append((k, form.label, *(one if _says(one) else EMPTY for one in cells)))
    title = "Unit cells; computed: in the printed list; measured: counted in our netlist"
    columns = ("bits", "scheme", *(name.replace(" ", "_") for name in CIRCUITS.values()))
    return Table("II, cells", title, columns, tuple(rows))


def claims(figures: Figures, measured: Measured) -> Table:
    """Whether the radix-4 array is the smaller one."""
    printed = rows_of(figures)
    rows: list[tuple[Figure | Cell, ...]] = []
    for scheme in printed:
        if scheme == OWN:
            continue
        cells = []
        for unit in UNITS:
            said = _SAID[unit][scheme]
            first = smaller_from(printed[OWN][unit], printed[scheme][unit])
            computed = "never" if first is None else f"from {first} bits"
            for form, claim in ((designs.MUX4, True), (select(designs.MUX4), False)):
                assert form is not None
                smaller = [_smaller(measured, form, scheme, k, unit) for k in WIDTHS]
                here = [k for k, holds in zip(WIDTHS, smaller, strict=True) if holds]
                counted = f"at {', '.join(map(str, here))} bits" if here else "nowhere"
                figure = None if None in smaller else counted
                remark = _why(printed[OWN][unit], printed[scheme][unit], said) if claim else None
                shown = (said, computed) if claim else (None, None)
                origin = Origin.ARITHMETIC if claim else Origin.MEASURED
                cells.append(MeasuredCell(shown[0], shown[1], figure, remark, origin=origin))
        rows.append((f"smaller than {SCHEMES[scheme].label}", *cells))
    title = "array-mux4 against the others; computed: printed formulas, even k; measured: counted"
    columns = ("claim", *(f"{u}{form}" for u in UNITS for form in ("", "_carry-select")))
    return Table("II, claims", title, columns, tuple(rows))


def _why(own: Sequence[float], other: Sequence[float], said: str) -> str:
    """What the printed formulas say of a claim, at the ends of Table II."""
    ends = (min(WIDTHS), max(WIDTHS))
    ratios = " and ".join(f"{polynomial(own, k) / polynomial(other, k):.2f}" for k in ends)
    kind = "the claim is of all widths" if said == "always" else f'"{said}" is no figure'
    return (
        f"{kind}; by the printed formulas the array has {ratios} times the size of the other at "
        f"{ends[0]} and {ends[1]} bits; measured: the widths of Table II at which it is smaller"
    )


def smaller_from(own: Sequence[float], other: Sequence[float]) -> int | None:
    """The even k from which `own` is below `other`; None if there is none up to _SEARCHED."""
    found = None
    for k in range(_SEARCHED, 2, -2):
        if polynomial(own, k) >= polynomial(other, k):
            return found
        found = k
    return found


def _smaller(
    measured: Measured, form: designs.Design, scheme: str, k: int, unit: str
) -> bool | None:
    """Whether `form` is smaller than another scheme, whose final adders are of the same kind; None
    where one of them was not counted."""
    other = SCHEMES[scheme]
    if form != designs.MUX4:
        other = select(other) or other
    sizes = [_counted(measured, design, k, unit) for design in (form, other)]
    return None if sizes[0] is None or sizes[1] is None else sizes[0] < sizes[1]


def _says(cell: Cell) -> bool:
    return bool(cell.computed or cell.measured)


def _whole(value: float) -> float | None:
    return rounded(value, 9)


_PARTS = "counted here by its adders, gates and multiplexers"
_GATE = "not printed; the only size with which the formulas of Table II come out"
_SELECT = (
    "final adders and X + Y in carry-select blocks of four and of two bits: two sums of each, and "
    "the multiplexers that choose among them"
)
_SAID = {
    "gates": dict.fromkeys(("iterative", "five_counter", "booth"), "always") | {"mux": "similar"},
    "transistors": dict.fromkeys(("iterative", "five_counter", "booth"), "always")
    | {"mux": "similar"},
}
_EXACT = "formula and list agree"
_LIST = {
    "iterative": dict.fromkeys(UNITS, _EXACT),
    "five_counter": dict.fromkeys(
        UNITS, "the formula has 2(k - 1) gated full adders more than the list, which finish"
    ),
    "booth": {
        "gates": "the formula leaves out both full adders of each cell B",
        "transistors": "misprint: no constant size of a gate makes the formula of the list",
    },
    "mux": {
        "gates": "the formula has -34, which is not in the list",
        "transistors": "the formula has -73, which is not in the list",
    },
    "mux4": dict.fromkeys(
        UNITS,
        "misprint: the formula needs 4k CSA-4 (each two 2-bit CLA), of which 4k/2 are listed; the "
        "CSA-2 is taken as two full adders and nine gates, without which neither formula fits",
    ),
}
_COUNTED = {
    "iterative": "row 0 has gates alone, row 1 half adders; carries saved, so a final adder",
    "five_counter": "cells at the diagonal take fewer than five bits; final adders without gates",
    "booth": (
        "k/2 + 1 rows, as unsigned operands of even length need; a cell has a gate and an XOR in "
        "the place of five gates; k + 1 of the full adders have a constant input"
    ),
    "mux": (
        "one final adder and one of X + Y, a full adder a bit; carries of X + Y are read off its "
        "sum, so the diagonal has gates alone"
    ),
    "mux4": (
        "four final adders and one of X + Y, a full adder a bit; carries of X + Y are read off its "
        "sum, half adders where two bits meet"
    ),
}
