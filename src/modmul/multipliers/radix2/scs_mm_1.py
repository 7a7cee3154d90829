"""SCS-MM-1: two rows of full adders and a word-serial adder that makes the result binary.

S <- (S + a_i*B + q*N) / 2 for k + 2 bits of A, S = SS + SC, q = the parity after the first row.
With A, B < 2N: S < 3N in the loop and < 2N after it, so that results can be operands, and
R = 2^(k+2).  SS and SC fit k + 1 bits.  After the loop S = SS + SC is added up, w bits a cycle.
Cost: 2 rows of full adders, 5 registers of k bits; 1 + (k+2) + (ceil((k+1)/w) + 1) + 1 cycles, to
load, in the loop, to convert and to unload.
Source: kuang2016, section II (its reference [5]).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from amaranth.hdl import Module, Signal

from modmul.blocks.carry_save import carry_save_add, masked
from modmul.blocks.part import wire
from modmul.blocks.sequencer import PhaseSequencer
from modmul.blocks.word_serial import WordAdder, serial_cycles
from modmul.forecast import Forecast, fabric
from modmul.multipliers.core import core_of
from modmul.multipliers.radix2 import words
from modmul.multipliers.radix2.family import (
    ADDER_WORD_HELP,
    BitSerialCore,
    LoopResult,
    Unreduced,
    serial_flip_flops,
)
from modmul.operation import Cycles, Mode, constant_cycles
from modmul.parameters import parameter


@dataclass(frozen=True, kw_only=True)
class ScsMm1(Unreduced):
    """Parameters: width and the word of the format converter."""

    name = "scs-mm-1"
    summary = "radix-2 Montgomery, two carry-save rows, word-serial conversion of the result"
    sources = ("kuang2016",)

    adder_word: int = parameter(32, ADDER_WORD_HELP, minimum=1, maximum=4096)

    def cycles(self, mode: Mode = Mode()) -> dict[str, Cycles]:
        convert = serial_cycles(self.width + 1, self.adder_word)
        return constant_cycles({"load": 1, "loop": self.width + 2, "convert": convert, "unload": 1})

    def run(self, a: int, b: int, modulus: int) -> LoopResult:
        ss = sc = 0
        for i in range(self.width + 2):
            s, c = words.carry_save_add(ss, sc, b if a >> i & 1 else 0)
            s, c = words.carry_save_add(s, c, modulus if s & 1 else 0)
            ss, sc = s >> 1, c >> 1
        phases = {name: term.maximum for name, term in self.cycles().items()}
        return LoopResult(ss + sc, phases)

    def core_forecast(self) -> Forecast:
        """Two rows, four registers of k bits, that of the result with its adder.

        Calibrated from 32 to 256 bits: LUTs within 6 %, flip-flops 1 %, clock 15 %."""
        chip, k = fabric(self.chip), self.width
        return chip.forecast(
            lut=chip.by_lut_inputs(7.3, 6.9) * k + 1.3 * self.adder_word + 60,
            ff=4 * k + serial_flip_flops(k + 1, self.adder_word, rings=1) + 17,
            levels=3,
        )


@core_of(ScsMm1)
class Core(BitSerialCore):
    """{theory}

    The result comes to stand in the register of A, which the loop has emptied.

    Here k = {width}, w = {adder_word}. No N' is needed: -1/N mod 2 is 1. Nothing is lost of the
    rows: at its top bit second_row_carry, of which the registers have no bit, is 0, since there
    only first_row_carry can be 1. Behind the loop, while words of SS and SC are added, those of
    the sum enter a_reg at the top; after the last one the result stands at its bottom, for one
    cycle: a_reg is moved by a word in every cycle outside the loop, also if there is no product."""

    NOTES: ClassVar[dict[str, dict[str, str]]] = BitSerialCore.NOTES | {
        "loop: one bit of A a cycle": {
            "modulus_reg": "N",
            "a_reg": "A, moved down by a bit a cycle; then the result, by a word a cycle",
            "b_reg": "B",
            "ss": "S = SS + SC",
            "sc": "",
            "a_times_b": "a_i*B",
            "first_row_sum": "SS + SC + a_i*B, row of sums: its bit 0 is q",
            "first_row_carry": "SS + SC + a_i*B, row of carries: bit i has weight 2^(i+1)",
            "first_row_*": "SS + SC + a_i*B; bit 0 of the sum is q",
            "q_times_n": "q*N",
            "second_row_sum": "and q*N on top, row of sums: even, halved on the way into ss",
            "second_row_carry": "row of carries: bit i, of weight 2^(i+1), is halved into sc[i]",
            "second_row_*": "and q*N on top: even, halved on the way into the registers",
        },
        "convert: S = SS + SC, {adder_word} bits a cycle": {
            "ss_word": "word of SS, on its way to adder_left_reg",
            "sc_word": "word of SC, on its way to adder_right_reg",
            **WordAdder.NOTES,
            "adder_total": "word of the sum, which enters a_reg at the top",
        },
    }

    def datapath(self, m: Module, control: PhaseSequencer) -> None:
        parameters, chip = self.parameters, self.parameters.chip
        k, operand = parameters.width, self.operand.p
        adder = WordAdder(m, control.last["loop"], k + 1, parameters.adder_word)
        modulus = self.modulus_register(m)
        b = self.held(m, operand.b, "b_reg")
        a = Signal(adder.bits, name="a_reg", reset_less=True)
        ss = Signal(k + 1, name="ss", reset_less=True)
        sc = Signal(k + 1, name="sc", reset_less=True)
        first = carry_save_add(m, chip, ss, sc, wire(m, masked(b, a[0]), "a_times_b"), "first_row")
        q_times_n = wire(m, masked(modulus, first.sum[0]), "q_times_n")
        second = carry_save_add(m, chip, first.sum, first.carry, q_times_n, "second_row")
        m.d.comb += [
            adder.left.eq(adder.word_in_turn(ss, "ss_word")),
            adder.right.eq(adder.word_in_turn(sc, "sc_word")),
            self.result.p.data.eq(a),
        ]
        m.d.sync += a.eq(adder.shifted(a))
        with m.If(control.active["loop"]):
            m.d.sync += [a.eq(a[1:]), ss.eq(second.sum[1:]), sc.eq(second.carry[1:])]
        with m.If(self.load):
            m.d.sync += [a.eq(operand.a), ss.eq(0), sc.eq(0)]
