"""What the circuit of an FPMM is made of."""

from __future__ import annotations

from dataclasses import dataclass

from modmul.multipliers.fpmm.columns_schedule import ColumnsSchedule
from modmul.multipliers.fpmm.schedule import CascadeSchedule, SliceRegisters
from modmul.targets import Target


@dataclass(frozen=True)
class FpmmBuild:
    """What the circuit is made from.  words, word_bits: s words of w bits.  sigma: slots.  theta:
    cycles from one slot to the next.  storage: RAM of the operands.  dsp_registers: stages in use
    in each DSP block.  isolated: no carry crosses slots.  slices: register stages of each DSP in a
    cascade. quotient_shared: products of task 2 share DSP blocks.  modulus_in_ring: the words of N
    go round in shift registers.  modulus_paired: N' comes beside the words of N.  fixed: the only
    modulus, if none is loaded."""

    chip: Target
    words: int
    word_bits: int
    sigma: int
    theta: int
    schedule: CascadeSchedule | ColumnsSchedule
    storage: str
    dsp_registers: int
    isolated: bool
    slices: SliceRegisters
    quotient_shared: bool
    modulus_in_ring: bool
    modulus_paired: bool
    fixed: int | None = None

    @property
    def latency_reduction(self) -> bool:
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
    def depth(self) -> int:
        """The number of words in each operand memory."""
        return self.sigma * self.words

    @property
    def alpha(self) -> int:
        return self.sigma * self.theta

    @property
    def product_bits(self) -> int:
        """Bits of a product of two words."""
        return 2 * self.word_bits
