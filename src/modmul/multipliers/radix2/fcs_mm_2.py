"""FCS-MM-2: operands and result in carry-save form, two rows of full adders, B + N stored before.

A = AS + AC, B = BS + BC, S = SS + SC.  First (DS, DC) = BS + BC + N, one row of full adders.  Then
S <- (S + x) / 2 for k + 2 bits of A, x one of 0, N, B, D for (a_i, q) = 00, 01, 10, 11.  The bits
of A come from one full adder that runs along AS and AC; q is the parity of the sum.
With A, B < 2N: S < 3N in the loop and < 2N after it, so that results can be operands, and
R = 2^(k+2).  SS, SC, DS and DC fit k + 1 bits.
Cost: 2 rows of full adders and one more for D, which takes less than enables of DS and DC and
another way into SS and SC would; 7 registers and 2 shift registers of k bits; critical path: the
bit of A (2 XOR), which chooses between two quotients, a four-to-one multiplexer, 2 full adders.
Published: 1 + 1 + (k + 2) cycles from the load to the result in its registers; that is our
interval, the latency counts the cycle in which the result leaves as well.
Source: kuang2016, section II (its reference [9]).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from amaranth.hdl import Const, Module, Mux, Signal

from modmul.blocks.carry_save import Pair, carry_save_add, select4
from modmul.blocks.sequencer import PhaseSequencer
from modmul.forecast import Forecast, fabric
from modmul.multipliers.core import core_of
from modmul.multipliers.radix2 import words
from modmul.multipliers.radix2.family import control
from modmul.multipliers.radix2.fcs import Fcs, FcsCore
from modmul.operation import Cycles


@dataclass(frozen=True, kw_only=True)
class FcsMm2(Fcs):
    """Parameters: width, and the form of operands and result."""

    name = "fcs-mm-2"
    summary = "radix-2 Montgomery in carry-save form, two carry-save rows, B + N stored before"
    sources = ("kuang2016",)

    def steps(self) -> dict[str, Cycles]:
        return {"precompute": Cycles.constant(1), "loop": Cycles.constant(self.width + 2)}

    def accumulate(
        self, a: tuple[int, int], b: tuple[int, int], modulus: int
    ) -> tuple[int, int, int]:
        addends = ((0, 0), (modulus, 0), b, words.carry_save_add(*b, modulus))
        parity = (b[0] ^ b[1]) & 1
        ss = sc = 0
        for bit in words.bits(sum(a), self.width + 2):
            p = ss ^ sc
            xs, xc = addends[2 * bit + (p & 1 ^ bit & parity)]
            s = p ^ xs
            c = ((ss & sc) | (p & xs)) << 1
            p = s ^ c
            # The carry word's shift up and the halving cancel.
            ss, sc = (p ^ xc) >> 1, (s & c) | (p & xc)
        return ss, sc, self.width + 2

    def core_forecast(self) -> Forecast:
        """Three rows, the multiplexers of four, nine registers of k bits.

        Calibrated from 32 to 256 bits: LUTs within 7 %, flip-flops 1 %, clock 5 %."""
        chip, k = fabric(self.chip), self.width
        return chip.forecast(
            lut=chip.by_lut_inputs(15.05, 10.05) * k + 20 + self.conversion().lut,
            ff=9 * k + 23 + self.conversion().ff,
            levels=chip.by_lut_inputs(3.6, 3),
        )


@core_of(FcsMm2)
class Core(FcsCore):
    """{theory}

    A is loaded one place higher: the cycle in which D is made is an iteration with a bit 0.

    DS and DC follow B and N in every cycle; they are right from the first iteration on.

    Here k = {width}."""

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        **control(
            in_precompute="DS and DC are made, while nothing is added to S = 0",
            in_loop="an iteration in each cycle",
            in_convert="the result becomes one number, SS + SC",
        ),
        **FcsCore.OPERANDS,
        "D = B + N": {
            "precompute_row_sum": "BS + BC + N: sum bits",
            "precompute_row_carry": "carries of that row; bit j has the weight 2^(j+1)",
            "ds_reg": "DS, right from the first iteration on",
            "dc_reg": "DC, likewise",
        },
        "loop: S = (SS + SC + x) / 2, x = 0, N, B, D for (a_i, q) = 00, 01, 10, 11": {
            "started": "low in the first cycle of a product: S is 0, whatever its registers hold",
            "ss_reg": "SS, sum vector of S, which is below 3N",
            "sc_reg": "SC, carry vector of S",
            "first_row_a": "SS, or 0",
            "first_row_b": "SC, or 0",
            "quotient": "q, the parity of SS + SC + a_i*B",
            "first_row_c": "sum vector of x",
            "first_row_sum": "SS + SC and that: sum bits",
            "first_row_carry": "carries of that row; bit j has the weight 2^(j+1)",
            "second_row_c": "carry vector of x",
            "second_row_sum": "SS + SC + x: sum bits; bit 0 is 0, and is dropped in ss_reg",
            "second_row_carry": "carries of that row; bit j, halved, has the weight 2^j in sc_reg",
        },
        **FcsCore.CONVERT,
    }

    def datapath(self, m: Module, control: PhaseSequencer) -> None:
        k, chip = self.parameters.width, self.parameters.chip
        modulus = self.modulus_register(m)
        b = self.added(m)
        bit, _ = self.scanned(m, control, below=1)
        ss, sc, ds, dc = (
            Signal(k + 1, name=f"{name}_reg", reset_less=True) for name in ("ss", "sc", "ds", "dc")
        )
        both = carry_save_add(m, chip, b.sum, b.carry, modulus, "precompute_row")
        m.d.sync += [ds.eq(both.sum), dc.eq(both.carry[: k + 1])]
        # The bit of A comes late, so it chooses between two quotients.
        total = self.from_zero(m, control, ss, sc)
        quotient = Signal(name="quotient")
        parity = total.sum[0] ^ total.carry[0]
        m.d.comb += quotient.eq(Mux(bit, parity ^ b.sum[0] ^ b.carry[0], parity))
        zero = Const(0, k + 1)
        xs = select4(bit, quotient, (zero, modulus, b.sum, ds))
        xc = select4(bit, quotient, (zero, zero, b.carry, dc))
        row = carry_save_add(m, chip, *total, xs, "first_row")
        row = carry_save_add(m, chip, row.sum, row.carry, xc, "second_row")
        self.keep(m, control, [(ss, row.sum[1:]), (sc, row.carry[1 : k + 2])])
        self.unload(m, Pair(ss, sc))
