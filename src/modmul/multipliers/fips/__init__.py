"""Finely integrated product scanning (FIPS) Montgomery multiplication in GF(p) and GF(2^m).

Computes a*b/R mod N on s words of w bits, R = 2^(w*s) (in GF(2^m): x^(w*s)), column by column:
all word products of the same weight are added in one accumulator V, so that no intermediate result
goes through memory.  One circuit serves both fields and every length up to its memories.

    column c:        V += sum a[j]*b[c-j] + m[j]*n[c-j]
    front, c < s:    m[c] = V*n0' mod 2^w;  V = (V + m[c]*n[0]) / 2^w
    rear,  c >= s:   result word c - s = V mod 2^w;  V = V / 2^w

Bounds: a column with its carry stays below 2*s*2^(2w), a doubled product counted as the two that it
stands for; products of later columns add what `Schedule.totals` counts.  V at the end is below 2*N
in GF(p) (so the bit above the top word is kept) and of degree below m in GF(2^m).

Squares: the mirror products a[j]*a[k] and a[k]*a[j] are one doubled product in GF(p); in GF(2^m)
they cancel (as printed, they are shifted: wrong).

Cost: 2 s^2 + s word products, (3 s^2 + 3 s)/2 for a square in GF(p), s^2 + 2 s in GF(2^m).
Sources: dualfips, sections 3 to 5; Koc, Acar, Kaliski, 1996 (finely integrated product scanning).
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

from modmul.arithmetic import binary
from modmul.arithmetic.moduli import Field
from modmul.arithmetic.montgomery import negative_inverse
from modmul.arithmetic.words import ceil_div, to_words
from modmul.forecast import Fabric, Forecast, fabric
from modmul.multipliers.contract import Constant, Multiplier
from modmul.multipliers.fips.core import Core
from modmul.multipliers.fips.parameters import MOST_STAGES, FipsParameters
from modmul.multipliers.ranges import Bound, OperandRange, largest_product
from modmul.operation import Cycles, Mode, constant_cycles

_WORTH = 1.2  # how many times as fast a design must be to be advised
_NEAR = 0.95  # the share of the best speed that is enough to prefer fewer stages
_CONTROL = 380  # LUTs of the controller
_COPIES = 7  # operand memories of a lane


@dataclass(frozen=True, kw_only=True)
class Fips(FipsParameters):
    """What it computes, how operands travel, how long it takes."""

    name: ClassVar[str] = "fips"
    summary: ClassVar[str] = (
        "product-scanning (FIPS) Montgomery multiplication in GF(p) and GF(2^m), any length"
    )
    sources: ClassVar[tuple[str, ...]] = ("dualfips",)
    core = Core

    # ---- what it computes ---------------------------------------------------------------------

    @property
    def radix(self) -> int:
        return 1 << self.word

    @property
    def montgomery_factor(self) -> int:
        return 1 << (self.word * self.words)

    @property
    def operand_limit(self) -> Bound:
        if self.field_in_use == "binary":
            return Bound(1, "2^m")
        return Bound(1 if self.subtraction else 2)

    @property
    def result_limit(self) -> Bound:
        return self.operand_limit

    def operand_range(self, modulus: int) -> OperandRange:
        """Any words: V is below a*b/R + N, and the bit above R is kept for the subtraction; without
        the subtraction, V has to fit R.  In GF(2^m) V has no bit above those of a*b/R and N."""
        r = self.montgomery_factor
        if self.field_in_use == "binary":
            return OperandRange(r, r, (r << modulus.bit_length() - 1) - 1)
        b_below = r if self.subtraction else r - modulus + 1
        return OperandRange(r, b_below, largest_product(r, modulus))

    def constants(self, modulus: int) -> list[Constant]:
        header = (self.words - 1) << 1 | (self.field_in_use == "binary")
        count = self.mode_header_beats
        chosen = to_words(header, self.word, count)
        loaded = [Constant(f"choice[{i}]", beat) for i, beat in enumerate(chosen)]
        words = to_words(modulus, self.word, self.words)
        loaded += [Constant(f"N[{i}]", word) for i, word in enumerate(words)]
        inverse = (
            binary.inverse_power(modulus, self.word)
            if self.field_in_use == "binary"
            else negative_inverse(modulus, self.word)
        )
        return [*loaded, Constant("n0'", inverse)]

    def compute(self, a: int, b: int, modulus: int) -> int:
        bits = self.word * self.words
        mask, inverse = (1 << bits) - 1, _inverse(modulus, bits, self.field_in_use)
        if self.field_in_use == "binary":
            product = binary.multiply(a, b)
            quotient = binary.multiply(product & mask, inverse) & mask
            return (product ^ binary.multiply(quotient, modulus)) >> bits
        product = a * b
        value = (product + ((product & mask) * inverse & mask) * modulus) >> bits
        return value - modulus if self.subtraction and value >= modulus else value

    @property
    def notes(self) -> tuple[str, ...]:
        bits = (self.most_words - 1).bit_length()
        length = f", bits 1 to {bits} the number of words in use less 1" if bits else ""
        beats = self.mode_header_beats
        where = "The first beat" if beats == 1 else f"The first {beats} beats (low one first)"
        spare = self.spare("prime") and self.prime
        return (
            f"{where} of a modulus: bit 0 is 1 for GF(2^m){length}; then come the words of N, and "
            "n0' = -1/N mod 2^w, in GF(2^m) 1/N mod x^w.",
            "An operand and a result have as many beats as there are words in use.",
            *(("In GF(p), 4*N < R: so many words must be in use.",) if spare else ()),
            f"Columns of look-ahead: {self.schedule.lookahead}.",
        )

    @property
    def advice(self) -> str:
        """A sentence on the fewest stages, with the present look-ahead or with two columns, that
        come near the best speed; empty if that is not `_WORTH` times ours, or if no clock is
        forecast.

        All other parameters stay, and so do LUTs and DSP blocks; there are more flip-flops."""
        ours = _rated(self)
        if ours is None:
            return ""
        others = (
            _rated(replace(self, stages=stages, lookahead=ahead))
            for stages in range(1, MOST_STAGES + 1)
            for ahead in dict.fromkeys((self.lookahead, 2))
        )
        forecasts = [rated for rated in others if rated is not None]
        best = max(rated.speed for rated in forecasts)
        chosen = next(rated for rated in forecasts if rated.speed >= _NEAR * best)
        if chosen.speed < _WORTH * ours.speed:
            return ""
        said = [f"stages = {chosen.design.stages}"]
        if chosen.design.lookahead != self.lookahead:
            said.append(f"lookahead = {chosen.design.lookahead}")
        return (
            f"{' with '.join(said)} has by forecast {chosen.mhz / ours.mhz:.1f} times the clock "
            f"and {chosen.cycles / ours.cycles:.2f} times the cycles of this design, on as many "
            "LUTs; `modmul recommend` looks for the best of area x time"
        )

    # ---- how it travels, how long it takes ----------------------------------------------------

    @property
    def beat(self) -> int:
        return self.word

    @property
    def beats(self) -> int:
        return self.words

    def cycles(self, mode: Mode = Mode()) -> dict[str, Cycles]:
        """`multiplication` is what dualfips counts, from the clock of `start` to that of `done`."""
        mode = self.resolved(mode)
        assert mode.words is not None
        counted = self.totals(mode).bundles + self.schedule.added + 2
        terms = {"load": 1 + self.schedule.fill, "multiplication": counted}
        if self.subtract:
            terms["subtraction"] = 1
        terms["unload"] = mode.words + 2
        return constant_cycles(terms)

    def interval(self, mode: Mode = Mode()) -> Cycles:
        return Cycles.constant(self.totals(mode).bundles + self.schedule.fill + 1)

    # ---- the hardware -------------------------------------------------------------------------

    def core_forecast(self) -> Forecast:
        """w: bits of a word.  Each of the (one or two) word multipliers has a lane: carry-
        less partial products, 0.73 w^2 LUTs of four inputs; the tree that makes an integer
        product of them, 1.5 w^2, or hard multipliers; in GF(p) the adders of accumulator
        and final subtraction; seven copies of operand memories.  The controller is the same
        for all.

        The set has words of 8 to 64 bits, both fields, 1 to 5 stages, on ecp5 and xc7.
        Calibrated from 128 to 1024 bits: LUTs within 19 %, flip-flops 18 %, clock 28 %."""
        chip, w, prime = fabric(self.chip), self.word, self.prime
        lanes, stages = self.schedule.multipliers, self.schedule.stages
        memory, bits = chip.memory(self.most_words, w)
        lane = 8 * w + _COPIES * memory
        lane += chip.by_lut_inputs(16.4, 10) * w if prime else 0
        lane += chip.by_lut_inputs(0.73, 0.49) * w * w if self.binary else 0
        lane += chip.by_lut_inputs(1.5, 0.71) * w * w if prime and not self.dsp else 0
        counters = 33 * (self.most_words - 1).bit_length()
        ff = (9.5 + 6.6 * (lanes - 1)) * w + 166 + counters
        ff += (2.8 if self.dsp else 5.5) * w * (stages - 1)
        return chip.forecast(
            lut=lanes * lane + _CONTROL,
            ff=ff,
            levels=self._levels(chip),
            carry=w if prime else 0,
            dsp=lanes * self._blocks if self.dsp else 0,
            ram_bits=_COPIES * lanes * bits,
        )

    def _levels(self, chip: Fabric) -> float:
        """The levels of the word multiplier, cut into stages, and of the logic around it."""
        first, through = chip.by_lut_inputs(1.5, 3.4), chip.by_lut_inputs(13, 8.1)
        if self.dsp:
            first, through = 0.7, chip.by_lut_inputs(10, 8.2)
        elif not self.prime:  # carry-less: no adder at all
            first, through = 1.5, chip.by_lut_inputs(6.5, 3.7)
        levels = (
            first
            + through / self.schedule.stages
            + chip.by_lut_inputs(4, 2.5) * self.schedule.bypass
        )
        return levels * (0.5 + 0.1 * math.log2(self.word))

    @property
    def _blocks(self) -> int:
        """The DSP blocks of one word product."""
        dsp = self.chip.dsp
        if dsp is None or dsp.cell is None:
            return 1
        return ceil_div(self.word, dsp.narrow) * (
            1 + ceil_div(max(0, self.word - dsp.wide), dsp.narrow)
        )

    @classmethod
    def examples(cls) -> list[Multiplier]:
        """Instances of a few bits with every controller: all lengths in both fields."""
        return [
            cls(width=6, word=2),
            cls(width=7, word=2, multipliers=2, lookahead=0),
            cls(width=6, word=2, multipliers=2, bypass=True, binary_square="zero"),
            cls(width=9, word=2, lookahead=0, bypass=True, binary_square="spread"),
            cls(width=12, word=4, multipliers=2, lookahead=1, stages=4, binary_square="spread"),
            cls(width=9, word=4, lookahead=2, stages=2, subtraction=False),
            cls(width=33, word=8, field="prime", stages=3, squares=False, dsp=True),
            cls(width=33, word=16, field="prime", dsp=True, target="ecp5"),
        ]


@functools.lru_cache(maxsize=64)
def _inverse(modulus: int, bits: int, field: Field) -> int:
    """N^-1 mod x^bits in GF(2^m), -N^-1 mod 2^bits for integers."""
    if field == "binary":
        return binary.inverse_power(modulus, bits)
    return negative_inverse(modulus, bits)


class _Choice(NamedTuple):
    """A design and its forecast.  speed: products per second.  cycles: of one product in many."""

    design: Fips
    mhz: float
    cycles: float

    @property
    def speed(self) -> float:
        return 1e6 * self.mhz / self.cycles


def _rated(design: Fips) -> _Choice | None:
    mhz = design.forecast().mhz
    return None if mhz is None else _Choice(design, mhz, design.cycles_per_product())
