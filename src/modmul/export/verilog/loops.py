"""Writes long concatenations of slices at regular distances as a loop.

`assign low = {x[6], x[4], x[2], x[0]};` is `assign low[i] = x[2*i];` for i from 0 to 3."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from modmul.export.verilog.declarations import INDENT
from modmul.export.verilog.expressions import (
    COLUMNS,
    BitLiteral,
    Concatenation,
    Expression,
    Name,
    concatenation,
)
from modmul.export.verilog.sizes import Formula

_TURNS = 8  # a loop has at least so many turns


@dataclass(frozen=True)
class ForLoop:
    """A loop of `count` turns.  Turn 0 assigns the lowest bits of the target, each further turn the
    next bits above them.  first: the slices of turn 0, the least significant first.  steps: how far
    each slice moves up in a turn."""

    count: int
    target: Name
    first: tuple[Expression, ...]
    steps: tuple[int, ...]

    def turn(self, index: str) -> tuple[Name, Expression]:
        """The target and the value of one turn."""
        bits = sum(part.width for part in self.first)
        parts = [
            _moved(part, index, step) for part, step in zip(self.first, self.steps, strict=True)
        ]
        place = Formula(index, bits, self.target.low, 0)
        target = Name(bits, self.target.name, place, self.target.size)
        return target, concatenation(parts[::-1])

    def statement(self, index: str) -> str:
        """The assignment of one turn."""
        target, value = self.turn(index)
        return f"assign {target.text} = {value.text};"


def loop(target: Name, value: Expression) -> ForLoop | None:
    """The loop that assigns this value; None if there is none, or if the value fits on two
    lines."""
    if not isinstance(value, Concatenation) or len(value.text) < 2 * COLUMNS:
        return None
    parts = value.parts[::-1]
    for size in range(1, len(parts) // _TURNS + 1):
        if len(parts) % size == 0:
            groups = [parts[low : low + size] for low in range(0, len(parts), size)]
            steps = [_step([group[place] for group in groups]) for place in range(size)]
            whole_steps = tuple(step for step in steps if step is not None)
            if len(whole_steps) == size:
                return ForLoop(len(groups), target, groups[0], whole_steps)
    return None


def block(loops: Sequence[ForLoop], index: str, label: str) -> list[str]:
    """The lines of loops with the same number of turns, as one.  index, label: unused
    names."""
    begin = f"for ({index} = 0; {index} < {loops[0].count}; {index} = {index} + 1) begin : {label}"
    return [
        f"{INDENT}genvar {index};",
        f"{INDENT}generate",
        f"{INDENT * 2}{begin}",
        *(f"{INDENT * 3}{loop.statement(index)}" for loop in loops),
        f"{INDENT * 2}end",
        f"{INDENT}endgenerate",
    ]


def _step(parts: Sequence[Expression]) -> int | None:
    """How far a slice moves from one part to the next; None if the parts are no such
    slices."""
    first, second = parts[:2]
    if isinstance(first, BitLiteral):
        return 0 if len(set(parts)) == 1 else None
    if not isinstance(first, Name) or not isinstance(second, Name):
        return None
    step = second.low - first.low
    stepped = (
        Name(first.width, first.name, first.low + step * turn, first.size)
        for turn in range(len(parts))
    )
    return step if step and list(stepped) == list(parts) else None


def _moved(part: Expression, index: str, step: int) -> Expression:
    if not isinstance(part, Name):
        return part
    return Name(part.width, part.name, Formula(index, step, part.low, 0), part.size)
