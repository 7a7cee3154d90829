"""Tables I and II: gates and transistors, by the printed formulas, by the printed list of cells,
and counted in the emitted text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from modmul.blocks.arrays.unit_cells import (
    FULL_ADDER,
    GATE,
    HALF_ADDER,
    MUX2,
    MUX4,
    SIZES,
    XOR,
    Size,
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
from modmul.papers.columns import Row, tabulate
from modmul.papers.records import EMPTY, Cell, Derived, Figures, Table, rounded

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

    def cell(unit: str, size: Size | None, printed: Mapping[str, int]) -> Cell:
        if size is None:
            return Cell.printed(printed[unit], "counted here by its adders, gates and multiplexers")
        return Cell.arithmetic(printed.get(unit), getattr(size, unit), None if printed else _GATE)

    rows: list[Row] = []
    for name, printed in {**figures["table_1"], "gate": {}}.items():
        label = CIRCUITS[name] if printed else "any other gate"
        size = SIZES.get(CIRCUITS[name])
        rows.append({"circuit": label, **{unit: cell(unit, size, printed) for unit in UNITS}})
    title = "Size of the building blocks; computed: what this tool counts with, a copy"
    return tabulate("I", title, rows)


def _note(row: Mapping[str, Any], unit: str) -> str:
    """On a printed formula."""
    return str(row.get("note") or row[f"{unit}_note"])


def table2(figures: Figures) -> Table:
    """The printed formulas, and those that follow from the printed list of cells."""

    def cell(row: Mapping[str, Any], unit: str) -> Cell:
        listed = written(formula_of_list(figures, row, unit))
        return Cell.arithmetic(written(row[unit]), listed, _note(row, unit))

    rows: list[Row] = [
        {"scheme": SCHEMES[scheme].label, **{unit: cell(row, unit) for unit in UNITS}}
        for scheme, row in rows_of(figures).items()
    ]
    title = "Gates and transistors of k bits; computed: from the printed list of cells"
    return tabulate("II", title, rows)


def at_widths(figures: Figures, measured: Measured) -> Table:
    """Each scheme at the widths of Table IV: values of formula and list, and counted."""
    rows: list[Row] = []
    for k, (scheme, row) in product(WIDTHS, rows_of(figures).items()):
        design, form = SCHEMES[scheme], select(SCHEMES[scheme])
        cells: dict[str, Cell] = {}
        for unit in UNITS:
            cells[unit] = Cell.arithmetic(
                _whole(polynomial(row[unit], k)), _whole(size_of_list(figures, row, k, unit)),
                f"{_note(row, unit)}.  Counted: {row['counted']}",
                measured=_counted(measured, design, k, unit),
            )  # fmt: skip
        for unit in UNITS:
            count = form and _counted(measured, form, k, unit)
            heading = f"{unit}_carry-select"
            cells[heading] = Cell.ours(count, _SELECT) if form else Cell.seen(None, _SELECT)
        rows.append({"bits": k, "scheme": design.label, **cells})
    title = "Gates and transistors; formula, list and our netlist at the widths of Table IV"
    return tabulate("II, sizes", title, rows, kind=Derived)


def _counted(measured: Measured, design: designs.Circuit, k: int, unit: str) -> int | None:
    """Gates or transistors in our netlist."""
    cells = measured.cells.get((design, k))
    return None if cells is None else int(getattr(cells, unit))


def unit_cells(figures: Figures, measured: Measured) -> Table:
    """What Table II is made of."""
    rows: list[Row] = []
    for k, (scheme, row) in product(WIDTHS, rows_of(figures).items()):
        design, inside = SCHEMES[scheme], listed(row, k)
        for form in filter(None, (design, select(design))):
            counted = measured.cells.get((form, k))
            cells = {}
            for circuit, name in CIRCUITS.items():
                said = _whole(inside.get(circuit, 0)) if form == design else None
                found = counted.cells.get(name, 0) if counted and name in SIZES else None
                cell = Cell.arithmetic(None, said)
                if name in SIZES:
                    cell = Cell.arithmetic(None, said, measured=found)
                cells[name.replace(" ", "_")] = cell if said or found else EMPTY
            rows.append({"bits": k, "scheme": form.label, **cells})
    title = "Unit cells; computed: in the printed list; measured: counted in our netlist"
    return tabulate("II, cells", title, rows)


def claims(figures: Figures, measured: Measured) -> Table:
    """Whether the radix-4 array is the smaller one."""
    printed = rows_of(figures)
    own, carry_select = printed[OWN], select(designs.MUX4)
    assert carry_select is not None

    def holds(form: designs.Circuit, scheme: str, unit: str) -> str | None:
        """The widths at which a form of it is smaller than a scheme."""
        smaller = [_smaller(measured, form, scheme, k, unit) for k in WIDTHS]
        here = [k for k, is_smaller in zip(WIDTHS, smaller, strict=True) if is_smaller]
        counted = f"at {', '.join(map(str, here))} bits" if here else "nowhere"
        return None if None in smaller else counted

    rows: list[Row] = []
    for scheme, other in printed.items():
        if scheme == OWN:
            continue
        cells: dict[str, Cell] = {}
        said = other["mux4_is_smaller"]
        for unit in UNITS:
            first = smaller_from(own[unit], other[unit])
            computed = "never" if first is None else f"from {first} bits"
            cells[unit] = Cell.arithmetic(
                said, computed, _why(own[unit], other[unit], said),
                measured=holds(designs.MUX4, scheme, unit),
            )  # fmt: skip
            cells[f"{unit}_carry-select"] = Cell.ours(holds(carry_select, scheme, unit))
        rows.append({"claim": f"smaller than {SCHEMES[scheme].label}", **cells})
    title = "array-mux4 against the others; computed: printed formulas, even k; measured: counted"
    return tabulate("II, claims", title, rows)


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
    smallest = None
    for k in range(_SEARCHED, 2, -2):
        if polynomial(own, k) >= polynomial(other, k):
            return smallest
        smallest = k
    return smallest


def _smaller(
    measured: Measured, form: designs.Circuit, scheme: str, k: int, unit: str
) -> bool | None:
    """Whether `form` is smaller than another scheme, whose final adders are of the same kind; None
    where one of them was not counted."""
    other = SCHEMES[scheme]
    if form != designs.MUX4:
        other = select(other) or other
    sizes = [_counted(measured, design, k, unit) for design in (form, other)]
    return None if sizes[0] is None or sizes[1] is None else sizes[0] < sizes[1]


def _whole(value: float) -> float | None:
    return rounded(value, 9)


_GATE = "not printed; the only size with which the formulas of Table II come out"
_SELECT = (
    "final adders and X + Y in carry-select blocks of four and of two bits: two sums of each, and "
    "the multiplexers that choose among them"
)
