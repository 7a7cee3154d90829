"""What an exponentiation processor is made of, and the figures that follow."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from modmul.arithmetic.words import ceil_div
from modmul.design import Mode
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.facts import MultiplierFacts


def in_words(multiplier: Multiplier) -> bool:
    """Whether it takes numbers in words, several or as many as are chosen."""
    return multiplier.beats > 1 or multiplier.lengths is not None


def halvings(multiplier: MultiplierFacts, modulus: int) -> int:
    """ceil(log2 c), for results below c*N."""
    return (ceil_div(multiplier.result_bound(modulus), modulus) - 1).bit_length()


@dataclass(frozen=True)
class ExponentiationFacts:
    """word: bits of a beat of modulus, operand and result.  is_ladder: or left to right.
    units: multipliers.  exponent_word: bits of a beat of the exponent.  longest_exponent: its
    bits."""

    multiplier: Multiplier
    word: int
    is_ladder: bool
    units: int
    exponent_word: int
    longest_exponent: int

    @property
    def in_words(self) -> bool:
        """Whether numbers go to the multiplier in words: see the function of that name."""
        return in_words(self.multiplier)

    @property
    def words(self) -> int:
        """Words of a number, at the full length."""
        multiplier = self.multiplier
        if self.in_words:
            return multiplier.beats
        return ceil_div(max(multiplier.beat, multiplier.modulus_beat), self.word)

    def words_in(self, mode: Mode) -> int:
        """Words of a number in that mode of the multiplier."""
        return self.multiplier.beats_in(mode) if self.in_words else self.words

    @property
    def core_constants(self) -> int:
        """Beats that load a modulus into the multiplier, at the full length."""
        return len(self.multiplier.constants((1 << self.multiplier.width) - 1))

    @property
    def enters_domain(self) -> bool:
        """Whether numbers have to be multiplied by R, and freed of it at the end."""
        return self.multiplier.montgomery_factor != 1

    @cached_property
    def subtractions(self) -> int:
        """How many times 2^j*N is subtracted if it can be, j from high to low: ceil(log2 c)."""
        if self.multiplier.fields_built == ("binary",):
            return 0
        # Bounds are multiples of N that may depend on its low bits.
        largest = (1 << self.multiplier.width) - 1
        return max(halvings(self.multiplier, largest - below) for below in range(0, 16, 2))

    @property
    def passes(self) -> int:
        """Passes over all words that the reduction at the end takes."""
        return self.subtractions + (self.multiplier.result_form == "carry-save")
