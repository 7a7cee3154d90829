"""Words from the text that a program of the engine is shown as."""

from __future__ import annotations

import re

from modmul.errors import SpecError
from modmul.processors.engine.instructions import Word, encode, instruction_set, marked

_LINE = re.compile(r"([A-Z]+)('?)\s*((?:r?[0-9]+\s*,?\s*)*)\+([0-9]+)\Z")


def assemble_words(text: str) -> list[Word]:
    """The words of a text as `disassemble` writes it; `#` begins a comment.  SpecError with the
    line for what is none."""
    words = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.partition("#")[0].strip()
        if line:
            words.append(_word(line, number))
    return list(marked(words))


def _word(line: str, number: int) -> Word:
    match = _LINE.match(line)
    instruction = instruction_set().op.get(match[1]) if match else None
    values = [int(text) for text in re.findall(r"[0-9]+", match[3])] if match else []
    if match is None or instruction is None or len(values) != len(instruction.operands):
        allowed = "INSTRUCTION OPERANDS +WAIT, such as MUL r5, r1, r2, 0 +7"
        message = f"line {number}: {line[:80]!r}: must be {allowed}"
        raise SpecError("program", line, allowed, message)
    fields = dict(zip(instruction.operands, values, strict=True))
    word = Word(op=match[1], stage=len(match[2]), wait=int(match[4]), **fields)
    encode(word)
    return word
