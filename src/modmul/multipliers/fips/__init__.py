"""Finely integrated product scanning (FIPS) Montgomery multiplication in GF(p) and GF(2^m).

Computes a*b/R mod N on s words of w bits, R = 2^(w*s) (in GF(2^m): x^(w*s)), column by column:
all word products of the same weight are added in one accumulator V, so that no intermediate result
goes through memory.  One circuit serves both fields and every length up to its memories.

    column c:        V += sum a[j]*b[c-j] + m[j]*n[c-j]
    front, c < s:    m[c] = V*n0' mod 2^w;  V = (V + m[c]*n[0]) / 2^w
    rear,  c >= s:   result word c - s = V mod 2^w;  V = V / 2^w

Bounds: a column with its carry stays below 2*s*2^(2w), a doubled product counted as the two that it
stands for; products of later columns add what `Schedule.totals` counts.  V at the end is below 2*N
in GF(p) (so the bit above the top word is kept) and of degree below m in GF(2^m).

Squares: the mirror products a[j]*a[k] and a[k]*a[j] are one doubled product in GF(p); in GF(2^m)
they cancel (as printed, they are shifted: wrong).

Cost: 2 s^2 + s word products, (3 s^2 + 3 s)/2 for a square in GF(p), s^2 + 2 s in GF(2^m).
Sources: dualfips, sections 3 to 5; Koc, Acar, Kaliski, 1996 (finely integrated product scanning).
"""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass
from typing import ClassVar, Self

from modmul.arithmetic import binary
from modmul.arithmetic.moduli import Field
from modmul.arithmetic.montgomery import negative_inverse
from modmul.arithmetic.words import ceil_div, to_words
from modmul.design import Cycles, Mode, constant_cycles
from modmul.errors import SpecError
from modmul.forecast import Forecast
from modmul.multipliers.contract import Constant, Multiplier
from modmul.multipliers.fips.core import Core, header_beats
from modmul.multipliers.fips.cursor import Shape
from modmul.multipliers.fips.datapath import Build
from modmul.multipliers.fips.forecast import FipsOutline, forecast
from modmul.multipliers.fips.schedule import Kind, Schedule, Totals
from modmul.multipliers.ranges import Bound, OperandRange, largest_product
from modmul.multipliers.signature import core_signature
from modmul.parameters import parameter

WORDS = (2, 4, 8, 16, 32, 64)


