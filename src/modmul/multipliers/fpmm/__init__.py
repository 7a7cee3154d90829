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
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from modmul.arithmetic.words import to_words
from modmul.forecast import Fabric, Forecast, Logic, fabric
from modmul.multipliers.contract import Constant, Multiplier
from modmul.multipliers.facts import inverse_of_modulus, words_of_modulus
from modmul.multipliers.fpmm.parameters import FpmmParameters
from modmul.multipliers.fpmm.schedule import CascadeSchedule
from modmul.operation import Cycles, Mode, constant_cycles

if TYPE_CHECKING:
    from modmul.multipliers.fpmm.core import Core


_COLUMN_WORDS = {"lean": 33.5, "full": 39.0, "fast": 46.0}
_STEP = {"lean": -1, "full": 0, "fast": 1}  # registers more than `full`
# every pipeline, variant, tiling and kind of slot, at widths where carries are frequent
_EXAMPLES: list[dict[str, Any]] = [
    {"width": 4, "word": 2, "tile": "2x2"},
    {"width": 5, "word": 4, "tile": "2x2"},
    {"width": 5, "word": 3, "tile": "3x2", "pipeline": "lean"},
    {"width": 6, "word": 4, "tile": "2x2", "latency_reduction": False},
    {"width": 6, "word": 4, "tile": "4x4", "variant": "small", "isolated": True},
    {"width": 6, "word": 2, "tile": "2x2", "pipeline": "lean", "slots": 5},
    {"width": 9, "word": 4, "tile": "2x2", "target": "ecp5", "pipeline": "lean"},
    {"width": 6, "word": 4, "tile": "2x2", "target": "ecp5", "isolated": True},
    {"width": 6, "word": 4, "tile": "2x2", "target": "xc7"},
    {"width": 6, "word": 4, "tile": "2x2", "target": "xc6s"},
    {"width": 6, "word": 4, "tile": "2x2", "target": "xc2vp"},
    {"width": 6, "word": 4, "tile": "2x2", "target": "xc4v", "storage": "block"},
    {"width": 9, "word": 4, "tile": "2x2", "target": "xc4v", "storage": "block"},
    {"width": 6, "word": 4, "tile": "2x2", "bubbles": True},
    {
        "width": 9,
        "word": 4,
        "tile": "2x2",
        "target": "ecp5",
        "bubbles": True,
        "slots": 2,
        "modulus_storage": "shift-register",
    },
    {"width": 9, "word": 4, "tile": "2x2", "target": "ecp5", "modulus_port": "paired"},
    {
        "width": 9,
        "word": 4,
        "tile": "2x2",
        "target": "xc7",
        "quotient_slices": "each",
        "latency_reduction": False,
        "modulus_storage": "shift-register",
    },
    {
        "width": 9,
        "word": 4,
        "tile": "2x2",
        "slice_registers": "2313/2/3123",
        "modulus_port": "paired",
    },
    # larger
    {"width": 14, "word": 4, "tile": "3x2", "storage": "block"},
    {"width": 22, "word": 6, "tile": "3x3", "dsp_registers": 2, "variant": "small"},
    {"width": 30, "word": 8, "tile": "3x2", "pipeline": "fast"},
    {"width": 16, "word": 12, "tile": "3x3", "latency_reduction": False},
    {"width": 66, "word": 17},
    {"width": 128, "target": "ecp5"},
    {"width": 128, "target": "ecp5", "pipeline": "fast", "storage": "block"},
    {"width": 100, "word": 51, "target": "ecp5"},
    {"width": 40, "word": 8, "tile": "4x4", "target": "ecp5", "latency_reduction": False},
    {"width": 100, "target": "xc7"},
    {
        "width": 40,
        "word": 34,
        "target": "xc7",
        "slice_registers": "2333/3/3323",
        "modulus_storage": "shift-register",
        "modulus_port": "paired",
    },
    {"width": 90, "word": 18, "tile": "9x9", "target": "xc7", "pipeline": "fast"},
    {"width": 100, "word": 24, "tile": "24x17", "target": "xc7", "variant": "small"},
    *({"width": 40, "word": 34, "target": target} for target in ("xc4v", "xc5v", "xc6s", "xcup")),
]


