"""Ranges of operands and moduli as rules, which can be printed, given to programs, and checked.

In rules N is the modulus and m its degree, the number of its bits less 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from modmul.arithmetic.moduli import Field


@dataclass(frozen=True)
class Bound:
    """Values are below `factor` units; where N mod 4 is 1, below `if_one` units (None: `factor`,
    too). unit: N, 2^m, or 1."""

    factor: int
    unit: Literal["N", "2^m", "1"] = "N"
    if_one: int | None = None

    def at(self, modulus: int) -> int:
        factor = self.factor if self.if_one is None or modulus & 3 != 1 else self.if_one
        if self.unit == "2^m":
            return factor << (modulus.bit_length() - 1)
        return factor * modulus if self.unit == "N" else factor

    def fits(self, other: Bound) -> bool:
        """Whether values below this bound are below the other, of the same unit, for every N."""
        assert self.unit == other.unit
        pairs = ((self.factor, other.factor), (self._one, other._one))
        return all(mine <= its for mine, its in pairs)

    @property
    def _one(self) -> int:
        return self.factor if self.if_one is None else self.if_one

    @property
    def formula(self) -> str:
        """The bound as a formula for readers; 2^m is a power."""
        if self._one == self.factor:
            return self._times(self.factor)
        return f"{self._times(self._one)} if N mod 4 = 1, else {self._times(self.factor)}"

    def _times(self, factor: int) -> str:
        if self.unit == "1":
            return f"2^{factor.bit_length() - 1}" if factor.bit_count() == 1 else str(factor)
        return self.unit if factor == 1 else f"{factor} * {self.unit}"

    def cases(self) -> list[dict[str, str | None]]:
        """The rule for programs: the first case whose condition holds (None: always)
        decides.

        Both are expressions of integers in the notation that C, Python and Verilog share."""
        last: dict[str, str | None] = {"when": None, "below": self._expression(self.factor)}
        if self._one == self.factor:
            return [last]
        return [{"when": "N % 4 == 1", "below": self._expression(self._one)}, last]

    def _expression(self, factor: int) -> str:
        if self.unit == "N":
            return self._times(factor)
        if self.unit == "2^m":
            return f"{factor} << m"
        return f"1 << {factor.bit_length() - 1}" if factor.bit_count() == 1 else str(factor)


class OperandRange(NamedTuple):
    """The operands of a product that a multiplier accepts under one modulus N; all are 0 or more.

    For every a below `a_below` and b below `b_below` the result is right modulo N and fits its
    beats. It is also below the bound of results if a*b is at most `product_at_most` (None: it
    always is).  In GF(2^m) a*b is the product of the polynomials, as a number, and
    `product_at_most` is one less than a power of 2, so that the degree decides."""

    a_below: int
    b_below: int
    product_at_most: int | None = None


def largest_product(
    factor: int | None, modulus: int, *, below: int = 2, added: int = 1, scale: int = 1
) -> int:
    """The largest a*b for which V is certainly below `below` * N, if a Montgomery multiplier
    makes V = (scale * a*b + Q * added * N) / (scale * R) with some Q < scale * R.

    factor: R.  From scale * a*b + (scale * R - 1) * added * N < scale * R * below * N."""
    assert factor is not None
    exact = scale * factor * modulus * (below - added) + added * modulus
    return (exact - 1) // scale


class Moduli(NamedTuple):
    """The moduli N from `least`, of at most `bits` bits.  odd: bit 0 (in GF(2^m) the constant) is
    1."""

    least: int
    bits: int
    odd: bool = True
    field: Field = "prime"

    def holds(self, modulus: int) -> bool:
        """Whether N can be `modulus`."""
        odd = modulus % 2 == 1 or not self.odd
        return modulus >= self.least and modulus.bit_length() <= self.bits and odd

    @property
    def exact(self) -> bool:
        """Whether all N have the same number of bits."""
        return self.least == 1 << (self.bits - 1)

    @property
    def words(self) -> str:
        if self.field == "binary":
            return f"constant term 1, {self.least.bit_length() - 1} <= m <= {self.bits - 1}"
        least = f"2^{self.bits - 1}" if self.exact else str(self.least)
        return f"{'odd' if self.odd else 'odd or even'}, {least} <= N < 2^{self.bits}"

    @property
    def kind(self) -> str:
        """The rule without the largest length, as a text for messages."""
        if self.field == "binary":
            degree = self.least.bit_length() - 1
            return f"a polynomial with constant term 1, of degree {degree} or more"
        if self.exact:
            return f"a number of exactly {self.bits} bits"
        return f"{'an odd number' if self.odd else 'a number'} from {self.least}"
