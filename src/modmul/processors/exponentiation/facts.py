"""What an exponentiation processor is made of, and the figures that follow."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from modmul.arithmetic.words import ceil_div
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.facts import MultiplierFacts
from modmul.operation import Mode


def in_words(multiplier: Multiplier) -> bool:
    """Whether a multiplier takes numbers in several words, or in as many as are chosen."""
    return multiplier.beats > 1 or multiplier.lengths is not None


def halvings(multiplier: MultiplierFacts, modulus: int) -> int:
    """Ceil(log2 c), where results are below c*N."""
    return (ceil_div(multiplier.result_bound(modulus), modulus) - 1).bit_length()


@dataclass(frozen=True)
class ExponentiationFacts:
    """The parts of an exponentiation processor, and figures that follow from them.

    word: bits of a beat of modulus, operand and result.  is_ladder: ladder, or else left to right.
    units: number of multipliers.  exponent_word: bits of a beat of the exponent.  longest_exponent:
    most bits of an exponent.  checked: whether a power is checked before it leaves."""

    multiplier: Multiplier
    word: int
    is_ladder: bool
    units: int
    exponent_word: int
    longest_exponent: int
    checked: bool = False

    @property
    def in_words(self) -> bool:
        return in_words(self.multiplier)

    @property
    def words(self) -> int:
        multiplier = self.multiplier
        if self.in_words:
            return multiplier.beats
        return ceil_div(max(multiplier.beat, multiplier.modulus_beat), self.word)

    def words_in(self, mode: Mode) -> int:
        return self.multiplier.beats_in(mode) if self.in_words else self.words

    @property
    def core_constants(self) -> int:
        """The beats that load a modulus of full length into the multiplier."""
        return len(self.multiplier.constants((1 << self.multiplier.width) - 1))

    @property
    def enters_domain(self) -> bool:
        """Whether numbers have to enter the Montgomery domain, and leave it at the end."""
        return self.multiplier.montgomery_factor != 1

    @property
    def subtractions(self) -> int:
        """The number of subtractions of 2^j*N at the end, from high to low j, each kept if it does
        not borrow.  Before a check there is one of N more than needed: then no wrong choice in one
        pass leaves the right residue plus N."""
        return self.halvings + self.checked

    @cached_property
    def halvings(self) -> int:
        """Ceil(log2 c), where the power is below c*N."""
        if self.multiplier.fields_built == ("binary",):
            return 0
        # Bounds are multiples of N that may depend on its low bits.
        largest = (1 << self.multiplier.width) - 1
        return max(halvings(self.multiplier, largest - below) for below in range(0, 16, 2))

    @cached_property
    def operand_bits(self) -> int:
        largest = (1 << self.multiplier.width) - 1
        bounds = (self.multiplier.operand_bound(largest - below) for below in range(0, 16, 2))
        return (max(bounds) - 1).bit_length()

    @property
    def passes(self) -> int:
        """The passes over all words that the reduction at the end needs."""
        return self.subtractions + (self.multiplier.result_form == "carry-save")
