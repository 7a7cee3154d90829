"""Operations that are written as others: choices among several, shifts wider than their result."""

from __future__ import annotations

from collections.abc import Iterator

from modmul.export.verilog.rtlil import Cell, Chunk, Signal, part, width

_SHIFTS = {"$shl": "$shl", "$sshl": "$shl", "$shr": "$shr", "$shift": "$shr", "$shiftx": "$shr"}


def simpler(cell: Cell) -> Iterator[Cell]:
    """The cells that do the same.  ValueError for a shift in both directions."""
    if cell.kind == "$pmux":
        yield from _choices(cell)
    elif cell.kind in _SHIFTS:
        yield from _shift(cell)
    else:
        yield cell


def _choices(cell: Cell) -> Iterator[Cell]:
    """One multiplexer after the other: of its conditions at most one is true."""
    result, conditions = cell.pins["Y"], cell.pins["S"]
    bits, value = width(result), cell.pins["A"]
    for place in reversed(range(width(conditions))):
        made = result if place == 0 else (Chunk(f"${cell.name}.{place}", 0, bits),)
        pins = {
            "A": value, "B": part(cell.pins["B"], place * bits, bits),
            "S": part(conditions, place, 1), "Y": made,
        }  # fmt: skip
        yield Cell("$mux", f"{cell.name}.{place}", {}, pins)
        value = made


def _shift(cell: Cell) -> Iterator[Cell]:
    """As wide as what is shifted, or as the result; this may be its lowest bits alone."""
    if cell.number("A_SIGNED") or cell.number("B_SIGNED"):
        raise ValueError(f"cell {cell.name}: a shift of signed numbers is not understood")
    shifted, result = cell.pins["A"], cell.pins["Y"]
    missing = width(result) - width(shifted)
    if missing > 0:
        shifted = (*shifted, Chunk(None, 0, missing, "0" * missing))
    rest: Signal = (Chunk(f"${cell.name}.rest", 0, -missing),) if missing < 0 else ()
    pins = {"A": shifted, "B": cell.pins["B"], "Y": (*result, *rest)}
    yield Cell(_SHIFTS[cell.kind], cell.name, cell.parameters, pins)
