"""The diagonals of the multiplexer-based arrays: what the digits of equal weight contribute.

Both take the bits of X, Y and S = X + Y.  A carry into bit j of that sum is wanted only where x_j
and y_j are both 1, and there it is s_j itself: no carry has to leave the adder of X + Y, as the
published cells have it (alkhaleel2006, cells 2 and 4).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from amaranth.hdl import Cat, Module, Value
from amaranth.lib.wiring import In, Out

from modmul.blocks.arrays.unit_cells import (
    FULL_ADDER,
    GATE,
    HALF_ADDER,
    MUX4,
    full_adders,
    half_adders,
)
from modmul.blocks.part import Part, wire
from modmul.targets import Target


class Diagonal2(Part):
    """The diagonal of the multiplexer-based array: x_r*y_r*(1 + c_r) for every bit r, where c_r is
    the carry into bit r of X + Y. It has two bits for each r, `even` of weight 2^(2r) and `odd` of
    weight 2^(2r+1). s is X + Y: where x_r = y_r = 1, its bit r is c_r."""

    def __init__(self, width: int):
        self.width = width
        super().__init__(
            {name: In(width) for name in "xys"} | {"even": Out(width), "odd": Out(width)}
        )

    @property
    def module(self) -> str:
        return f"diagonal_{self.width}"

    @property
    def unit_cells(self) -> Mapping[str, int]:
        return {GATE: 3 * self.width}

    def elaborate(self, platform: object) -> Module:
        m = Module()
        both = self.x & self.y
        m.d.comb += [self.even.eq(both & ~self.s), self.odd.eq(both & self.s)]
        return m


class Diagonal4(Part):
    """The diagonal of the radix-4 multiplexer-based array: for each of {pairs} pairs of bits (x_1
    x_0), (y_1 y_0) a number of four bits, at most 12, where c_0 is the carry into the lower bit of
    the pair in X + Y (cells 2, 3 and 4 of alkhaleel2006):

      x_0*y_0*(1 + c_0) + 2*(x_0*y_1 + x_1*y_0 + x_1*y_1*c_0) + 4*x_1*y_1

    All pairs stand side by side: bit i of x_even is x_0 of pair i, and bit i of x_odd its x_1; bit
    i of digit_k is bit k of its number. `s` is X + Y, and the carries are taken from it:

        where x_0 = y_0 = 1:  c_0 = s_0
        where x_1 = y_1 = 1:  x_0 + y_0 + c_0 = s_0 + 2*c_1, where c_1 = s_1 goes into the upper bit

    So the number is both_even*(1 + s_0) + 2*crossed + 4*both_odd*(1 + s_1), where crossed is s_0 if
    x_1 = y_1 = 1, else x_0*y_1 + x_1*y_0, of which at least one is 0."""

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "digit_0 + 2*digit_1 + 4*digit_2 + 8*digit_3 of each pair": {
            "[xys]_even": "x_0, y_0 or s_0 of each pair",
            "[xys]_odd": "x_1, y_1 or s_1 of each pair",
            "both_even": "x_0 = y_0 = 1",
            "both_even_and_carry": "x_0 = y_0 = 1, and c_0 comes in",
            "both_odd": "x_1 = y_1 = 1",
            "both_odd_and_carry": "x_1 = y_1 = 1, and c_1 comes in",
            "crossed": "x_1 = y_1 = 1: s_0; else x_0*y_1 + x_1*y_0",
            "carry_into_digit_1": "x_0*y_0*(1 + c_0) is 2",
            "carry_into_digit_2": "carry_into_digit_1 = crossed = 1",
            "digit_*": "",
        },
    }

    def __init__(self, chip: Target, pairs: int):
        self.chip, self.pairs = chip, pairs
        super().__init__({name: In(2 * pairs) for name in "xys"} | {"nibbles": Out(4 * pairs)})

    @property
    def module(self) -> str:
        return f"digit_diagonal_{self.pairs}"

    @property
    def unit_cells(self) -> Mapping[str, int]:
        each = {FULL_ADDER: 1, HALF_ADDER: 2, MUX4: 1, GATE: 4}
        return {cell: count * self.pairs for cell, count in each.items()}

    def elaborate(self, platform: object) -> Module:
        m = Module()
        x_0, y_0, s_0 = (_digit(m, getattr(self, n), f"{n}_even", 0) for n in "xys")
        x_1, y_1, s_1 = (_digit(m, getattr(self, n), f"{n}_odd", 1) for n in "xys")
        low, high = wire(m, x_0 & y_0, "both_even"), wire(m, x_1 & y_1, "both_odd")
        d_0, e_1 = half_adders(low, wire(m, low & s_0, "both_even_and_carry"))
        e_1 = wire(m, e_1, "carry_into_digit_1")
        # A 4:1 multiplexer for each pair: x_1*y_0 + y_1*x_0, but s_0 where x_1 and y_1 are both 1,
        # since the carry of that sum is in s_1.
        crossed = x_1 & ~y_1 & y_0 | y_1 & ~x_1 & x_0 | high & s_0
        d_1, e_2 = half_adders(wire(m, crossed, "crossed"), e_1)
        e_2 = wire(m, e_2, "carry_into_digit_2")
        carried = wire(m, high & s_1, "both_odd_and_carry")
        d_2, d_3 = full_adders(m, self.chip, high, carried, e_2, "top")
        digits = [wire(m, d, f"digit_{k}") for k, d in enumerate((d_0, d_1, d_2, d_3))]
        m.d.comb += self.nibbles.eq(Cat(Cat(*bits) for bits in zip(*digits, strict=True)))
        return m


def _digit(m: Module, value: Value, name: str, first: int) -> Value:
    """Every other bit of `value`, from bit `first` on."""
    bits = Cat(value[j] for j in range(first, len(value), 2))
    return wire(m, bits, name)
