"""Squares in GF(2^m) as printed, and right ones: what stands for 2*a[j]*a[k]."""

from __future__ import annotations

import random
from typing import Literal, NamedTuple

from modmul.arithmetic import binary, moduli
from modmul.arithmetic.binary import BinaryMontgomery
from modmul.arithmetic.words import ceil_div, to_words
from modmul.papers.columns import Row, tabulate
from modmul.papers.dualfips.designs import DEGREES, WORD, words_of
from modmul.papers.records import Figures, Table, TableCell

Doubled = Literal["shift", "zero"]
TRIED = 100  # random elements of each field
_SEED = 2020


class WrongSquares(NamedTuple):
    """How many of TRIED squares came out wrong."""

    shifted: int
    zeroed: int


def column_sum(a: int, word: int, doubled: Doubled) -> int:
    """What the columns of a square add up in GF(2)[x], multiples of the modulus not counted:
    a[j]^2, and for j < k what stands for 2*a[j]*a[k].

    shift: the product moved one bit up, as printed (dualfips, sections 3.2 and 5.3); zero: nothing,
    as in a field of characteristic 2."""
    words = to_words(a, word, max(1, ceil_div(a.bit_length(), word)))
    total = 0
    for j, low in enumerate(words):
        total ^= binary.square(low) << 2 * j * word
        if doubled == "shift":
            for k in range(j + 1, len(words)):
                total ^= binary.multiply(low, words[k]) << (j + k) * word + 1
    return total


def montgomery_square(a: int, modulus: int, doubled: Doubled, word: int = WORD) -> int:
    """a^2/x^(word*s) mod N by that rule; N of degree m, s = m // word + 1 words.

    The quotient words depend on the sum alone, so it is the same as reducing column by column."""
    words = (modulus.bit_length() - 1) // word + 1
    domain = BinaryMontgomery(modulus, 1 << word * words)
    return domain.product(column_sum(a, word, doubled), 1)


def attempt(degree: int) -> WrongSquares:
    """Tries both rules on random elements of the field of the NIST polynomial of that degree,
    against products of polynomials."""
    rng, modulus = random.Random(_SEED), moduli.parse(f"b{degree}").value
    domain = BinaryMontgomery(modulus, 1 << WORD * words_of(degree))
    shifted = zeroed = 0
    for _ in range(TRIED):
        a = rng.getrandbits(degree)
        right = domain.product(a, a)
        shifted += montgomery_square(a, modulus, "shift") != right
        zeroed += montgomery_square(a, modulus, "zero") != right
    return WrongSquares(shifted, zeroed)


def table(figures: Figures, measured: object) -> Table:
    """How many squares of random elements are wrong."""

    def row(degree: int) -> Row:
        wrong = attempt(degree)
        shifted, zeroed = (TableCell.arithmetic(None, f"{count} of {TRIED}") for count in wrong)
        return {"m": degree, "wrong_as_printed": shifted, "wrong_with_zero": zeroed}

    return tabulate(figures, "Squares", map(row, DEGREES))
