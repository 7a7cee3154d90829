"""Polynomials over GF(2) as integers, bit i the coefficient of x^i, and their Montgomery domain.

Addition is `^`; the power x^k is 1 << k.  Products walk over one operand in windows of 4 or 8 bits,
from the left, with a table of the multiples of the other: D. Hankerson, A. Menezes, S. Vanstone,
Guide to Elliptic Curve Cryptography, 2004, 2.3.  The Montgomery product is that of C. K. Koc,
T. Acar, Montgomery multiplication in GF(2^k), 1998.
"""

from __future__ import annotations

import functools
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import flint  # where it is used: it takes its time to load

_WIDE = 800  # bits from which a table of 256 multiples pays
_NARROW = 96  # bits up to which a product of integers with a byte for each coefficient is quicker
_TO_BITS = bytes(octet & 1 for octet in range(256))
_TO_DIGITS = bytes(ord("0") + (octet & 1) for octet in range(256))
# For each value of four bits, the byte with a zero above each of them; then the same as tables of
# all bytes, for the low and for the high half of a byte.
_SPREAD = [sum((i >> j & 1) << 2 * j for j in range(4)) for i in range(16)]
_SPREAD_LOW = bytes(_SPREAD[i & 15] for i in range(256))
_SPREAD_HIGH = bytes(_SPREAD[i >> 4] for i in range(256))
_SMALL_FACTORS = 16  # highest degree of the factors that are sought before a full factorisation


def degree(value: int) -> int:
    """The highest power of x in a polynomial; -1 for zero."""
    return value.bit_length() - 1


