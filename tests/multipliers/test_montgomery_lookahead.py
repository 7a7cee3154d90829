"""Montgomery multiplication with lookahead: the golden model, its bounds and its cycles."""

from __future__ import annotations

import random

import pytest

from modmul.errors import SpecError
from modmul.multipliers.radix2 import words
from modmul.multipliers.radix2.montgomery_lookahead import MontgomeryLookahead

both = pytest.mark.parametrize("lookahead", [1, 2])


def check(multiplier: MontgomeryLookahead, a: int, b: int, modulus: int) -> int:
    result = multiplier.compute(a, b, modulus)
    assert (result * multiplier.montgomery_factor - a * b) % modulus == 0
    assert result < multiplier.result_bound(modulus)
    return result


@both
@pytest.mark.parametrize("width", [3, 4])
def test_every_product_of_small_moduli(width: int, lookahead: int) -> None:
    multiplier = MontgomeryLookahead(width=width, lookahead=lookahead)
    for modulus in range(3, 1 << width, 2):
        bound = multiplier.operand_bound(modulus)
        for a in range(bound):
            for b in range(0, bound, 1 if lookahead == 1 else 3):
                check(multiplier, a, b, modulus)


@both
@pytest.mark.parametrize("width", [8, 33, 160, 521])
def test_results_are_operands_again(width: int, lookahead: int) -> None:
    multiplier = MontgomeryLookahead(width=width, lookahead=lookahead)
    rng = random.Random(width)
    factor = multiplier.montgomery_factor
    for _ in range(4):
        modulus = rng.getrandbits(width) | 1 << (width - 1) | 1
        x = rng.randrange(modulus)
        power = check(multiplier, x, factor * factor % modulus, modulus)
        for _ in range(16):
            power = check(multiplier, power, power, modulus)
        plain = check(multiplier, power, 1, modulus)
        assert plain % modulus == pow(x, 1 << 16, modulus)
        assert plain <= ((1 << multiplier.exponent) - 1) * modulus


@both
def test_the_words_of_the_row_fit(lookahead: int) -> None:
    """SS and SC in k + 2e bits; bit 0 of SC is 0, so that bit 0 of SS is the quotient."""
    rng = random.Random(3)
    for width in (3, 5, 9, 64):
        multiplier = MontgomeryLookahead(width=width, lookahead=lookahead)
        bits = width + 2 * multiplier.exponent
        for _ in range(60):
            modulus = rng.choice([(1 << width) - 1, rng.getrandbits(width) | 1])
            if modulus < 3:
                continue
            top = multiplier.operand_bound(modulus) - 1
            a, b = (rng.choice([top, rng.randrange(top + 1)]) for _ in range(2))
            hat = multiplier.modulus_hat(modulus)
            assert hat < 1 << width
            ss = sc = 0
            for i in range(multiplier.iterations):
                addend = (b if a >> i & 1 else 0) + (hat if ss & 1 else 0)
                ss, sc = words.carry_save_add(ss >> 1, sc >> 1, addend << lookahead)
                assert ss < 1 << bits and sc < 1 << bits and sc & 1 == 0
            assert ss + sc == multiplier.compute(a, b, modulus)


@both
def test_cycles_of_1024_bits(lookahead: int) -> None:
    multiplier = MontgomeryLookahead(width=1024, lookahead=lookahead)
    words_of_operand = 33
    assert multiplier.beats == words_of_operand
    assert multiplier.iterations == 1024 + 3 * (lookahead + 1)
    interval = words_of_operand + multiplier.iterations + lookahead - 1
    assert multiplier.interval().maximum == interval


def test_bad_parameters_are_refused() -> None:
    for wrong in ({"lookahead": 3}, {"stream_word": 3}, {"width": 2}):
        with pytest.raises(SpecError):
            MontgomeryLookahead(**wrong)
