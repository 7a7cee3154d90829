"""The iterative array: k rows of gated full adders, one for each bit of an operand.

Row i adds x*y_i at weight i.  carry-save: carries go to the next row; a product bit leaves each row
at its low end, and a carry-propagate adder of k bits finishes the upper half.  ripple: carries go
along the row, the last becomes the top bit of the sum, and nothing is left to finish; an FPGA's
carry chain makes that the smaller array.
Cost: k^2 gated full adders (alkhaleel2006 counts 13k^2 gates, 30k^2 transistors).
Source: alkhaleel2006, Table II; its rows ripple or save, the text does not say.
"""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Cat, Module, Value

from modmul.blocks.arrays.adders import chain_add
from modmul.blocks.arrays.rows import GatedRow, RippleRow
from modmul.forecast import Logic, fabric
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.products.family import Array, PlainProduct
from modmul.multipliers.products.golden import full_adders
from modmul.parameters import parameter


@dataclass(frozen=True, kw_only=True)
class ArrayIterative(PlainProduct):
    """Parameters: width, registers at the ends, where the carries go."""

    carries: str = parameter(
        "save",
        "where the carries of a row go: save: to the next row; ripple: along the row",
        choices=("save", "ripple"),
    )

    name = "array-iterative"
    summary = "plain product: array of gated full adders, one row for each bit"
    sources = ("alkhaleel2006",)
    radix = 2

    @property
    def core_title(self) -> str:
        return super().core_title + ("-ripple" if self.carries == "ripple" else "")

    def compute(self, a: int, b: int, modulus: int = 0) -> int:
        product, total, carry = 0, 0, 0
        for i in range(self.width):
            row = a if b >> i & 1 else 0
            if self.carries == "save":
                total, carry = full_adders(total, carry, row)
                carry >>= 1  # into the column of the next row
            else:
                total += row
            product |= (total & 1) << i
            total >>= 1
        return product | (total + carry) << self.width

    def logic(self) -> Logic:
        """Two LUTs a gated full adder; in a ripple row one, if the LUT at the carry cell gates.

        Calibrated from 8 to 64 bits: LUTs within 1 %, flip-flops 1 %, clock 17 %."""
        chip, k = fabric(self.chip), self.width
        if self.carries == "ripple":
            lut = k * k if chip.fused else 2 * k * k + k
            return Logic(
                lut, 0, levels=chip.by_lut_inputs(2, 1.57) * k, carry=3 * k, broadcast=False
            )
        return Logic(
            2 * k * k - k, 0, levels=k + chip.by_lut_inputs(0.4, 2), carry=k, broadcast=False
        )

    @classmethod
    def examples(cls) -> list[Multiplier]:
        return [*super().examples(), cls(width=4, carries="ripple"), cls(width=9, carries="ripple")]

    def array(self) -> Array:
        return IterativeArray(self)


class IterativeArray(Array):
    """row_0 consists of gates only; row_1 of a carry-save array has half adders."""

    @property
    def notes(self) -> dict[str, dict[str, str]]:
        on_top = ", the carry out of the row on top" * (self.parameters.carries == "ripple")
        return {
            "row i adds x*y_i at weight 2^i": {
                "row_*_sum": f"row i: sum, from weight 2^i up{on_top}; bit 0 is bit i of x*y",
                "row_*_carry": "row i: carries, from weight 2^(i+1) up",
                "row_*": "",
                "final_adder_sum": "the upper half of x*y",
                "final_adder": "",
            },
        }

    def datapath(self, m: Module) -> Value:
        k, low = self.width, []
        total, carry = self._row(m, 0, self.a[:0], self.a[:0])
        for i in range(1, k):
            low.append(total[0])
            total, carry = self._row(m, i, total[1:], carry)
        low.append(total[0])
        top = total[1:] if not len(carry) else chain_add(m, total[1:], carry, "final_adder")[:k]
        return Cat(*low, top)

    def _row(self, m: Module, i: int, total: Value, carry: Value) -> tuple[Value, Value]:
        k, name = self.width, f"row_{i}"
        if i and self.parameters.carries == "ripple":
            row = RippleRow(self.chip, k).use(m, name, x=self.a, y=self.b[i], sum_in=total)
            return row["sum"], self.a[:0]
        part = GatedRow(self.chip, k, len(total), len(carry))
        out = part.use(m, name, x=self.a, y=self.b[i], sum_in=total, carry_in=carry)
        return out["sum"], out["carry"]
