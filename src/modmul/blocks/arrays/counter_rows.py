"""Rows of an array that is folded along its diagonal, each a part (alkhaleel2006: 5-counter).

A cell adds five bits of one weight: two partial products, a sum and two carries of the row before
it.  Out come one sum and two carries of twice the weight: two full adders, one behind the other.
"""

from __future__ import annotations

from collections.abc import Mapping

from amaranth.hdl import Cat, Module
from amaranth.lib.wiring import In, Out

from modmul.blocks.arrays.rows import CarrySaveRow
from modmul.blocks.arrays.unit_cells import (
    FULL_ADDER,
    GATE,
    HALF_ADDER,
    full_adders,
    gated,
    half_adders,
)
from modmul.blocks.part import Part
from modmul.targets import Target


class CounterRow(Part):
    """Row i of i + 1 cells, at weights i to 2i: x_i*y_j and, below the diagonal, x_j*y_i.

    x, y: the i + 1 low bits of the operands.  sum_in, first_in, second_in: from row i - 1, from
    weight i up.  sum: from weight i up; first, second: carries, from weight i + 1 up.
    The cell on the diagonal has one input and is a wire; the one beside it has two (a half adder),
    the next four (a half and a full adder); all others have five."""

    def __init__(self, chip: Target, row: int):
        self.chip, self.row = chip, row
        firsts, sums = max(0, row - 2), max(0, row - 1)
        super().__init__(
            {"x": In(row + 1), "y": In(row + 1)}
            | {"sum_in": In(sums), "first_in": In(firsts), "second_in": In(sums)}
            | {"sum": Out(row + 1), "first": Out(sums), "second": Out(row)}
        )

    @property
    def module(self) -> str:
        return f"counter_row_{self.row}"

    @property
    def unit_cells(self) -> Mapping[str, int]:
        full = len(self.first_in) + len(self.sum_in)
        return {
            FULL_ADDER: full,
            HALF_ADDER: len(self.first) + len(self.second) - full,
            GATE: 2 * self.row + 1,
        }

    def elaborate(self, platform: object) -> Module:
        m = Module()
        i = self.row
        own, other = gated(self.y, self.x[i]), gated(self.x[:i], self.y[i])
        full = len(self.first_in)
        sums, first = own[:0], own[:0]
        if full:
            sums, first = full_adders(
                m, self.chip, own[:full], self.first_in, self.second_in[:full], "upper"
            )
        some = half_adders(own[full : len(self.second_in)], self.second_in[full:])
        m.d.comb += self.first.eq(Cat(first, some[1]))
        between = Cat(sums, some[0], own[len(self.second_in) :])
        full = len(self.sum_in)
        sums, second = own[:0], own[:0]
        if full:
            sums, second = full_adders(
                m, self.chip, other[:full], self.sum_in, between[:full], "lower"
            )
        last = half_adders(other[full:], between[full:i])
        m.d.comb += [
            self.sum.eq(Cat(sums, last[0], between[i])),
            self.second.eq(Cat(second, last[1])),
        ]
        return m


class VectorRow(CarrySaveRow):
    """A number added to a carry-save pair: an adder a column."""

    kind = "vector"

    def __init__(self, chip: Target, width: int, sums: int, carries: int):
        super().__init__(chip, width, sums, carries, {"addend": width})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        self.add(m, self.addend)
        return m
