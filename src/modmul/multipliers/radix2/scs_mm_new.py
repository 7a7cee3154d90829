"""SCS-MM-New: one configurable carry-save row, and iterations left out that add nothing.

N^ = N' + 1, N' the multiple N or 3N that is 3 mod 4 (made with the constants of the modulus);
B^ = 8*B; D^ = B^ + N^.  All have two zero bits below, so that the next quotient, and whether the
next iteration adds anything, are known a cycle ahead from the lowest bits of the sum.
S <- (S + x) / 2 for m bits of A, S = SS + SC, x = one of 0, N^, B^, D^ by a_i and q_i; R = 2^(m-3).

With operands < c*N the result is < c^2/2^(m-k-3) * N + N'.  m = k + 7 (`chained`, R = 2^(k+4)) and
c = 4: results are < 4N, and can be operands.  m = k + 5 (`published`, R = 2^(k+2)) and c = 2: they
are < 2N if N mod 4 = 3, but < 4N if N mod 4 = 1, too large for the next product.
p = k + 2 or k + 1 bits of an operand; SS, SC and D^ have p + 4, before the shift.

Phases: D^ is made by the row, then carries ripple, two places a cycle (`precompute`; the cycle that
sees that none is left is `store`).  `loop`: iterations -1 to m - 1, the first of which only looks
at a_0.  The shift by one or two places, due after each, is done in the next cycle; so the first
cycle of `convert` does it, too, and starts half-adder steps, two a cycle, until SC = 0.

While idle the row adds 0 + 0 + N^, so that SS = N^ when a product begins, and B^ comes on top of it
like any addend.  So each of SS and SC has three ways into the row, not the four of the paper's M1
and M2, and as these are AND-OR, with none of them it is zero: no register has to be cleared.

Cycles: the paper's algorithm, 1 + (1 + d) + 1 + l + c, has two less: `convert` is c + 1, as its
last cycle only sees that SC = 0; `unload` is the other one.  Constant time has only the latter.
On ecp5 the test for SC = 0 is the longest path from 129 bits on: there both conversions wait a
cycle for it.
Cost: 1 configurable row, 6 registers of k bits, k multiplexers 4 to 1 (one input 0), 2k AND-OR of
three, and a shifter of A by one or two.
Source: kuang2016, section III, Figs. 10 to 12, with more iterations and the last skip left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from modmul.arithmetic.words import ceil_div
from modmul.errors import SpecError
from modmul.forecast import Forecast, fabric
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.radix2 import words
from modmul.multipliers.radix2.family import LoopResult
from modmul.multipliers.radix2.scs_mm_new_core import Core
from modmul.multipliers.radix2.skipping import Skipping
from modmul.operation import Cycles, Mode
from modmul.parameters import parameter

_TESTED_AT_ONCE = 128  # up to so many bits of the modulus, SC = 0 is tested in the same cycle
# Means, fitted to the golden model for N of k bits, A and B uniform below their bound, 24 widths
# from 3 to 4096, 60,000 products each up to 48 bits, then fewer (2,800 at 1024, 330 at 4096).
# The latency is within 0.3 % from 16 bits on, within 2 % below.
# Loop: cycles an iteration; cycles beside k of them, by `iterations`.
_LOOP = {
    "free": (0.80516, {"published": 3.70, "chained": 5.20}),
    "alternate": (0.83416, {"published": 4.19, "chained": 5.78}),
}
# Half-adder steps, for `words.mean_half_adder_steps`.
_STEPS_OF_D = (-0.63, -3.4)
_STEPS_OF_RESULT = {"free": (-0.16, -4.1), "alternate": (-0.35, -3.3), "off": (-1.07, 1.5)}


@dataclass(frozen=True, kw_only=True)
class ScsMmNew(Skipping):
    """Parameters: the row, which iterations are left out, their number, and constant time."""

    name = "scs-mm-new"
    summary = "radix-2 Montgomery, one configurable carry-save row, skips iterations"
    sources = ("kuang2016",)
    core = Core
    leaving = "A product with 1 leaves a value of at most N if N mod 4 = 3, at most 3N if it is 1."
    beyond = (
        "Results can be operands only if N mod 4 = 3; if N mod 4 = 1 they are below 4N, and "
        "2N must be subtracted from those above it (`iterations = chained` has no such case)."
    )

    configurable: bool = parameter(
        True, "build a row that does two half-adder steps in a cycle, not one"
    )
    skipping: str | None = parameter(
        None,
        "which iterations may be left out: free: all; alternate: no two in a row; off: none "
        "(default: free, or off with constant-time)",
        choices=("free", "alternate", "off"),
    )
    constant_time: bool = parameter(
        False,
        "make the time independent of the operands: no iteration is left out, and both conversions "
        "take their longest time",
    )
    iterations: str = parameter(
        "chained",
        "iterations of a product: chained: k + 7; published: k + 5, as the paper has it, whose "
        "results cannot be operands if N mod 4 = 1",
        choices=("published", "chained"),
    )

    def check(self) -> None:
        if self.constant_time and self.skips != "off":
            raise SpecError(
                "skipping",
                self.skips,
                "off",
                f"skipping = {self.skips!r}: must be off (or left out) with constant-time = true",
            )

    @property
    def skips(self) -> str:
        """`skipping`, or its default."""
        return self.skipping or ("off" if self.constant_time else "free")

    @property
    def published(self) -> bool:
        return self.iterations == "published"

    @property
    def steps(self) -> int:
        """The number of half-adder steps in a cycle."""
        return 2 if self.configurable else 1

    @property
    def timing(self) -> Literal["constant", "data-dependent"]:  # type: ignore[override]
        return "constant" if self.constant_time else "data-dependent"

    @property
    def leaks(self) -> tuple[str, ...]:
        if self.constant_time:
            return ()
        loop = "The loop tells the Hamming weight of A (few ones, few cycles); B and N matter, too."
        return (
            *((loop,) if self.skips != "off" else ()),
            "The precomputation lasts as long as the longest carry of 8*B + N^.",
            "The conversion lasts as long as the longest carry of the result.",
        )

    @property
    def core_title(self) -> str:
        more = [
            (not self.configurable, "plain"),
            (self.skips != "free" and not self.constant_time, f"skip_{self.skips}"),
            (self.constant_time, "constant_time"),
            (self.iterations != "chained", self.iterations),
        ]
        return "-".join([super().core_title, *(text for applies, text in more if applies)])

    @property
    def waits(self) -> int:
        """The cycles by which a conversion waits for the test SC = 0, which is registered for wide
        operands on ecp5."""
        wide = self.chip.slow_wires and self.width > _TESTED_AT_ONCE
        return int(wide and not self.constant_time)

    # ---- cycles -------------------------------------------------------------------------------

    @property
    def longest(self) -> tuple[int, int]:
        """The most cycles for the carries of D^, and for those of a result (without the cycle that
        sees that none is left).  The lowest carry is at bit 4 of p + 4 bits, and at bit 0 of the
        k + 2 bits of 4N; each step moves all carries up one place: none is left after p and k + 2
        steps."""
        return ceil_div(self.beat, self.steps), ceil_div(self.result_beat, self.steps)

    def cycles(self, mode: Mode = Mode()) -> dict[str, Cycles]:
        one_cycle, (ripple, longest) = Cycles.constant(1), self.longest
        sees = 1 + self.waits  # that SC = 0
        convert = self._mean(*_STEPS_OF_RESULT[self.skips])
        terms = {
            "load": one_cycle,
            "precompute": Cycles(sees, sees + self._mean(*_STEPS_OF_D), sees + ripple),
            "store": one_cycle,
            "loop": self._loop(),
            "convert": Cycles(sees + 1, sees + max(1, convert), sees + longest),
            "unload": one_cycle,
        }
        if self.constant_time:
            terms["precompute"] = Cycles.constant(1 + ripple)
            terms["convert"] = Cycles.constant(longest)
        return terms

    def _mean(self, offset: float, bend: float) -> float:
        """The mean cycles of a conversion; two steps a cycle lose one in every second
        product."""
        steps = words.mean_half_adder_steps(self.width, offset, bend)
        return steps / 2 + 0.25 if self.configurable else steps

    def _loop(self) -> Cycles:
        """The cycles of the loop: fewest for A = 0, most if no iteration is left out."""
        count = self.loop_iterations + 1
        if self.skips == "off":
            return Cycles.constant(count)
        shortest = ceil_div(count, 2)
        if self.skips == "alternate":  # three iterations in two cycles
            shortest = count // 3 * 2 + (count % 3 > 0)
        slope, more = _LOOP[self.skips]
        return Cycles(shortest, slope * self.width + more[self.iterations], count)

    # ---- golden model -------------------------------------------------------------------------

    def run(self, a: int, b: int, modulus: int) -> LoopResult:
        n_hat, b_hat = words.modulus_hat(modulus), b << 3
        ss, sc, loop = words.skipping_loop(a, b_hat, n_hat, self.loop_iterations, self.skips)
        ripple, convert = self.longest
        if not self.constant_time:
            steps = words.half_adder_steps(b_hat ^ n_hat, (b_hat & n_hat) << 1)
            ripple = ceil_div(steps, self.steps)
            convert = max(ceil_div(words.half_adder_steps(ss, sc), self.steps), 1) + 1
        phases = {
            "load": 1,
            "precompute": 1 + ripple + self.waits,
            "store": 1,
            "loop": loop,
            "convert": convert + self.waits,
            "unload": 1,
        }
        return LoopResult(ss + sc, phases)

    def core_forecast(self) -> Forecast:
        """A configurable row with what aligns and selects, six registers of k bits.

        Calibrated from 32 to 256 bits: LUTs within 7 %, flip-flops 1 %, clock 11 %."""
        chip, k = fabric(self.chip), self.width
        counted = self.skips != "off" or self.constant_time
        bit = chip.by_lut_inputs(11.1, 7.4) if counted else chip.by_lut_inputs(7.9, 6)
        return chip.forecast(
            lut=bit * k + chip.by_lut_inputs(150, 80),
            ff=6 * k + 43,
            levels=2.8 if self.waits else chip.by_lut_inputs(5, 4.6),
        )

    @classmethod
    def examples(cls) -> list[Multiplier]:
        return [
            cls(width=3),
            cls(width=4, skipping="alternate"),
            cls(width=4, configurable=False),
            cls(width=5, iterations="published"),
            cls(width=4, constant_time=True),
            cls(width=8),
            cls(width=8, constant_time=True, configurable=False, iterations="published"),
            cls(width=9, skipping="off"),
            cls(width=9, skipping="alternate", configurable=False, iterations="published"),
            cls(width=33),
        ]
