"""MSCS-MM: one row of full adders adds B + N, runs the loop and makes the result binary.

D = B + N is made first, one row of half adders a cycle until no carry is left.  Then
S <- (S + x) / 2 for k + 2 bits of A, S = SS + SC, x = one of 0, N, B, D by a_i and q, where q is
made in the cycle before from the sum that leaves the row.  With A, B < 2N: S < 3N in the loop and
< 2N after it, so that results can be operands, and R = 2^(k+2).  Last, half-adder steps on S.

While idle the row adds 0 + 0 + N, so that SS = N when a product begins, and B comes on top of it
like any addend.  The registers hold 2*S in the loop and after it; they are read one place lower in
the loop, and as they stand in both conversions.

Cycles: the paper's algorithm, 1 + (1 + d) + 1 + (k + 2) + c with d, c = 0 ... k + 1, has two less:
`store` is the cycle that sees that no carry of D is left; `convert` is c + 1, as its last cycle
only sees that SC = 0; `unload` is the other one.
Cost: 1 row of full adders, 6 registers of k bits, k multiplexers 4 to 1 (one input 0), 2k AND-OR.
Critical path as in the paper's Fig. 7, where nothing makes the quotient ahead of time: addend, full
adder, parity.
Source: kuang2016, section III.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from modmul.blocks.carry_save import carry_save_add, is_zero, one_of, select4
from modmul.blocks.sequencer import PhaseSequencer
from modmul.forecast import Forecast, fabric
from modmul.multipliers.core import core_of
from modmul.multipliers.radix2 import words
from modmul.multipliers.radix2.family import BitSerialCore, LoopResult, Unreduced, control
from modmul.operation import Cycles, Mode

# Mean steps of both conversions, for `words.mean_half_adder_steps`.  Fitted to the golden model for
# N of k bits, A, B uniform below 2N, 300 (k = 4096) to 60,000 products for each of 24 widths from 3
# to 4096: within 0.05 steps from 6 bits on (more above 1024 bits by chance only), 0.3 below.
_STEPS_OF_D = (-0.68, 2.76)
_STEPS_OF_RESULT = (-0.66, 7.1)


@dataclass(frozen=True, kw_only=True)
class MscsMm(Unreduced):
    """Parameters: only the width."""

    name = "mscs-mm"
    summary = "radix-2 Montgomery, one carry-save row for B + N, the loop and the conversion"
    sources = ("kuang2016",)
    timing: ClassVar[Literal["constant", "data-dependent"]] = "data-dependent"

    @property
    def leaks(self) -> tuple[str, ...]:
        return (
            "The precomputation lasts as long as the longest carry of B + N.",
            "The conversion lasts as long as the longest carry of the result.",
        )

    def cycles(self, mode: Mode = Mode()) -> dict[str, Cycles]:
        one_cycle, k = Cycles.constant(1), self.width
        ripple = words.mean_half_adder_steps(k, *_STEPS_OF_D)
        convert = words.mean_half_adder_steps(k, *_STEPS_OF_RESULT)
        return {
            "load": one_cycle,
            "precompute": Cycles(1, 1 + ripple, k + 2),
            "store": one_cycle,
            "loop": Cycles.constant(k + 2),
            "convert": Cycles(1, convert + 1, k + 2),
            "unload": one_cycle,
        }

    def run(self, a: int, b: int, modulus: int) -> LoopResult:
        addends, low = (0, modulus, b, b + modulus), b & 1
        bits = words.bits(a, self.width + 3)
        addend = addends[bits[0] * (2 + low)]
        ss = sc = 0
        for bit in bits[1:]:
            half = ss ^ sc
            ss, sc = (half ^ addend) >> 1, ss & sc | half & addend
            addend = addends[2 * bit + ((ss ^ sc ^ bit & low) & 1)]
        phases = {
            "load": 1,
            "precompute": 1 + words.half_adder_steps(b ^ modulus, (b & modulus) << 1),
            "store": 1,
            "loop": self.width + 2,
            "convert": 1 + words.half_adder_steps(ss, sc),
            "unload": 1,
        }
        return LoopResult(ss + sc, phases)

    def core_forecast(self) -> Forecast:
        """A row, the four-way multiplexer, two AND-OR a bit, six registers of k bits.

        Calibrated from 32 to 256 bits: LUTs within 1 %, flip-flops 1 %, clock 13 %."""
        chip, k = fabric(self.chip), self.width
        return chip.forecast(
            lut=chip.by_lut_inputs(7.35, 5.7) * k + 40,
            ff=6 * k + 25,
            levels=chip.by_lut_inputs(4.5, 4.6),
        )


@core_of(MscsMm)
class Core(BitSerialCore):
    """{theory}

    Phases of the sequencer: `add` (B to N), `ripple` (its carries; the last cycle is `store`),
    `loop`, `convert`.

    Here k = {width}."""

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        **control(
            in_add="B is added to N, which SS is when a product begins",
            in_ripple="carries of D = B + N move up by a place in each cycle, until SC = 0",
            in_loop="an iteration in each cycle",
            in_convert="carries of the result move up by a place in each cycle, until SC = 0",
        ),
        "operands and modulus": {
            "modulus_reg": "N",
            "a_reg": "A; in the loop its bit 0 is a_i",
            "b_reg": "B",
            "d_reg": "D = B + N, complete from the last cycle of in_ripple on",
        },
        "the next addend": {
            "a_bit": "a_i in the loop; (a_bit, quotient) = 00, 01, 10, 11 for 0, N, B, D",
            "quotient": "q in the loop; outside it 0, or 1 while idle: the row makes SS = N",
            "quotient_part": "quotient is to be 1: for the first iteration, or while idle",
            "addend": "0, N, B or D",
        },
        "the row: D, the loop, the conversion": {
            "halve": "the row reads the registers a place lower: the loop, but for its first cycle",
            "hold": "the row reads them as they stand; with neither of the two it reads 0",
            "ss_reg": "SS; twice SS in the loop and behind it: the result is in bits 1 and above",
            "sc_reg": "SC from bit 1 on, likewise; bit 0 is 0",
            "stop_convert": "no carry is left",
            "ss": "SS as the row reads it",
            "sc": "SC as the row reads it",
            "row_sum": "ss + sc + addend: sum bits",
            "row_carry": "carries; bit j has the weight 2^(j+1)",
        },
    }

    def phases(self) -> dict[str, int | None]:
        return {"add": 1, "ripple": None, "loop": self.parameters.width + 2, "convert": None}

    def datapath(self, m: Module, control: PhaseSequencer) -> None:
        parameters = self.parameters
        k, operand = parameters.width, self.operand.p
        modulus = self.modulus_register(m)
        a = Signal(k + 1, name="a_reg", reset_less=True)
        b = Signal(k + 1, name="b_reg", reset_less=True)
        d = Signal(k + 2, name="d_reg", reset_less=True)
        ss_reg = Signal(k + 2, name="ss_reg", reset_less=True)
        sc_reg = Signal(k + 1, name="sc_reg", reset_less=True)  # bits 1 to k + 1
        with m.If(control.idle):
            m.d.sync += [a.eq(operand.a), b.eq(operand.b)]
        with m.Elif(control.active["loop"]):
            m.d.sync += a.eq(a[1:])
        with m.If(control.active["ripple"]):
            m.d.sync += d.eq(ss_reg)

        halve, hold = self._selects(m, control)
        ss, sc = Signal(k + 2, name="ss"), Signal(k + 2, name="sc")
        m.d.comb += [
            ss.eq(one_of((ss_reg[1:], halve), (ss_reg, hold))),
            sc.eq(one_of((sc_reg, halve), (Cat(Const(0, 1), sc_reg), hold))),
        ]
        bit, quotient = Signal(name="a_bit"), Signal(name="quotient", init=1)
        addend = Signal(k + 2, name="addend")
        m.d.comb += addend.eq(select4(bit, quotient, (Const(0, k + 2), modulus, b, d)))
        row = carry_save_add(m, parameters.chip, ss, sc, addend, "row")
        m.d.sync += [ss_reg.eq(row.sum), sc_reg.eq(row.carry[1:])]
        zero = is_zero(m, sc_reg, "sc_is_zero")
        m.d.comb += [
            control.stop["ripple"].eq(zero),
            control.stop["convert"].eq(zero),
            self.result.p.data.eq(ss_reg[1:]),
        ]
        self._next_addend(m, control, (bit, quotient), (a, b), row.sum[1] ^ row.carry[1])

    def _selects(self, m: Module, control: PhaseSequencer) -> tuple[Signal, Signal]:
        halve, hold = Signal(name="halve"), Signal(name="hold")
        active, last = control.active, control.last
        m.d.sync += [
            halve.eq(active["loop"] & ~last["loop"]),
            hold.eq(
                self.load
                | active["add"]
                | (active["ripple"] & ~last["ripple"])
                | last["loop"]
                | (active["convert"] & ~last["convert"])
            ),
        ]
        return halve, hold

    def _next_addend(
        self,
        m: Module,
        control: PhaseSequencer,
        selects: tuple[Signal, Signal],
        operands: tuple[Signal, Signal],
        parity: Value,
    ) -> None:
        """Choose the next addend: N while idle, B at first, 0 for half-adder steps, else by a_i and
        q."""
        (bit, quotient), (a, b) = selects, operands
        starts, runs = control.last["ripple"], control.active["loop"] & ~control.last["loop"]
        idle = (control.idle & ~self.load) | control.last["convert"]
        first, following = starts & a[0], runs & a[1]
        # The parity is the latest input, so it passes as few gates as possible.
        early = (first & b[0]) | idle
        m.d.sync += [
            bit.eq(first | following | self.load),
            quotient.eq(Mux(parity, (runs & ~(a[1] & b[0])) | early, (following & b[0]) | early)),
        ]
