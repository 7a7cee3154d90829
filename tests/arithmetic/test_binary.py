"""Polynomials over GF(2) against FLINT's own, and against what they must satisfy."""

import random

import pytest
from flint import nmod_poly
from hypothesis import given
from hypothesis import strategies as st

from modmul.arithmetic import binary
from modmul.arithmetic.binary import BinaryMontgomery

polynomials = st.integers(0, 2**300 - 1) | st.integers(2**790, 2**820) | st.integers(0, 300)
odd = polynomials.map(lambda a: 2 * a + 1)
moduli = polynomials.map(lambda a: 2 * a + 3)  # odd, degree 1 or more


def flint(value: int) -> nmod_poly:
    return nmod_poly([value >> i & 1 for i in range(value.bit_length())], 2)


def integer(polynomial: nmod_poly) -> int:
    return sum(int(bit) << i for i, bit in enumerate(polynomial.coeffs()))


def long_multiplication(a: int, b: int) -> int:
    result = 0
    for i in range(b.bit_length()):
        if b >> i & 1:
            result ^= a << i
    return result


@given(polynomials, polynomials)
def test_products(a: int, b: int) -> None:
    product = binary.multiply(a, b)
    assert product == binary.multiply(b, a) == long_multiplication(a, b)
    assert flint(product) == flint(a) * flint(b)
    assert binary.square(a) == binary.multiply(a, a)
    assert binary.degree(product) == (binary.degree(a) + binary.degree(b) if a and b else -1)


@given(polynomials, polynomials, polynomials)
def test_products_distribute_and_associate(a: int, b: int, c: int) -> None:
    multiply = binary.multiply
    assert multiply(a, b ^ c) == multiply(a, b) ^ multiply(a, c)
    assert multiply(multiply(a, b), c) == multiply(a, multiply(b, c))


@given(polynomials, polynomials.filter(bool))
def test_quotient_and_remainder(a: int, b: int) -> None:
    quotient, rest = binary.divide(a, b)
    assert binary.multiply(quotient, b) ^ rest == a
    assert rest.bit_length() < b.bit_length()
    assert binary.remainder(a, b) == integer(flint(a) % flint(b)) == rest


@given(polynomials, polynomials, moduli)
def test_products_modulo_n(a: int, b: int, modulus: int) -> None:
    expected = flint(a) * flint(b) % flint(modulus)
    assert flint(binary.product(a, b, modulus)) == expected


@given(polynomials, moduli)
def test_inverse_modulo_n(a: int, modulus: int) -> None:
    common = flint(a).gcd(flint(modulus))
    if common.is_one():
        inverse = binary.inverse(a, modulus)
        assert inverse.bit_length() < modulus.bit_length()
        assert binary.product(a, inverse, modulus) == 1
    else:
        with pytest.raises(ValueError, match=f"common divisor {integer(common):#x}"):
            binary.inverse(a, modulus)


@given(odd, st.integers(1, 900))
def test_inverse_modulo_a_power_of_x(a: int, word: int) -> None:
    inverse = binary.inverse_power(a, word)
    assert 0 < inverse < 1 << word
    assert binary.multiply(a, inverse) & ((1 << word) - 1) == 1


def test_what_has_no_inverse_or_quotient() -> None:
    with pytest.raises(ValueError, match="no constant term"):
        binary.inverse_power(6, 17)
    with pytest.raises(ValueError, match="common divisor 0x7"):
        binary.inverse(0, 7)
    with pytest.raises(ZeroDivisionError):
        binary.remainder(5, 0)


def test_irreducible_polynomials_are_as_many_as_moebius_says() -> None:
    """(1/m) * sum of mu(d) * 2^(m/d) over the divisors d of m; and each one by trial division."""
    counts = {1: 2, 2: 1, 3: 2, 4: 3, 5: 6, 6: 9, 7: 18, 8: 30, 9: 56, 10: 99, 11: 186}
    for degree, count in counts.items():
        irreducible = [n for n in range(1 << degree, 2 << degree) if binary.is_irreducible(n)]
        assert len(irreducible) == count
        for n in irreducible[:9]:
            assert all(binary.remainder(n, d) for d in range(2, 1 << (degree // 2 + 1)))
    assert not binary.is_irreducible(0)
    assert not binary.is_irreducible(1)


@pytest.mark.parametrize("degree", [1, 2, 3, 17, 64, 163, 233])
def test_random_irreducible_polynomials(degree: int) -> None:
    polynomial = binary.random_irreducible(degree, random.Random(degree))
    assert polynomial == binary.random_irreducible(degree, random.Random(degree))
    assert binary.degree(polynomial) == degree
    assert polynomial & 1
    factors = flint(polynomial).factor()[1]
    assert [(integer(factor), power) for factor, power in factors] == [(polynomial, 1)]


def test_products_of_large_irreducible_polynomials_are_found_out() -> None:
    rng = random.Random(5)
    p, q = (binary.random_irreducible(degree, rng) for degree in (61, 40))
    assert not binary.is_irreducible(binary.multiply(p, q))
    assert not binary.is_irreducible(binary.square(p))
    with pytest.raises(ValueError, match="degree from 1"):
        binary.random_irreducible(0, rng)


@given(moduli, st.integers(1, 900), polynomials, polynomials)
def test_domain(modulus: int, exponent: int, a: int, b: int) -> None:
    domain = BinaryMontgomery(modulus, 1 << exponent)
    n, r = flint(modulus), flint(1 << exponent)
    assert flint(domain.one) == r % n
    assert flint(domain.square) == r * r % n
    entered = domain.product(a, domain.square)
    assert flint(entered) == flint(a) * r % n
    assert domain.product(entered, 1) == binary.remainder(a, modulus)
    product = domain.product(a, b)
    assert flint(product) * r % n == flint(a) * flint(b) % n
    assert product.bit_length() < modulus.bit_length()
    assert domain.negative_inverse(8) == binary.inverse_power(modulus, 8)


@pytest.mark.parametrize(("modulus", "factor"), [(6, 16), (1, 16), (0, 16), (7, 12), (7, 0)])
def test_what_has_no_domain(modulus: int, factor: int) -> None:
    with pytest.raises(ValueError, match=r"constant term|power of x"):
        BinaryMontgomery(modulus, factor)
