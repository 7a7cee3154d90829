"""What the dual-field multiplier computes, on integers."""

from __future__ import annotations

from modmul.arithmetic import binary


def dual_field_product(a: int, b: int, field: int, double: int = 0, ride: int = 0) -> int:
    """The output p of `DualFieldMultiplier` for its inputs, all of them at least 0.

    field 0: a * b, twice that if double; ride is ignored.  field 1: the carry-less product, 0 if
    double (the characteristic is 2), plus the carry-less square of ride."""
    if not field:
        return a * b << double
    return (0 if double else binary.multiply(a, b)) ^ binary.square(ride)
