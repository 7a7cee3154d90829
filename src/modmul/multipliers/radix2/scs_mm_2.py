"""SCS-MM-2: two rows of full adders, which also make the result binary, as half adders.

S <- (S + a_i*B + q*N) / 2 for k + 2 bits of A, S = SS + SC, q = the parity after the first row.
With A, B < 2N: S < 3N in the loop and < 2N after it, so that results can be operands, and
R = 2^(k+2).  Then the rows add zeros, which moves carries two places a cycle, until SC = 0.

The registers hold 2*S.  In the loop they are read one place lower; afterwards they are read as they
stand, and their bit 0, which is zero, makes q zero.  So nothing has to switch off the addends: B is
switched off by A, which the loop has used up.

Cycles: the paper's model, 1 + (k + 2) + c with c = 0 ... ceil((k+1)/2), has two fewer: `convert` is
c + 1, the last of which only sees that SC = 0; `unload` is the other one.
Cost: 2 rows of full adders, 5 registers of k bits, 2k AND, 2k AND-OR.
Source: kuang2016, section II (its reference [8]).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from amaranth.hdl import Cat, Const, Module, Signal

from modmul.arithmetic.words import ceil_div
from modmul.blocks.carry_save import carry_save_add, is_zero, masked, one_of
from modmul.blocks.sequencer import PhaseSequencer
from modmul.forecast import Forecast, fabric
from modmul.multipliers.core import core_of
from modmul.multipliers.radix2 import words
from modmul.multipliers.radix2.family import BitSerialCore, LoopResult, Unreduced, control
from modmul.operation import Cycles, Mode

# Mean steps of the conversion, for `words.mean_half_adder_steps`.  Fitted to the golden model for N
# of k bits, A, B uniform below 2N, 1,200 (k = 1024) to 30,000 products for each of 18 widths from 3
# to 1024: within 0.06 steps from 6 bits on, 0.17 below.
_STEPS = (-1.93, 13.8)


@dataclass(frozen=True, kw_only=True)
class ScsMm2(Unreduced):
    """Parameters: only the width."""

    name = "scs-mm-2"
    summary = "radix-2 Montgomery, two carry-save rows, result converted by the same rows"
    sources = ("kuang2016",)
    timing: ClassVar[Literal["constant", "data-dependent"]] = "data-dependent"

    @property
    def leaks(self) -> tuple[str, ...]:
        return ("The conversion lasts as long as the longest carry of the result.",)

    def cycles(self, mode: Mode = Mode()) -> dict[str, Cycles]:
        one_cycle = Cycles.constant(1)
        longest = ceil_div(self.width + 1, 2) + 1
        # With two steps a cycle, every second product loses half a cycle; one more sees the end.
        mean = words.mean_half_adder_steps(self.width, *_STEPS) / 2 + 0.25 + 1
        convert = Cycles(1, mean, longest)
        loop = Cycles.constant(self.width + 2)
        return {"load": one_cycle, "loop": loop, "convert": convert, "unload": one_cycle}

    def run(self, a: int, b: int, modulus: int) -> LoopResult:
        ss = sc = 0
        for bit in words.bits(a, self.width + 2):
            half, carry = ss ^ sc, ss & sc
            if bit:
                half, carry = half ^ b, carry | half & b
            # `carry` has yet to move up by a place; the shift of the loop moves all down by one.
            carry <<= 1
            ss, sc = half ^ carry, half & carry
            if half & 1:
                ss, sc = ss ^ modulus, sc | ss & modulus
            ss >>= 1
        convert = ceil_div(words.half_adder_steps(ss, sc), 2) + 1
        phases = {"load": 1, "loop": self.width + 2, "convert": convert, "unload": 1}
        return LoopResult(ss + sc, phases)

    def core_forecast(self) -> Forecast:
        """Two rows, two AND-OR a bit in front of them, five registers of k bits.

        Calibrated from 32 to 256 bits: LUTs within 26 %, flip-flops 1 %, clock 12 %."""
        chip, k = fabric(self.chip), self.width
        return chip.forecast(
            lut=chip.by_lut_inputs(8.7, 8.35) * k + 25,
            ff=5 * k + 17,
            levels=chip.by_lut_inputs(3.6, 4),
        )


@core_of(ScsMm2)
class Core(BitSerialCore):
    """{theory}

    Registers of the sum hold its double, without bit 0.

    Here k = {width}."""

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        **control(
            in_loop="an iteration in each cycle",
            in_convert="carries of SS + SC move up by two places in each cycle, until SC = 0",
        ),
        "operands and modulus": {
            "modulus_reg": "N",
            "a_reg": "A; its bit 0 is a_i, and 0 behind the loop",
            "b_reg": "B",
        },
        "loop and conversion: two rows": {
            "halve": "the loop, but for its first cycle",
            "ss_reg": "SS, the result in the end; S is below 3N",
            "sc_reg": "SC, carry vector of S",
            "sc_is_zero": "no carry is left",
            "ss": "SS in the loop; 2*SS in the conversion, so that q = 0; 0 at the beginning",
            "sc": "SC, likewise",
            "first_row_c": "a_i*B",
            "first_row_sum": "ss + sc + a_i*B: sum bits; bit 0 is q",
            "first_row_carry": "carries of that row; bit j has the weight 2^(j+1)",
            "second_row_c": "q*N",
            "second_row_sum": "with q*N: sum bits; bit 0 is 0, and is dropped in ss_reg",
            "second_row_carry": "carries of that row; bit j, halved, has the weight 2^j in sc_reg",
        },
    }

    def datapath(self, m: Module, control: PhaseSequencer) -> None:
        parameters = self.parameters
        chip, k, operand = parameters.chip, parameters.width, self.operand.p
        modulus = self.modulus_register(m)
        a = Signal(k + 1, name="a_reg", reset_less=True)
        b = Signal(k + 1, name="b_reg", reset_less=True)
        ss_reg = Signal(k + 1, name="ss_reg", reset_less=True)
        sc_reg = Signal(k + 1, name="sc_reg", reset_less=True)
        m.d.sync += a.eq(a[1:])
        with m.If(control.idle):
            m.d.sync += [a.eq(operand.a), b.eq(operand.b)]

        # In the first cycle of the loop neither is set: the sum is 0, whatever the registers hold.
        halve, hold = Signal(name="halve"), control.active["convert"]
        m.d.sync += halve.eq(control.active["loop"] & ~control.last["loop"])
        ss, sc = Signal(k + 2, name="ss"), Signal(k + 2, name="sc")
        for word, register in ((ss, ss_reg), (sc, sc_reg)):
            unmoved = Cat(Const(0, 1), register)
            m.d.comb += word.eq(one_of((register, halve), (unmoved, hold)))
        first = carry_save_add(m, chip, ss, sc, masked(b, a[0]), "first_row")
        addend = masked(modulus, first.sum[0])
        carry = first.carry[: k + 2]
        second = carry_save_add(m, chip, first.sum, carry, addend, "second_row")
        m.d.sync += [ss_reg.eq(second.sum[1:]), sc_reg.eq(second.carry[1:])]
        m.d.comb += [
            control.stop["convert"].eq(is_zero(m, sc_reg, "sc_is_zero")),
            self.result.p.data.eq(ss_reg),
        ]
