"""Tests whether a product or a sum is right modulo N, for every one that is checked."""

from __future__ import annotations

from collections.abc import Sequence

from modmul.arithmetic.moduli import Field


def incongruent(
    factors: Sequence[tuple[int, int]],
    values: Sequence[int],
    modulus: int,
    field: Field = "prime",
    factor: int = 1,
) -> list[int]:
    """The positions of the `values` for which value * R = a * b mod N does not hold, for the
    pairs (a, b) of `factors`; without a modulus (0), those of the values that are not a * b.

    This is called for every product of a simulation.  To save time, no value is reduced first."""
    numbers = enumerate(zip(factors, values, strict=True))
    if modulus == 0:
        return [i for i, ((a, b), value) in numbers if a * b != value]
    if field == "binary":
        from modmul.arithmetic.binary_congruence import congruent  # loads NumPy and FLINT

        exponent = factor.bit_length() - 1
        return [
            i for i, ((a, b), value) in numbers if not congruent(value, exponent, a, b, modulus)
        ]
    return [i for i, ((a, b), value) in numbers if (value * factor - a * b) % modulus]


def unlike_sums(terms: Sequence[tuple[int, int]], values: Sequence[int], modulus: int) -> list[int]:
    """The positions of the `values` that are not the sum of their terms modulo N
    (integers)."""
    numbers = enumerate(zip(terms, values, strict=True))
    return [i for i, ((a, b), value) in numbers if (value - a - b) % modulus]
