"""Which adders reduce the columns of a product, level by level: numbers only, no hardware.

Bits are of two classes.  Pure: XORs of partial products; the last one of a column is its bit of the
carry-less product, and tapped.  Mixed: all carries, what is added to them, and pure bits once they
are tapped.  An adder takes bits of one class; its carry is mixed, its sum stays in the class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


class BitAdder(NamedTuple):
    """A full adder (size 3) or half adder (2) for bits of one class in a column."""

    column: int
    size: int
    pure: bool


@dataclass
class Level:
    """tapped: columns whose only pure bit becomes a mixed bit.  adders: those behind that."""

    tapped: list[int] = field(default_factory=list)
    adders: list[BitAdder] = field(default_factory=list)


def plan(heights: Sequence[int], *, pure: bool) -> list[Level]:
    """Levels that leave at most two bits in each column, all of them mixed.

    heights: the bits of each column at the beginning.  pure: they are partial products, to be
    tapped; else they are mixed bits.  The last level may have no adders."""
    return _two_classes(heights) if pure else _one_class(heights)


def _one_class(heights: Sequence[int]) -> list[Level]:
    """Dadda's tree: columns of at most 2, 3, 4, 6, 9, 13 ... bits, by the fewest adders."""
    targets = [2]
    while targets[-1] < max(heights):
        targets.append(targets[-1] * 3 // 2)
    levels, mixed = [], list(heights)
    for target in reversed(targets[:-1]):
        level, carries = Level(), 0
        for column, height in enumerate(mixed):
            excess = max(0, height + carries - target)
            sizes = [3] * (excess // 2) + [2] * (excess % 2)
            level.adders += [BitAdder(column, size, False) for size in sizes]
            mixed[column] += carries - sum(sizes) + len(sizes)
            carries = len(sizes)
        levels.append(level)
    return levels


def _two_classes(heights: Sequence[int]) -> list[Level]:
    """Wallace's tree: three bits of a class at once; half adders for the last two pure."""
    pures, mixed, levels = list(heights), [0] * len(heights), list[Level]()
    while any(pures) or max(mixed) > 2:
        levels.append(_level(pures, mixed))
    return levels


def _level(pures: list[int], mixed: list[int]) -> Level:
    """The next level, and change the numbers of bits to those behind it."""
    level, carries = Level(), [0] * (len(mixed) + 1)
    for column, height in enumerate(pures):
        sizes = [3] * (height // 3) if height != 2 else [2]
        if height == 1:
            level.tapped.append(column)
            pures[column] = 0
            mixed[column] += 1
        mixed_sizes = [3] * (mixed[column] // 3)
        level.adders += [BitAdder(column, size, True) for size in sizes]
        level.adders += [BitAdder(column, size, False) for size in mixed_sizes]
        pures[column] -= sum(sizes) - len(sizes)
        mixed[column] -= 2 * len(mixed_sizes)
        carries[column + 1] = len(sizes) + len(mixed_sizes)
    for column in range(len(mixed)):
        mixed[column] += carries[column]
    return level
