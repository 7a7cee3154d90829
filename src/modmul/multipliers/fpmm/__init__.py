"""Finely-pipelined, hyper-threaded Montgomery multiplier on DSP blocks (FPMM).

    T <- 0;  for i in 0 .. s-1:  X <- T + a_i*B;  q <- X*N' mod 2^w;  T <- (X + q*N) / 2^w

gives T = A*B*2^-m mod N with m = s*w, without final subtraction: for A, B < 2N and 4N < 2^m every
intermediate T < B + N < 3N, and the result is below 2N.  N' = -N^-1 mod 2^w.

sigma products share one pipeline; a slot of theta cycles (s words, or s + 1 without latency
reduction) comes round every alpha = sigma*theta cycles.  Cost: 2K + ceil(L/theta) DSP blocks, where
a word product takes K tiles, L of them below 2^w.  Source: gallin2019.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Literal

from modmul.arithmetic.words import to_words
from modmul.forecast import Forecast
from modmul.multipliers.contract import Constant, Multiplier
from modmul.multipliers.fpmm.build import FpmmBuild
from modmul.multipliers.fpmm.examples import EXAMPLES
from modmul.multipliers.fpmm.forecast import FpmmOutline, forecast
from modmul.multipliers.fpmm.parameters import FpmmParameters
from modmul.multipliers.signature import core_signature
from modmul.operation import Cycles, Mode, constant_cycles

if TYPE_CHECKING:
    from modmul.multipliers.fpmm.core import Core


@dataclass(frozen=True, kw_only=True)
class Fpmm(FpmmParameters):
    """An FPMM: its results, its cycles, and the figures of its circuit."""

    name = "fpmm"
    summary = "finely-pipelined, hyper-threaded Montgomery multiplier on DSP blocks"
    sources = ("gallin2019",)
    reload: ClassVar[Literal["stalls", "flushes"]] = "flushes"
    drop_latency = 1  # the flags of all slots are cleared the cycle after

    @property
    def depth(self) -> int:
        """The number of words in each operand memory."""
        return self.sigma * self.words

    @property
    def alpha(self) -> int:
        return self.sigma * self.theta

    @property
    def loop(self) -> int:
        """The shortest duration of an outer iteration in cycles (alpha_min)."""
        return self.schedule.loop

    @property
    def dsps_by_task(self) -> tuple[int, int, int]:
        """The DSP blocks of each task: K in tasks 1 and 3; in task 2 ceil(L/theta) if links have no
        delay, or L if products do not share blocks."""
        last = self.tiling.offsets(self.chip.link_delay)[self.tiling.low - 1]
        shared = self.quotient_slices == "shared"
        return (
            self.tiling.count,
            last // self.theta + 1 if shared else self.tiling.low,
            self.tiling.count,
        )

    @property
    def dsps(self) -> int:
        return sum(self.dsps_by_task)

    @property
    def dsp_occupancy(self) -> float:
        used = 2 * self.tiling.count * self.words + self.tiling.low
        return used / (self.dsps * self.theta)

    @property
    def core_title(self) -> str:
        """F44D of the paper, as fpmm_128_F4x4D; then whatever is not the target's default."""
        kind, store = self.variant[0].upper(), self.storage[0].upper()
        wide, narrow = self.chip.tile
        more = [
            (self.target != "generic", self.target),
            (self.word_bits != self.chip.word, f"w{self.word_bits}"),
            (self.tile_widths != (wide, narrow), f"t{self.tile}"),
            (self.pipeline != "full", self.pipeline),
            (self.dsp_registers != 3, f"r{self.dsp_registers}"),
            (self.slice_registers is not None, f"r{str(self.slice_registers).replace('/', '-')}"),
            (self.quotient_slices == "each", "q"),
            (self.modulus_storage == "shift-register", "srl"),
            (self.modulus_port == "paired", "paired"),
            (self.isolated, "isolated"),
            # Without bubbles the cycles of a slot tell it.
            (self.bubbles and not self.latency_reduction, "unreduced"),
        ]
        parts = [f"fpmm_{self.width}_{kind}{self.slots}x{self.theta}{store}"]
        return "_".join(parts + [text for differs, text in more if differs])

    @property
    def build(self) -> FpmmBuild:
        return FpmmBuild(
            chip=self.chip,
            words=self.words,
            word_bits=self.word_bits,
            sigma=self.sigma,
            theta=self.theta,
            schedule=self.schedule,
            storage=self.storage,
            dsp_registers=self.dsp_registers,
            isolated=self.isolated,
            slices=self.slices,
            quotient_shared=self.quotient_slices == "shared",
            modulus_in_ring=self.modulus_storage == "shift-register",
            modulus_paired=self.modulus_port == "paired",
            fixed=self.fixed_modulus,
        )

    # ---- the contract ---------------------------------------------------------------------------

    @property
    def modulus_beat(self) -> int:
        """Bits of a word, or of two if N and N' are paired."""
        return self.word_bits * (2 if self.modulus_port == "paired" else 1)

    @property
    def notes(self) -> tuple[str, ...]:
        if self.isolated:
            return ("An operand outside its range spoils its own product only.",)
        return (
            "An operand b above 2^(s*w) - N can spoil the product of the next slot, too "
            "(`isolated = true` prevents that).",
        )

    def constants(self, modulus: int) -> list[Constant]:
        n_prime = -pow(modulus, -1, self.radix) % self.radix
        words = to_words(modulus, self.word_bits, self.words)
        if self.modulus_port == "paired":  # N' above N[j], in every beat
            above = n_prime << self.word_bits
            return [Constant(f"N' and N[{j}]", above | word) for j, word in enumerate(words)]
        return [
            Constant("N'", n_prime),
            *(Constant(f"N[{j}]", word) for j, word in enumerate(words)),
        ]

    def cycles(self, mode: Mode = Mode()) -> dict[str, Cycles]:
        """Outer iterations before the last; the pipeline's first word; the words of the result."""
        terms = {
            "iterations": self.alpha * (self.words - 1),
            "pipeline": self.schedule.first_word,
            "unload": self.words,
        }
        return constant_cycles(terms)

    def interval(self, mode: Mode = Mode()) -> Cycles:
        return Cycles.constant(self.alpha * self.words)

    @property
    def issue_slot_period(self) -> int:
        return self.theta

    def cycles_for(self, count: int, mode: Mode = Mode()) -> int:
        """Lambda(count): `count` products issued in consecutive slots."""
        turns, rest = divmod(count - 1, self.sigma)
        return self.interval().maximum * turns + self.theta * rest + self.latency().maximum

    def compute(self, a: int, b: int, modulus: int) -> int:
        """T = (A*B + Q*N) / R with Q = -A*B/N mod R: what the words of CIOS add up to."""
        r = self.montgomery_factor
        product = a * b
        q = -product * _inverse(modulus, r) % r
        return (product + q * modulus) // r

    def core_forecast(self) -> Forecast:
        return forecast(FpmmOutline(self.build, self.tile_widths, self.dsps, self.pipeline))

    @classmethod
    def examples(cls) -> list[Multiplier]:
        return [cls(**example) for example in EXAMPLES]

    def create_core(self) -> Core:
        from modmul.multipliers.fpmm.core import Core  # only here is the circuit needed

        return Core(self.build, core_signature(self))


@lru_cache(maxsize=1024)
def _inverse(modulus: int, r: int) -> int:
    """1 / modulus mod r, cached, since many products need the same."""
    return pow(modulus, -1, r)
