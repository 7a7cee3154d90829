"""The cycles of an operation: those of its program, and those to and from the streams."""

from __future__ import annotations

from collections.abc import Mapping

from modmul.operation import Cycles, constant_cycles
from modmul.processors.engine.assembler import Image
from modmul.processors.engine.hardware.build import ENTRY
from modmul.processors.engine.layout import alone
from modmul.processors.engine.program import Loop

TERMS: Mapping[str, str] = {
    "begin": "from the command to the first word of the program",
    "blinding": "the loop that makes the blinded scalar",
    "steps": "the loops over the bits of the scalar",
    "inversion": "the loop over the bits of p - 2",
    "rest": "numbers in and out, what is before and after the loops, zeros into the registers",
    "status": "from the last word to the beat of the status",
}
_OF_INVERSION = 4  # the most operations of the loop of an inversion
QUIET = 2  # least number of cycles between the status and the next command
STATUS = 1  # cycles from HALT to the last beat of a result, which is the status


def terms(image: Image, length: int | None) -> dict[str, Cycles]:
    """The cycles of a program by term.  length: the number of passes of loops that have a
    counter."""
    counters = [length or 0] * len(image.program.of("counter"))
    parts = {"begin": ENTRY, "blinding": 0, "steps": 0, "inversion": 0}
    loops = [block.section for block in image.placed if isinstance(block.section, Loop)]
    counted = [len(loop.ops) for loop in loops if loop.counter is not None]
    longer = [len(loop.ops) for loop in loops if len(loop.ops) > _OF_INVERSION]
    longest = max(counted or longer, default=0)
    for block in image.placed:
        if isinstance(block.section, Loop):
            stepping = block.section.counter is not None or len(block.section.ops) == longest
            name = "blinding" if alone(block.section) else "steps" if stepping else "inversion"
            parts[name] += block.length * block.passes(counters)
    parts["rest"] = image.cycles(counters) - sum(parts.values()) + ENTRY
    parts["status"] = STATUS
    return constant_cycles({name: count for name, count in parts.items() if count})
