"""Tables I and II: gates and transistors, by the printed formulas, by the printed list of cells,
and counted in the emitted text."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from msgspec import UNSET

from modmul.blocks.arrays import unit_cells as known
from modmul.blocks.arrays.unit_cells import GATE, SIZES
from modmul.papers.alkhaleel2006.designs import MUX4, SCHEMES, WIDTHS, Circuit, Measured, select
from modmul.papers.columns import Row, Rows, table
from modmul.papers.records import EMPTY, Figures, TableCell, rounded


def polynomial(coefficients: Sequence[float], k: int) -> float:
    """The value at k of a polynomial, whose highest power is first."""
    return functools.reduce(lambda value, coefficient: value * k + coefficient, coefficients, 0.0)


def rows_of(figures: Figures) -> dict[str, Mapping[str, Any]]:
    """Table II by scheme."""
    return {row["scheme"]: row for row in figures["table_2"]}


def listed(row: Mapping[str, Any], k: int) -> dict[str, float]:
    """Circuits of Table I, and plain gates, that the cells of a scheme have by the printed list."""
    circuits: dict[str, float] = {}  # for even k, cells of the Booth array come in halves
    for cell in row["cells"]:
        count = polynomial(cell["count"], k)
        for circuit, number in cell["contents"].items():
            circuits[circuit] = circuits.get(circuit, 0) + number * count
    return circuits


def formula_of_list(figures: Figures, row: Mapping[str, Any], unit: str) -> list[float]:
    """Coefficients of the gates or transistors of the printed list; the highest power first."""
    table = {**figures["table_1"], "gate": SIZES[GATE]._asdict()}
    total = [0.0, 0.0, 0.0]
    for cell in row["cells"]:
        size = sum(count * table[name][unit] for name, count in cell["contents"].items())
        for power, coefficient in enumerate(reversed(cell["count"])):
            total[power] += size * coefficient
    return total[::-1]


def written(coefficients: Sequence[float]) -> str:
    """13 k^2 + 39 k - 26, from its coefficients."""
    powers = range(len(coefficients) - 1, -1, -1)
    text = ""
    for power, coefficient in zip(powers, coefficients, strict=True):
        if coefficient:
            less = coefficient < 0
            sign = (" - " if less else " + ") if text else ("-" if less else "")
            of_k = f"{('', ' k')[power > 0]}{f'^{power}' if power > 1 else ''}"
            text += f"{sign}{abs(coefficient):g}{of_k}"
    return text or "0"


UNITS = ("gates", "transistors")
OWN = "mux4"
CIRCUITS = {  # of Table I: what they are called here
    "full_adder": known.FULL_ADDER,
    "mux_4_to_1": known.MUX4,
    "half_adder": known.HALF_ADDER,
    "xor_gate": known.XOR,
    "mux_2_to_1": known.MUX2,
    "gate": known.GATE,
    "cla_2": "2-bit CLA",
}
_SEARCHED = 4000  # bits


@table("I")
def table1(figures: Figures, measured: Measured) -> Rows:
    """Printed, and what is counted with here, which are copies of it."""

    for name, printed in {**figures["table_1"], "gate": {}}.items():
        size, note = SIZES.get(CIRCUITS[name]), figures["table_1_notes"].get(name)
        cells = {
            unit: TableCell.arithmetic(printed.get(unit), getattr(size, unit), note)
            if size
            else TableCell.printed(printed[unit], note)
            for unit in UNITS
        }
        yield {"circuit": CIRCUITS[name] if printed else "any other gate", **cells}


def _note(row: Mapping[str, Any], unit: str) -> str:
    """On a printed formula."""
    return str(row.get("note") or row[f"{unit}_note"])


@table("II")
def table2(figures: Figures, measured: Measured) -> Rows:
    """The printed formulas, and those that follow from the printed list of cells."""

    def cell(row: Mapping[str, Any], unit: str) -> TableCell:
        listed = formula_of_list(figures, row, unit)
        published, computed = (written(formula) for formula in (row[unit], listed))
        return TableCell.arithmetic(published, computed, _note(row, unit))

    rows: list[Row] = [
        {"scheme": SCHEMES[scheme].label, **{unit: cell(row, unit) for unit in UNITS}}
        for scheme, row in rows_of(figures).items()
    ]
    yield from rows


@table("II, sizes")
def at_widths(figures: Figures, measured: Measured) -> Rows:
    """Each scheme at the widths of Table IV: values of formula and list, and counted."""

    def row(k: int, scheme: str, printed: Mapping[str, Any]) -> Row:
        design, form = SCHEMES[scheme], select(SCHEMES[scheme])
        cells: dict[str, TableCell] = {}
        for unit in UNITS:
            listed = formula_of_list(figures, printed, unit)
            cells[unit] = TableCell.arithmetic(
                _whole(polynomial(printed[unit], k)),
                _whole(polynomial(listed, k)),
                f"{_note(printed, unit)}.  Counted: {printed['counted']}",
                measured=_counted(measured, design, k, unit),
            )
        for unit in UNITS:
            count = form and _counted(measured, form, k, unit)
            cells[f"{unit}_carry-select"] = TableCell.ours(count) if form else TableCell.seen(None)
        return {"bits": k, "scheme": design.label, **cells}

    rows = (row(k, *entry) for k, entry in product(WIDTHS, rows_of(figures).items()))
    yield from rows


def _counted(measured: Measured, design: Circuit, k: int, unit: str) -> int | None:
    """Gates or transistors in our netlist."""
    cells = measured.cells.get((design, k))
    return None if cells is None else int(getattr(cells, unit))


@table("II, cells")
def unit_cells(figures: Figures, measured: Measured) -> Rows:
    """What Table II is made of."""
    for k, (scheme, row) in product(WIDTHS, rows_of(figures).items()):
        design, inside = SCHEMES[scheme], listed(row, k)
        for form in filter(None, (design, select(design))):
            counted = measured.cells.get((form, k))
            cells = {}
            for circuit, name in CIRCUITS.items():
                said = _whole(inside.get(circuit, 0)) if form == design else None
                number = counted.cells.get(name, 0) if counted and name in SIZES else None
                cell = TableCell.arithmetic(None, said, measured=number if name in SIZES else UNSET)
                cells[name.replace(" ", "_")] = cell if said or number else EMPTY
            yield {"bits": k, "scheme": form.label, **cells}


@table("II, claims")
def claims(figures: Figures, measured: Measured) -> Rows:
    """Whether the radix-4 array is the smaller one."""
    printed = rows_of(figures)
    own, carry_select = printed[OWN], select(MUX4)
    assert carry_select is not None

    def holds(form: Circuit, scheme: Circuit, unit: str) -> str | None:
        """The widths at which a form of it is smaller than a scheme whose final adders are of the
        same kind; None where one of them was not counted."""
        other = scheme if form == MUX4 else select(scheme) or scheme
        sizes = {k: [_counted(measured, each, k, unit) for each in (form, other)] for k in WIDTHS}
        if any(None in pair for pair in sizes.values()):
            return None
        smaller = [str(k) for k, (own, its) in sizes.items() if (own or 0) < (its or 0)]
        return f"at {', '.join(smaller)} bits" if smaller else "nowhere"

    for scheme, other in printed.items():
        if scheme == OWN:
            continue
        cells: dict[str, TableCell] = {}
        said = other["mux4_is_smaller"]
        for unit in UNITS:
            first = smaller_from(own[unit], other[unit])
            computed = "never" if first is None else f"from {first} bits"
            why = _why(own[unit], other[unit], said)
            if said == "similar":
                widest = max(WIDTHS)
                ratio = polynomial(own[unit], widest) / polynomial(other[unit], widest)
                counts = [
                    _counted(measured, form, widest, unit) for form in (MUX4, SCHEMES[scheme])
                ]
                here = counts[0] / counts[1] if counts[0] and counts[1] else None
                cells[unit] = TableCell.arithmetic(
                    1,
                    rounded(ratio, 3),
                    f"over its size at {widest} bits; {why}",
                    measured=rounded(here, 3),
                ).as_said("similar")
            else:
                cells[unit] = TableCell.arithmetic(
                    said, computed, why, measured=holds(MUX4, SCHEMES[scheme], unit)
                )
            cells[f"{unit}_carry-select"] = TableCell.ours(
                holds(carry_select, SCHEMES[scheme], unit)
            )
        relation = "similar to" if said == "similar" else "smaller than"
        yield {"claim": f"{relation} {SCHEMES[scheme].label}", **cells}


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


def _whole(value: float) -> float | None:
    return rounded(value, 9)
