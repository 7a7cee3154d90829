"""The parameters of `fpmm`, which go together and which do not, and what follows from them: words,
slots, tiles and the pipeline that is built."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from modmul import targets
from modmul.arithmetic.words import ceil_div
from modmul.errors import SpecError, refusal
from modmul.multipliers.fpmm.columns_schedule import PIPELINES, ColumnsSchedule
from modmul.multipliers.fpmm.schedule import (
    BEHIND,
    INSIDE,
    CascadeSchedule,
    SliceRegisters,
)
from modmul.multipliers.fpmm.tiling import Tiling
from modmul.multipliers.operand_scanning import OnBlocks
from modmul.parameters import parameter

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, kw_only=True)
class FpmmParameters(OnBlocks):
    """The parameters, and the slots and the pipeline that follow from them."""

    word: int | None = parameter(
        None,
        "bits of a word (default: what suits the target's DSP blocks, or, for a narrow modulus, "
        "one bit more than it has)",
        minimum=2,
        maximum=4097,
    )
    slots: int | None = parameter(  # type: ignore[assignment]
        None,
        "independent products in flight at the same time, sigma (default: the fewest that fill the "
        "pipeline)",
        minimum=1,
        maximum=4096,
    )
    variant: str = parameter(
        "fast",
        "small: the first DSP block has no register at its output (P), which saves a cycle",
        choices=("fast", "small"),
    )
    storage: str = parameter(
        "distributed",
        "kind of RAM in which the operands are kept",
        choices=("block", "distributed"),
    )
    latency_reduction: bool = parameter(
        True, "slots have s cycles, one for each word, instead of s + 1"
    )
    pipeline: str = parameter(
        "full",
        "which optional registers in fabric are built: lean: none; full: most of them; fast: all, "
        "for the fastest clock",
        choices=("full", "lean", "fast"),
    )
    tile: str | None = parameter(
        None,
        "bits of both operands of a DSP block that are used, such as 17x17 (default: what suits "
        "the target)",
    )
    dsp_registers: int = parameter(
        3, "register stages that are used inside each DSP block", choices=(3, 2, 1)
    )
    slice_registers: str | None = parameter(
        None,
        "register stages of each DSP block in a cascade, task by task, such as 2333/3/3333: a "
        "figure for each block of tasks 1 and 3, one for task 2 (default: dsp-registers in all)",
    )
    quotient_slices: str = parameter(
        "shared",
        "DSP blocks that compute the quotient (task 2): shared: as few as the cycles of a slot "
        "allow; each: one for each of its products",
        choices=("shared", "each"),
    )
    bubbles: bool = parameter(
        False,
        "allow fewer slots than fill the pipeline, which idle cycles make longer (slots is 1 then "
        "by default)",
    )
    modulus_storage: str = parameter(
        "distributed",
        "where the words of N are kept: in distributed RAM, or in shift registers, in which they "
        "circulate",
        choices=("distributed", "shift-register"),
    )
    modulus_port: str = parameter(
        "own",
        "how a modulus is loaded: own: N', then the s words of N; paired: N and N' side by side, "
        "in s cycles, on as many pins as both operands, which it can share",
        choices=("own", "paired"),
    )
    isolated: bool = parameter(
        False,
        "let no carry cross slots, so that an operand out of range spoils only its own product",
    )

    def __post_init__(self) -> None:
        # Derived defaults are resolved here, so that equal designs have equal parameters.
        if self.word is None and isinstance(self.width, int) and self.target in targets.NAMES:
            object.__setattr__(self, "word", min(self.chip.word, max(2, self.width + 1)))
        super().__post_init__()
        wide, narrow = self.tile_widths
        object.__setattr__(self, "tile", f"{wide}x{narrow}")
        if self.slots is None:
            object.__setattr__(self, "slots", self.smallest_slots)

    def check(self) -> None:
        super().check()
        wide, narrow = self.tile_widths
        dsp = self.chip.dsp
        assert dsp is not None
        if self.target != "generic" and (wide > dsp.wide or narrow > dsp.narrow):
            allowed = f"at most {dsp.wide}x{dsp.narrow} on {self.target}"
            raise SpecError("tile", self.tile, allowed, f"tile = {self.tile}: {allowed}")
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
        """Raise SpecError for `slice_registers` that have not one figure for each slice."""
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
            raise refusal("slice-registers", text, allowed, shown=text)

    @property
    def slices(self) -> SliceRegisters:
        """Register stages in use in each DSP of a cascade."""
        if self.slice_registers is None:
            return SliceRegisters.alike(self.dsp_registers, self.tiling.count)
        return SliceRegisters.read(self.slice_registers)

    @property
    def word_bits(self) -> int:
        assert self.word is not None
        return self.word

    @property
    def tile_widths(self) -> tuple[int, int]:
        """The operand widths in use, wide and narrow, unsigned (for a word at least as wide)."""
        if self.tile is None:
            return self.chip.tile
        parts = self.tile.split("x")
        if len(parts) != 2 or not all(p.isdigit() and 2 <= int(p) <= 64 for p in parts):
            allowed = "WIDExNARROW, such as 17x17, 24x17 or 2x2"
            raise refusal("tile", self.tile, allowed)
        return max(map(int, parts)), min(map(int, parts))

    @property
    def tiling(self) -> Tiling:
        wide, narrow = self.tile_widths
        return Tiling(self.word_bits, min(wide, self.word_bits), min(narrow, self.word_bits))

    @property
    def least_theta(self) -> int:
        """The cycles of a slot that its words need."""
        return self.words if self.latency_reduction else self.words + 1

    @property
    def theta(self) -> int:
        """Cycles from one slot to the next; with bubbles, so many that the loop is hidden."""
        if not self.bubbles:
            return self.least_theta
        return max(self.least_theta, ceil_div(self.schedule.loop, self.slots or 1))

    @property
    def in_columns(self) -> bool:
        """Whether the datapath of `columns` is built, with plain multipliers and digit-wide adders:
        the chip has no post-adder, a word has two digits, and task 2 has one multiplier."""
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
            and self.quotient_shared
            and not self.isolated
        )

    @cached_property
    def schedule(self) -> CascadeSchedule | ColumnsSchedule:
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
        """When word 0 is past the operand memories; `generic` has the paper's registers."""
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
        """sigma_min = ceil(loop / theta); 1 with bubbles."""
        return 1 if self.bubbles else ceil_div(self.schedule.loop, self.least_theta)

    @property
    def sigma(self) -> int:
        assert self.slots is not None
        return self.slots

    # ---- figures of the circuit ---------------------------------------------------------------

    @property
    def depth(self) -> int:
        """The number of words in each operand memory."""
        return self.sigma * self.words

    @property
    def alpha(self) -> int:
        return self.sigma * self.theta

    @property
    def gapless(self) -> bool:
        """Whether slots follow each other without a gap."""
        return self.theta == self.words

    @property
    def from_blocks(self) -> bool:
        """Whether operands come from block RAMs with their own output register, which cannot be
        cleared; the multipliers zero the operands then."""
        return isinstance(self.schedule, ColumnsSchedule) and self.schedule.b_unregistered

    @property
    def from_pair(self) -> bool:
        """Whether both operands come from one block RAM, each from its own port."""
        fits = self.chip.pairs(self.word_bits, (self.depth, self.depth))
        return fits and self.storage == "block" and not self.from_blocks

    @property
    def product_bits(self) -> int:
        return 2 * self.word_bits

    @property
    def quotient_shared(self) -> bool:
        return self.quotient_slices == "shared"

    @property
    def modulus_in_ring(self) -> bool:
        return self.modulus_storage == "shift-register"

    @property
    def modulus_paired(self) -> bool:
        return self.modulus_port == "paired"
