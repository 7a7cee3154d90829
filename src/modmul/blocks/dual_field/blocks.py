"""Integer products from hard multipliers, whose tiles are summed in fabric."""

from __future__ import annotations

from itertools import pairwise

from amaranth.hdl import Module, Signal, Value

from modmul.blocks.dual_field.columns import Columns
from modmul.blocks.dual_field.tree import reduce_tree
from modmul.targets import DspBlock, Target

REGISTERS = 3  # stages of registers in a hard multiplier: inputs, product, output


def available(chip: Target) -> bool:
    """Whether the chip has hard multipliers (or counts them)."""
    return chip.hard_multiplier is not None


def cuts(width: int, largest: int) -> list[int]:
    """Where a word is cut into about equal digits of at most `largest` bits: 0 ... width."""
    count = -(-width // largest)
    return [width * k // count for k in range(count + 1)]


def slowest_stage(stages: int) -> float:
    """The delay of the slowest stage of `product` in levels of look-up tables: approximate,
    and at least that of the sums of 32-bit words."""
    return 4.0 if stages > 1 else 8.0


def product(m: Module, chip: Target, a: Value, b: Value, stages: int, name: str) -> Value:
    """A * b, unsigned words of equal width w; 2 * w bits.

    The product is there in the last of `stages` pipeline stages, before any register behind it.
    With one stage there is no register, and synthesis finds the blocks; with two, the blocks have
    output registers; from three on, the tree of the sums has two stages and the blocks have the
    others. Raises ValueError if the chip has no such block."""
    if chip.dsp is None or not available(chip):
        raise ValueError(f"{chip.name} has no hard multipliers")
    registers = min(stages - 1, max(1, stages - 2), REGISTERS)
    columns: Columns = [[] for _ in range(2 * len(a))]
    for low, high, first, last in _tiles(chip.dsp, len(a)):
        title = f"{name}_tile_{low}_{first}"
        tile = _tile(m, chip, a[low:high], b[first:last], registers, title)
        for k in range(len(tile)):
            columns[low + first + k].append(tile[k])
    return reduce_tree(m, chip, columns, stages - registers, name, pure=False)[0]


def _tiles(block: DspBlock, width: int) -> list[tuple[int, int, int, int]]:
    """Return (low, high) of a's digit and of b's for every tile; b is cut for the narrow port."""
    wide, narrow = cuts(width, block.wide), cuts(width, block.narrow)
    return [(*first, *other) for first in pairwise(wide) for other in pairwise(narrow)]


def _tile(m: Module, chip: Target, a: Value, b: Value, registers: int, name: str) -> Value:
    if not registers:
        plain = Signal(len(a) + len(b), name=name)
        m.d.comb += plain.eq(a * b)
        return plain
    return chip.multiplier(registers, name).place(m, a, b)
