"""FCS-MMM42: as FCS-MM-2, with a quotient one cycle ahead, and iterations skipped that add nothing.

N^ = N' + 1 (N' the multiple N or 3N that is 3 mod 4), B^ = 8B and D^ = B^ + N^ have two low bits
that are 0, so that q_(i+1) and q_(i+2) are known before the addition of iteration i.  With
A = AS + AC, S = SS + SC and so on, for i = 0 ... m-1:

    S <- (S + x) / 2, x one of 0, N^, B^, D^ for (a_i, q_i) = 00, 01, 10, 11

and iteration i + 1 is skipped, S halved twice, where a_(i+1) = q_(i+1) = 0; never two neighbours.
So m iterations take (m + 1)/2 to m + 1 cycles, one of them to look at a_0 and a_1.
R = 2^(m-3), S = (8AB + Q*N') / 2^m < 8AB/2^m + N':

    iterations = chained: m = k + 7; for A, B < 4N always S < N' + N: results can be operands;
    published: m = k + 5; for A, B < 2N, S < N' + N: can be an operand only if N mod 4 = 3.

With p the bits of an operand, BS^, BC^, DS^ and DC^ have p + 3 bits, SS and SC p + 4; they hold the
sum before its shift by one or two places, which is made on the way to the first row, and out.
Cost: 2 rows of full adders and one more for D (see FCS-MM-2); 7 registers and 2 shift registers
of k bits; critical path: AND and OR, which choose shift and addends, 2 full adders.  The paper's
four-to-one multiplexer is slower: here q_i and a_i are decoded a cycle before.
Published: 1 + 1 + the loop + 1 cycles to align the result; our latency is the same, since the cycle
that aligns the result is the one in which it leaves.
Source: kuang2016, section IV (its reference [10], of which it gives area, path and cycles only: the
circuit with just these parts; k + 7 iterations are ours).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from amaranth.hdl import Cat, Const, Module, Signal, Value

from modmul.arithmetic.words import ceil_div
from modmul.blocks.carry_save import Pair, carry_save_add, masked, one_of, skip_four_to_two
from modmul.blocks.sequencer import PhaseSequencer
from modmul.blocks.skipping import SkippingLoop
from modmul.forecast import Forecast, fabric
from modmul.multipliers.contract import Multiplier, Operand
from modmul.multipliers.core import core_of
from modmul.multipliers.radix2 import words
from modmul.multipliers.radix2.family import control
from modmul.multipliers.radix2.fcs import Fcs, FcsCore
from modmul.multipliers.radix2.skipping import Skipping
from modmul.operation import Cycles
from modmul.parameters import parameter

# Cycles of the loop above 0.8k, fitted to 300,000 products or more for each of k = 16, 24 and 40
# (5.163 to 5.171 and 3.706 to 3.709, standard errors 0.002 to 0.004).  The formula is within 0.3 %
# of the mean of 40,000 (8 bits) to 400 (4096 bits) products, and within 1.5 % from 3 bits on.
_MEAN_ABOVE = {"chained": 5.17, "published": 3.71}
_ITERATIONS_HELP = (
    "iterations of a product: chained: k + 7, so that results can be operands; published: k + 5, "
    "as the paper has it"
)


@dataclass(frozen=True, kw_only=True)
class FcsMmm42(Skipping, Fcs):
    """Parameters: width, form of operands and result, number of iterations."""

    name = "fcs-mmm42"
    summary = "radix-2 Montgomery in carry-save form, two carry-save rows, skips iterations"
    sources = ("kuang2016",)
    timing: ClassVar[Literal["constant", "data-dependent"]] = "data-dependent"
    leaving = "A product with 1 leaves a value of at most N'."
    beyond = (
        "Results are below 2N if N mod 4 = 3, but below 4N if N mod 4 = 1: then 2N must be "
        "subtracted from one of 2N or more before it can be an operand."
    )

    iterations: str = parameter("chained", _ITERATIONS_HELP, choices=("chained", "published"))

    @property
    def core_title(self) -> str:
        return super().core_title + ("-published" if self.published else "")

    @property
    def published(self) -> bool:
        return self.iterations == "published"

    @property
    def leaks(self) -> tuple[str, ...]:
        return (
            "The time is that of the iterations that are not skipped: it depends on A, B and N, "
            "and tells the Hamming weight of A approximately.",
        )

    def steps(self) -> dict[str, Cycles]:
        most = self.loop_iterations + 1
        loop = Cycles(ceil_div(most, 2), self.mean_loop, most)
        return {"precompute": Cycles.constant(1), "loop": loop}

    @property
    def mean_loop(self) -> float:
        """The mean cycles of the loop: A and B uniform below their bound, N odd, of k bits,
        uniform.

        A skip has probability 1/4 and saves one cycle of two: 4/5 of a cycle for each iteration."""
        return 0.8 * self.width + _MEAN_ABOVE[self.iterations]

    def loop_cycles(self, a: int, b: int, modulus: int) -> int:
        """The cycles of the loop from integers: S * 2^m = 8AB + Q*N', q_i is bit i of Q."""
        power = 1 << self.loop_iterations
        multiple = words.modulus_hat(modulus) - 1
        quotient = -8 * a * b * pow(multiple, -1, power) % power
        # Digits at the places -1 ... m-1, lowest first; a step takes a zero behind it along.
        places = f"{2 * (a | quotient) + 1:0{self.loop_iterations + 1}b}"[::-1]
        return len(re.findall(".0|.", places))

    def latency_of(self, a: Operand, b: Operand, modulus: int) -> int:
        left, right = (value if isinstance(value, int) else sum(value) for value in (a, b))
        others = (term.maximum for name, term in self.cycles().items() if name != "loop")
        return sum(others) + self.loop_cycles(left, right, modulus)

    def accumulate(
        self, a: tuple[int, int], b: tuple[int, int], modulus: int
    ) -> tuple[int, int, int]:
        hat, last = words.modulus_hat(modulus), self.loop_iterations - 1
        b_hat = (8 * b[0], 8 * b[1])
        addends = ((0, 0), (hat, 0), b_hat, words.carry_save_add(*b_hat, hat))
        bits = words.bits(sum(a), self.loop_iterations + 2)
        i, cycles, choice = -1, 0, 0
        ss = sc = 0  # aligned
        while i <= last:
            cycles += 1
            xs, xc = addends[choice]
            p = ss ^ sc
            skip = i < last and not (bits[i + 1] | p >> 1 & 1)
            if skip:
                after = (p ^ xs) >> 2 ^ (ss & sc) >> 1
                choice = 2 * bits[i + 2] + (after & 1)
            else:
                choice = 2 * bits[i + 1] + (p >> 1 & 1)
            s = p ^ xs
            c = ((ss & sc) | (p & xs)) << 1
            p = s ^ c
            # The carry word's shift up and a halving cancel.
            ss, sc = (p ^ xc) >> (1 + skip), ((s & c) | (p & xc)) >> skip
            i += 1 + skip
        return ss, sc, cycles

    def core_forecast(self) -> Forecast:
        """Three rows, AND-OR for shift and addend, nine registers of k bits.

        Calibrated from 32 to 256 bits: LUTs within 2 %, flip-flops 1 %, clock 17 %."""
        chip, k = fabric(self.chip), self.width
        return chip.forecast(
            lut=chip.by_lut_inputs(15.05, 12.05) * k + 70 + self.conversion().lut,
            ff=9 * k + 43 + self.conversion().ff,
            levels=chip.by_lut_inputs(4, 4),
        )

    @classmethod
    def examples(cls) -> list[Multiplier]:
        return [
            *(cls(width=width) for width in (3, 4, 9, 33)),
            *(cls(width=width, iterations="published") for width in (3, 5, 8)),
            cls(width=4, form="binary", adder_word=3),
            cls(width=9, form="binary", adder_word=11),
            cls(width=33, form="binary", iterations="published"),
        ]


