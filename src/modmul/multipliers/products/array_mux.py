"""The multiplexer-based array: one bit of both operands a row, X + Y computed once.

P = sum over r of 4^r x_r y_r + 2^r (x_r Y_r + y_r X_r), Y_r and X_r the r low bits.  The bracket of
a row is 0, Y_r, X_r or X_r + Y_r, and the last of these is a part of the one sum S = X + Y, but for
the carry into bit r, which joins x_r y_r on the diagonal: 4:1 multiplexers choose, full adders add
in carry-save form.  So row r has r columns, half as many in all as there are partial products.
Cost: k(k-1)/2 multiplexers with full adders, k cells on the diagonal, two additions of k bits
(alkhaleel2006 counts 8.5k^2 + 40.5k - 34 gates, 21k^2 + 89k - 73 transistors).
Source: the prior scheme of alkhaleel2006, its Table II and reference 16 (Pekmestzi).
"""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Module, Value

from modmul.blocks.arrays.adders import ADDERS, ADDERS_HELP, chain_add, finish
from modmul.blocks.arrays.diagonal import Diagonal2
from modmul.blocks.arrays.rows import MuxRow
from modmul.forecast import Logic, fabric
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.products.family import Array, PlainProduct
from modmul.multipliers.products.golden import full_adders, mux4
from modmul.parameters import parameter

BLOCK = 2  # bits of a block of the published final adder


@dataclass(frozen=True, kw_only=True)
class ArrayMux(PlainProduct):
    """Parameters: width, registers at the ends, the kind of the final adder."""

    adders: str = parameter("chain", ADDERS_HELP, choices=ADDERS)

    name = "array-mux"
    summary = "plain product: multiplexer-based array, one bit of both operands a row"
    sources = ("alkhaleel2006",)
    radix = 2

    @property
    def core_title(self) -> str:
        return super().core_title + ("" if self.adders == "chain" else "-select")

    def compute(self, a: int, b: int, modulus: int = 0) -> int:
        s, total, carry = a + b, 0, 0
        for r in range(self.width):
            x_r, y_r, mask = a >> r & 1, b >> r & 1, (1 << r) - 1
            row = mux4(x_r, y_r, a & mask, b & mask, s & mask) << r
            finished = (1 << r) - 1
            out, out_carry = full_adders(total & ~finished, carry & ~finished, row)
            total, carry = out | total & finished, out_carry | carry & finished
            diagonal = x_r & y_r
            total |= (diagonal & ~(s >> r) & 1) << 2 * r
            carry |= (diagonal & s >> r) << 2 * r + 1
        return total + carry

    def logic(self) -> Logic:
        """k(k - 1)/2 columns of four LUTs, or three of six inputs; two additions.

        Calibrated from 8 to 128 bits: LUTs within 1 %, flip-flops 1 %, clock 17 %."""
        chip, k = fabric(self.chip), self.width
        select = k if self.adders == "carry-select" else 0
        return Logic(
            lut=chip.by_lut_inputs(2 * k * k + 2 * k, 1.5 * k * k + 1.5 * k) + select,
            ff=0,
            levels=chip.by_lut_inputs(1.06, 1.25) * k,
            carry=k,
            broadcast=False,
        )

    @classmethod
    def examples(cls) -> list[Multiplier]:
        return [*super().examples(), cls(width=5, adders="carry-select")]

    def array(self) -> Array:
        return MuxArray(self)


class MuxArray(Array):
    """row_r covers weights r to 2r - 1; the bits of the diagonal are above it."""

    @property
    def notes(self) -> dict[str, dict[str, str]]:
        return {
            "row r adds x_r*Y_r + y_r*X_r at weight 2^r, without the carry of X_r + Y_r": {
                "operand_sum_sum": "S = X + Y; its carry out is not read",
                "operand_sum": "",
                "diagonal_even": "bit r, of weight 2^(2r): x_r = y_r = 1, no carry into bit r of S",
                "diagonal_odd": "bit r, of weight 2^(2r+1): x_r = y_r = 1, a carry into bit r of S",
                "diagonal": "",
                "row_*_sum": "row r: sums, from weight 2^r up; bit 0 is bit r of X*Y",
                "row_*_carry": "row r: carries, from weight 2^(r+1) up",
                "row_*": "",
                "final_adder_sum": "the upper half of X*Y; its carry out is 0",
                "final_adder_*_sum": f"up to {BLOCK} bits of the upper half of X*Y, and the carry "
                f"out of them",
                "final_adder*": "",
            },
        }

    def datapath(self, m: Module) -> Value:
        k, p = self.width, self.parameters
        s = chain_add(m, self.a, self.b, "operand_sum")[:k]
        diagonal = Diagonal2(k).use(m, "diagonal", x=self.a, y=self.b, s=s)
        even, odd = diagonal["even"], diagonal["odd"]
        # Behind row r: sums at weights r to 2r, carries at weights r + 1 to 2r + 1.
        low: list[Value] = [even[0]]
        total: Value = self.a[:0]
        carry: Value = odd[0]
        for r in range(1, k):
            part = MuxRow(self.chip, r, len(total), len(carry))
            row = part.use(
                m,
                f"row_{r}",
                x_r=self.a[r],
                y_r=self.b[r],
                x=self.a[:r],
                y=self.b[:r],
                s=s[:r],
                sum_in=total,
                carry_in=carry,
            )
            low.append(row["sum"][0])
            total = Cat(row["sum"][1:], even[r])
            carry = Cat(row["carry"], odd[r])
        top = finish(m, p.adders, Cat(total, Const(0, 1)), carry, BLOCK, "final_adder")[:k]
        return Cat(*low, top)
