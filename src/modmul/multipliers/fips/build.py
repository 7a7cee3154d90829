"""What the circuit of `fips` is made of."""

from __future__ import annotations

from dataclasses import dataclass

from modmul.multipliers.fips.cursor import Shape
from modmul.multipliers.fips.schedule import Schedule
from modmul.targets import Target


@dataclass(frozen=True)
class FipsBuild:
    """What the circuit is made from.  accumulator: its bits.  prime, binary: the fields that are
    built. subtract: at the end N is subtracted from a result that is not below it.  dsp: integer
    products are made by hard multipliers."""

    chip: Target
    word: int
    shape: Shape
    schedule: Schedule
    accumulator: int
    prime: bool
    binary: bool
    subtract: bool
    dsp: bool

    @property
    def operand_register(self) -> bool:
        """Whether the first stage only chooses the operands, and sums are cut."""
        return self.schedule.stages >= 3 and not self.schedule.bypass

    @property
    def cancels(self) -> bool:
        """Whether doubled products are also made in GF(2^m), where they are 0."""
        return self.shape.squares and self.shape.binary == "zero" and self.binary

    @property
    def doubles(self) -> bool:
        """Whether there are doubled products."""
        return self.shape.squares and (self.prime or self.cancels)

    @property
    def riding(self) -> bool:
        """Whether squares of words come with products."""
        return self.shape.squares and self.shape.binary == "spread" and self.binary
