"""Modular exponentiation x^e mod N on any multiplier of the registry, GF(2^m) included.

Montgomery ladder, from X0 = 1 and X1 = x, for all bits b of the exponent, highest first:

    X[1-b] <- X0*X1,  X[b] <- X[b]^2

so always one product and one square a bit, whatever the bit; left-to-right:

    X0 <- X0^2,  and if b = 1:  X0 <- X0*X1

On a Montgomery multiplier X1 = x*R (a product with R^2) and X0 = R to begin with, and at the end X0
is multiplied by 1.  All powers are below the bound of the multiplier's operands; the last one, v <
c*N, becomes the residue by ceil(log2 c) subtractions of 2^j*N, always made and then kept or not; in
GF(2^m) none is kept.  Carry-save pairs are added before that.

With u ones among e bits and products of T_m, squares of T_q cycles the loop takes e*T_q + u*T_m from
left to right, e*(T_m + T_q) in the ladder on one multiplier, e*max(T_m, T_q) on two; less where a
multiplier has several products in flight.
Source: dualfips, section 6; P. L. Montgomery, Speeding the Pollard and elliptic curve methods of
factorization, 1987 (the ladder); constant time and registers are ours.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

from amaranth.lib import wiring

from modmul.arithmetic.binary import BinaryMontgomery
from modmul.arithmetic.montgomery import Montgomery
from modmul.arithmetic.words import ceil_div, from_words, to_words
from modmul.errors import SpecError
from modmul.multipliers.contract import (
    Cycles,
    Field,
    Mode,
    Multiplier,
    check_parameter,
    parameter,
)
from modmul.processors.contract import Beat, Beats, Processor, Stream
from modmul.processors.exponentiation.core import Core
from modmul.processors.exponentiation.schedule import loop_products, schedule

LADDER, LEFT_TO_RIGHT = "ladder", "left-to-right"
SECRET, PUBLIC = "secret", "public"
_ADVICE = "; take another multiplier, declare both public, or insist = true"


@dataclass(frozen=True, kw_only=True)
class Exponentiation(Processor):
    """Parameters of one exponentiation processor."""

    name = "exponentiation"
    summary = "modular exponentiation: Montgomery ladder or left to right"
    sources = ("dualfips",)
    operations: ClassVar[tuple[str, ...]] = ("exponentiate",)

    method: str = parameter(LADDER, "order of the products", choices=(LADDER, LEFT_TO_RIGHT))
    units: int = parameter(1, "multipliers; 2: product and square side by side", choices=(1, 2))
    exponent: str = parameter(SECRET, "whether the time may tell it", choices=(SECRET, PUBLIC))
    base: str = parameter(SECRET, "whether the time may tell it", choices=(SECRET, PUBLIC))
    insist: bool = parameter(False, "build it although its time tells secrets")
    beat: int | None = parameter(
        None,
        "bits of a beat of modulus, operand and result (default: the multiplier's word where it "
        "takes words, else 32)",
        minimum=2,
        maximum=4097,
    )
    exponent_word: int = parameter(32, "bits of a beat of the exponent", choices=(8, 16, 32, 64))
    longest_exponent: int = parameter(
        65535, "bits of the longest exponent", minimum=1, maximum=(1 << 32) - 1
    )

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            if "help" in field.metadata:
                check_parameter(field, getattr(self, field.name))
        self._check_multiplier()
        self._check_secrets()
        if self.beat is None:
            narrow = min(32, self.multiplier.beat)
            object.__setattr__(self, "beat", self._only_word or narrow)
        elif self._only_word and self.beat != self._only_word:
            raise _refuse("beat", self.beat, str(self._only_word), "of this multiplier's words")
        if self.units == 2 and self.method != LADDER:
            raise _refuse("units", self.units, "1", "left to right has one product at a time")

    def _check_multiplier(self) -> None:
        multiplier = self.multiplier
        if multiplier.montgomery_factor is None or multiplier.modulus_at != "run time":
            allowed = "a modular multiplier whose modulus is loaded at run time"
            raise _refuse("multiplier", multiplier.title, allowed)
        if multiplier.operand_form != multiplier.result_form:
            raise _refuse("multiplier", multiplier.title, "results in the form of operands")
        beats = {multiplier.beat, multiplier.result_beat, multiplier.modulus_beat}
        if self.in_words and len(beats) > 1:
            raise _refuse("multiplier", multiplier.title, "words of one width in all streams")

    def _check_secrets(self) -> None:
        if self.insist:
            return
        if self.method == LEFT_TO_RIGHT and self.exponent == SECRET:
            raise SpecError(
                "method",
                self.method,
                f"{LADDER}, for a secret exponent",
                f"method = {LEFT_TO_RIGHT}: its time tells the number of ones of a secret exponent; "
                f"take {LADDER}, declare exponent = {PUBLIC}, or insist = true",
            )
        if self.multiplier.timing != "constant" and SECRET in (self.exponent, self.base):
            leaks = " ".join(self.multiplier.leaks)
            raise SpecError(
                "multiplier",
                self.multiplier.title,
                "one of constant time, for secrets",
                f"multiplier = {self.multiplier.title}: {leaks}{_ADVICE}",
            )

    # ---- facts --------------------------------------------------------------------------------

    @property
    def _only_word(self) -> int | None:
        """The word, where the multiplier takes several to an operand."""
        return self.multiplier.beat if self.in_words else None

    @property
    def word_bits(self) -> int:
        """`beat`, as a number to type checkers too."""
        assert self.beat is not None
        return self.beat

    @property
    def words(self) -> int:
        """Words of a number, at the full length."""
        multiplier = self.multiplier
        if self.in_words:
            return multiplier.beats
        return ceil_div(max(multiplier.beat, multiplier.modulus_beat), self.word_bits)

    @property
    def core_constants(self) -> int:
        """Beats that load a modulus into the multiplier, at the full length."""
        return len(self.multiplier.constants((1 << self.multiplier.width) - 1))

    @property
    def is_ladder(self) -> bool:
        return self.method == LADDER

    @property
    def passes(self) -> int:
        """Of the reduction at the end, over all words."""
        return self.subtractions + (self.multiplier.result_form == "carry-save")

    @property
    def in_words(self) -> bool:
        """Whether the multiplier takes numbers in words, several or as many as are chosen."""
        return self.multiplier.beats > 1 or self.multiplier.lengths is not None

    @property
    def enters_domain(self) -> bool:
        """Whether numbers have to be multiplied by R, and freed of it at the end."""
        return self.multiplier.montgomery_factor != 1

    @cached_property
    def subtractions(self) -> int:
        """So many j, from high to low, that 2^j*N is subtracted if it can be: ceil(log2 c)."""
        if self.multiplier.fields == ("binary",):
            return 0
        # Bounds are multiples of N that may depend on its low bits.
        largest = (1 << self.multiplier.width) - 1
        return max(_halvings(self.multiplier, largest - below) for below in range(0, 16, 2))

    @property
    def timing(self) -> Literal["constant", "data-dependent"]:
        return "data-dependent" if self.leaks else "constant"

    @property
    def leaks(self) -> tuple[str, ...]:
        told = [f"Of each product: {leak}" for leak in self.multiplier.leaks]
        if self.method == LEFT_TO_RIGHT:
            told += ["The time tells the number of ones of the exponent; watched, every bit of it."]
        return tuple(told)

    @property
    def title(self) -> str:
        kind = {LADDER: "ladder", LEFT_TO_RIGHT: "l2r"}[self.method]
        more = [
            (self.word_bits != (self._only_word or min(32, self.multiplier.beat)), f"w{self.beat}"),
            (self.exponent_word != 32, f"e{self.exponent_word}"),
            (self.longest_exponent != 65535, f"to{self.longest_exponent}"),
        ]
        parts = [f"exponentiation-{kind}{self.units}-{self.multiplier.title}"]
        return "-".join(parts + [text for differs, text in more if differs])

    # ---- streams ------------------------------------------------------------------------------

    @property
    def streams(self) -> tuple[Stream, ...]:
        word = self.word_bits
        first = "field and words in use, " if self.multiplier.choice_beats else ""
        after = ", least significant word first"
        return (
            Stream(
                "modulus", "input", "what is loaded for a modulus",
                {"data": (word, f"{first}constants of the multiplier, R, R^2 and N, where needed")},
            ),
            Stream(
                "command", "input", "begins an exponentiation",
                {"bits": (self.longest_exponent.bit_length(), "length of the exponent; leading zeros count")},
            ),
            Stream(
                "operand", "input", "the base", {"data": (word, f"base{after}")},
                self.base == SECRET,
            ),
            Stream(
                "exponent", "input", "the exponent",
                {"data": (self.exponent_word, "exponent, most significant word first, the "
                          "first one filled up with zeros above its bits")},
                self.exponent == SECRET,
            ),
            Stream("result", "output", "the power", {"data": (word, f"base^exponent mod N{after}")}),
        )  # fmt: skip

    def _chosen(self, modulus: int, field: Field) -> Multiplier:
        """The multiplier with that field, and words in use for that modulus."""
        if field not in self.multiplier.fields:
            raise _refuse("field", field, " or ".join(self.multiplier.fields))
        return self.multiplier.at(self.multiplier.mode_for(modulus, field))

    def words_of(self, multiplier: Multiplier) -> int:
        """Words in use of a number, of `multiplier` with the choices made."""
        return multiplier.beats if self.in_words else self.words

    def check_modulus(self, modulus: int, field: Field = "prime") -> None:
        multiplier = self._chosen(modulus, field)
        multiplier.check_modulus(modulus)
        if multiplier.result_bound(modulus) > multiplier.operand_bound(modulus):
            allowed = "one for which results can be operands"
            raise _refuse("modulus", hex(modulus), allowed, *multiplier.notes)
        if field == "prime":
            assert _halvings(multiplier, modulus) <= self.subtractions

    def load(self, modulus: int, field: Field = "prime") -> Beats:
        self.check_modulus(modulus, field)
        multiplier = self._chosen(modulus, field)
        word, words = self.word_bits, self.words_of(multiplier)
        beats: list[int] = []
        for constant in multiplier.constants(modulus):
            beats += [constant.value] if self.in_words else to_words(constant.value, word, words)
        if self.enters_domain:
            domain = _domain(multiplier, modulus, field)
            beats += to_words(domain.one, word, words) + to_words(domain.square, word, words)
        if self.subtractions:
            beats += to_words(modulus, word, words)
        return {"modulus": _train(beats)}

    def request(
        self,
        base: int,
        exponent: int,
        modulus: int,
        *,
        bits: int | None = None,
        field: Field = "prime",
    ) -> Beats:
        """bits: length of the exponent, from its own to `longest_exponent` (default: its own)."""
        multiplier = self._chosen(modulus, field)
        bits = self._check_operands(multiplier, base, exponent, modulus, bits)
        words = to_words(base, self.word_bits, self.words_of(multiplier))
        of_exponent = to_words(exponent, self.exponent_word, ceil_div(bits, self.exponent_word))
        found = {"command": [{"bits": bits}], "operand": _train(words)}
        return found | {"exponent": _train(of_exponent[::-1])}

    def reply(self, beats: list[Beat]) -> int:
        return from_words([beat["data"] for beat in beats], self.word_bits)

    def _check_operands(
        self, multiplier: Multiplier, base: int, exponent: int, modulus: int, bits: int | None
    ) -> int:
        bound = multiplier.operand_bound(modulus)
        if not 0 <= base < bound:
            raise _refuse("base", hex(base), f"a number below {bound:#x}")
        length = exponent.bit_length() if bits is None else bits
        if exponent < 0 or not exponent.bit_length() <= length <= self.longest_exponent:
            allowed = f"a number of at most {min(length, self.longest_exponent)} bits"
            raise _refuse("exponent", hex(exponent), allowed)
        return length

    # ---- golden model -------------------------------------------------------------------------

    def compute(
        self,
        base: int,
        exponent: int,
        modulus: int,
        *,
        bits: int | None = None,
        field: Field = "prime",
    ) -> int:
        """base^exponent mod N, by the products that the hardware makes, bit for bit; 1 for
        exponents of no bits.  base below the bound of the multiplier's operands."""
        multiplier = self._chosen(modulus, field)
        bits = self._check_operands(multiplier, base, exponent, modulus, bits)
        pair = multiplier.operand_form == "carry-save"

        def operand(value: int) -> Any:
            return (value, 0) if pair else value

        x: list[Any] = [operand(1), operand(base)]
        if self.enters_domain:
            domain = _domain(multiplier, modulus, field)
            x[1] = multiplier.compute(operand(domain.square), x[1], modulus)
            x[0] = operand(domain.one)
        for index in reversed(range(bits)):
            bit = exponent >> index & 1
            if self.method == LADDER:
                product = multiplier.compute(x[0], x[1], modulus)
                x[bit] = multiplier.compute(x[bit], x[bit], modulus)
                x[1 - bit] = product
                continue
            x[0] = multiplier.compute(x[0], x[0], modulus)
            if bit:
                x[0] = multiplier.compute(x[0], x[1], modulus)
        if self.enters_domain:
            x[0] = multiplier.compute(x[0], operand(1), modulus)
        value = sum(x[0]) if pair else x[0]
        if field == "prime":
            for j in reversed(range(self.subtractions)):
                value -= modulus << j if value >= modulus << j else 0
        return int(value)

    # ---- cycles -------------------------------------------------------------------------------

    def cycles(
        self, length: int, *, ones: int | None = None, mode: Mode = Mode()
    ) -> dict[str, Cycles]:
        """length: bits of the exponent.  ones: how many of them are 1 (matters from left to right
        only; default: any number, half of them in the mean).  mode: field and words in use.

        Terms: load (command and base), align (waiting for the turn of a slot), enter (the domain),
        loop, leave (the domain), reduce (carry-save to binary, subtractions), unload."""
        return schedule(self, length, ones, mode)

    def loop_products(self, length: int, ones: int, mode: Mode = Mode()) -> float:
        """Cycles of the loop by the formulas of the source, from the intervals of the multiplier
        alone, as if products did not wait for each other's results."""
        return loop_products(self, length, ones, mode)

    # ---- hardware -----------------------------------------------------------------------------

    @classmethod
    def examples(cls) -> Sequence[Exponentiation]:
        return []

    def create(self) -> wiring.Component:
        return Core(self)


def _train(values: list[int]) -> list[Beat]:
    return [{"data": value} for value in values]


def _domain(multiplier: Multiplier, modulus: int, field: Field) -> Montgomery | BinaryMontgomery:
    factor = multiplier.montgomery_factor
    assert factor is not None
    return (Montgomery if field == "prime" else BinaryMontgomery)(modulus, factor)


def _halvings(multiplier: Multiplier, modulus: int) -> int:
    """ceil(log2 c), for results below c*N."""
    return (ceil_div(multiplier.result_bound(modulus), modulus) - 1).bit_length()


def _refuse(key: str, value: object, allowed: str, *why: str) -> SpecError:
    reason = "".join(f": {text}" for text in why)
    return SpecError(key, value, allowed, f"{key} = {value}: must be {allowed}{reason}")
