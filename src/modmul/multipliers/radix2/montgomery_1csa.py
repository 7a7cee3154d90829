"""Montgomery multiplication with one carry-save adder and a table of four words.

Before the loop Y + M is made, word by word.  (S, C) <- (S + C + x_i*Y + q*M) / 2 for the n bits of
X, lowest first: x_i*Y + q*M is 0, M, Y or Y + M, and q = S_0 ^ C_0 ^ (x_i & Y_0).  S and C fit n
bits, Y + M n + 1, S + C < 2M.  The end is that of `montgomery-2csa`, on the same adder, and the
register of its result holds Y + M in the loop.  X, Y < M, and so is the result; R = 2^n.
Cost: 1 row of full adders, 1 row of four-to-one multiplexers, registers X, Y, M, Y + M, S, C; the
word adder and its selects.
Cycles: load, n, unload (amanor2005's n + 3 without a cycle to start), and what it leaves out:
ceil((n+1)/w) + 1 for the table and 3 times that for the end.  Source: amanor2005.
"""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Const, Module, Signal
from amaranth.lib import wiring

from modmul.blocks.accumulator import Accumulator, Term
from modmul.blocks.carry_save import carry_save_add, select4
from modmul.blocks.sequencer import Sequencer
from modmul.multipliers.contract import Cycles, Mode
from modmul.multipliers.forecast import Forecast, Logic, fabric
from modmul.multipliers.radix2 import words
from modmul.multipliers.radix2.family import (
    BitSerialCore,
    Outcome,
    constant_cycles,
    serial_flip_flops,
)
from modmul.multipliers.radix2.montgomery_2csa import CONVERT, Montgomery2Csa


@dataclass(frozen=True, kw_only=True)
class Montgomery1Csa(Montgomery2Csa):
    """Parameters: width and the word of the adder."""

    name = "montgomery-1csa"
    summary = "radix-2 Montgomery, one carry-save row and the table 0, M, Y, Y+M"

    def cycles(self, mode: Mode = Mode()) -> dict[str, Cycles]:
        table, convert = self.pass_cycles, len(CONVERT) * self.pass_cycles
        return constant_cycles(
            {"load": 1, "table": table, "loop": self.width, "convert": convert, "unload": 1}
        )

    def run(self, a: int, b: int, modulus: int) -> Outcome:
        table = (0, modulus, b, b + modulus)
        s = c = 0
        for i in range(self.width):
            x = a >> i & 1
            q = (s ^ c ^ (x & b)) & 1
            s, c = words.carry_save_add(s, c, table[2 * x + q])
            s, c = s >> 1, c >> 1
        p = s + c - modulus
        p += modulus if p < 0 else 0
        return Outcome(p, {name: term.maximum for name, term in self.cycles().items()})

    def forecast(self) -> Forecast:
        """One row, the multiplexer of the table, five registers of n bits, the accumulator.

        Calibrated from 32 to 1024 bits: LUTs within 4 %, flip-flops 1 %, clock 12 %."""
        chip, k, word = fabric(self.chip), self.width, self.adder_word
        return chip.forecast(
            Logic(
                lut=chip.pick(7.9, 6.35) * k + chip.pick(2, 1) * word + chip.pick(40, 20),
                ff=5 * k + serial_flip_flops(k + 1, word, rings=4) + 16,
                levels=chip.pick(2.7, 4),
            )
        )

    def create(self) -> wiring.Component:
        return Core(self)


class Core(BitSerialCore):
    """The passes for the table and the end are phases of the sequencer.

    Operands are taken in every idle cycle, so that `valid` is in no path; the last ones count."""

    def phases(self) -> dict[str, int | None]:
        passes = self.parameters.pass_cycles
        return {"table": passes, "loop": self.parameters.width} | dict.fromkeys(CONVERT, passes)

    def datapath(self, m: Module, control: Sequencer) -> None:
        n, operand, chip = self.parameters.width, self.operand.p, self.parameters.chip
        modulus = self.modulus_register(m)
        y = Signal(n, name="y_reg", reset_less=True)
        x = Signal(n, name="x_reg", reset_less=True)
        s = Signal(n, name="s_reg", reset_less=True)
        c = Signal(n, name="c_reg", reset_less=True)
        adder = Accumulator(m, control, ("table", *CONVERT), n + 1, self.parameters.adder_word)
        quotient = Signal(name="quotient")
        m.d.comb += quotient.eq(s[0] ^ c[0] ^ (x[0] & y[0]))
        word = Signal(n + 1, name="table_word")
        m.d.comb += word.eq(
            select4(x[0], quotient, (Const(0, 1), modulus, y, adder.value[: n + 1]))
        )
        row = carry_save_add(m, chip, s, c, word, "row")
        with m.If(control.active["loop"]):
            m.d.sync += [x.eq(x[1:]), s.eq(row.sum[1:]), c.eq(row.carry[1:])]
        with m.If(control.idle):
            m.d.sync += [x.eq(operand.a), y.eq(operand.b), s.eq(0), c.eq(0)]
        m.d.comb += [
            adder.keep.eq(control.active["reduce"] | control.active["correct"]),
            adder.subtract.eq(control.active["reduce"]),
            adder.enable.eq(~control.active["correct"] | adder.negative),
            self.result.p.data.eq(adder.value),
        ]
        adder.operands(
            left={"y": Term(y, ("table",)), "s": Term(s, ("sum",))},
            right={
                "modulus": Term(modulus, ("table", "reduce", "correct")),
                "c": Term(c, ("sum",)),
            },
        )
