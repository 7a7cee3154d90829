"""Ordinary Montgomery multiplication in three passes over one large multiplier.

    pass 0:  P <- X*Y
    pass 1:  t <- (P mod r)*N' mod r, N' = -1/N mod r
    pass 2:  U <- t*N
    then:    V <- (P + U)/r, below 2N; the result is V - N if that is not negative, else V

The low halves of P and U cancel: the carry that they make is 1 unless P mod r is 0, so that one bit
is kept in their place, and V = high(P) + high(U) + (P mod r != 0).  r = 2^k, the R of the result
X*Y/R mod N; k is the width of the multiplier: the bits of N, rounded up to what it takes.  The
subtraction is always made; its borrow selects.  Time depends on the parameters alone.

The cycles of a product, L being those of the multiplier for a pass:

    0           operands are taken
    1 to 3L     the three passes
    3L + 1      addition
    3L + 2      subtraction
    3L + 3      the result is on the port

The next operands are taken in the last cycle of the third pass, and their first pass goes on beside
addition and subtraction: a product every 3L cycles.

Source: alkhaleel2006, section III, Algorithm 2 (P mod r is missing there) and Fig. 1.
"""

from __future__ import annotations

from dataclasses import dataclass

from modmul.forecast import Forecast, fabric
from modmul.multipliers.contract import Constant, Multiplier
from modmul.multipliers.facts import inverse_of_modulus, words_of_modulus
from modmul.multipliers.products import PRODUCTS
from modmul.multipliers.products.array_mux4 import ArrayMux4, fold_title
from modmul.multipliers.ranges import Bound, OperandRange, largest_product
from modmul.multipliers.three_pass.core import Core
from modmul.multipliers.three_pass.parameters import ThreePassParameters
from modmul.operation import Cycles, Mode, constant_cycles


@dataclass(frozen=True, kw_only=True)
class ThreePass(ThreePassParameters):
    """What the passes compute, and the cycles that it takes."""

    name = "three-pass"
    summary = "ordinary Montgomery multiplication, three passes over one large multiplier"
    sources = ("alkhaleel2006",)
    core = Core
    beats = 1
    operand_limit = result_limit = Bound(1)

    @property
    def radix(self) -> int:
        return 1 << self.unit.width

    @property
    def montgomery_factor(self) -> int:
        return 1 << self.unit.width

    @property
    def beat(self) -> int:
        return self.width

    @property
    def modulus_beat(self) -> int:
        return self.unit.width

    @property
    def core_title(self) -> str:
        """The short name, with the multiplier, and marked if rows are library cells."""
        fold = ""
        if isinstance(self.unit, ArrayMux4):
            fold = fold_title(self.partitions, self.unit.prepares, self.unit.sums)
        return f"{super().core_title}-{self.product}{fold}{self.chip.title_end}"

    def operand_range(self, modulus: int) -> OperandRange:
        """Any operands of the width: V is below X*Y/r + N, and V - N below X*Y/r."""
        top = 1 << self.width
        return OperandRange(top, top, largest_product(self.montgomery_factor, modulus))

    @property
    def theory(self) -> str:
        """The docstring of the module without its first sentence, which `summary` says above it."""
        return super().theory.partition("\n\n")[2]

    def constants(self, modulus: int) -> list[Constant]:
        whole = words_of_modulus("modulus", [modulus], self.modulus_beat)
        return [*whole, inverse_of_modulus("N'", modulus, self.montgomery_factor.bit_length() - 1)]

    def compute(self, a: int, b: int, modulus: int) -> int:
        """The passes are products of integers: the large multiplier has a golden model of its own,
        which walks through its rows and would take minutes for a power."""
        k, r = self.unit.width, self.montgomery_factor
        first, low = a * b, r - 1
        t = first * -pow(modulus, -1, r) & low
        result = (first >> k) + (t * modulus >> k) + int(first & low != 0)
        return result - modulus if result >= modulus else result

    def cycles(self, mode: Mode = Mode()) -> dict[str, Cycles]:
        terms = {"load": 1, "passes": 3 * self.unit.clocks, "add": 1, "subtract": 1, "unload": 1}
        return constant_cycles(terms)

    def interval(self, mode: Mode = Mode()) -> Cycles:
        return Cycles.constant(3 * self.unit.clocks)

    def core_forecast(self) -> Forecast:
        """The large multiplier, what is in front of it, addition and subtraction.

        Calibrated from 16 to 512 bits: LUTs within 6 %, flip-flops 4 %, clock 12 %."""
        chip, k, unit = fabric(self.chip), self.width, self.unit.logic()
        return chip.forecast(
            lut=unit.lut + 6.5 * k + 12,
            ff=max(0, unit.ff) + 8 * k + 10,
            levels=unit.levels + 1,
            carry=unit.carry,
            dsp=unit.dsp,
        )

    @classmethod
    def examples(cls) -> list[Multiplier]:
        folded = [(8, 2), (9, 5), (18, 3)]
        return [
            *(cls(width=8, product=product) for product in PRODUCTS),
            cls(width=8, prep=True),
            *(cls(width=width, partitions=count) for width, count in folded),
            cls(width=10, partitions=5, prep=False, sum_clock=False),
        ]