@core_of(FcsMmm42)
class Core(FcsCore):
    """{theory}

    A is loaded one place higher: the cycle in which D is made is an iteration with a bit 0,
    after which nothing is skipped.  DS and DC follow B and N in every cycle.

    N^ is what is loaded as modulus_hat. Here k = {width}."""

    parameters: FcsMmm42

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        **control(
            in_precompute="DS^ and DC^ are made, while nothing is added to S = 0",
            in_loop="first a look at a_0 and a_1; then iterations, some of them skipped",
            in_convert="the result becomes one number, SS + SC",
        ),
        "operands and modulus": {
            **FcsCore.OPERANDS["operands and modulus"],
            "modulus_reg": "N^ from bit 2 on; below that it is 0",
        },
        "D^ = B^ + N^, where B^ = 8B": {
            "precompute_row_sum": "BS + BC + N^/8: sum bits",
            "precompute_row_carry": "carries of that row; bit j has the weight 2^(j+1)",
            "ds_reg": "DS^ from bit 3 on; bit 2 is that of N^, and below that it is 0",
            "dc_reg": "DC^ from bit 4 on; below that it is 0",
        },
        "which iterations are skipped": {
            **SkippingLoop.NOTES,
            "adds_*_next_enable": "the next iteration is not skipped",
            "adds_[bd]_next": "for the iteration of the next cycle: its a (from a_reg), or q",
            "adds_n_next": "the other of the two",
        },
        "loop: S = (SS + SC + x) / 2, x = 0, N^, B^, D^ for (a_i, q_i) = 00, 01, 10, 11": {
            "adds_n": "x is N^",
            "adds_b": "x is B^",
            "adds_d": "x is D^",
            "ss_reg": "SS of the iteration before; it has yet to be halved, once or twice",
            "sc_reg": "SC from bit 2 on, likewise; below that it is 0",
            "shift_due": "S is to be halved once (bit 0) or twice (bit 1)",
            "shift_kept": "the same, while words of the result are fetched",
            "aligned_sum": "SS, halved; 0 before the first iteration",
            "aligned_carry": "SC, halved; 0 before the first iteration",
            "first_row_c": "sum vector of x",
            "first_row_sum": "SS + SC and that: sum bits",
            "first_row_carry": "carries of that row; bit j has the weight 2^(j+1)",
            "second_row_c": "carry vector of x",
            "second_row_sum": "SS + SC + x: sum bits",
            "second_row_carry": "carries of that row; bit j has the weight 2^(j+1)",
        },
        **FcsCore.CONVERT,
    }

    def phases(self) -> Mapping[str, int | None]:
        return {**super().phases(), "loop": None}

    def datapath(self, m: Module, control: PhaseSequencer) -> None:
        p, chip = self.parameters.beat, self.parameters.chip
        modulus = self.modulus_register(m, zeros=2)
        b = self.added(m)
        count = self.parameters.loop_iterations
        loop = SkippingLoop(m, control.active["loop"], count, adjacent=True)
        bits = self.scanned(m, control, double=loop.skip, below=1)
        m.d.comb += control.stop["loop"].eq(loop.last)
        ss = Signal(p + 4, name="ss_reg", reset_less=True)
        sc = Signal(p + 2, name="sc_reg", reset_less=True)  # the two low bits are always 0
        adds_n, adds_b, adds_d = (
            Signal(name=f"adds_{name}", reset_less=True) for name in ("n", "b", "d")
        )
        shifts = self._shifts(m, control, loop)
        aligned = Pair(
            self._shifted(m, shifts, ss, "aligned_sum"),
            self._shifted(m, shifts, Cat(Const(0, 2), sc), "aligned_carry"),
        )
        low_addend = (adds_n | adds_d) & modulus[2]
        chosen = skip_four_to_two(*aligned, low_addend, (bits[0], bits[1]), ~loop.steps.running)
        m.d.comb += loop.skip.eq(chosen.skip)
        m.d.sync += [
            adds_n.eq(chosen.quotient & ~chosen.bit),
            adds_b.eq(chosen.bit & ~chosen.quotient),
            adds_d.eq(chosen.bit & chosen.quotient),
        ]
        b_hat = Pair(Cat(Const(0, 3), b.sum), Cat(Const(0, 3), b.carry))
        d_hat = self._precomputed(m, modulus, b)
        xs = one_of((modulus, adds_n), (b_hat.sum, adds_b), (d_hat.sum, adds_d))
        xc = one_of((b_hat.carry, adds_b), (d_hat.carry, adds_d))
        row = carry_save_add(m, chip, *aligned, xs, "first_row")
        row = carry_save_add(m, chip, row.sum, row.carry, xc, "second_row")
        self.keep(m, control, [(ss, row.sum), (sc, row.carry[2 : p + 4])])
        self.unload(m, aligned)

    def _shifts(
        self, m: Module, control: PhaseSequencer, loop: SkippingLoop
    ) -> tuple[Value, Value]:
        """Whether the sum is to be shifted by one, and whether by two places; in binary form
        also while its words are fetched."""
        one, two = loop.steps.one, loop.steps.two
        if not self.parameters.converts:
            return one, two
        due = Signal(2, name="shift_due")
        kept = Signal(2, name="shift_kept", reset_less=True)
        m.d.comb += due.eq(Cat(one, two) | kept)
        m.d.sync += kept.eq(masked(due, control.active["convert"]))
        return due[0], due[1]

    def _shifted(self, m: Module, shifts: tuple[Value, Value], word: Value, name: str) -> Signal:
        """`word` halved once or twice; 0 if neither is due, before the first iteration."""
        shifted = Signal(len(word) - 1, name=name)
        m.d.comb += shifted.eq(one_of((word[1:], shifts[0]), (word[2:], shifts[1])))
        return shifted

    def _precomputed(self, m: Module, n_hat: Value, b: Pair) -> Pair:
        """D^, without registers for bits that are those of N^ or always 0."""
        p, chip = self.parameters.beat, self.parameters.chip
        row = carry_save_add(m, chip, b.sum, b.carry, n_hat[3:], "precompute_row")
        ds = Signal(p, name="ds_reg", reset_less=True)
        dc = Signal(p - 1, name="dc_reg", reset_less=True)
        m.d.sync += [ds.eq(row.sum), dc.eq(row.carry[1:p])]
        return Pair(Cat(Const(0, 2), n_hat[2], ds), Cat(Const(0, 4), dc))