def multiply(a: int, b: int) -> int:
    if a.bit_length() < b.bit_length():
        a, b = b, a
    result = 0
    if a.bit_length() <= _NARROW:
        total = _octets(a) * _octets(b)  # no coefficient of it is above 255
        octets = total.to_bytes(a.bit_length() + b.bit_length() + 1, "big")
        return int(octets.translate(_TO_DIGITS), 2)
    if b.bit_length() < _WIDE:
        multiples = dict(zip("0123456789abcdef", _multiples(a, 4), strict=True))
        for digit in f"{b:x}":
            result = result << 4 ^ multiples[digit]
        return result
    table = _multiples(a, 8)
    for byte in b.to_bytes(-(-b.bit_length() // 8), "big"):
        result = result << 8 ^ table[byte]
    return result


def _octets(a: int) -> int:
    """The integer that has a byte, 0 or 1, for each bit of `a`."""
    return int.from_bytes(f"{a:b}".encode().translate(_TO_BITS), "big")


def _multiples(a: int, bits: int) -> list[int]:
    """The products of `a` with all polynomials of fewer than `bits` bits, in their order."""
    multiples = [0]
    for shift in range(bits):
        shifted = a << shift
        multiples += [shifted ^ multiple for multiple in multiples]
    return multiples


def square(a: int) -> int:
    """a^2, which has the bits of `a` with a zero above each."""
    octets = a.to_bytes(-(-a.bit_length() // 8), "little")
    spread = bytearray(2 * len(octets))
    spread[0::2] = octets.translate(_SPREAD_LOW)
    spread[1::2] = octets.translate(_SPREAD_HIGH)
    return int.from_bytes(spread, "little")


def divide(a: int, b: int) -> tuple[int, int]:
    """Quotient and remainder of a / b.  Raises ZeroDivisionError for b = 0."""
    if b == 0:
        raise ZeroDivisionError("division by the zero polynomial")
    quotient, length = 0, b.bit_length()
    while (shift := a.bit_length() - length) >= 0:
        a ^= b << shift
        quotient |= 1 << shift
    return quotient, a


def remainder(a: int, b: int) -> int:
    """A modulo b.  Raises ZeroDivisionError for b = 0."""
    return divide(a, b)[1]


def product(a: int, b: int, modulus: int) -> int:
    """a*b modulo `modulus`."""
    return remainder(multiply(a, b), modulus)


def inverse(a: int, modulus: int) -> int:
    """a^-1 modulo `modulus`, reduced (Euclid).  Raises ValueError if there is none."""
    old, new = modulus, remainder(a, modulus)
    old_factor, new_factor = 0, 1
    while new:
        shift = old.bit_length() - new.bit_length()
        if shift < 0:
            old, new, old_factor, new_factor = new, old, new_factor, old_factor
            shift = -shift
        old ^= new << shift
        old_factor ^= new_factor << shift
        if old == 0:
            old, new, old_factor, new_factor = new, old, new_factor, old_factor
    if old != 1:
        raise ValueError(f"{a:#x} has no inverse modulo {modulus:#x}: common divisor {old:#x}")
    return remainder(old_factor, modulus)


def inverse_power(a: int, word: int) -> int:
    """a^-1 modulo x^word, for a polynomial with constant term 1; else raise ValueError.

    Newton's iteration: v <- v*(2 - a*v), which is a*v^2 here, doubles the number of right terms."""
    if a & 1 == 0:
        raise ValueError(f"polynomial {a:#x} has no constant term: it has no inverse mod x^{word}")
    value, terms = 1, 1
    while terms < word:
        terms = min(2 * terms, word)
        mask = (1 << terms) - 1
        value = multiply(a & mask, square(value)) & mask
    return value & ((1 << word) - 1)


def is_irreducible(value: int) -> bool:
    """Whether `value` has degree 1 or more and is no product of two such polynomials.

    Small factors are sought first, all at once: x^(2^k) - x is the product of all irreducible
    polynomials whose degrees divide k.  FLINT's factorisation decides the rest: about 15 ms at
    degree 571, growing with the cube of the degree."""
    if degree(value) < 2:
        return degree(value) == 1
    if value & 1 == 0 or value.bit_count() % 2 == 0:  # divisible by x or x + 1
        return False
    modulus, x = in_flint(value), in_flint(2)
    power, common = x, in_flint(1)
    for _ in range(min(_SMALL_FACTORS, degree(value) // 2)):
        power = power * power % modulus
        common = common * (power - x) % modulus
    if not common.gcd(modulus).is_one():
        return False
    factors = modulus.factor()[1]
    return len(factors) == 1 and factors[0][1] == 1


def random_irreducible(degree: int, rng: random.Random) -> int:
    """A random irreducible polynomial of a degree from 1; all but x are equally likely.

    On average degree/2 candidates are drawn, and half of them have an even number of terms and fail
    at once: this takes fractions of a second at degree 571, minutes at 4096."""
    if degree < 1:
        raise ValueError(f"degree {degree}: an irreducible polynomial has a degree from 1")
    while True:
        candidate = 1 << degree | rng.getrandbits(degree) | 1
        if is_irreducible(candidate):
            return candidate


def in_flint(value: int) -> flint.nmod_poly:
    """The same polynomial in FLINT, which keeps a machine word for each coefficient."""
    import flint

    return flint.nmod_poly(list(bin(value)[:1:-1].encode()), 2)  # "0" is 48, "1" is 49


@functools.lru_cache(maxsize=256)
def _inverse_power(modulus: int, terms: int) -> int:
    return inverse_power(modulus, terms)


@dataclass(frozen=True)
class BinaryMontgomery:
    """The domain of a polynomial N = `modulus` with constant term 1, and R = `factor` = x^k.

    The members are those of `montgomery.Montgomery`; results have a degree below that of N."""

    modulus: int
    factor: int

    def __post_init__(self) -> None:
        if self.modulus < 2 or self.modulus & 1 == 0:
            raise ValueError(
                f"modulus {self.modulus:#x}: must have a constant term, and degree 1 or more"
            )
        if self.factor & (self.factor - 1) or self.factor < 2:
            raise ValueError(f"Montgomery factor {self.factor:#x}: must be a power of x")

    @property
    def one(self) -> int:
        """R mod N, which represents 1 in the domain."""
        return remainder(self.factor, self.modulus)

    @property
    def square(self) -> int:
        """R^2 mod N; the Montgomery product of a with it represents a in the domain."""
        return remainder(self.factor * self.factor, self.modulus)

    def negative_inverse(self, word: int) -> int:
        """N' = N^-1 mod x^word, which is -N^-1, too, since signs do not matter."""
        return inverse_power(self.modulus, word)

    def product(self, a: int, b: int) -> int:
        """a*b/R mod N for any a and b: (a*b + q*N)/R with q = a*b*N' mod R."""
        terms = degree(self.factor)
        mask = self.factor - 1
        full = multiply(a, b)
        quotient = multiply(full & mask, _inverse_power(self.modulus, terms)) & mask
        return remainder((full ^ multiply(quotient, self.modulus)) >> terms, self.modulus)
