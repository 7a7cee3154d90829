"""Rows of a radix-4 Booth array, each a part (alkhaleel2006: modified Booth's algorithm).

A digit of y is -2 ... 2.  The multiple of x that it stands for has k + 1 bits.  A negative one is
complemented and lacks 1 at its low end.  Above it is the sign bit, inverted.
"""

from __future__ import annotations

from collections.abc import Mapping

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from modmul.blocks.arrays.unit_cells import (
    FULL_ADDER,
    GATE,
    HALF_ADDER,
    MUX2,
    XOR,
    full_adders,
    half_adders,
)
from modmul.blocks.part import Part
from modmul.targets import Target


class BoothRow(Part):
    """A row of the Booth array: adds a multiple of x, chosen by a radix-4 digit of the other
    operand, to a carry-save pair, and finishes two bits of the product.

    Ports; vectors stand from the lowest column of the row up, and `width` is the width of x:

      `x`: the operand of which a multiple is added
      `y`: the three operand bits of the digit; the lowest of them belongs to the digit below, too
      `sum_in`, `carry_in`: the pair of the row before, `width` bits each
      `sum`, `carry`: the pair for the next row, which begins two columns higher
      `low`: the two bits of the product
      `ripple_in`, `ripple`: the carry into these two bits, and the carry out of them

    The column above the multiple has only the sign bit. The highest bit of the multiple meets just
    the constant 1 of its column (2^width above the lowest one). Neither needs an adder."""

    def __init__(self, chip: Target, width: int):
        self.chip, self.width = chip, width
        ports = {"x": In(width), "y": In(3), "sum_in": In(width), "carry_in": In(width)}
        outputs = {"sum": Out(width), "carry": Out(width), "low": Out(2), "ripple": Out(1)}
        super().__init__(ports | {"ripple_in": In(1)} | outputs)

    @property
    def module(self) -> str:
        return f"booth_row_{self.width}"

    @property
    def unit_cells(self) -> Mapping[str, int]:
        return {**_selection(self.width), FULL_ADDER: self.width + 2}

    def elaborate(self, platform: object) -> Module:
        m = Module()
        multiple, negative = _multiple(m, self.x, self.y)
        top = multiple[self.width]
        total, carry = full_adders(
            m, self.chip, multiple[: self.width], self.sum_in, self.carry_in, "adders"
        )
        first, between = full_adders(m, self.chip, total[0], negative, self.ripple_in, "low_0")
        second, ripple = full_adders(m, self.chip, total[1], carry[0], between, "low_1")
        m.d.comb += [
            self.low.eq(Cat(first, second)),
            self.ripple.eq(ripple),
            self.sum.eq(Cat(total[2:], ~top, ~negative)),
            self.carry.eq(Cat(carry[1:], top)),
        ]
        return m


class FirstBoothRow(Part):
    """The first row of the Booth array: a multiple of x, to which no sum is added, and the two
    lowest bits of the product. Ports are as of `BoothRow`; `y` has the two operand bits of digit 0.
    """

    def __init__(self, width: int):
        self.width = width
        outputs = {"sum": Out(width), "low": Out(2), "ripple": Out(1)}
        super().__init__({"x": In(width), "y": In(2)} | outputs)

    @property
    def module(self) -> str:
        return f"first_booth_row_{self.width}"

    @property
    def unit_cells(self) -> Mapping[str, int]:
        return {**_selection(self.width), HALF_ADDER: 2}

    def elaborate(self, platform: object) -> Module:
        m = Module()
        multiple, negative = _multiple(m, self.x, Cat(Const(0, 1), self.y))
        first, between = half_adders(multiple[0], negative)
        second, ripple = half_adders(multiple[1], between)
        m.d.comb += [
            self.low.eq(Cat(first, second)),
            self.ripple.eq(ripple),
            self.sum.eq(Cat(multiple[2:], ~negative)),
        ]
        return m


def _selection(width: int) -> dict[str, int]:
    """The cells of `_multiple`.  The recoder has two XOR gates and an OR; in the lowest and
    the highest column, a gate takes the place of the multiplexer."""
    return {MUX2: width - 1, GATE: width + 4, XOR: width + 3}


def _multiple(m: Module, x: Value, y: Value) -> tuple[Signal, Value]:
    """The multiple of x, complemented if it is negative, one bit wider than x; and whether
    it is negative, so that 1 has still to be added."""
    once, nonzero = Signal(name="once"), Signal(name="nonzero")
    negative, multiple = y[2], Signal(len(x) + 1, name="multiple")
    m.d.comb += [once.eq(y[1] ^ y[0]), nonzero.eq(once | (y[2] ^ y[1]))]
    zero = Const(0, 1)
    chosen = Mux(once, Cat(x, zero), Cat(zero, x)) & nonzero.replicate(len(multiple))
    m.d.comb += multiple.eq(chosen ^ negative.replicate(len(multiple)))
    return multiple, negative
