"""Decoders of the field `op`, made from the codes of isa.toml.

Codes that no word of the programs has may be taken for anything: so most groups of instructions are
told by a bit or two, and what no program does has no logic."""

from __future__ import annotations

import itertools
from functools import cache
from typing import NamedTuple

from amaranth.hdl import Cat, Const, Value

from modmul.processors.engine.instructions import instruction_set


class Cube(NamedTuple):
    """The set of codes whose bits at `mask` are those of `value`."""

    mask: int
    value: int

    def has(self, code: int) -> bool:
        return code & self.mask == self.value


@cache
def cubes(names: frozenset[str], used: frozenset[str]) -> tuple[Cube, ...]:
    """Cubes that contain the codes of these instructions as far as they are used, and of no
    other that is used.  Each step takes the cube with the most codes that are still missing, and
    among these one with the fewest bits."""
    ops = instruction_set().op
    left = {ops[name].code for name in names & used}
    others = [ops[name].code for name in used - names]
    size = 1 << instruction_set().fields["op"].bits
    every = [
        Cube(mask, value)
        for mask, value in itertools.product(range(size), repeat=2)
        if value & ~mask == 0
    ]
    allowed = [cube for cube in every if not any(map(cube.has, others))]
    chosen = []
    while left:
        best = max(allowed, key=lambda cube: (sum(map(cube.has, left)), -cube.mask.bit_count()))
        chosen.append(best)
        left = {code for code in left if not best.has(code)}
    return tuple(chosen)


def is_any(used: frozenset[str], op: Value, *names: str) -> Value:
    """Whether a code is one of these instructions.  used: all that occur."""
    told = [
        Cat(
            op[place] == (cube.value >> place & 1)
            for place in range(len(op))
            if cube.mask >> place & 1
        ).all()
        for cube in cubes(frozenset(names), used)
    ]
    return Cat(told).any() if told else Const(0, 1)