@dataclass(frozen=True, kw_only=True)
class Fips(Multiplier):
    """See the docstring of the module."""

    name: ClassVar[str] = "fips"
    summary: ClassVar[str] = (
        "product-scanning (FIPS) Montgomery multiplication in GF(p) and GF(2^m), any length"
    )
    sources: ClassVar[tuple[str, ...]] = ("dualfips",)
    fields: ClassVar[tuple[Field, ...]] = ("prime", "binary")

    word: int = parameter(32, "bits of a word", choices=WORDS)
    multipliers: int = parameter(1, "word multipliers", choices=(1, 2))
    lookahead: int | None = parameter(
        None,
        "columns from which a free multiplier takes products ahead; 0: none, strictly in order "
        "(two multipliers: one for a*b, one for m*n); default: as many as multipliers",
        choices=(0, 1, 2),
    )
    bypass: bool = parameter(
        False, "the quotient word takes the sum from the adder, one clock sooner (a longer path)"
    )
    stages: int = parameter(1, "clocks of one word product", minimum=1, maximum=6)
    squares: bool = parameter(True, "squares with half the products of operands")
    binary_square: str = parameter(
        "skip",
        "doubled products of squares in GF(2^m): zero: made, and made zero; skip: left out; "
        "spread: squares of words from wires, too",
        choices=("zero", "skip", "spread"),
    )
    subtraction: bool = parameter(
        True, "results below N; false: operands and results below 2*N, where 4*N < R"
    )
    dsp: bool = parameter(False, "integer products on hard multipliers")
    field: str = parameter("both", "fields", choices=("both", "prime", "binary"))
    mode: Mode = dataclasses.field(default=Mode(), repr=False)

    def check(self) -> None:
        if self.binary_square == "spread" and self.schedule.paired:
            raise SpecError(
                "binary-square", "spread", "zero, skip",
                "binary-square = 'spread': with two multipliers in fixed roles (lookahead = 0) "
                "must be zero or skip",
            )  # fmt: skip
        if self.binary_square != "skip" and not (self.squares and "binary" in self.fields_built):
            raise SpecError(
                "binary-square", self.binary_square, "skip",
                f"binary-square = {self.binary_square!r}: no squares in GF(2^m) are made here",
            )  # fmt: skip
        if self.dsp and self.field == "binary":
            raise SpecError("dsp", True, "false", "dsp = true: no integer products are made here")
        if self.dsp and self.chip.hard_multiplier is None:
            raise SpecError(
                "dsp", True, "false", f"dsp = true: {self.target} has no hard multipliers"
            )

    # ---- what can be chosen at run time -------------------------------------------------------

    @property
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
        return header_beats(self.most_words, self.word)

    @property
    def most_words(self) -> int:
        """Words of the longest operand."""
        return max(self._words_for(self.width, field) for field in self.fields_built)

    @property
    def words(self) -> int:
        """Words in use."""
        return self.mode.words or self.most_words

    @property
    def modulus_bits(self) -> int:
        return min(self.width, self.word * self.words - self._spare(self.field_in_use))

    def _spare(self, field: Field) -> int:
        """Bits that R has beyond N: 4*N < R where N is not subtracted."""
        return 2 if field == "prime" and not self.subtraction else 0

    def _words_for(self, bits: int, field: Field) -> int:
        return ceil_div(bits + self._spare(field), self.word)

    def mode_for(self, modulus: int, field: Field = "prime") -> Mode:
        low, high = self.lengths
        words = max(low, self._words_for(modulus.bit_length(), field))
        return Mode(field=field, words=min(high, words))

    def at(self, mode: Mode) -> Self:
        return dataclasses.replace(self, mode=mode)

    @property
    def modes(self) -> tuple[Mode, ...]:
        found = []
        for words in dict.fromkeys((self.most_words, self.lengths[0])):
            for field in self.fields_built:
                mode = Mode(field=field, words=words)
                found += [mode, mode.square()] if self.squares else [mode]
        return tuple(found)

    # ---- derived facts ------------------------------------------------------------------------

    @property
    def schedule(self) -> Schedule:
        """Which products are made when."""
        ahead = self.multipliers if self.lookahead is None else self.lookahead
        return Schedule(self.multipliers, ahead, self.bypass, self.stages)

    def totals(self, mode: Mode = Mode()) -> Totals:
        """Clocks of one product in that mode."""
        mode = self._resolved(mode)
        assert mode.words is not None
        return _totals(self.schedule, mode.words, self._kind(mode))

    def _resolved(self, mode: Mode) -> Mode:
        """Where `mode` leaves the choice open, what is chosen."""
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

    @property
    def accumulator_bits(self) -> int:
        """Bits of V: a column with its carry, and the products added ahead of it."""
        lengths = {*range(self.lengths[0], min(17, self.most_words + 1)), self.most_words}
        modes = [dataclasses.replace(mode, words=s) for mode in self.modes for s in lengths]
        found = [self.totals(mode).ahead for mode in modes]
        sums = [2 * self.most_words, *(2 * max(counts) for counts in zip(*found, strict=True))]
        bound = sum(count << (2 + place) * self.word for place, count in enumerate(sums))
        addend = (2 + self.schedule.lookahead) * self.word + 1
        return max(addend, (bound - 1).bit_length() if "prime" in self.fields_built else 0)

    # ---- what it computes ---------------------------------------------------------------------

    @property
    def radix(self) -> int:
        return 1 << self.word

    @property
    def montgomery_factor(self) -> int:
        return 1 << (self.word * self.words)

    @property
    def operand_limit(self) -> Bound:
        if self.field_in_use == "binary":
            return Bound(1, "2^m")
        return Bound(1 if self.subtraction else 2)

    @property
    def result_limit(self) -> Bound:
        return self.operand_limit

    def operand_range(self, modulus: int) -> OperandRange:
        """Any words: V is below a*b/R + N, and the bit above R is kept for the subtraction; without
        it, V has to fit R.  In GF(2^m) V has no bit above those of a*b/R and N."""
        r = self.montgomery_factor
        if self.field_in_use == "binary":
            return OperandRange(r, r, (r << modulus.bit_length() - 1) - 1)
        b_below = r if self.subtraction else r - modulus + 1
        return OperandRange(r, b_below, largest_product(r, modulus))

    def constants(self, modulus: int) -> list[Constant]:
        header = (self.words - 1) << 1 | (self.field_in_use == "binary")
        count = header_beats(self.most_words, self.word)
        chosen = to_words(header, self.word, count)
        loaded = [Constant(f"choice[{i}]", beat) for i, beat in enumerate(chosen)]
        words = to_words(modulus, self.word, self.words)
        loaded += [Constant(f"N[{i}]", word) for i, word in enumerate(words)]
        inverse = (
            binary.inverse_power(modulus, self.word) if self.field_in_use == "binary"
            else negative_inverse(modulus, self.word)
        )  # fmt: skip
        return [*loaded, Constant("n0'", inverse)]

    def compute(self, a: int, b: int, modulus: int) -> int:
        bits = self.word * self.words
        mask, inverse = (1 << bits) - 1, _inverse(modulus, bits, self.field_in_use)
        if self.field_in_use == "binary":
            product = binary.multiply(a, b)
            quotient = binary.multiply(product & mask, inverse) & mask
            return (product ^ binary.multiply(quotient, modulus)) >> bits
        product = a * b
        value = (product + ((product & mask) * inverse & mask) * modulus) >> bits
        return value - modulus if self.subtraction and value >= modulus else value

    @property
    def notes(self) -> tuple[str, ...]:
        bits = (self.most_words - 1).bit_length()
        length = f", bits 1 to {bits} the number of words in use less 1" if bits else ""
        beats = header_beats(self.most_words, self.word)
        where = "The first beat" if beats == 1 else f"The first {beats} beats (low one first)"
        spare = self._spare("prime") and "prime" in self.fields_built
        return (
            f"{where} of a modulus: bit 0 is 1 for GF(2^m){length}; then come the words of N, and "
            "n0' = -1/N mod 2^w, in GF(2^m) 1/N mod x^w.",
            "An operand and a result have as many beats as there are words in use.",
            *(("In GF(p), 4*N < R: so many words must be in use.",) if spare else ()),
            f"Columns of look-ahead: {self.schedule.lookahead}.",
        )

    # ---- how it travels, how long it takes ----------------------------------------------------

    @property
    def beat(self) -> int:
        return self.word

    @property
    def beats(self) -> int:
        return self.words

    def cycles(self, mode: Mode = Mode()) -> dict[str, Cycles]:
        """multiplication: what dualfips counts, from the clock of `start` to that of `done`."""
        mode = self._resolved(mode)
        assert mode.words is not None
        counted = self.totals(mode).bundles + self.schedule.added + 2
        terms = {"load": 1 + self.schedule.fill, "multiplication": counted}
        if self._subtracts:
            terms["subtraction"] = 1
        terms["unload"] = mode.words + 2
        return constant_cycles(terms)

    def interval(self, mode: Mode = Mode()) -> Cycles:
        return Cycles.constant(self.totals(mode).bundles + self.schedule.fill + 1)

    # ---- the hardware -------------------------------------------------------------------------

    @property
    def _subtracts(self) -> bool:
        return self.subtraction and "prime" in self.fields_built

    def create(self) -> Core:
        shape = Shape(self.most_words, self.squares, self.binary_square, self.schedule.late)
        build = Build(
            chip=self.chip, word=self.word, shape=shape, schedule=self.schedule,
            accumulator=self.accumulator_bits, prime="prime" in self.fields_built,
            binary="binary" in self.fields_built, subtract=self._subtracts, dsp=self.dsp,
        )  # fmt: skip
        return Core(build, core_signature(self))

    def forecast(self) -> Forecast:
        """See `forecast.py` in this folder."""
        return forecast(
            FipsOutline(
                chip=self.chip, word=self.word, words=self.most_words, schedule=self.schedule,
                prime="prime" in self.fields_built, binary="binary" in self.fields_built,
                dsp=self.dsp,
            )
        )  # fmt: skip

    @classmethod
    def examples(cls) -> list[Multiplier]:
        """Every controller, at a few bits: all lengths in both fields."""
        return [
            cls(width=6, word=2),
            cls(width=7, word=2, multipliers=2, lookahead=0),
            cls(width=6, word=2, multipliers=2, bypass=True, binary_square="zero"),
            cls(width=9, word=2, lookahead=0, bypass=True, binary_square="spread"),
            cls(width=12, word=4, multipliers=2, lookahead=1, stages=4, binary_square="spread"),
            cls(width=9, word=4, lookahead=2, stages=2, subtraction=False),
            cls(width=33, word=8, field="prime", stages=3, squares=False, dsp=True),
        ]

    @property
    def title(self) -> str:
        default = type(self)
        schedule = self.schedule
        parts = [f"fips-{self.width}-w{self.word}-m{self.multipliers}-l{schedule.lookahead}"]
        parts += [f"s{self.stages}"] if self.stages > 1 else []
        parts += ["bypass"] if self.bypass else []
        parts += [] if self.squares else ["no-squares"]
        if self.squares and "binary" in self.fields_built and self.binary_square != "skip":
            parts.append(self.binary_square)
        parts += [] if self.subtraction else ["unreduced"]
        parts += [self.field] if self.field != default.field else []
        parts += ["dsp"] if self.dsp else []
        parts += [self.target] if self.target != default.target else []
        return "-".join(parts)


@functools.lru_cache(maxsize=4096)
def _totals(schedule: Schedule, words: int, kind: Kind) -> Totals:
    return schedule.totals(words, kind)


@functools.lru_cache(maxsize=64)
def _inverse(modulus: int, bits: int, field: Field) -> int:
    """N^-1 mod x^bits, -N^-1 mod 2^bits."""
    if field == "binary":
        return binary.inverse_power(modulus, bits)
    return negative_inverse(modulus, bits)
