"""The beats on the streams of a multiplier for one operation."""

from __future__ import annotations

from modmul.arithmetic.words import to_words
from modmul.design import Beat
from modmul.multipliers.facts import MultiplierFacts, Operand
from modmul.multipliers.operations import SQUARE
from modmul.operation import Job


def request(multiplier: MultiplierFacts, beats: int, job: Job) -> list[Beat]:
    """The `beats` beats of the stream `operand`.  If squares are not declared, a square
    multiplies a by a; if they are, b is 0, which is ignored."""
    operation = job.mode.operation
    declared = operation in multiplier.operations[1:]
    a, b = factors(job)
    members = _vectors("a", a) | _vectors("b", 0 if declared and operation == SQUARE else b)
    words = {name: to_words(value, multiplier.beat, beats) for name, value in members.items()}
    chosen = {operation: 1} if declared else {}
    return [{name: word[j] for name, word in words.items()} | chosen for j in range(beats)]


def factors(job: Job) -> tuple[Operand, Operand]:
    """A square gives a twice."""
    return job.operands["a"], job.operands.get("b", job.operands["a"])


def _vectors(name: str, value: Operand) -> dict[str, int]:
    if isinstance(value, int):
        return {name: value}
    return {name: value[0], f"{name}_carry": value[1]}
