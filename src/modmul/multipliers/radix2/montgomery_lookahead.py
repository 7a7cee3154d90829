"""One carry-save row with nothing behind it but a clear: quotient and addend looked up ahead.

Made here, from the blocks of kuang2016.  With N' = (-1/N mod 2^e) * N, e = lookahead + 1, all ones
in its low e bits, and B^ = 2^e * B:

    V <- floor(V / 2) + x_i,   x_i = a_i * B^/2 + q_i * (N' + 1)/2,   q_i = V mod 2

is (V + a_i*B^ + q_i*N') / 2 exactly.  All x_i end in `lookahead` zeros, so that q_i is known that
many cycles before it is needed: x_i comes from a register, chosen in the cycle before (for
lookahead 2 by registers, too) among 0, B, N^ and D = B + N^, where N^ = (N' + 1) / 2^e.
V = SS + SC, and bit 0 of SC is always 0.

With A, B < 2^e * N and m = k + 3e cycles: V < 2^e * N at the end, so that results can be operands;
R = 2^(m-e).  In between, words fit k + 2e bits.

Operands come in words of w bits, least significant first, so that D grows while they come, and the
result leaves in words, while the row still shifts: a word is fetched where it has drifted to.  The
next product loads meanwhile.  Cost: one row of full adders, 7 registers of k bits, two adders of w
bits; m + ceil((k+e+1)/w) cycles a product.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from amaranth.lib import wiring

from modmul.arithmetic.words import ceil_div
from modmul.forecast import Forecast, fabric
from modmul.multipliers.contract import Constant, Multiplier
from modmul.multipliers.radix2 import words
from modmul.multipliers.radix2.montgomery_lookahead_core import Core, LookaheadBuild
from modmul.multipliers.ranges import Bound, OperandRange, largest_product
from modmul.multipliers.signature import core_signature
from modmul.operation import Cycles, Mode, constant_cycles
from modmul.parameters import parameter


@dataclass(frozen=True, kw_only=True)
class MontgomeryLookahead(Multiplier):
    """Parameters: width, word of the streams, lookahead."""

    name = "montgomery-lookahead"
    summary = "radix-2 Montgomery, one carry-save row, quotient and addend looked up ahead"
    sources: ClassVar[tuple[str, ...]] = ()

    width: int = parameter(128, "bits of the modulus", minimum=3, maximum=4096)
    stream_word: int | None = parameter(
        None,
        "bits of operands and result in a beat (default: 32, or all bits of narrower operands)",
        minimum=4,
        maximum=512,
    )
    lookahead: int = parameter(
        1, "how many cycles before its use a quotient bit is known", choices=(1, 2)
    )

    radix = 2

    @property
    def core_title(self) -> str:
        depth = "-ahead2" if self.lookahead == 2 else ""
        return f"{super().core_title}-w{self.word}{depth}{self.chip.title_end}"

    @property
    def word(self) -> int:
        """`stream_word`, or its default."""
        return self.stream_word or max(4, min(32, self.width + self.exponent + 1))

    @property
    def exponent(self) -> int:
        """e; operands and results are below 2^e * N."""
        return self.lookahead + 1

    @property
    def iterations(self) -> int:
        return self.width + 3 * self.exponent

    @property
    def montgomery_factor(self) -> int:
        return 1 << (self.iterations - self.exponent)

    @property
    def beat(self) -> int:
        return self.word

    @property
    def beats(self) -> int:
        """The number of beats in which D = B + N^ fits."""
        return ceil_div(self.width + self.exponent + 1, self.word)

    @property
    def operand_limit(self) -> Bound:
        return Bound(1 << self.exponent)

    @property
    def result_limit(self) -> Bound:
        return Bound(1 << self.exponent)

    def operand_range(self, modulus: int) -> OperandRange:
        """a has to leave its register in the loop, and b to fit its own: bits above are ignored.
        Then V < a*b/R + N', which fits the words of a result."""
        e, k = self.exponent, self.width
        most = largest_product(
            self.montgomery_factor,
            modulus,
            below=1 << e,
            added=-pow(modulus, -1, 1 << e) % (1 << e),
            scale=1 << e,
        )
        return OperandRange(1 << min(self.iterations, self.word * self.beats), 1 << k + e, most)

    def modulus_hat(self, modulus: int) -> int:
        """N^ = (N' + 1) / 2^e, below 2^k."""
        power = 1 << self.exponent
        return (-pow(modulus, -1, power) % power * modulus + 1) >> self.exponent

    def constants(self, modulus: int) -> list[Constant]:
        value, mask = self.modulus_hat(modulus), (1 << self.word) - 1
        return [
            Constant(f"modulus_hat_{j}", value >> j * self.word & mask) for j in range(self.beats)
        ]

    def cycles(self, mode: Mode = Mode()) -> dict[str, Cycles]:
        """load: the words, and a register.  loop: includes the look-up of the first addend, of one
        cycle (lookahead 1) or two.  convert: fetching a word of the result, and adding."""
        return constant_cycles(
            {
                "load": self.beats + 1,
                "loop": self.lookahead + self.iterations,
                "convert": self.lookahead + self.fetch,
                "unload": self.beats,
            }
        )

    def interval(self, mode: Mode = Mode()) -> Cycles:
        return Cycles.constant(self.beats + self.lookahead - 1 + self.iterations)

    @property
    def fetch(self) -> int:
        """The cycles to fetch a word of the result; on an FPGA there is a register on the way."""
        return 1 if self.chip.takes_library else 2

    def compute(self, a: int, b: int, modulus: int) -> int:
        hat = self.modulus_hat(modulus)
        addends = [value << self.lookahead for value in (0, hat, b, b + hat)]
        ss = sc = 0
        for i in range(self.iterations):
            addend = addends[2 * (a >> i & 1) + (ss & 1)]
            ss, sc = words.carry_save_add(ss >> 1, sc >> 1, addend)
        return ss + sc

    @property
    def notes(self) -> tuple[str, ...]:
        return (
            f"Multiplying by 1 leaves the Montgomery domain with a result of at most "
            f"{(1 << self.exponent) - 1} * N.",
            f"Loaded as modulus: N^ = (N' + 1) / {1 << self.exponent}, where N' = m * N with the "
            f"odd m < {1 << self.exponent} for which N' mod {1 << self.exponent} = "
            f"{(1 << self.exponent) - 1}.",
        )

    def core_forecast(self) -> Forecast:
        """A row, the multiplexer of four, registers of operands in whole words, and both adders.

        Calibrated from 32 to 256 bits: LUTs within 38 %, flip-flops 7 %, clock 27 %."""
        chip, k = fabric(self.chip), self.width
        w, late = self.word, self.lookahead - 1
        size = w * self.beats
        return chip.forecast(
            lut=chip.by_lut_inputs(6.4, 5.2) * k + 5.2 * w + chip.by_lut_inputs(85, 40),
            ff=5 * size + 3 * k + (7 + 2 * late) * w + self.beats + 60 + 18 * late,
            levels=chip.by_lut_inputs(2 - late, 2.9 - late / 2),
        )

    @classmethod
    def examples(cls) -> list[Multiplier]:
        """Both depths: one word, words that are just full, words with one bit more."""
        small = [cls(width=3, stream_word=4), cls(width=4, stream_word=8, lookahead=2)]
        return [
            *small,
            cls(width=5, stream_word=4),
            cls(width=29, stream_word=8),
            cls(width=30, stream_word=8, lookahead=2),
            cls(width=33, target="cells"),
            cls(width=45, stream_word=5, target="cells", lookahead=2),
        ]

    def create_core(self) -> wiring.Component:
        build = LookaheadBuild(
            chip=self.chip,
            width=self.width,
            word=self.word,
            beats=self.beats,
            lookahead=self.lookahead,
            exponent=self.exponent,
            iterations=self.iterations,
            fetch=self.fetch,
            theory=self.theory,
        )
        return Core(build, core_signature(self))
