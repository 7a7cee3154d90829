"""The parameters of `fips`, what can be chosen at run time, and what follows from both: words,
modes, the schedule."""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass
from typing import ClassVar, Self

from modmul.arithmetic.moduli import Field
from modmul.arithmetic.words import ceil_div
from modmul.errors import SpecError
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.fips.cursor import Shape
from modmul.multipliers.fips.schedule import Kind, Schedule, Totals
from modmul.operation import Mode
from modmul.parameters import parameter

WORDS = (2, 4, 8, 16, 32, 64)
MOST_STAGES = 6


@dataclass(frozen=True, kw_only=True)
class FipsParameters(Multiplier):
    """The parameters, the choices at run time, and the words and clocks that follow from them."""

    fields: ClassVar[tuple[Field, ...]] = ("prime", "binary")

    word: int = parameter(32, "bits of a word", choices=WORDS)
    multipliers: int = parameter(1, "how many multipliers of words it has", choices=(1, 2))
    lookahead: int | None = parameter(
        None,
        "how many columns ahead a multiplier that has nothing to do takes products from; 0: none, "
        "so that all products are in order (of two multipliers, one computes a*b, the other m*n); "
        "default: the number of multipliers",
        choices=(0, 1, 2),
    )
    bypass: bool = parameter(
        False,
        "compute the quotient word from the output of the adder, one clock sooner, on a longer "
        "path",
    )
    stages: int = parameter(
        1, "clock cycles that a product of two words takes", minimum=1, maximum=MOST_STAGES
    )
    squares: bool = parameter(True, "also have squares, with half of the products of operand words")
    binary_square: str = parameter(
        "skip",
        "how a square in GF(2^m) treats products that occur twice, and cancel: zero: computes and "
        "drops them; skip: leaves them out; spread: also gets squares of words without a "
        "multiplier",
        choices=("zero", "skip", "spread"),
    )
    subtraction: bool = parameter(
        True,
        "results are below N; without it, operands and results are below 2*N, and R is above 4*N",
    )
    dsp: bool = parameter(False, "use hard multipliers for products of integers")
    field: str = parameter(
        "both",
        "fields in which it multiplies: prime: integers modulo N; binary: polynomials, GF(2^m); "
        "both: either, chosen when a modulus is loaded",
        choices=("both", "prime", "binary"),
    )
    mode: Mode = dataclasses.field(default=Mode(), repr=False)

    def check(self) -> None:
        if self.binary_square == "spread" and self.schedule.paired:
            raise SpecError(
                "binary-square",
                "spread",
                "zero, skip",
                "binary-square = 'spread': with two multipliers in fixed roles (lookahead = 0) "
                "must be zero or skip",
            )
        if self.binary_square != "skip" and not (self.squares and self.binary):
            raise SpecError(
                "binary-square",
                self.binary_square,
                "skip",
                f"binary-square = {self.binary_square!r}: no squares in GF(2^m) are made here",
            )
        if self.dsp and self.field == "binary":
            raise SpecError("dsp", True, "false", "dsp = true: no integer products are made here")
        if self.dsp and self.chip.hard_multiplier is None:
            raise SpecError(
                "dsp", True, "false", f"dsp = true: {self.target} has no hard multipliers"
            )

    # ---- what can be chosen at run time -------------------------------------------------------

    @functools.cached_property
    def fields_built(self) -> tuple[Field, ...]:
        return tuple(field for field in self.fields if self.field in ("both", field))

    @property
    def field_in_use(self) -> Field:
        return self.mode.field if self.mode.field in self.fields_built else self.fields_built[0]

    @property
    def lengths(self) -> tuple[int, int]:
        return max(self._words_for(2, field) for field in self.fields_built), self.most_words

    @property
    def mode_header_beats(self) -> int:
        return ceil_div(1 + (self.most_words - 1).bit_length(), self.word)

    @property
    def most_words(self) -> int:
        """The number of words of the longest operand."""
        return max(self._words_for(self.width, field) for field in self.fields_built)

    @property
    def words(self) -> int:
        return self.mode.words or self.most_words

    @property
    def modulus_bits(self) -> int:
        return min(self.width, self.word * self.words - self.spare(self.field_in_use))

    def spare(self, field: Field) -> int:
        """The bits that R must have beyond N: 4*N < R if N is not subtracted."""
        return 2 if field == "prime" and not self.subtraction else 0

    def _words_for(self, bits: int, field: Field) -> int:
        return ceil_div(bits + self.spare(field), self.word)

    def shortest_mode(self, modulus: int, field: Field = "prime") -> Mode:
        low, high = self.lengths
        words = max(low, self._words_for(modulus.bit_length(), field))
        return Mode(field=field, words=min(high, words))

    def at(self, mode: Mode) -> Self:
        return dataclasses.replace(self, mode=mode)

    @property
    def modes(self) -> tuple[Mode, ...]:
        modes = []
        for words in dict.fromkeys((self.most_words, self.lengths[0])):
            for field in self.fields_built:
                mode = Mode(field=field, words=words)
                modes += [mode, mode.square()] if self.squares else [mode]
        return tuple(modes)

    # ---- derived facts ------------------------------------------------------------------------

    @property
    def schedule(self) -> Schedule:
        ahead = self.multipliers if self.lookahead is None else self.lookahead
        return Schedule(self.multipliers, ahead, self.bypass, self.stages)

    def totals(self, mode: Mode = Mode()) -> Totals:
        """The clocks of one product in that mode."""
        mode = self.resolved(mode)
        assert mode.words is not None
        return _totals(self.schedule, mode.words, self._kind(mode))

    def resolved(self, mode: Mode) -> Mode:
        """`mode` with the present choice where it leaves field or words open."""
        if mode.words is not None:
            return mode
        field = mode.field if mode.field in self.fields_built[1:] else self.field_in_use
        return dataclasses.replace(mode, field=field, words=self.words)

    def _kind(self, mode: Mode) -> Kind:
        if mode.operation == "multiply" or not self.squares:
            return "multiply"
        if mode.field == "prime" or self.binary_square == "zero":
            return "square"
        return "skip" if self.binary_square == "skip" else "spread"

    @functools.cached_property
    def accumulator_bits(self) -> int:
        """Bits of V: a column with its carry, and the products that are added ahead of it."""
        lengths = {*range(self.lengths[0], min(17, self.most_words + 1)), self.most_words}
        modes = [dataclasses.replace(mode, words=s) for mode in self.modes for s in lengths]
        aheads = [self.totals(mode).ahead for mode in modes]
        sums = [2 * self.most_words, *(2 * max(counts) for counts in zip(*aheads, strict=True))]
        bound = sum(count << (2 + place) * self.word for place, count in enumerate(sums))
        addend = (2 + self.schedule.lookahead) * self.word + 1
        return max(addend, (bound - 1).bit_length() if self.prime else 0)

    # ---- figures of the circuit ---------------------------------------------------------------

    @property
    def shape(self) -> Shape:
        return Shape(self.most_words, self.squares, self.binary_square, self.schedule.late)

    @property
    def prime(self) -> bool:
        return "prime" in self.fields_built

    @property
    def binary(self) -> bool:
        return "binary" in self.fields_built

    @property
    def subtract(self) -> bool:
        """Whether at the end N is subtracted from a result that is not below it."""
        return self.subtraction and self.prime

    @property
    def operand_register(self) -> bool:
        """Whether the first stage only chooses the operands, and sums are cut."""
        return self.stages >= 3 and not self.bypass

    @property
    def cancels(self) -> bool:
        """Whether doubled products are also made in GF(2^m), where they are 0."""
        return self.squares and self.binary_square == "zero" and self.binary

    @property
    def doubles(self) -> bool:
        return self.squares and (self.prime or self.cancels)

    @property
    def riding(self) -> bool:
        """Whether squares of words come with products."""
        return self.squares and self.binary_square == "spread" and self.binary

    @property
    def core_title(self) -> str:
        default = type(self)
        schedule = self.schedule
        parts = [f"fips-{self.width}-w{self.word}-m{self.multipliers}-l{schedule.lookahead}"]
        parts += [f"s{self.stages}"] if self.stages > 1 else []
        parts += ["bypass"] if self.bypass else []
        parts += [] if self.squares else ["no-squares"]
        if self.squares and self.binary and self.binary_square != "skip":
            parts.append(self.binary_square)
        parts += [] if self.subtraction else ["unreduced"]
        parts += [self.field] if self.field != default.field else []
        parts += ["dsp"] if self.dsp else []
        parts += [self.target] if self.target != default.target else []
        return "-".join(parts)


@functools.lru_cache(maxsize=4096)
def _totals(schedule: Schedule, words: int, kind: Kind) -> Totals:
    return schedule.totals(words, kind)
