"""What the circuit of an FPMM is made of."""

from __future__ import annotations

from dataclasses import dataclass

from modmul.multipliers.fpmm.columns_schedule import ColumnsSchedule
from modmul.multipliers.fpmm.schedule import CascadeSchedule
from modmul.targets import Target


@dataclass(frozen=True)
class FpmmBuild:
    """words, word_bits: s words of w bits.  sigma: slots.  theta: cycles between them.
    storage: RAM of the operands.  dsp_registers: stages in use inside each DSP block.
    isolated: no carry crosses slots."""

    chip: Target
    words: int
    word_bits: int
    sigma: int
    theta: int
    schedule: CascadeSchedule | ColumnsSchedule
    storage: str
    dsp_registers: int
    isolated: bool

    @property
    def latency_reduction(self) -> bool:
        """Whether slots follow each other without a gap."""
        return self.theta == self.words

    @property
    def depth(self) -> int:
        """Words in each operand memory."""
        return self.sigma * self.words

    @property
    def alpha(self) -> int:
        """Duration of one outer iteration, cycles."""
        return self.sigma * self.theta
