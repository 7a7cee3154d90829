"""Montgomery multiplication with two carry-save adders, and a word-serial end.

(S, C) <- (S + C + x_i*Y + q*M) / 2 for the n bits of X, lowest first; q is bit 0 of the first row's
sum.  S and C fit n bits, S + C < 2M.  Then three passes over one adder of w bits: P = S + C;
P = P - M; P = P + M if it has become negative.  The last one always takes its time, and adds 0
otherwise: so no multiplexer selects the result.  X, Y < M, result below M, R = 2^n.
Cost: 2 rows of full adders, registers X, Y, M, S, C, P; the word adder and its selects.
Cycles: load, n, unload (amanor2005's n + 3 without a cycle to start, which has nothing to do), and
3 * (ceil((n+1)/w) + 1) for the end, which amanor2005 leaves out; on ecp5 each pass over more than
8 words takes one cycle more, in which the chosen word waits in a register.  Source: amanor2005.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from amaranth.hdl import Module, Signal

from modmul.blocks.accumulator import Accumulator, Term
from modmul.blocks.carry_save import carry_save_add, masked
from modmul.blocks.sequencer import PhaseSequencer
from modmul.blocks.word_serial import in_two_steps, serial_cycles
from modmul.forecast import Forecast, fabric
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.core import core_of
from modmul.multipliers.radix2 import words
from modmul.multipliers.radix2.family import (
    ADDER_WORD_HELP,
    BitSerialCore,
    Reduced,
    control,
    serial_flip_flops,
)
from modmul.operation import Cycles, Mode, constant_cycles
from modmul.parameters import parameter

CONVERT = ("sum", "reduce", "correct")


@dataclass(frozen=True, kw_only=True)
class Montgomery2Csa(Reduced):
    """Parameters: width and the word of the adder."""

    name = "montgomery-2csa"
    summary = "radix-2 Montgomery, two carry-save rows, word-serial conversion and subtraction"
    sources = ("amanor2005",)

    adder_word: int = parameter(32, ADDER_WORD_HELP, minimum=1, maximum=4096)

    @property
    def montgomery_factor(self) -> int:
        return 1 << self.width

    @property
    def two_steps(self) -> bool:
        """Whether the words of an addition are picked in two cycles."""
        return in_two_steps(self.chip, self.width + 1, self.adder_word)

    @property
    def pass_cycles(self) -> int:
        """The cycles of one addition of n + 1 bits."""
        return serial_cycles(self.width + 1, self.adder_word, self.two_steps)

    def cycles(self, mode: Mode = Mode()) -> dict[str, Cycles]:
        convert = len(CONVERT) * self.pass_cycles
        return constant_cycles({"load": 1, "loop": self.width, "convert": convert, "unload": 1})

    def compute(self, a: int, b: int, modulus: int) -> int:
        s = c = 0
        for i in range(self.width):
            s, c = words.carry_save_add(s, c, b if a >> i & 1 else 0)
            s, c = words.carry_save_add(s, c, modulus if s & 1 else 0)
            s, c = s >> 1, c >> 1
        p = s + c - modulus
        p += modulus if p < 0 else 0
        return p

    def core_forecast(self) -> Forecast:
        """Two rows, five registers of n bits, the accumulator with a choice of three words (in two
        steps with three more words of registers).

        Calibrated from 32 to 1024 bits, the clock to 256: LUTs within 10 %, flip-flops 4 %, clock 4
        %."""
        chip, k, stored = fabric(self.chip), self.width, 3 * self.adder_word * self.two_steps
        return chip.forecast(
            lut=chip.by_lut_inputs(7, 7.8) * k + 2 * self.adder_word + 30,
            ff=5 * k + serial_flip_flops(k + 1, self.adder_word, rings=3) + stored + 16,
            levels=1.6 if self.two_steps else chip.by_lut_inputs(2.4, 4.4),
        )

    @classmethod
    def examples(cls) -> list[Multiplier]:
        sizes = ((3, 1), (4, 32), (5, 3), (6, 7), (8, 5), (9, 32), (33, 17), (33, 1))
        return [cls(width=width, adder_word=word) for width, word in sizes]


@core_of(Montgomery2Csa)
class Core(BitSerialCore):
    """{theory}

    The passes of the end are phases of the sequencer.

    Operands are taken in every idle cycle, so that `valid` is in no path; the last ones count.

    Here n = {width}, w = {adder_word}."""

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        **control(
            in_loop="an iteration in each cycle",
            in_sum="P = S + C",
            in_reduce="P = P - M",
            in_correct="P = P + M if it is negative, else P + 0",
        ),
        "operands and modulus": {
            "modulus_reg": "M",
            "x_reg": "X; bit 0 is x_i",
            "y_reg": "Y",
        },
        "loop: two rows": {
            "s_reg": "S; S + C is below 2M",
            "c_reg": "C",
            "first_row_c": "x_i*Y",
            "first_row_sum": "S + C + x_i*Y: sum bits; bit 0 is q",
            "first_row_carry": "carries of that row; bit j has the weight 2^(j+1)",
            "second_row_c": "q*M",
            "second_row_sum": "with q*M: sum bits; bit 0 is 0, and is dropped in s_reg",
            "second_row_carry": "carries of that row; bit j, halved, has the weight 2^j in c_reg",
        },
        "the end: three passes of P over an adder of {adder_word} bits": {
            "s_read": "one-hot: which word of S is fetched, in in_sum",
            "c_read": "one-hot: which word of C is fetched, in in_sum",
            "modulus_read": "one-hot: which word of M is fetched, in in_reduce and in_correct",
            "s_word": "word of S, else 0",
            "c_word": "word of C, else 0",
            "modulus_word": "word of M, else 0",
            **Accumulator.NOTES,
        },
    }

    def phases(self) -> dict[str, int | None]:
        parameters = self.parameters
        return {"loop": parameters.width} | dict.fromkeys(CONVERT, parameters.pass_cycles)

    def datapath(self, m: Module, control: PhaseSequencer) -> None:
        n, operand, chip = self.parameters.width, self.operand.p, self.parameters.chip
        modulus = self.modulus_register(m)
        y = Signal(n, name="y_reg", reset_less=True)
        x = Signal(n, name="x_reg", reset_less=True)
        s = Signal(n, name="s_reg", reset_less=True)
        c = Signal(n, name="c_reg", reset_less=True)
        first = carry_save_add(m, chip, s, c, masked(y, x[0]), "first_row")
        addend = masked(modulus, first.sum[0])
        second = carry_save_add(m, chip, first.sum, first.carry, addend, "second_row")
        with m.If(control.active["loop"]):
            m.d.sync += [x.eq(x[1:]), s.eq(second.sum[1:]), c.eq(second.carry[1:])]
        with m.If(control.idle):
            m.d.sync += [x.eq(operand.a), y.eq(operand.b), s.eq(0), c.eq(0)]
        word, two_steps = self.parameters.adder_word, self.parameters.two_steps
        adder = Accumulator(m, control, CONVERT, n + 1, word, two_steps=two_steps)
        m.d.comb += [
            adder.keep.eq(~control.active["sum"]),
            adder.subtract.eq(control.active["reduce"]),
            adder.enable.eq(~control.active["correct"] | adder.negative),
            self.result.p.data.eq(adder.value),
        ]
        adder.operands(
            left={"s": Term(s, ("sum",))},
            right={"c": Term(c, ("sum",)), "modulus": Term(modulus, ("reduce", "correct"))},
        )