@dataclass(frozen=True, kw_only=True)
class Fpmm(FpmmParameters):
    """An FPMM: its results, its cycles, and the figures of its circuit."""

    name = "fpmm"
    summary = "finely-pipelined, hyper-threaded Montgomery multiplier on DSP blocks"
    sources = ("gallin2019",)
    reload: ClassVar[Literal["stalls", "flushes"]] = "flushes"
    drop_latency = 1  # the flags of all slots are cleared the cycle after

    @property
    def loop(self) -> int:
        """The shortest duration of an outer iteration in cycles (alpha_min)."""
        return self.schedule.loop

    @property
    def dsps_by_task(self) -> tuple[int, int, int]:
        """The DSP blocks of each task: K in tasks 1 and 3; in task 2 ceil(L/theta) if links have no
        delay, or L if products do not share blocks."""
        last = self.tiling.offsets(self.chip.link_delay)[self.tiling.low - 1]
        return (
            self.tiling.count,
            last // self.theta + 1 if self.quotient_shared else self.tiling.low,
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
            (self.modulus_in_ring, "srl"),
            (self.modulus_paired, "paired"),
            (self.isolated, "isolated"),
            # Without bubbles the cycles of a slot tell it.
            (self.bubbles and not self.latency_reduction, "unreduced"),
        ]
        parts = [f"fpmm_{self.width}_{kind}{self.slots}x{self.theta}{store}"]
        return "_".join(parts + [text for differs, text in more if differs])

    # ---- the contract ---------------------------------------------------------------------------

    @property
    def modulus_beat(self) -> int:
        """Bits of a word, or of two if N and N' are paired."""
        return self.word_bits * (2 if self.modulus_paired else 1)

    @property
    def notes(self) -> tuple[str, ...]:
        if self.isolated:
            return ("An operand outside its range spoils its own product only.",)
        return (
            "An operand b above 2^(s*w) - N can spoil the product of the next slot, too "
            "(`isolated = true` prevents that).",
        )

    def constants(self, modulus: int) -> list[Constant]:
        width = self.word_bits
        prime = inverse_of_modulus("N'", modulus, width)
        words = words_of_modulus("N[{}]", to_words(modulus, width, self.words), width)
        if self.modulus_paired:  # N' above N[j], in every beat
            return [
                Constant(f"N' and {n.name}", prime.value << width | n.value, n.parts + prime.parts)
                for n in words
            ]
        return [prime, *words]

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
        """w: bits of a word; K: tiles of a word product; t: bits of a tile.  Where sums are
        in fabric (ecp5), each DSP block goes with 3.3 t LUTs of adders.  In columns there
        are 33 to 46 words of registers, by the pipeline; in the cascade operands wait the
        longer the farther down their tile is: (230 + 300 K + 10.7 K^2) t/17 flip-flops.
        Where sums are in the blocks, control, quotient and registers of words are left;
        where T does not fit there, its adders come on top.  Everywhere: two operand
        memories, and T waits for its slot.

        The set has words of 17 to 68 bits, all pipelines, both storages, on ecp5 and xc7.
        Calibrated from 32 to 521 bits: LUTs within 21 %, flip-flops 19 %, clock 14 %."""
        schedule, chip, dsp = self.schedule, fabric(self.chip), self.chip.dsp
        lut, bits = chip.memory(self.depth, self.word_bits, self.storage)
        _, kept = chip.memory(self.words, self.word_bits)  # the modulus; its LUTs are in the rest
        late = self.storage == "block" and not self.from_blocks  # its output register is in fabric
        waiting = max(0, self.alpha - schedule.loop) * self.word_bits
        inside = dsp is not None and dsp.cell is not None and dsp.accumulator is not None
        if not isinstance(schedule, CascadeSchedule):
            logic = _columns(self)
        else:
            logic = _blocks(self, schedule, chip) if inside else _cascade(self, schedule)
        return chip.forecast(
            *logic._replace(
                lut=logic.lut + 2 * lut + (waiting / 16 if inside else 0),
                ff=logic.ff
                + (self.word_bits if late else 0)
                + (0 if inside else waiting)
                - (self.word_bits if self.from_blocks else 0),
                levels=logic.levels + (3 if late and not inside and chip.inputs == 4 else 0),
                dsp=self.dsps,
                ram_bits=2 * bits + kept,
            )
        )

    @classmethod
    def examples(cls) -> list[Multiplier]:
        return [cls(**example) for example in _EXAMPLES]

    def create_core(self) -> Core:
        from modmul.multipliers.fpmm.core import Core  # only here is the circuit needed

        return Core(self)


@lru_cache(maxsize=1024)
def _inverse(modulus: int, r: int) -> int:
    """1 / modulus mod r, cached, since many products need the same."""
    return pow(modulus, -1, r)


def _columns(p: Fpmm) -> Logic:
    word, pipeline = p.word_bits, p.pipeline
    lut = 57.0 * p.dsps * word / 34
    levels = 0.75 - 0.45 * _STEP[pipeline]
    return Logic(lut, _COLUMN_WORDS[pipeline] * word, levels=levels, carry=word / 2)


def _cascade(p: Fpmm, schedule: CascadeSchedule) -> Logic:
    tile, k = sum(p.tile_widths) / 2, schedule.tiling.count
    soft = p.chip.dsp is None or p.chip.dsp.cell is None  # adders of 48 bits, as in a block
    lut = (6.1 if soft else 4.6 if p.isolated else 3.3) * tile * p.dsps
    ff = (230 + 300 * k + 10.7 * k * k) * tile / 17
    return Logic(lut, ff, levels=1.5, carry=2 * tile)


def _blocks(p: Fpmm, schedule: CascadeSchedule, chip: Fabric) -> Logic:
    w, tiling, step = p.word_bits, schedule.tiling, _STEP[p.pipeline]
    lut, ff = (3.7 + step) * w + 60, (11.7 + step) * w + 35 * tiling.count - 33
    levels = {"lean": 2.6, "full": 3.1, "fast": 4.4}[p.pipeline] * chip.by_lut_inputs(1.35, 1)
    if p.theta < 3:  # registers in front of the memories
        ff += 3 * w
    if schedule.small:  # a cycle less: fewer words wait beside the first block
        ff -= 3 * w
    if schedule.t_in_dsp:
        return Logic(lut, ff, levels=levels)
    return Logic(lut + 3 * w * tiling.held_blocks, ff + 3 * w, levels=levels, carry=w)
