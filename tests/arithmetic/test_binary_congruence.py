"""The oracle of products over GF(2) against FLINT's own polynomials: right and wrong products."""

import random

import pytest
from flint import nmod_poly
from hypothesis import given
from hypothesis import strategies as st

from modmul.arithmetic.binary_congruence import congruent

polynomials = st.integers(0, 2**70) | st.integers(2**290, 2**300)
moduli = polynomials.map(lambda a: 2 * a + 3)
exponents = st.integers(0, 320)


def flint(value: int) -> nmod_poly:
    return nmod_poly([value >> i & 1 for i in range(value.bit_length())], 2)


def integer(polynomial: nmod_poly) -> int:
    return sum(int(bit) << i for i, bit in enumerate(polynomial.coeffs()))


def right(exponent: int, a: int, b: int, modulus: int) -> int:
    """a*b/x^exponent modulo N."""
    n = flint(modulus)
    inverse = flint(1 << exponent).xgcd(n)[1]
    return integer(flint(a) * flint(b) * inverse % n)


@given(polynomials, exponents, polynomials, polynomials, moduli)
def test_any_value(value: int, exponent: int, a: int, b: int, modulus: int) -> None:
    difference = flint(value << exponent) + flint(a) * flint(b)
    expected = difference % flint(modulus) == flint(0)
    assert congruent(value, exponent, a, b, modulus) == expected


@given(exponents, polynomials, polynomials, moduli, st.data())
def test_right_values_and_those_wrong_in_one_bit(
    exponent: int, a: int, b: int, modulus: int, data: st.DataObject
) -> None:
    value = right(exponent, a, b, modulus)
    assert congruent(value, exponent, a, b, modulus)
    assert congruent(value ^ modulus << 7, exponent, a, b, modulus)  # not reduced, but right
    flipped = value ^ 1 << data.draw(st.integers(0, 400))
    assert not congruent(flipped, exponent, a, b, modulus)


@pytest.mark.parametrize("bits", [255, 256, 571, 1023, 2049, 4095])
def test_digits_hold_the_longest_sums(bits: int) -> None:
    """All ones: every digit of a product is as large as it can be."""
    ones, exponent = (1 << bits) - 1, bits + 33
    modulus = ones << 1 | 1
    value = right(exponent, ones, ones, modulus)
    assert congruent(value, exponent, ones, ones, modulus)
    assert not congruent(value ^ 1 << bits // 2, exponent, ones, ones, modulus)
    assert not congruent(value, exponent + 1, ones, ones, modulus)


def test_random_products_of_many_moduli() -> None:
    rng = random.Random(2)
    for _ in range(300):
        bits = rng.randrange(2, 600)
        modulus = rng.getrandbits(bits) | 1 << bits | 1
        a, b = rng.getrandbits(bits), rng.getrandbits(bits)
        value = right(bits + 5, a, b, modulus)
        assert congruent(value, bits + 5, a, b, modulus)
        assert not congruent(value ^ 1, bits + 5, a, b, modulus)


@pytest.mark.parametrize("modulus", [0, 1, 6])
def test_what_is_no_modulus(modulus: int) -> None:
    with pytest.raises(ValueError, match="constant term"):
        congruent(1, 8, 1, 1, modulus)
