"""The instruction set as data (isa.toml), and words to and from fields and assembler text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Literal

import msgspec

from modmul import inputs
from modmul.arithmetic import moduli
from modmul.errors import SpecError

Unit = Literal["multiplier", "adder", "host", "sequencer"]
Timing = Literal["product", "square", "sum", "select", "compare", "host", "none"]
IMMEDIATE = 15  # the field aux of a LOOP whose count is in the word
OPERAND, SCALAR, RANDOM, STORE = range(4)  # the field aux of IN: where the number comes from
FLAGS = 4  # bits of the status
KEPT = 1  # the field b of a BIT that keeps in mind what was taken
ENDING = 3  # words from the one with the bit `ending` to its END
AHEAD = 5  # least number of words in a pass before its END, as the sequencer fetches ahead


class InstructionField(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A field of a word: its lowest bit, its width in bits, its meaning."""

    low: int
    bits: int
    text: str


class Instruction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An instruction.  The head of isa.toml explains its attributes."""

    code: int
    unit: Unit
    text: str
    operands: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    timing: Timing = "none"
    alone: bool = False
    value: str | None = None
    binary: str | None = None
    carry: str | None = None
    flow: tuple[str, ...] = ()

    @property
    def of_scalar(self) -> bool:
        """Whether the field aux is the number of a scalar."""
        return any({"scalar", "bit"} & {*edge} for edge in self.edges)

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """The flows of information, as pairs (source, sink)."""
        pairs = (edge.split(" -> ") for edge in self.flow)
        return tuple((source, sink) for source, sink in pairs)


class InstructionSet(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of isa.toml.  word: bits of a word.  registers: how many there are."""

    word: int
    registers: int
    fields: dict[str, InstructionField]
    op: dict[str, Instruction]


def read(text: str) -> InstructionSet:
    """Raises ValueError if it cannot be encoded."""
    instructions = msgspec.convert(inputs.toml(text), InstructionSet)
    taken = 0
    for name, field in instructions.fields.items():
        mask = ((1 << field.bits) - 1) << field.low
        if taken & mask or mask >> instructions.word:
            raise ValueError(f"field {name} overlaps another one or the end of the word")
        taken |= mask
    codes = [instruction.code for instruction in instructions.op.values()]
    if len(set(codes)) < len(codes) or max(codes) >> instructions.fields["op"].bits:
        raise ValueError("codes of instructions must differ and fit the field op")
    for name, instruction in instructions.op.items():
        strange = ({*instruction.operands, *instruction.reads} - instructions.fields.keys()) | (
            {*instruction.reads} - {*instruction.operands}
        )
        if strange:
            raise ValueError(f"{name} has no field {', '.join(sorted(strange))}")
    return instructions


@cache
def instruction_set() -> InstructionSet:
    """The instruction set of the engine, which isa.toml describes."""
    return read((resources.files(__package__) / "isa.toml").read_text(encoding="utf-8"))


class Word(msgspec.Struct, frozen=True):
    """An assembled instruction, by the fields of isa.toml."""

    op: str
    dst: int = 0
    a: int = 0
    b: int = 0
    aux: int = 0
    stage: int = 0
    wait: int = 0
    ending: int = 0

    @property
    def instruction(self) -> Instruction:
        return instruction_set().op[self.op]

    @property
    def read(self) -> tuple[int, ...]:
        """The numbers of the registers that are read, that of operand a first."""
        return tuple(getattr(self, name) for name in self.instruction.reads)

    @property
    def field(self) -> moduli.Field:
        """The field of the modulus that a MODULUS loads."""
        return "binary" if self.aux else "prime"

    @property
    def writes(self) -> bool:
        return self.instruction.timing != "none"


def encode(word: Word) -> int:
    """The number of a word in the ROM, with `InstructionSet.word` bits.  Raises SpecError
    for a value that its field cannot hold."""
    code = 0
    for name, field in instruction_set().fields.items():
        value = word.instruction.code if name == "op" else getattr(word, name)
        if not 0 <= value < 1 << field.bits:
            allowed = f"0 to {(1 << field.bits) - 1}"
            raise SpecError(name, value, allowed, f"{word.op}: {name} = {value}: must be {allowed}")
        code |= value << field.low
    return code


@cache
def _names() -> Mapping[int, str]:
    return {instruction.code: name for name, instruction in instruction_set().op.items()}


def decode(number: int) -> Word:
    """Raises SpecError for an unknown code."""
    values = {
        name: number >> field.low & (1 << field.bits) - 1
        for name, field in instruction_set().fields.items()
    }
    code = values.pop("op")
    if code not in _names():
        allowed = ", ".join(map(str, sorted(_names())))
        raise SpecError("op", code, allowed, f"op = {code}: no instruction has this code")
    return Word(op=_names()[code], **values)


def marked(words: Sequence[Word]) -> tuple[Word, ...]:
    """The words with `ending` set in the third word before each END, else cleared."""
    ends = {place - ENDING for place, word in enumerate(words) if word.op == "END"}
    return tuple(
        msgspec.structs.replace(word, ending=int(place in ends)) for place, word in enumerate(words)
    )


def in_words(timed: Sequence[tuple[int, Word]]) -> tuple[Word, ...]:
    """Words with their cycles as a ROM contains them, each with its wait.  NOPs follow where
    a wait is too long for its field, and after an END with no word in the next cycle."""
    most = (1 << instruction_set().fields["wait"].bits) - 1
    words: list[Word] = []
    for (time, word), (later, _) in zip(timed, [*timed[1:], (timed[-1][0] + 1, None)], strict=True):
        wait = later - time - 1
        if wait < 0:
            raise AssertionError(f"two words in cycle {time}")
        waits = 0 if word.op == "END" else min(wait, most)
        words.append(msgspec.structs.replace(word, wait=waits))
        wait -= waits
        while wait:
            waits = min(wait - 1, most)
            words.append(Word("NOP", wait=waits))
            wait -= waits + 1
    return marked(words)


def disassemble(words: Iterable[Word]) -> str:
    """The words as text, one on a line: instruction (with `'` in stage 1), operands,
    wait."""
    return "\n".join(_line(word) for word in words) + "\n"


def _line(word: Word) -> str:
    instruction = word.instruction
    registers = {*instruction.reads, *(("dst",) if word.writes else ())}
    told = (f"{'r' * (name in registers)}{getattr(word, name)}" for name in instruction.operands)
    name = word.op + "'" * word.stage
    return f"{name:8} {', '.join(told):16} +{word.wait}".rstrip()
