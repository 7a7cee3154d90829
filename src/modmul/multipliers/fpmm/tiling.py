"""Splitting a w x w word product into tiles that fit a multiplier's ports (gallin2019, 5.1)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from modmul.arithmetic.words import ceil_div


class Tile(NamedTuple):
    """One product: block `held` of the operand kept for a slot (a_i, q_i) times block `stream` of
    the operand that changes every cycle (b_j, n_j).  weight: its bit position in the whole
    product."""

    weight: int
    held: int
    stream: int


@dataclass(frozen=True)
class Tiling:
    """A word of `word` bits, cut for multipliers of `wide` x `narrow` bits, unsigned.

    The order in the cascade is by weight, then by `held`, so that the product that needs the newest
    block of q comes last."""

    word: int
    wide: int
    narrow: int

    @cached_property
    def tiles(self) -> list[Tile]:
        return sorted(
            Tile(h * self.narrow + g * self.wide, h, g)
            for h in range(self.held_blocks)
            for g in range(self.stream_blocks)
        )

    @property
    def held_blocks(self) -> int:
        return ceil_div(self.word, self.narrow)

    @property
    def stream_blocks(self) -> int:
        return ceil_div(self.word, self.wide)

    @property
    def count(self) -> int:
        return len(self.tiles)

    @property
    def low(self) -> int:
        """L, the number of tiles with a weight below w: the products of task 2."""
        return sum(tile.weight < self.word for tile in self.tiles)

    def held_slice(self, h: int) -> slice:
        return slice(h * self.narrow, min(self.word, (h + 1) * self.narrow))

    def stream_slice(self, g: int) -> slice:
        return slice(g * self.wide, min(self.word, (g + 1) * self.wide))

    def named(self, name: str, bits: slice) -> str:
        """A name for those bits of a word: `name` with lo or hi if they are a half of it."""
        whole = bits.start == 0 and bits.stop == self.word
        if whole or self.word % 2 or bits.stop - bits.start != self.word // 2:
            return name if whole else f"{name}_{bits.stop - 1}_{bits.start}"
        return f"{name}_{'hi' if bits.start else 'lo'}"

    def end(self, k: int) -> int:
        """The weight below which bits are final once tile k has been added."""
        return self.tiles[k + 1].weight if k + 1 < self.count else 2 * self.word

    def shift(self, k: int) -> int:
        """The difference of the weights of tile k and tile k - 1."""
        return self.tiles[k].weight - self.tiles[k - 1].weight if k else 0

    def offsets(self, delay: Callable[[int], int]) -> tuple[int, ...]:
        """The cycles from the addition of tile 0 to that of each tile k: one for each tile,
        plus the delays of links with these shifts."""
        steps = (1 + delay(self.shift(k)) for k in range(1, self.count))
        return tuple(accumulate(steps, initial=0))

    def last_tile_of_block(self, h: int) -> int:
        """The tile after which the bits below (h + 1) * narrow (at most w) are final."""
        top = min(self.word, (h + 1) * self.narrow)
        return next(k for k in range(self.count) if self.end(k) >= top)

    def accumulator_bits(self, addend: int = 0) -> int:
        """The bits of the widest sum in a P register; `addend` is added in slice 0."""
        total, worst = addend, 0
        for k, tile in enumerate(self.tiles):
            held, stream = self.held_slice(tile.held), self.stream_slice(tile.stream)
            a = (1 << (held.stop - held.start)) - 1
            b = (1 << (stream.stop - stream.start)) - 1
            total = (total >> self.shift(k)) + a * b
            worst = max(worst, total)
        return worst.bit_length()
