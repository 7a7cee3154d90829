"""Replaces operations by simpler ones: choices among several values, and operations that are wider
than their result."""

from __future__ import annotations

from collections.abc import Iterator

from modmul.export.verilog.rtlil import Cell, Chunk, Signal, part, width

_QUOTIENTS = {"$div": "$div", "$divfloor": "$div", "$mod": "$mod", "$modfloor": "$mod"}
_SHIFTS = {"$shl": "$shl", "$sshl": "$shl", "$shr": "$shr", "$shift": "$shr", "$shiftx": "$shr"}


def simpler(cell: Cell) -> Iterator[Cell]:
    """Simpler cells with the same function.  Raises ValueError for signed shifts and
    quotients."""
    if cell.kind == "$pmux":
        yield from _choices(cell)
    elif cell.kind in _SHIFTS:
        yield from _shift(cell)
    elif cell.kind in _QUOTIENTS:
        yield from _quotient(cell)
    else:
        yield cell


def _choices(cell: Cell) -> Iterator[Cell]:
    """A chain of multiplexers; at most one of the conditions is true."""
    result, conditions = cell.pins["Y"], cell.pins["S"]
    bits, value = width(result), cell.pins["A"]
    for place in reversed(range(width(conditions))):
        output = result if place == 0 else (Chunk(f"${cell.name}.{place}", 0, bits),)
        pins = {
            "A": value,
            "B": part(cell.pins["B"], place * bits, bits),
            "S": part(conditions, place, 1),
            "Y": output,
        }
        yield Cell("$mux", f"{cell.name}.{place}", {}, pins)
        value = output


def _shift(cell: Cell) -> Iterator[Cell]:
    """The shift, as wide as the operand or the result, whichever is wider."""
    _check_unsigned(cell)
    bits = max(width(cell.pins["A"]), width(cell.pins["Y"]))
    pins = {"A": _zeros(cell.pins["A"], bits), "B": cell.pins["B"], "Y": _longer(cell, bits)}
    yield Cell(_SHIFTS[cell.kind], cell.name, cell.parameters, pins)


def _quotient(cell: Cell) -> Iterator[Cell]:
    """Quotient or remainder, as wide as the widest of operands and result."""
    _check_unsigned(cell)
    bits = max(width(signal) for signal in cell.pins.values())
    pins = {pin: _zeros(cell.pins[pin], bits) for pin in ("A", "B")} | {"Y": _longer(cell, bits)}
    yield Cell(_QUOTIENTS[cell.kind], cell.name, cell.parameters, pins)


def _check_unsigned(cell: Cell) -> None:
    if cell.number("A_SIGNED") or cell.number("B_SIGNED"):
        raise ValueError(f"cell {cell.name}: {cell.kind} of signed numbers is not understood")


def _zeros(signal: Signal, bits: int) -> Signal:
    """The signal with zeros above it."""
    missing = bits - width(signal)
    return (*signal, Chunk(None, 0, missing, "0" * missing)) if missing > 0 else signal


def _longer(cell: Cell, bits: int) -> Signal:
    """The result with so many bits; the additional bits are not read."""
    missing = bits - width(cell.pins["Y"])
    return (*cell.pins["Y"], *([Chunk(f"${cell.name}.rest", 0, missing)] if missing else []))
