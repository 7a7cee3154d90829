"""The Montgomery domain against its definition."""

import gmpy2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modmul.arithmetic.montgomery import Montgomery, negative_inverse

odd = st.integers(1, 2**600).map(lambda k: 2 * k + 1)
values = st.integers(0, 2**640)


@given(odd, st.integers(1, 80))
def test_negative_inverse(modulus: int, word: int) -> None:
    inverse = negative_inverse(modulus, word)
    assert 0 <= inverse < 2**word
    assert modulus * inverse % 2**word == 2**word - 1


@given(odd, st.integers(602, 700), values, values)
def test_domain(modulus: int, bits: int, a: int, b: int) -> None:
    domain = Montgomery(modulus, 1 << bits)
    assert domain.one == 2**bits % modulus
    assert domain.square == gmpy2.powmod(2, 2 * bits, modulus)
    entered = domain.product(a, domain.square)
    assert entered == a * domain.factor % modulus
    assert domain.product(entered, 1) == a % modulus
    assert domain.product(a, b) * domain.factor % modulus == a * b % modulus
    assert 0 <= domain.product(a, b) < modulus
    assert domain.negative_inverse(8) == negative_inverse(modulus, 8)


def test_p256_constants_as_published_elsewhere() -> None:
    """R^2 mod P and P' of P-256 for R = 2^256, as every software library has them."""
    domain = Montgomery(2**256 - 2**224 + 2**192 + 2**96 - 1, 2**256)
    assert domain.square == 0x00000004FFFFFFFDFFFFFFFFFFFFFFFEFFFFFFFBFFFFFFFF0000000000000003
    assert domain.negative_inverse(64) == 1


@pytest.mark.parametrize(("modulus", "factor"), [(8, 16), (1, 16), (7, 12), (7, 0), (7, 1)])
def test_what_has_no_domain(modulus: int, factor: int) -> None:
    with pytest.raises(ValueError, match=r"odd number|power of two"):
        Montgomery(modulus, factor)


def test_an_even_modulus_has_no_inverse() -> None:
    with pytest.raises(ValueError, match="even"):
        negative_inverse(10, 17)
