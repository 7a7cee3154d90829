"""What the circuit of `fips` is made of."""

from __future__ import annotations

from dataclasses import dataclass

from modmul.multipliers.fips.cursor import Shape
from modmul.multipliers.fips.schedule import Schedule
from modmul.targets import Target


@dataclass(frozen=True)
class FipsBuild:
    """accumulator: its bits.  prime, binary: fields.  subtract: the
    modulus is subtracted at the end where the result is not below it.  dsp: integer products on
    hard multipliers."""

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
        """Whether the first of the stages is only the choice of operands, and sums are cut."""
        return self.schedule.stages >= 3 and not self.schedule.bypass

    @property
    def cancels(self) -> bool:
        """Doubled products are made in GF(2^m), too, where they are 0."""
        return self.shape.squares and self.shape.binary == "zero" and self.binary

    @property
    def doubles(self) -> bool:
        """There are doubled products."""
        return self.shape.squares and (self.prime or self.cancels)

    @property
    def riding(self) -> bool:
        """Squares of words come with products."""
        return self.shape.squares and self.shape.binary == "spread" and self.binary
