"""The common part of Montgomery multipliers that scan operands word by word.

    T <- 0;  for i in 0 .. s-1:  U <- T + a_i*B;  q <- u_0*N' mod 2^w;  T <- (U + q*N) / 2^w

gives T = A*B/R mod N with R = 2^(w*s), N' = -1/N mod 2^w.  With 4N < R, for A, B < 2N:
U < 2^w * (B + T) has one word more than T; T < B + N < 3N after every step; the result is
(A*B + Q*N)/R < 2N, Q < R.  So results are operands, and no subtraction is needed (Walter's bound).
For any A and B below R the same holds as long as B + N <= R: then T < R, and U < 2^w * R.

`WordByWord` has what follows from w and s alone, `OnBlocks` what DSP blocks ask; `OperandScanning`
has the parameters of those that are made around one word multiplier or a row of them.

Sources: Koc, Acar, Kaliski, Analyzing and comparing Montgomery multiplication algorithms, 1996
(CIOS, FIOS); gallin2019, section 1 (the bounds).
"""

from __future__ import annotations

import abc
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar

from modmul import targets
from modmul.arithmetic.words import ceil_div, to_words
from modmul.errors import SpecError
from modmul.multipliers.contract import Constant, Multiplier
from modmul.multipliers.facts import inverse_of_modulus, titled, words_of_modulus
from modmul.multipliers.operations import (
    ADD,
    MULTIPLY,
    SQUARE,
    SUMS,
    operands_of,
    results_of,
)
from modmul.multipliers.ranges import Bound, OperandRange, largest_product
from modmul.operation import Cycles, Mode, constant_cycles
from modmul.parameters import parameter


@dataclass(frozen=True, kw_only=True)
class WordByWord(Multiplier):
    """What follows from w, the bits of a word, and s, the number of words (`beats`)."""

    operand_limit = result_limit = Bound(2)

    @property
    @abc.abstractmethod
    def word_bits(self) -> int:
        """w, the bits of a word."""

    @property
    def radix(self) -> int:
        return 1 << self.word_bits

    @cached_property
    def montgomery_factor(self) -> int:
        return 1 << self.word_bits * self.beats

    @property
    def beat(self) -> int:
        return self.word_bits

    def operand_range(self, modulus: int) -> OperandRange:
        """Every intermediate T is below b + N, which must fit s words, for any a."""
        r = self.montgomery_factor
        return OperandRange(r, r - modulus + 1, largest_product(r, modulus))

    def constants(self, modulus: int) -> list[Constant]:
        words = to_words(modulus, self.word_bits, self.beats)
        loaded = words_of_modulus("N[{}]", words, self.word_bits)
        return [*loaded, inverse_of_modulus("N'", modulus, self.word_bits)]

    def compute(self, a: int, b: int, modulus: int) -> int:
        """Compute the loop over the words of A, each step on whole numbers."""
        w, low = self.word_bits, self.radix - 1
        prime, t = _negative_inverse(modulus, self.radix), 0
        for i in range(self.beats):
            u = t + (a >> w * i & low) * b
            q = (u & low) * prime & low
            t = (u + q * modulus) >> w
        return t


@dataclass(frozen=True, kw_only=True)
class OnBlocks(WordByWord):
    """Base class of multipliers whose words, two or more, are multiplied by DSP blocks."""

    def check(self) -> None:
        if self.chip.dsp is None:
            allowed = ", ".join(name for name in targets.NAMES if targets.find(name).dsp)
            message = f"target = {self.target}: has no DSP blocks; must be one of {allowed}"
            raise SpecError("target", self.target, allowed, message)
        if self.words < 2:
            nearest = self.width + 1
            message = (
                f"word = {self.word_bits}: a modulus of {self.width} bits needs at least two "
                f"words; word must be at most {nearest}"
            )
            raise SpecError("word", self.word_bits, f"2 to {nearest}", message)

    @property
    def words(self) -> int:
        """s, so many that 4N < 2^(s*w)."""
        return ceil_div(self.width + 2, self.word_bits)

    @property
    def beats(self) -> int:
        return self.words


