"""Lists the words of a program store: address, instruction, operands, wait, and what each does."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Sequence

from modmul.processors.engine.assembler import Image
from modmul.processors.engine.instructions import Word, disassemble, instruction_set
from modmul.processors.engine.program import Loop


def listing(programs: Sequence[tuple[Word, ...]], images: Sequence[Image], first: int) -> str:
    """The lines of a listing, which begin with blanks.  programs: the words of each; the
    last one only overwrites what the others use.  first: the address of the first word."""
    fields = sorted(instruction_set().fields.items(), key=lambda item: item[1].low)
    used = {word.op for words in programs for word in words}
    codes = sorted((each.code, name) for name, each in instruction_set().op.items() if name in used)
    places = (f"{name} [{field.low + field.bits - 1}:{field.low}]" for name, field in fields)
    values = (f"{name} {code}" for code, name in codes)
    lines = [
        *_wrapped(f"Fields of a word: {', '.join(places)}."),
        *_wrapped(f"Codes in the field op: {', '.join(values)}."),
        *_wrapped(
            "Each line has the address, the instruction (with ' in the second stage of a "
            "loop), its operands (r: a register), how many cycles the next word waits, and "
            "the operation by the names of its program."
        ),
    ]
    address = first
    for number, (words, image) in enumerate(itertools.zip_longest(programs, images)):
        about = "overwrites what programs use" if image is None else image.program.name
        lines += ["", f"  Program {number}: {about}"]
        told = {} if image is None else comments(image)
        texts = disassemble(words).splitlines()
        time = min(told, default=0)
        for word, text in zip(words, texts, strict=True):
            lines.append(f"  {address:5}  {text:31} {told.get(time, '')}".rstrip())
            address, time = address + 1, time + 1 + word.wait
    return "\n".join(line or " " for line in lines)


def comments(image: Image) -> dict[int, str]:
    """The operation of each word that has one, by the cycle of its issue."""
    told: dict[int, str] = {}
    now, counters = 0, image.program.of("counter")
    for block in image.placed:
        now += block.gap
        loop = block.section if isinstance(block.section, Loop) else None
        if loop is not None:
            count = loop.count if loop.count is not None else counters[loop.counter or 0]
            told[now - 1] = f"to END: {count} passes"
        for operation, start in zip(block.section.ops, block.start, strict=True):
            told[now + (start % block.length if loop else start)] = str(operation)
        now += block.length
    return told


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, 94, initial_indent="  ", subsequent_indent="    ")
