"""Multipliers that are built in part and used several times for one product."""

from __future__ import annotations

from typing import Protocol, Self, runtime_checkable


@runtime_checkable
class Foldable(Protocol):
    """What `implementation.fit` asks of them."""

    @property
    def width(self) -> int:
        """Bits of the modulus."""

    @property
    def possible_partitions(self) -> list[int]:
        """What `partitions` can be with the other parameters as they are, fewest first; none where
        these do not let it be folded."""

    @property
    def pairs(self) -> int:
        """Pairs of a 4:1 multiplexer and a full adder that are built."""

    def folded(self, partitions: int) -> Self:
        """This multiplier with so many partitions."""