@dataclass(frozen=True, kw_only=True)
class OperandScanning(OnBlocks):
    """The common parameters: width, target, word, registers of the hard multiplier."""

    word: int | None = parameter(
        None,
        "bits of a word (default: what the target's hard multiplier takes)",
        minimum=2,
        maximum=64,
    )
    dsp_registers: int = parameter(
        3, "register stages that are used inside each DSP block", choices=(3, 2)
    )

    def __post_init__(self) -> None:
        # The derived default is resolved here, so that equal designs have equal parameters.
        if self.word is None and isinstance(self.width, int) and self.target in targets.NAMES:
            widest = self.chip.dsp.narrow if self.chip.dsp else 17
            object.__setattr__(self, "word", min(widest, max(2, self.width + 1)))
        super().__post_init__()

    def check(self) -> None:
        super().check()
        dsp = self.chip.dsp
        if dsp is not None and dsp.cell is not None and self.word_bits > dsp.narrow:
            allowed = f"at most {dsp.narrow} on {self.target}"
            message = f"word = {self.word_bits}: one {dsp.cell} multiplies words of {allowed}"
            raise SpecError("word", self.word_bits, allowed, message)

    @property
    def word_bits(self) -> int:
        assert self.word is not None
        return self.word

    @property
    def core_title(self) -> str:
        """The short name, with every parameter that is not the target's default."""
        widest = self.chip.dsp.narrow if self.chip.dsp else 17
        return titled(
            super().core_title,
            (self.word_bits != widest, f"w{self.word_bits}"),
            (self.dsp_registers != 3, f"r{self.dsp_registers}"),
            *self._told,
            target=self.target,
        )

    @property
    def _told(self) -> tuple[tuple[bool, str], ...]:
        """Further parts of the title, each with whether it is there."""
        return ()

    @classmethod
    def examples(cls) -> list[Multiplier]:
        """Two words, as many as fill a memory, more; steps that wait and steps that do not;
        chips whose blocks have a register of the sum, and one whose blocks have none."""
        return [
            cls(width=2),
            cls(width=5, word=3),
            cls(width=6, word=2, dsp_registers=2),
            cls(width=14, word=2),
            cls(width=17, word=2),
            cls(width=30, word=2, dsp_registers=2),
            cls(width=33, word=17),
            cls(width=33, target="ecp5"),
            cls(width=31, target="xc7", dsp_registers=2),
        ]


@dataclass(frozen=True, kw_only=True)
class StepByStep(OperandScanning):
    """Multipliers on which a step over a word of A begins when the one before has ended, in clocks.

    With `adder` they also add and subtract modulo N, in a few passes over the words; each pass ends
    with a carry, c.  A pass is x + Y or x + ~Y, with ~Y = R - 1 - Y, so that no carry enters:

        a + b:  V = b + a;  V = 2N + ~V
        a - b:  V = b + ~a
        both:   result = 2N * c + ~V

    c says that V has passed R: that the sum is below 2N, or that the difference is below 0.  Then
    ~V, which is the sum less 2N or the difference, has 2N too little.  Operands and results are
    below 2N, as those of products."""

    operands: ClassVar[Mapping[str, tuple[str, ...]]] = operands_of(MULTIPLY, SQUARE, *SUMS)
    results: ClassVar[Mapping[str, tuple[str, ...]]] = results_of(MULTIPLY, SQUARE, *SUMS)

    adder: bool = parameter(
        False,
        "also adds and subtracts modulo N, with the memories, DSP blocks and adders of products",
    )

    @property
    def operations(self) -> tuple[str, ...]:
        return (MULTIPLY, *SUMS) if self.adder else (MULTIPLY,)

    @property
    def modes(self) -> tuple[Mode, ...]:
        return tuple(Mode(operation) for operation in self.operations)

    @property
    def _told(self) -> tuple[tuple[bool, str], ...]:
        return ((self.adder, "adder"),)

    def computed(self, operation: str, a: int, b: int, modulus: int) -> int:
        """Compute a product, or a sum or difference as in the docstring of the class."""
        if operation not in SUMS:
            return self.compute(a, a if operation == SQUARE else b, modulus)
        factor = self.montgomery_factor
        passed = b + (a if operation == ADD else factor - 1 - a)
        if operation == ADD:
            passed = 2 * modulus + factor - 1 - passed
        carry, passed = divmod(passed, factor)
        return (2 * modulus * carry + factor - 1 - passed) % factor

    @property
    @abc.abstractmethod
    def step(self) -> int:
        """Clocks of a step."""

    @property
    @abc.abstractmethod
    def second(self) -> int:
        """Clocks of a step until q*n_0 enters; the other products of that row follow."""

    @abc.abstractmethod
    def sum_passes(self, operation: str) -> tuple[int, int]:
        """The clocks of a sum from its first product in a block to the first product of its
        last pass, and to the end, when the next operation begins."""

    def cycles(self, mode: Mode = Mode()) -> dict[str, Cycles]:
        """The steps before the last; the last up to its last product; the pipeline behind the DSP.
        In a sum, the passes before the last, and the last."""
        if mode.operation in SUMS:
            before, _ = self.sum_passes(mode.operation)
            terms = {
                "load": 1,
                "passes": before,
                "last pass": self.words,
                "pipeline": self.dsp_registers + 1,
                "unload": 1,
            }
            return constant_cycles(terms)
        terms = {
            "load": 1,
            "steps": self.step * (self.words - 1),
            "last step": self.second + self.words + 1,
            "pipeline": self.dsp_registers + 1,
            "unload": 1,
        }
        return constant_cycles(terms)

    def interval(self, mode: Mode = Mode()) -> Cycles:
        if mode.operation in SUMS:
            return Cycles.constant(self.sum_passes(mode.operation)[1])
        return Cycles.constant(self.step * self.words)

    @classmethod
    def examples(cls) -> list[Multiplier]:
        """Also designs that add: with steps that wait, and one with a step that does not."""
        return [
            *super().examples(),
            cls(width=5, word=3, adder=True),
            cls(width=40, word=3, dsp_registers=2, adder=True),
            cls(width=64, target="ecp5", adder=True),
        ]


@lru_cache(maxsize=64)
def _negative_inverse(modulus: int, radix: int) -> int:
    return -pow(modulus, -1, radix) % radix
