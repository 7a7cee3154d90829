"""What the dual-field multiplier computes, on integers."""

from __future__ import annotations


def carryless_product(a: int, b: int) -> int:
    """a * b as polynomials over GF(2): bit i is the coefficient of x^i."""
    product = 0
    while b:
        lowest = b & -b
        product ^= a * lowest
        b ^= lowest
    return product


def dual_field_product(a: int, b: int, field: int, double: int = 0, ride: int = 0) -> int:
    """The output p of `DualFieldMultiplier` for its inputs, all of them at least 0.

    field 0: a * b, twice that if double; ride is ignored.  field 1: the carry-less product, 0 if
    double (the characteristic is 2), plus the carry-less square of ride."""
    if not field:
        return a * b << double
    return (0 if double else carryless_product(a, b)) ^ carryless_product(ride, ride)
