"""The modified Booth array: two bits of an operand a row, as a digit from -2 to 2.

Digit r of y is y_2r + y_(2r-1) - 2*y_(2r+1): x times a digit is a selection.  There are half as
many rows as bits of y, and one more for even k, where the last digit would be negative.  Rows are
carry-save, each two columns above the one before.  A negative multiple is the complement; the 1
that it lacks joins the two product bits that its row finishes, which two full adders add to the
carry of the two before. The sign s has weight -2^(k+1) in its row: -s = (1 - s) - 1, so it is
inverted, and the -1 of all rows make one constant: 1 at column k of each row but the first, and 1
more at 2^(k+1), where no carry comes into row 1.
Cost: floor(k/2) + 1 rows of k + 1 cells (2:1 multiplexer, gate, XOR, full adder) and a recoder with
two full adders (alkhaleel2006 counts 10k^2 + 23k + 13 gates, 21k^2 + 52k + 31 transistors).
Source: alkhaleel2006, Table II ("Modified Booth's Algorithm"); the cells are only counted there.
"""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Module, Value

from modmul.blocks.arrays.adders import chain_add
from modmul.blocks.arrays.booth_rows import BoothRow, FirstBoothRow
from modmul.forecast import Logic, fabric
from modmul.multipliers.products.family import Array, PlainProduct
from modmul.multipliers.products.golden import full_adders


@dataclass(frozen=True, kw_only=True)
class ArrayBooth(PlainProduct):
    """Parameters: width, registers at the ends."""

    name = "array-booth"
    summary = "plain product: array of radix-4 Booth digits, two bits of an operand a row"
    sources = ("alkhaleel2006",)
    radix = 4

    @property
    def rows(self) -> int:
        """The number of Booth digits of an unsigned operand."""
        return self.width // 2 + 1

    def compute(self, a: int, b: int, modulus: int = 0) -> int:
        k, product, total, carry, ripple = self.width, 0, 0, 0, 0
        for r in range(self.rows):
            high, middle, low = (b << 1 >> 2 * r + place & 1 for place in (2, 1, 0))
            once, nonzero = middle ^ low, high != middle or middle != low
            multiple = (a if once else 2 * a) if nonzero else 0
            if high:
                multiple ^= (1 << k + 1) - 1
            signed = multiple | (1 - high) << k + 1
            total, carry = full_adders(signed, total | (r > 0) << k, carry)
            finished = (total & 3) + (carry & 2) + high + ripple
            product |= (finished & 3) << 2 * r
            total, carry, ripple = total >> 2, carry >> 2, finished >> 2
            carry |= (r == 0) << k - 1
        product |= (total + carry + ripple) << 2 * self.rows
        return product & (1 << 2 * k) - 1

    def logic(self) -> Logic:
        """k/2 + 1 rows of three LUTs a column: multiple, sum, carry; and the digits.

        Calibrated from 8 to 64 bits: LUTs within 1 %, flip-flops 1 %, clock 7 %."""
        chip, k = fabric(self.chip), self.width
        return Logic(
            lut=1.5 * k * k + chip.by_lut_inputs(7, 5) * k,
            ff=0,
            levels=chip.by_lut_inputs(1.05, 0.96) * k + chip.by_lut_inputs(0, 2.5),
            carry=k,
            broadcast=False,
        )

    def array(self) -> Array:
        return BoothArray(self)


class BoothArray(Array):
    """row_r covers weights 2r to 2r + k + 1.  `final` adds the weights from 2*rows up; the carry
    that ripples out of the last row enters it as a bit below them."""

    @property
    def notes(self) -> dict[str, dict[str, str]]:
        return {
            "row r adds x times digit r of y at weight 2^(2r), and finishes two bits of x*y": {
                "row_*_low": "row r: bits 2r + 1 and 2r of x*y",
                "row_*_ripple": "carry out of these two bits, of weight 2^(2r+2)",
                "row_*_sum": "row r: sum, from weight 2^(2r+2) up",
                "row_*_carry": "row r: carries, from weight 2^(2r+2) up",
                "row_*": "",
                "final_adder_sum": f"from bit 1 up: x*y from weight 2^{2 * self.parameters.rows} "
                f"up; bit 0 is 0: the last ripple is added to itself there, which carries it into "
                f"bit 1",
                "final_adder": "",
            },
        }

    def datapath(self, m: Module) -> Value:
        k, rows = self.width, self.parameters.rows
        digits = Cat(self.b, Const(0, 2))
        row = FirstBoothRow(k).use(m, "row_0", x=self.a, y=digits[:2])
        low, carry = [row["low"]], Cat(Const(0, k - 1), Const(1, 1))
        for r in range(1, rows):
            row = BoothRow(self.chip, k).use(
                m,
                f"row_{r}",
                x=self.a,
                y=digits[2 * r - 1 : 2 * r + 2],
                sum_in=row["sum"],
                carry_in=carry,
                ripple_in=row["ripple"],
            )
            low.append(row["low"])
            carry = row["carry"]
        left, ripple = 2 * k - 2 * rows, row["ripple"]
        top = chain_add(m, Cat(ripple, row["sum"][:left]), Cat(ripple, carry[:left]), "final_adder")
        return Cat(*low, top[1 : left + 1])
