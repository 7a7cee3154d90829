"""What the text says in figures besides the tables, and of squares in GF(2^m)."""

from __future__ import annotations

import random
from operator import truediv
from typing import Literal, NamedTuple

from modmul.arithmetic import binary, moduli
from modmul.arithmetic.binary import BinaryMontgomery
from modmul.arithmetic.words import ceil_div, to_words
from modmul.papers.columns import Claims, Rows, claims, table
from modmul.papers.dualfips import designs
from modmul.papers.dualfips.area import place
from modmul.papers.dualfips.designs import (
    DEGREES,
    DRAWN,
    ONE,
    ONE_DEFAULT,
    WORD,
    WORDS,
    design,
    modes,
    words_of,
)
from modmul.papers.dualfips.exponentiation import BITS, L_R, ML_TWO
from modmul.papers.dualfips.measured import (
    ClockCounts,
    DeclaredAndSimulated,
    Measured,
    of_both,
    saved,
)
from modmul.papers.implemented import clock, path
from modmul.papers.records import Figures, TableCell, rounded

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


@table("Squares")
def squares(figures: Figures, measured: object) -> Rows:
    """How many squares of random elements are wrong."""
    for degree in DEGREES:
        wrong = attempt(degree)
        shifted, zeroed = (TableCell.arithmetic(None, f"{count} of {TRIED}") for count in wrong)
        yield {"m": degree, "wrong_as_printed": shifted, "wrong_with_zero": zeroed}


_LONGEST = ceil_div(max(designs.WIDTHS), WORD)


@claims()
def statements(figures: Figures, measured: Measured) -> Claims:
    """Figures of abstract, sections 3 to 6 and conclusion, each with a verdict."""
    said, counts = figures["claims"], ClockCounts(figures, measured)

    def pair(name: str, words: int, field: str) -> list[DeclaredAndSimulated]:
        return [counts.of(name, mode) for mode in modes(words, field)]

    product, square = pair(ONE, WORDS, "prime")
    ratio = of_both(truediv, product, square)
    far = {field: saved(*pair(ONE_DEFAULT, _LONGEST, field)) for field in ("prime", "binary")}
    return {
        "1024-bit square: speed gained, %": saved(product, square).cell(
            said["speed_gain_1024_square_pct"]
        ),
        "1024-bit square: products in the time of which": TableCell.circuit(
            None, rounded(ratio.declared, 3), measured=rounded(ratio.simulated, 3)
        ),
        "clocks saved by a square, s to infinity, %": TableCell.arithmetic(
            said["optimisation_limit_pct"],
            rounded(100 * _limit("square")),
            f"holds; measured at s = {_LONGEST}",
            measured=far["prime"].simulated,
        ),
        "the same in GF(2^m), %": TableCell.arithmetic(
            None,
            rounded(100 * _limit("skip")),
            f"not said; twice as much, since no doubled product is needed; s = {_LONGEST}",
            measured=far["binary"].simulated,
        ),
        "squares among the products of the ladder, %": TableCell.arithmetic(
            said["probability_of_squares_pct"], 50
        ).as_said("about"),
        "squares among the products from left to right, %": TableCell.arithmetic(
            None, rounded(200 / 3, 3)
        ),
        **{
            f"{what} against Sudhakar [33]": TableCell.printed(words)
            for what, words in said["against_sudhakar"].items()
        },
        "clocks of L_R to those of ML": TableCell.arithmetic(
            said["lr_over_ml"],
            rounded(1 - _limit("square") + 0.5),
            measured=_measured_ratio(measured),
        ),
        "states of the controller": TableCell.printed(said["fsm_states"]),
        **_widths(figures),
        **_times(figures, counts),
    }


def _limit(kind: str) -> float:
    """Share of 2 s^2 products that a square leaves out, from the terms in s^2."""
    return 1 - {"square": 1.5, "skip": 1.0}[kind] / 2


def _measured_ratio(measured: Measured) -> float | None:
    """The ratio of the longest simulated loops."""
    left, ladder = (measured.loops.get((method, max(BITS))) for method in (L_R, ML_TWO))
    return rounded(left.clocks / ladder.clocks, 4) if left and ladder else None


def _widths(figures: Figures) -> dict[str, TableCell]:
    """Bits of the datapath."""
    widths = figures["widths_bits"]
    ahead = design(ONE_DEFAULT).accumulator_bits
    return {
        "bits of a word product, doubled": TableCell.arithmetic(
            widths["product_with_doubling"], 2 * WORD + 1
        ),
        "bits of the accumulator, one multiplier": TableCell.circuit(
            widths["accumulator"],
            design(ONE).accumulator_bits,
            f"2 w + 1 + log2 s are enough; {ahead} with products of the next column",
        ),
        "bits of the sum of two products": TableCell.arithmetic(
            widths["double_path_sum"], 2 * WORD + 2
        ),
    }


def _times(figures: Figures, counts: ClockCounts) -> dict[str, TableCell]:
    drawn = counts.measured.ecp5.get("one, as drawn")
    routed = f"; measured on ecp5: {clock(drawn).period:.1f} ns, {path(drawn)}" if drawn else ""
    return {
        "clock, MHz": TableCell.ours(
            rounded(drawn and clock(drawn).usable, 4),
            figures["meta"]["clock_note"] + routed,
            published=figures["meta"]["clock_mhz"],
        ),
        "place by A T^2 in Table 2": TableCell.arithmetic(
            None,
            place(figures, corrected=True),
            f"by the printed column {place(figures, corrected=False)}; computed: with the latency "
            "of a product, which the others give",
        ),
        "controller with two multipliers: 1024-bit square, clocks": counts.of(
            DRAWN, modes(WORDS, "prime")[1]
        ).cell(
            remark=f"printed: {figures['clocks_1024']['proposed_square_double']}, in table Clocks; "
            "not with the drawn data path, but with look-ahead"
        ),
    }
