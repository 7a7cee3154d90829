"""Montgomery multiplication digit by digit on two word multipliers: the designs that gallin2019
calls MO64, AM32 and AM64.

With s digits of w bits, R = 2^(sw), N' = -1/N mod 2^w, and T = 0 at first, for i = 0 .. s-1:

    U <- T + a_i*B
    q <- U*N' mod 2^w
    T <- (U + q*N) / 2^w

and then T - N if that is not negative, else T.  A digit of the inner loops goes by in a cycle: one
multiplier makes the a_i*b_j, the other the s + 1 products of an iteration that have N' or q.
Bounds, for A, B < R: T < B + N < 2R always, U/R < 2^w + 1, so that T has one bit above its digits;
at the end T < A*B/R + N.  So T < 2N for A*B <= R*N + N - 1 and the result is below N; for others
it is below R.

Cycles, counted from the first digits on the ports; an outer iteration takes P cycles, a product of
words D, `u_register` A (0 or 1):

    i*P + j                  a_i*b_j begins
    i*P + D + A              q begins
    i*P + 2*D + A + j        q*n_j begins
    i*P + 3*D + A + j + 1    t_j is there

The second multiplier is free for the next q if P >= s + D, and t_0 is there for it if
P >= 2*D + 1 + A.  So the result is in its memory after (s-1)*P + 3*D + A + s + 2 cycles, as T and
as T - N; its digits leave in the s cycles behind, when the last borrow is known.  The first digits
of the next product come s*P cycles after these.
Cost: two multipliers of w x w bits, each of ceil(w/17)^2 DSP blocks with their products added in
fabric; memories for A, B, N (twice), T and T - N; two adders of three words, a subtracter.

Sources: gallin2019, II and Table III (MO64, AM32, AM64: digits, DSP blocks, cycles); the algorithm
is M. Morales-Sandoval, A. Diaz-Perez, Scalable GF(p) Montgomery multiplier based on a digit-digit
computation approach, IET Computers and Digital Techniques 2016.  Print has no schedule and no
pipeline: those above are reconstructed.  With D = 1, A = 0 the result of 4 digits is there after 24
cycles (MO64); with D = 4, P = 13 that of 8 after 114 (AM32), with D = 6, P = 17 that of 4 after 76
(AM64), both with A = 1.  The same pipelines do with P = 12 and 14, which is their default.  Print
has 32 DSP blocks (AM64), 33 (MO64) and 9 (AM32); here are 32, 32 and 8: what the one more is for,
print does not tell.
"""

from __future__ import annotations

from dataclasses import dataclass

from modmul.forecast import Forecast, fabric
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.iddmm.core import Core
from modmul.multipliers.iddmm.parameters import IddmmParameters
from modmul.multipliers.ranges import Bound, OperandRange, largest_product
from modmul.operation import Cycles, Mode, constant_cycles


@dataclass(frozen=True, kw_only=True)
class Iddmm(IddmmParameters):
    """What the two multipliers compute, and the cycles that it takes."""

    name = "iddmm"
    summary = "Montgomery multiplication digit by digit on two word multipliers (MO64, AM32, AM64)"
    sources = ("gallin2019",)
    core = Core
    operand_limit = result_limit = Bound(1)

    @property
    def word_bits(self) -> int:
        return self.word

    def operand_range(self, modulus: int) -> OperandRange:
        """Accept everything below R."""
        top = self.montgomery_factor
        return OperandRange(top, top, largest_product(top, modulus))

    def compute(self, a: int, b: int, modulus: int) -> int:
        t = super().compute(a, b, modulus)
        return t - modulus if t >= modulus else t

    def cycles(self, mode: Mode = Mode()) -> dict[str, Cycles]:
        terms = {
            "iterate": (self.beats - 1) * self.turn,
            "fill": self.added,
            "digits": self.beats,
            "subtract": 2,
            "unload": self.beats,
        }
        return constant_cycles(terms)

    @property
    def in_memory(self) -> int:
        """Cycles until the result is in its memory: the figure of the paper."""
        return self.latency().maximum - self.beats

    def interval(self, mode: Mode = Mode()) -> Cycles:
        return Cycles.constant(self.beats * self.turn)

    @property
    def notes(self) -> tuple[str, ...]:
        return (f"The result is complete after {self.in_memory} cycles, then it is read.",)

    def core_forecast(self) -> Forecast:
        """Sums of tiles, adders of three words, memories, and delays of U, which 7 series has in
        look-up tables.  With fewer than four stages, tiles are added without a register; if U does
        not wait, its sum is directly behind T.

        Calibrated with words of 32 bits, 3 and 4 stages, 64 to 256 bits: LUTs within 1 %,
        flip-flops 11 %, clock 1 %."""
        chip, w, tiles = fabric(self.chip), self.word, self.tiles
        ram, bits = chip.memory(self.beats, w)
        late = max(1, self.turn - 2 * self.stages - 1 - self.u_register)
        behind = 4 * w * max(0, self.stages - 3) * (1 + tiles / 4)  # registers of products
        held = chip.by_lut_inputs(2 * self.stages + 5 + late, 5) + self.u_register
        alone = 6 * w if self.beats == 1 else 0  # a memory of one word is a register
        return chip.forecast(
            lut=chip.by_lut_inputs(1.06, 0.88)
            * (2 * (2 * tiles - 2) * 1.75 * w + 18 * w + 6 * ram + 60),
            ff=held * w
            + alone
            + behind
            + 3 * self.added
            + self.stages
            + 6 * self.beats.bit_length()
            + 2,
            levels=chip.by_lut_inputs(2.8, 4.4)
            + chip.by_lut_inputs(3.9, 1.7) * (self.stages < 4)
            + chip.by_lut_inputs(3.9, 2) * (late == 1),
            carry=1.5 * w,
            dsp=self.dsps,
            ram_bits=6 * bits,
        )

    @classmethod
    def examples(cls) -> list[Multiplier]:
        """One digit and several, just full or not; all numbers of stages; published
        pipelines."""
        return [
            cls(width=4, word=4, stages=1),
            cls(width=5, word=4, stages=1, u_register=True),
            cls(width=16, word=4, stages=2, target="xc7"),
            cls(width=33, word=8, stages=4, u_register=True, iteration=13, target="ecp5"),
            cls(width=61, word=20, stages=6, target="xc6s"),
            cls(width=40, word=40, stages=8),
        ]
