"""Rows of an array that is folded along its diagonal, in parts (alkhaleel2006: 5-counter).

A cell adds five bits of one weight: two partial products, a sum and two carries of the row before
it.  Out come one sum and two carries of twice the weight: two full adders, one behind the other.
Row i has i + 1 cells, at weights i to 2i: x_i*y_j and, below the diagonal, x_j*y_i.  The cell on
the diagonal has one input, the one beside it two, the next four: they are the edge of a row, the
same in all rows.  The others come in groups, or there would be a part for each length of a row."""

from __future__ import annotations

from collections.abc import Mapping

from amaranth.hdl import Cat, Module, Value
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

GROUP = 32  # cells of a part


class CounterCells(Part):
    """A part of row i of the array: `width` cells side by side, each of which adds five bits of
    equal weight (two partial products, a sum and two carries) to a sum and two carries.

    Ports; vectors have a bit for each cell:

      `x_i`, `y_i`: bit i of the operands
      `x`, `y`: the bits of the operands for these columns
      `sum_in`, `first_in`, `second_in`: sums and carries of the row before
      `sum`: sums, of the weights of the cells
      `first`, `second`: carries, of twice these weights
    """

    def __init__(self, chip: Target, width: int):
        self.chip, self.width = chip, width
        vectors = ("x", "y", "sum_in", "first_in", "second_in")
        super().__init__(
            {"x_i": In(1), "y_i": In(1)}
            | {name: In(width) for name in vectors}
            | {name: Out(width) for name in ("sum", "first", "second")}
        )

    @property
    def module(self) -> str:
        return f"counter_cells_{self.width}"

    @property
    def unit_cells(self) -> Mapping[str, int]:
        return {FULL_ADDER: 2 * self.width, GATE: 2 * self.width}

    def elaborate(self, platform: object) -> Module:
        m = Module()
        between, first = full_adders(
            m, self.chip, gated(self.y, self.x_i), self.first_in, self.second_in, "upper"
        )
        total, second = full_adders(
            m, self.chip, gated(self.x, self.y_i), self.sum_in, between, "lower"
        )
        m.d.comb += [self.sum.eq(total), self.first.eq(first), self.second.eq(second)]
        return m


class CounterEdge(Part):
    """The last three cells of row i of the array (i = 2 or more), at the weights 2^(2i-2) to
    2^(2i), where fewer bits are to be added than elsewhere.

    Ports:

      `x`, `y`: bits i - 2 to i of the operands
      `sum_in`, `second_in`: a sum and a carry of the row before, at the lowest of these weights
      `sum`: 3 bits, of these weights
      `first`: a carry of weight 2^(2i-1)
      `second`: carries of the weights 2^(2i-1) and 2^(2i)
    """

    def __init__(self, chip: Target):
        self.chip = chip
        super().__init__(
            {"x": In(3), "y": In(3), "sum_in": In(1), "second_in": In(1)}
            | {"sum": Out(3), "first": Out(1), "second": Out(2)}
        )

    @property
    def module(self) -> str:
        return "counter_edge"

    @property
    def unit_cells(self) -> Mapping[str, int]:
        return {FULL_ADDER: 1, HALF_ADDER: 2, GATE: 5}

    def elaborate(self, platform: object) -> Module:
        m = Module()
        own, other = gated(self.y, self.x[2]), gated(self.x[:2], self.y[2])
        between, first = half_adders(own[0], self.second_in)
        four, four_carry = full_adders(m, self.chip, other[0], self.sum_in, between, "lower")
        two, two_carry = half_adders(own[1], other[1])
        m.d.comb += [
            self.sum.eq(Cat(four, two, own[2])),
            self.first.eq(first),
            self.second.eq(Cat(four_carry, two_carry)),
        ]
        return m


class CounterStart(Part):
    """Rows 0 and 1 of the array, on the two low bits of the operands, `x` and `y`.

    Ports:

      `low`: the bit of the product of weight 2^0
      `sum`: 2 bits, of weights 2^1 and 2^2
      `second`: a carry of weight 2^2
    """

    def __init__(self) -> None:
        super().__init__(
            {"x": In(2), "y": In(2)} | {"low": Out(1), "sum": Out(2), "second": Out(1)}
        )

    @property
    def module(self) -> str:
        return "counter_start"

    @property
    def unit_cells(self) -> Mapping[str, int]:
        return {HALF_ADDER: 1, GATE: 4}

    def elaborate(self, platform: object) -> Module:
        m = Module()
        total, carry = half_adders(self.x[1] & self.y[0], self.x[0] & self.y[1])
        m.d.comb += [
            self.low.eq(self.x[0] & self.y[0]),
            self.sum.eq(Cat(total, self.x[1] & self.y[1])),
            self.second.eq(carry),
        ]
        return m


def counter_row(
    m: Module, chip: Target, x: Value, y: Value, before: tuple[Value, Value, Value], name: str
) -> tuple[Value, Value, Value]:
    """Place row i (2 or more) and return its (sum, first, second).

    x, y: the i + 1 low bits of the operands.  The sum begins at weight i, the two carry vectors at
    i + 1. before: the same three vectors of row i - 1, each from weight i up."""
    row, done = len(x) - 1, len(x) - 3
    sum_in, first_in, second_in = before
    sums, firsts, seconds = [], [], []
    for low in range(0, done, GROUP):
        part = slice(low, min(done, low + GROUP))
        cells = CounterCells(chip, part.stop - low).use(
            m,
            f"{name}_{low}",
            x_i=x[row],
            y_i=y[row],
            x=x[part],
            y=y[part],
            sum_in=sum_in[part],
            first_in=first_in[part],
            second_in=second_in[part],
        )
        sums.append(cells["sum"])
        firsts.append(cells["first"])
        seconds.append(cells["second"])
    edge = CounterEdge(chip).use(
        m, f"{name}_edge", x=x[done:], y=y[done:], sum_in=sum_in[done], second_in=second_in[done]
    )
    return (Cat(*sums, edge["sum"]), Cat(*firsts, edge["first"]), Cat(*seconds, edge["second"]))


class VectorRow(CarrySaveRow):
    """A row of the array that adds `addend` to a carry-save pair, with an adder in each column.
    Vectors stand from the lowest column of the row up; a carry belongs one column higher."""

    kind = "vector"

    def __init__(self, chip: Target, width: int, sums: int, carries: int):
        super().__init__(chip, width, sums, carries, {"addend": width})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        self.add(m, self.addend)
        return m
