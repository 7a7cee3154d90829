"""Montgomery multiplication on a systolic array, a word to the neighbour in every cycle: the
schedule of the designs that gallin2019 calls MR8 and MR16.

CIOS without subtraction: s words of w bits, 4N <= 2^(sw) = R, N' = -1/N mod 2^w, T = 0 at first,
and for i = 0 .. s-1

    U <- T + a_i*B;   q <- U*N' mod 2^w;   T <- (U + q*N) / 2^w

T < B + N at any time, and T < A*B/R + N at the end: results are below 2N if A and B are.  For
B <= R - N, U is below 2^w*R and T below R, so that both fit their words.

Word by word, hi and lo being halves of products of words, d and e carries of at most 2:

    u_j + 2^w*d <- lo(a_i*b_j) + hi(a_i*b_(j-1)) + t_j + d                   row 1
    t_(j-1) + 2^w*e <- lo(q*n_j) + hi(q*n_(j-1)) + u_j + e                   row 2, j >= 1

u_0 + lo(q*n_0) is 0 mod 2^w: its carry is 1 unless u_0 is 0, and so row 2 begins with word 1.  With
products of D cycles (`stages`), counted from the first words on the ports, P = 2D + 1:

    i*P + j                  a_i*b_j begins
    i*P + j + D              u_j
    i*P + D + 1              q begins
    i*P + 2*D + j            q*n_j begins; q*n_0 with q*n_1
    i*P + 3*D + j            t_(j-1), in the cycle in which row 1 needs it for iteration i + 1

A word is at work once in P cycles, and P neighbours in turn: so P words share a cell, which is
never idle.  A cell hands carry, a_i and q to the next one P cycles later.  The words of the result
leave as they are made, the last one after P*(s-1) + 3*D + s + 1 cycles, one more with
`output_register`; the next product begins s*P cycles after this one.
Cost: ceil(s/P) + ceil((s-1)/P) + 1 multipliers of w x w bits; rings of registers for B and N, a
memory for A, two adders of three words in a cell, in series.

Sources: gallin2019, II and Table III (MR8, MR16: words, cycles); A. Mrabet et al., on systolic CIOS
multipliers, 2016 and 2017.  Print tells neither the cells nor when they work; the schedule is
reconstructed: with D = 1 a product takes 4s + 1 cycles (MR8: 33) and with the output register
4s + 2 (MR16: 66).  Words are as long as 4N <= R makes them: 17 bits for 128 bits in 8 words or 256
in 16, 33 for 256 in 8.  Print has 19, 29 and 31 DSP blocks; with cells that are shared here are 7,
12 and 28: what the others do, print does not tell.
"""

from __future__ import annotations

from dataclasses import dataclass

from modmul.arithmetic.words import ceil_div
from modmul.forecast import Forecast, fabric
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.systolic_cios.core import Core
from modmul.multipliers.systolic_cios.parameters import SystolicCiosParameters
from modmul.operation import Cycles, Mode, constant_cycles


@dataclass(frozen=True, kw_only=True)
class SystolicCios(SystolicCiosParameters):
    """What the cells compute, and the cycles that it takes."""

    name = "systolic-cios"
    summary = "Montgomery on a systolic array whose cells are shared by words (MR8, MR16)"
    sources = ("gallin2019",)
    core = Core

    @property
    def word_bits(self) -> int:
        return self.word

    @property
    def beats(self) -> int:
        return self.count

    def cycles(self, mode: Mode = Mode()) -> dict[str, Cycles]:
        """`unload`: the words leave as they are made."""
        terms = {
            "iterate": (self.count - 1) * self.turn,
            "fill": 3 * self.stages + 1,
            "unload": self.count,
            "register": int(self.output_register),
        }
        return constant_cycles({name: count for name, count in terms.items() if count})

    def interval(self, mode: Mode = Mode()) -> Cycles:
        return Cycles.constant(self.count * self.turn)

    def core_forecast(self) -> Forecast:
        """Two adders of three words in a cell, rings, and sums of tiles.  On 7 series, DSP blocks
        and look-up tables contain two fifths of the registers.

        Calibrated from 64 to 256 bits, one stage: LUTs within 7 %, flip-flops 15 %, clock 7 %."""
        chip, w, (first, second) = fabric(self.chip), self.word, self.cells
        upper, lower = self.count // self.turn + 1, ceil_div(self.count, self.turn)  # adders
        tiles = ceil_div(w, min(self.chip.tile))
        products = (first + second + 1) * (2 * tiles - 2) * chip.by_lut_inputs(1.75, 0.7) * w
        ram, bits = chip.memory(self.count, w)
        rings = self.turn * (first + second) + 2 + first + lower
        flags = 5 * self.count + 8 * self.stages
        return chip.forecast(
            lut=products
            + (6.5 * (upper + lower) + 2 * first + 4) * w
            + ram
            + chip.by_lut_inputs(45, -40),
            ff=chip.by_lut_inputs(1, 0.57) * (rings + (1 + 2 * self.stages) * upper + lower) * w
            + flags
            + 20,
            levels=chip.by_lut_inputs(7, 6.3),
            carry=2 * w,
            dsp=self.dsps,
            ram_bits=bits,
        )

    @classmethod
    def examples(cls) -> list[Multiplier]:
        """Words that fill their cells, or all but one, or one more; all numbers of
        stages."""
        return [
            cls(width=4, words=2),
            cls(width=10, words=3, output_register=True),
            cls(width=14, words=4, target="xc7"),
            cls(width=33, words=5, stages=2, target="ecp5"),
            cls(width=61, words=6, stages=4),
            cls(width=40, words=8, target="xc6s", output_register=True),
            cls(width=66, words=2, stages=8),
        ]
