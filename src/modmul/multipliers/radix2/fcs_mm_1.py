"""FCS-MM-1: operands and result in carry-save form, three rows of full adders.

A = AS + AC, B = BS + BC, S = SS + SC.  S <- (S + a_i*BS + a_i*BC + q*N) / 2 for k + 2 bits of A.
The bits of A come from one full adder that runs along AS and AC; q is the parity of the sum.
With A, B < 2N: S < 3N in the loop and < 2N after it, so that results can be operands, and
R = 2^(k+2).  Before the shift a word is below 6N < 2^(k+3): SS and SC have k + 2 bits, the top one
is used from k = 9 on, but never in a result.
Cost: 3 rows of full adders, 5 registers and 2 shift registers of k bits; critical path: the bit of
A (2 XOR), AND, 3 full adders.  Published: 1 + (k + 2) cycles from the load to the result in its
registers; that is our interval, the latency counts the cycle in which the result leaves as well.
Source: kuang2016, section II (its reference [9]).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from amaranth.hdl import Module, Signal

from modmul.blocks.carry_save import Pair, carry_save_add, masked
from modmul.blocks.sequencer import PhaseSequencer
from modmul.forecast import Forecast, fabric
from modmul.multipliers.core import core_of
from modmul.multipliers.radix2 import words
from modmul.multipliers.radix2.family import control
from modmul.multipliers.radix2.fcs import Fcs, FcsCore
from modmul.operation import Cycles


@dataclass(frozen=True, kw_only=True)
class FcsMm1(Fcs):
    """Parameters: width, and the form of operands and result."""

    name = "fcs-mm-1"
    summary = "radix-2 Montgomery in carry-save form, three carry-save rows"
    sources = ("kuang2016",)

    def steps(self) -> dict[str, Cycles]:
        return {"loop": Cycles.constant(self.width + 2)}

    def accumulate(
        self, a: tuple[int, int], b: tuple[int, int], modulus: int
    ) -> tuple[int, int, int]:
        ss = sc = 0
        addends = ((0, 0), b)
        for bit in words.bits(sum(a), self.width + 2):
            xs, xc = addends[bit]
            p = ss ^ sc
            s = p ^ xs
            c = ((ss & sc) | (p & xs)) << 1
            p = s ^ c
            t = p ^ xc
            d = ((s & c) | (p & xc)) << 1
            x = modulus if t & 1 else 0
            p = t ^ d
            # The carry word's shift up and the halving cancel.
            ss, sc = (p ^ x) >> 1, (t & d) | (p & x)
        return ss, sc, self.width + 2

    def core_forecast(self) -> Forecast:
        """Three rows, three gated addends, seven registers of k bits; in form binary the adder.

        Calibrated from 32 to 256 bits: LUTs within 2 %, flip-flops 1 %, clock 12 %."""
        chip, k = fabric(self.chip), self.width
        return chip.forecast(
            lut=chip.by_lut_inputs(11.05, 10) * k + 24 + self.conversion().lut,
            ff=7 * k + 22 + self.conversion().ff,
            levels=chip.by_lut_inputs(3.6, 3.7),
        )


@core_of(FcsMm1)
class Core(FcsCore):
    """{theory}

    Rows in the order BS, BC, N: the quotient has time until the third.

    Here k = {width}."""

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        **control(
            in_loop="an iteration in each cycle",
            in_convert="the result becomes one number, SS + SC",
        ),
        **FcsCore.OPERANDS,
        "loop: S = (SS + SC + a_i*B + q*N) / 2": {
            "started": "low in the first cycle of a product: S is 0, whatever its registers hold",
            "ss_reg": "SS, sum vector of S, which is below 3N",
            "sc_reg": "SC, carry vector of S",
            "first_row_a": "SS, or 0",
            "first_row_b": "SC, or 0",
            "quotient": "q, the parity of SS + SC + a_i*B",
            "first_row_c": "a_i times b_reg",
            "first_row_sum": "SS + SC + a_i*BS: sum bits",
            "first_row_carry": "carries of that row; bit j has the weight 2^(j+1)",
            "second_row_c": "a_i times b_carry_reg",
            "second_row_sum": "with a_i*BC: sum bits",
            "second_row_carry": "carries of that row; bit j has the weight 2^(j+1)",
            "third_row_c": "q*N",
            "third_row_sum": "with q*N: sum bits; bit 0 is 0, and is dropped in ss_reg",
            "third_row_carry": "carries of that row; bit j, halved, has the weight 2^j in sc_reg",
        },
        **FcsCore.CONVERT,
    }

    def datapath(self, m: Module, control: PhaseSequencer) -> None:
        k, chip = self.parameters.width, self.parameters.chip
        modulus = self.modulus_register(m)
        b = self.added(m)
        bit, _ = self.scanned(m, control)
        ss = Signal(k + 2, name="ss_reg", reset_less=True)
        sc = Signal(k + 2, name="sc_reg", reset_less=True)
        total = self.from_zero(m, control, ss, sc)
        quotient = Signal(name="quotient")
        parity = total.sum[0] ^ total.carry[0]
        m.d.comb += quotient.eq(parity ^ (bit & (b.sum[0] ^ b.carry[0])))
        row = carry_save_add(m, chip, *total, masked(b.sum, bit), "first_row")
        row = carry_save_add(m, chip, row.sum, row.carry, masked(b.carry, bit), "second_row")
        carry = row.carry[: k + 3]
        row = carry_save_add(m, chip, row.sum, carry, masked(modulus, quotient), "third_row")
        self.keep(m, control, [(ss, row.sum[1:]), (sc, row.carry[1 : k + 3])])
        self.unload(m, Pair(ss, sc))
