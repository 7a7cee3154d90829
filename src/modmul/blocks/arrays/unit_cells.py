"""Unit cells: what array multipliers are counted in (alkhaleel2006, Table I).

A part declares how many of each it holds.  Functions here place a vector of one kind of cell."""

from __future__ import annotations

from typing import NamedTuple

from amaranth.hdl import Module, Mux, Signal, Value

from modmul.blocks.carry_save import feed
from modmul.targets import Target

FULL_ADDER = "full adder"
HALF_ADDER = "half adder"
MUX4 = "4:1 multiplexer"
MUX2 = "2:1 multiplexer"
XOR = "XOR gate"
GATE = "gate"  # any other gate of two inputs


class Size(NamedTuple):
    """The size of one unit cell, in gates and in transistors."""

    gates: int
    transistors: int


# alkhaleel2006, Table I; for a plain gate, the only size that fits the formulas of Table II.
SIZES = {
    FULL_ADDER: Size(12, 26),
    HALF_ADDER: Size(5, 10),
    MUX4: Size(5, 16),
    MUX2: Size(3, 6),
    XOR: Size(4, 6),
    GATE: Size(1, 4),
}


def full_adders(
    m: Module, chip: Target, a: Value, b: Value, c: Value, name: str
) -> tuple[Value, Value]:
    """Place full adders side by side; return (sum, carry), as wide as `a`, the carry not
    shifted."""
    row = chip.adder_row(len(a), name)
    feed(m, row, a=a, b=b, c=c)
    row.place(m)
    return row.sum, row.carry


def half_adders(a: Value, b: Value) -> tuple[Value, Value]:
    """Sums and carries of half adders side by side; the carries are not shifted."""
    return a ^ b, a & b


def gated(value: Value, bit: Value) -> Value:
    """`value` where `bit` is 1, else 0."""
    return value & bit.replicate(len(value))


def mux4(m: Module, x: Value, y: Value, operands: tuple[Value, Value, Value], name: str) -> Signal:
    """x*Y + y*X without the carry of X + Y, by a 4:1 multiplexer for each column.

    x, y: one bit of each operand.  operands: the columns of (X, Y, X + Y).  The bit of X selects Y
    and the bit of Y selects X: 00 -> 0, x alone -> Y, y alone -> X, both -> X + Y."""
    of_x, of_y, of_sum = operands
    chosen = Signal(len(of_x), name=name)
    m.d.comb += chosen.eq(Mux(y, Mux(x, of_sum, of_x), gated(of_y, x)))
    return chosen
