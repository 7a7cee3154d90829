"""Multipliers that are built in part and used several times for one product."""

from __future__ import annotations

from typing import Protocol, Self, runtime_checkable


@runtime_checkable
class Foldable(Protocol):
    """The questions that `implementation.fit` asks."""

    @property
    def width(self) -> int:
        """Bits of the modulus."""

    @property
    def possible_partitions(self) -> list[int]:
        """The values that `partitions` can have with the other parameters as they are, fewest
        first; none if these do not allow folding."""

    @property
    def pairs(self) -> int:
        """The number of pairs of a 4:1 multiplexer and a full adder that are built."""

    def folded(self, partitions: int) -> Self:
        """This multiplier with so many partitions."""
