"""Tests whether a product is right modulo a polynomial over GF(2): value * x^e = a * b mod N.

Nothing is shared with `binary`, so that the two can judge each other.  Polynomials travel as
integers in which each coefficient has a digit wide enough for a whole product (Kronecker
substitution; D. Harvey, Faster polynomial multiplication via multipoint Kronecker substitution,
2009, section 1).  FLINT multiplies these; the lowest bit of each digit is the coefficient modulo 2.
This is several times faster than FLINT's own polynomials modulo 2, which need a word for each
coefficient, and time for each to get there.
"""

from __future__ import annotations

import functools

import numpy as np
from flint import fmpz
from numpy.typing import NDArray


def congruent(value: int, factor_exponent: int, a: int, b: int, modulus: int) -> bool:
    """Whether value * x^factor_exponent = a * b mod `modulus`, for polynomials of any degree, bit i
    the coefficient of x^i.  Raises ValueError if the modulus has no constant term or a degree below
    1.

    p = a*b - value*x^e is a multiple of N if and only if it equals q*N for the q whose product with
    N has the lowest coefficients of p: q = p * N^-1 mod x^k, k = deg p - deg N + 1 at most."""
    if modulus < 2 or modulus % 2 == 0:
        raise ValueError(f"modulus {modulus:#x}: must have a constant term and degree 1 or more")
    degree = modulus.bit_length() - 1
    # The number of coefficients of p is the same for all reduced operands, so that they all share
    # the cached values.
    reduced = degree + max(degree, factor_exponent)
    terms = max(a.bit_length() + b.bit_length(), value.bit_length() + factor_exponent, reduced)
    quotient_terms = terms - degree
    # A digit of q*N is a sum of at most quotient_terms bits.  A digit of a*b is a sum of at most as
    # many bits as the shorter factor has; these are not more, since neither 2*degree nor the sum of
    # the two lengths is above `terms`.
    digit = quotient_terms.bit_length()
    modulus_digits, inverse_digits = _prepared(modulus, quotient_terms, digit)
    every, low = _ones(terms, digit), _ones(quotient_terms, digit)
    p = _digits(a, digit) * _digits(b, digit) & every
    p ^= _digits(value, digit) << digit * factor_exponent
    quotient = (p & low) * inverse_digits & low
    return bool(quotient * modulus_digits & every == p)


@functools.lru_cache(maxsize=64)
def _prepared(modulus: int, terms: int, digit: int) -> tuple[fmpz, fmpz]:
    """Return, in digits, N and N^-1 mod x^terms; v <- N*v^2 doubles the number of right terms."""
    inverse, spread, right = fmpz(1), _digits(modulus, digit), 1
    while right < terms:
        right = min(2 * right, terms)
        ones = _ones(right, digit)
        doubled = inverse * inverse & ones
        inverse = (spread & ones) * doubled & ones
    return spread, inverse


@functools.lru_cache(maxsize=64)
def _ones(terms: int, digit: int) -> fmpz:
    """`terms` digits of `digit` bits, each 1: a mask for the lowest bits of digits."""
    return fmpz(((1 << digit * terms) - 1) // ((1 << digit) - 1))


def _digits(value: int, digit: int) -> fmpz:
    """The bits of `value` as digits of `digit` bits each."""
    octets = np.frombuffer(value.to_bytes(value.bit_length() // 8 + 1, "little"), np.uint8)
    return fmpz(int.from_bytes(_table(digit).take(octets, axis=0).tobytes(), "little"))


@functools.cache
def _table(digit: int) -> NDArray[np.uint8]:
    """The eight bits of every byte value as digits of `digit` bits, `digit` bytes a row."""
    numbers = [sum((i >> j & 1) << digit * j for j in range(8)) for i in range(256)]
    octets = b"".join(number.to_bytes(digit, "little") for number in numbers)
    return np.frombuffer(octets, np.uint8).reshape(256, digit)
