"""Finely-pipelined, hyper-threaded Montgomery multiplier on DSP blocks (FPMM).

    T <- 0;  for i in 0 .. s-1:  X <- T + a_i*B;  q <- X*N' mod 2^w;  T <- (X + q*N) / 2^w

gives T = A*B*2^-m mod N with m = s*w, without final subtraction: for A, B < 2N and 4N < 2^m every
intermediate T < B + N < 3N, and the result is below 2N.  N' = -N^-1 mod 2^w.

sigma products share one pipeline; a slot of theta cycles (s words, or s + 1 without latency
reduction) comes round every alpha = sigma*theta cycles.  Cost: 2K + ceil(L/theta) DSP blocks, where
a word product takes K tiles, L of them below 2^w.  Source: gallin2019.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, ClassVar, Literal

from modmul import targets
from modmul.arithmetic.words import ceil_div, to_words
from modmul.design import Cycles, Mode, constant_cycles
from modmul.errors import SpecError
from modmul.forecast import Forecast
from modmul.multipliers.contract import Constant, Multiplier
from modmul.multipliers.fpmm.build import FpmmBuild
from modmul.multipliers.fpmm.columns_schedule import PIPELINES, ColumnsSchedule
from modmul.multipliers.fpmm.examples import EXAMPLES
from modmul.multipliers.fpmm.forecast import FpmmOutline, forecast
from modmul.multipliers.fpmm.schedule import (
    BEHIND,
    INSIDE,
    CascadeSchedule,
    SliceRegisters,
)
from modmul.multipliers.fpmm.tiling import Tiling
from modmul.multipliers.operand_scanning import WordByWord
from modmul.multipliers.signature import core_signature
from modmul.parameters import parameter

if TYPE_CHECKING:
    from modmul.multipliers.fpmm.core import Core


@dataclass(frozen=True, kw_only=True)
class Fpmm(WordByWord):
    """Parameters of one FPMM."""

    name = "fpmm"
    summary = "finely-pipelined, hyper-threaded Montgomery multiplier on DSP blocks"
    sources = ("gallin2019",)
    reload: ClassVar[Literal["stalls", "flushes"]] = "flushes"
    drop_latency = 1  # the flags of all slots are cleared the cycle after

    word: int | None = parameter(
        None,
        "bits of a word (default: the target's, or what a narrow modulus fills twice)",
        minimum=2,
        maximum=4097,
    )
    slots: int | None = parameter(  # type: ignore[assignment]
        None,
        "products in flight, sigma (default: the smallest that works)",
        minimum=1,
        maximum=4096,
    )
    variant: str = parameter(
        "fast", "small: without P register in the first DSP", choices=("fast", "small")
    )
    storage: str = parameter("distributed", "RAM of the operands", choices=("block", "distributed"))
    latency_reduction: bool = parameter(True, "slots of s cycles instead of s + 1")
    pipeline: str = parameter("full", "optional fabric registers", choices=("full", "lean", "fast"))
    tile: str | None = parameter(
        None, "operand widths of a DSP block in use, as 17x17 (default: the target's)"
    )
    dsp_registers: int = parameter(3, "register stages in use inside each DSP", choices=(3, 2, 1))
    slice_registers: str | None = parameter(
        None,
        "register stages of each DSP in a cascade, task by task, as 2333/3/3333, one figure for "
        "task 2 (default: dsp-registers in all)",
    )
    quotient_slices: str = parameter(
        "shared",
        "DSP blocks of task 2: as few as the slot allows, or each of its products on one",
        choices=("shared", "each"),
    )
    bubbles: bool = parameter(
        False, "fewer slots than fill the pipeline (default then: 1), longer by idle cycles"
    )
    modulus_storage: str = parameter(
        "distributed",
        "what the words of N go round in: RAM, or shift registers",
        choices=("distributed", "shift-register"),
    )
    modulus_port: str = parameter(
        "own",
        "paired: N and N' side by side, in s cycles, as wide as both operands, whose pins can "
        "carry them",
        choices=("own", "paired"),
    )
    isolated: bool = parameter(
        False, "no carry crosses slots: a bad operand hurts only its own product"
    )

    # ---- facts ----------------------------------------------------------------------------------

    def __post_init__(self) -> None:
        # derived defaults are resolved here: equal designs have equal parameters
        if self.word is None and isinstance(self.width, int) and self.target in targets.NAMES:
            object.__setattr__(self, "word", min(self.chip.word, max(2, self.width + 1)))
        super().__post_init__()
        wide, narrow = self.tile_widths
        object.__setattr__(self, "tile", f"{wide}x{narrow}")
        if self.slots is None:
            object.__setattr__(self, "slots", self.smallest_slots)

    def check(self) -> None:
        wide, narrow = self.tile_widths
        dsp = self.chip.dsp
        if dsp is None:
            allowed = ", ".join(name for name in targets.NAMES if targets.find(name).dsp)
            message = f"target = {self.target}: has no DSP blocks; must be one of {allowed}"
            raise SpecError("target", self.target, allowed, message)
        if self.target != "generic" and (wide > dsp.wide or narrow > dsp.narrow):
            allowed = f"at most {dsp.wide}x{dsp.narrow} on {self.target}"
            raise SpecError("tile", self.tile, allowed, f"tile = {self.tile}: {allowed}")
        if self.words < 2:
            nearest = self.width + 1
            raise SpecError(
                "word",
                self.word_bits,
                f"2 to {nearest}",
                f"word = {self.word_bits}: a modulus of {self.width} bits needs at least two "
                f"words; word must be at most {nearest}",
            )
        self._check_slices()
        enough = ceil_div(self.schedule.loop, self.least_theta)
        if self.bubbles and (self.slots or 1) >= enough:
            allowed = f"1 to {enough - 1}" if enough > 1 else "false: one slot fills the pipeline"
            message = f"bubbles: {self.slots or 1} slots fill the pipeline; slots must be {allowed}"
            raise SpecError("slots", self.slots, allowed, message)
        if self.slots is not None and self.slots < self.smallest_slots:
            raise SpecError(
                "slots",
                self.slots,
                f"at least {self.smallest_slots}",
                f"slots = {self.slots}: the pipeline's loop of {self.schedule.loop} cycles needs "
                f"at least {self.smallest_slots} slots of {self.theta} cycles; with bubbles = true "
                "there may be fewer",
            )
        if self.in_columns and self.variant == "small":
            message = (
                f"variant = small: on {self.target} the sums are in fabric, there is no P register "
                "to leave out; must be fast"
            )
            raise SpecError("variant", self.variant, "fast", message)

    def _check_slices(self) -> None:
        """SpecError for `slice_registers` that are not one figure a slice."""
        text = self.slice_registers
        if text is None:
            return
        count = self.tiling.count
        shape = "/".join(("3" * count, "3", "3" * count))
        if self.in_columns:
            message = f"slice-registers = {text}: on {self.target} no slices are in cascade"
            raise SpecError("slice-registers", text, "absent", f"{message}; must be absent")
        parts = text.split("/")
        used, lengths = set("".join(parts)), [len(part) for part in parts]
        right = lengths == [count, 1, count] and used <= {*"123"}
        if not right or used == {str(self.dsp_registers)}:
            allowed = f"figures of 1 to 3 as in {shape}, not all dsp-registers"
            message = f"slice-registers = {text}: must be {allowed}"
            raise SpecError("slice-registers", text, allowed, message)

    @property
    def slices(self) -> SliceRegisters:
        """Register stages in use in each DSP of a cascade."""
        if self.slice_registers is None:
            return SliceRegisters.alike(self.dsp_registers, self.tiling.count)
        return SliceRegisters.read(self.slice_registers)

    @property
    def word_bits(self) -> int:
        """w, `word` as a number to type checkers too."""
        assert self.word is not None
        return self.word

    @property
    def words(self) -> int:
        """s, so that 4N < 2^(s*w)."""
        return ceil_div(self.width + 2, self.word_bits)

    @property
    def tile_widths(self) -> tuple[int, int]:
        """Unsigned operand widths in use, wide and narrow (of a word that is as wide)."""
        if self.tile is None:
            return self.chip.tile
        parts = self.tile.split("x")
        if len(parts) != 2 or not all(p.isdigit() and 2 <= int(p) <= 64 for p in parts):
            allowed = "WIDExNARROW, such as 17x17, 24x17 or 2x2"
            raise SpecError("tile", self.tile, allowed, f"tile = {self.tile!r}: must be {allowed}")
        return max(map(int, parts)), min(map(int, parts))

    @property
    def tiling(self) -> Tiling:
        wide, narrow = self.tile_widths
        return Tiling(self.word_bits, min(wide, self.word_bits), min(narrow, self.word_bits))

    @property
    def least_theta(self) -> int:
        """Cycles of a slot that the words need."""
        return self.words if self.latency_reduction else self.words + 1

    @property
    def theta(self) -> int:
        """Cycles between consecutive slots; with bubbles so many that the loop is hidden."""
        if not self.bubbles:
            return self.least_theta
        return max(self.least_theta, ceil_div(self.schedule.loop, self.slots or 1))

    @property
    def in_columns(self) -> bool:
        """Plain multipliers and digit-wide adders, where there is no post-adder and it can be done:
        two digits a word, one multiplier in task 2."""
        wide, narrow = self.tile_widths
        digit, odd = divmod(self.word_bits, 2)
        return (
            self.chip.dsp is not None
            and self.chip.dsp.cell is not None
            and self.chip.dsp.accumulator is None
            and not odd
            and wide == narrow
            and digit <= wide
            and self.least_theta >= 3
            and self.dsp_registers >= 2
            and self.quotient_slices == "shared"
            and not self.isolated
        )

    @cached_property
    def schedule(self) -> CascadeSchedule | ColumnsSchedule:
        """The pipeline that is built."""
        if not self.in_columns:
            return self._cascade_schedule()
        return ColumnsSchedule(
            registers=PIPELINES[self.pipeline],
            dsp=self.dsp_registers,
            input_registers=0,
            ports=self._ports(0),
            a_unregistered=self._a_unregistered(0),
            b_unregistered=self.storage == "block" and self.chip.memory_block is not None,
        )

    def _cascade_schedule(self) -> CascadeSchedule:
        dsp, w = self.chip.dsp, self.word_bits
        assert dsp is not None
        limit = dsp.accumulator or 48
        tiling = self.tiling
        inside = (
            dsp.cell is not None
            and dsp.accumulator is not None
            and not self.isolated
            and tiling.accumulator_bits((1 << w + 1) - 2) <= limit
        )
        registers = (INSIDE if inside else BEHIND)[self.pipeline]
        u_in_dsp = tiling.accumulator_bits((1 << w) - 1) <= limit
        if not u_in_dsp:  # u is added behind task 3, in the t stage, which must then be there
            registers = dataclasses.replace(registers, t_stage=1)
        inputs = int(self.target == "generic" or self.least_theta < 3)
        return CascadeSchedule(
            tiling=tiling,
            offsets=tiling.offsets(self.chip.link_delay),
            registers=registers,
            dsp=SliceRegisters(*(tuple(map(dsp.latency, task)) for task in self.slices)),
            input_registers=inputs,
            ports=self._ports(inputs),
            a_unregistered=self._a_unregistered(inputs),
            small=self.variant == "small",
            t_in_dsp=inside,
            u_in_dsp=u_in_dsp,
        )

    def _ports(self, input_registers: int) -> int:
        """When word 0 has passed the operand memories; `generic` has the paper's registers."""
        read = 2 if self.target == "generic" or self.storage == "block" else 1
        return input_registers + 1 + read

    def _a_unregistered(self, input_registers: int) -> bool:
        return (
            not input_registers
            and self.storage == "distributed"
            and min(self.slices.task1, default=self.dsp_registers) >= 2
            and self.pipeline != "fast"
        )

    @property
    def smallest_slots(self) -> int:
        """sigma_min = ceil(loop / theta); with bubbles 1."""
        return 1 if self.bubbles else ceil_div(self.schedule.loop, self.least_theta)

    @property
    def sigma(self) -> int:
        """`slots`, as a number to type checkers too."""
        assert self.slots is not None
        return self.slots

    @property
    def depth(self) -> int:
        """Words in each operand memory."""
        return self.sigma * self.words

    @property
    def alpha(self) -> int:
        """Duration of one outer iteration, cycles."""
        return self.sigma * self.theta

    @property
    def loop(self) -> int:
        """The shortest that an outer iteration can be, cycles (alpha_min)."""
        return self.schedule.loop

    @property
    def dsps_by_task(self) -> tuple[int, int, int]:
        """DSP blocks: K in tasks 1 and 3 each; ceil(L/theta) in task 2, without delays of links, or
        L."""
        last = self.tiling.offsets(self.chip.link_delay)[self.tiling.low - 1]
        shared = self.quotient_slices == "shared"
        return (
            self.tiling.count,
            last // self.theta + 1 if shared else self.tiling.low,
            self.tiling.count,
        )

    @property
    def dsps(self) -> int:
        """DSP blocks."""
        return sum(self.dsps_by_task)

    @property
    def dsp_occupancy(self) -> float:
        """Share of DSP cycles that do a product, all slots busy: s(2K) + L of dsps * theta."""
        used = 2 * self.tiling.count * self.words + self.tiling.low
        return used / (self.dsps * self.theta)

    @property
    def title(self) -> str:
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
        ]
        parts = [f"fpmm_{self.width}_{kind}{self.slots}x{self.theta}{store}"]
        return "_".join(parts + [text for differs, text in more if differs])

    @property
    def build(self) -> FpmmBuild:
        """What its circuit is made of."""
        return FpmmBuild(
            chip=self.chip, words=self.words, word_bits=self.word_bits, sigma=self.sigma,
            theta=self.theta, schedule=self.schedule, storage=self.storage,
            dsp_registers=self.dsp_registers, isolated=self.isolated, slices=self.slices,
            quotient_shared=self.quotient_slices == "shared",
            modulus_in_ring=self.modulus_storage == "shift-register",
            modulus_paired=self.modulus_port == "paired", fixed=self.fixed_modulus,
        )  # fmt: skip

    # ---- the contract ---------------------------------------------------------------------------

    @property
    def beats(self) -> int:
        return self.words

    @property
    def modulus_beat(self) -> int:
        """A word, or two."""
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
        terms = {"iterations": self.alpha * (self.words - 1),
                 "pipeline": self.schedule.first_word, "unload": self.words}  # fmt: skip
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

    def forecast(self) -> Forecast:
        """See `forecast.py` in this folder."""
        return forecast(FpmmOutline(self.build, self.tile_widths, self.dsps, self.pipeline))

    @classmethod
    def examples(cls) -> list[Multiplier]:
        """See `examples.py` in this folder."""
        return [cls(**one) for one in EXAMPLES]

    def create(self) -> Core:
        from modmul.multipliers.fpmm.core import Core  # only here is the circuit needed

        return Core(self.build, core_signature(self))


@lru_cache(maxsize=1024)
def _inverse(modulus: int, r: int) -> int:
    """1 / modulus mod r, kept: it is the same for many products."""
    return pow(modulus, -1, r)
