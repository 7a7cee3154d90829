"""Chooses numbers that reveal errors (edges, long runs of equal bits), and splits numbers into two
vectors."""

from __future__ import annotations

import random

from modmul.multipliers.setting import Setting
from modmul.operation import OperandRule


def edge_values(setting: Setting) -> list[int]:
    return edges_below(setting.operand_bound, setting.modulus, setting.multiplier.beat)


def edges_below(bound: int, modulus: int, beat: int) -> list[int]:
    """Edges below `bound`: 0, 1, N-1, N, the largest; words of ones; numbers that make long
    carries.  beat: the bits of a word."""
    bits = bound.bit_length()
    edges = [0, 1, 2, bound - 1, bound - 2, modulus - 1, modulus, modulus + 1, bound // 2]
    if beat < bits:
        word = (1 << beat) - 1
        edges += [word << start for start in range(0, bits, beat)][:8]
        for first in (0, beat):
            edges.append(sum(word << start for start in range(first, bits, 2 * beat)))
    edges += [(1 << k) - 1 for k in (beat, bits // 2, bits - 1)]
    edges += [1 << k for k in (beat - 1, beat, bits // 2, bits - 1)]
    return [value for value in dict.fromkeys(edges) if 0 <= value < bound]


def runs_of_bits(bits: int, rng: random.Random) -> int:
    """A number of at most `bits` bits, in a few long runs of equal ones."""
    value = 0
    for _ in range(4):
        value ^= (1 << int(rng.random() * (bits + 1))) - 1
    return value


def split(value: int, rng: random.Random) -> tuple[int, int]:
    """Draw two vectors whose sum is `value`."""
    carry = rng.choice((0, value, value // 2, rng.randrange(value + 1)))
    return value - carry, carry


def drawn_below(rule: OperandRule, rng: random.Random) -> int:
    """Draw a number in the range of a rule that has a bound; every fourth has long runs of equal
    bits."""
    assert rule.below is not None
    bits = rule.below.bit_length()
    value = runs_of_bits(bits, rng) if rng.random() < 0.25 else rng.getrandbits(bits + 8)
    return rule.least + value % (rule.below - rule.least)
