"""The 5-counter array: the partial products folded along their diagonal.

x_i*y_j and x_j*y_i have one weight, so that row i takes both, for all j below i, and x_i*y_i; its
cells add them to one sum and two carries of the row before: five bits.  There are half as many
cells as partial products, of two full adders each.  A product bit leaves each row at its low end.
A row of full adders makes two numbers of what is left, a carry-propagate adder their sum.
Cost: k(k+1)/2 cells of two gated full adders, of which those at the diagonal need less, and 2(k-1)
adders (alkhaleel2006 counts 13(k^2+3k-2) gates, 30(k^2+3k-2) transistors).
Source: alkhaleel2006, Table II ("5-COUNTER Cell"); the cells are only counted there.
"""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Cat, Module, Value

from modmul.blocks.arrays.adders import chain_add
from modmul.blocks.arrays.counter_rows import CounterStart, VectorRow, counter_row
from modmul.forecast import Logic, fabric
from modmul.multipliers.products.family import Array, PlainProduct
from modmul.multipliers.products.golden import full_adders


@dataclass(frozen=True, kw_only=True)
class Array5Counter(PlainProduct):
    """Parameters: width, registers at the ends."""

    name = "array-5counter"
    summary = "plain product: array folded along its diagonal, cells that add five bits"
    sources = ("alkhaleel2006",)
    radix = 2

    def compute(self, a: int, b: int, modulus: int = 0) -> int:
        product, total, first, second = 0, 0, 0, 0
        for i in range(self.width):
            below = (1 << i) - 1
            own = b & (2 * below + 1) if a >> i & 1 else 0
            other = a & below if b >> i & 1 else 0
            between, first = full_adders(own, first, second)
            total, second = full_adders(other, total, between)
            product |= (total & 1) << i
            total, first, second = total >> 1, first >> 1, second >> 1
        total, carry = full_adders(total, first, second)
        return product | (total + carry) << self.width

    def logic(self) -> Logic:
        """Two LUTs for each partial product, as for its full adder.

        Calibrated from 8 to 64 bits: LUTs within 1 %, flip-flops 1 %, clock 16 %."""
        chip, k = fabric(self.chip), self.width
        return Logic(
            lut=2 * k * k - chip.by_lut_inputs(0, k),
            ff=0,
            levels=chip.by_lut_inputs(1.75 * k - 3, 1.25 * k),
            carry=k,
            broadcast=False,
        )

    def array(self) -> Array:
        return FoldedOnDiagonal(self)


class FoldedOnDiagonal(Array):
    """row_i covers weights i to 2i; after the last one, `merge` and `final` cover those from k
    up."""

    @property
    def notes(self) -> dict[str, dict[str, str]]:
        return {
            "row i adds x_i*y_j and x_j*y_i for all j < i, and x_i*y_i": {
                "start_low": "bit 0 of x*y",
                "start_sum": "rows 0 and 1: sums at weights 2^1 (bit 1 of x*y) and 2^2",
                "start_second": "their carry, of weight 2^2",
                "start": "",
                "row_*_edge_sum": "row i: sums at weights 2^(2i-2) to 2^(2i); of row 2, bit 0 is "
                "bit 2 of x*y",
                "row_*_edge_first": "row i: carry of weight 2^(2i-1)",
                "row_*_edge_second": "row i: carries of weights 2^(2i-1) and 2^(2i)",
                "row_*_sum": "row i, cells from j on: sums from weight 2^(i+j) up; of j = 0, bit "
                "0 is bit i of x*y",
                "row_*_first": "row i, cells from j on: carries out of x_i*y_j, from weight "
                "2^(i+j+1) up",
                "row_*_second": "row i, cells from j on: carries out of x_j*y_i, from weight "
                "2^(i+j+1) up",
                "row_*": "",
            },
            f"the upper half of x*y: what row {self.width - 1} left": {
                "merge_sum": f"of three numbers, from weight 2^{self.width} up; bit 0 is final",
                "merge_carry": f"their carries, from weight 2^{self.width + 1} up",
                "merge": "",
                "final_adder_sum": f"x*y from weight 2^{self.width + 1} up; its carry out is 0",
                "final_adder": "",
            },
        }

    def datapath(self, m: Module) -> Value:
        k = self.width
        start = CounterStart().use(m, "start", x=self.a[:2], y=self.b[:2])
        low = [start["low"], start["sum"][0]]
        row: tuple[Value, Value, Value] = start["sum"], self.a[:0], start["second"]
        for i in range(2, k):
            before = row[0][1:], row[1], row[2]
            row = counter_row(m, self.chip, self.a[: i + 1], self.b[: i + 1], before, f"row_{i}")
            low.append(row[0][0])
        total, first, second = row[0][1:], row[1], row[2]
        merge = VectorRow(self.chip, len(total), len(second), len(first)).use(
            m, "merge", addend=total, sum_in=second, carry_in=first
        )
        low.append(merge["sum"][0])
        top = chain_add(m, merge["sum"][1:], merge["carry"], "final_adder")
        return Cat(*low, top[: k - 1])
