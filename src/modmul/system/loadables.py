"""What can be loaded into a processor, as tables in C: the beats of a modulus, key or curve, and
the numbers of each operation with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from modmul.arithmetic.words import to_words
from modmul.operation import OperandRule
from modmul.processors import Load, Processor
from modmul.processors.packets import Chance, OperandBits, PacketNumber, Packets
from modmul.spec import Spec
from modmul.system.channels import WORD
from modmul.system.operations import (
    Argument,
    Function,
    argument_name,
    called,
    kind,
    named_curves,
    words_of,
)
from modmul.system.registers import RegisterMap

_NOWHERE = WORD  # position of the length, for a command without one
_DRAWN, _KNOWN = 254, 255  # sources of a number that are no operands: random, constant
_NOT_ZERO, _BELOW, _REDUCED, _SIZED, _HIGHEST = 1, 2, 4, 8, 16  # flags of a number


class Loadable(NamedTuple):
    """The C text of a modulus, key or curve, and the name of its variable."""

    name: str
    text: str


def loads(spec: Spec, regs: RegisterMap, functions: list[Function]) -> list[Loadable]:
    """What the driver contains: the modulus or curve of the spec, or, if the spec has none,
    all named curves that the processor takes."""
    return [
        loadable(spec.processor, regs, load, functions, name)
        for name, load in delivered(spec, functions[0].prefix)
    ]


def delivered(spec: Spec, prefix: str) -> list[tuple[str, Load]]:
    """What the driver contains, with the names of the variables."""
    if spec.load is not None:
        return [(f"{prefix}_{called(spec.curve.name) if spec.curve else 'own'}", spec.load)]
    every = named_curves(spec.processor) if spec.processor.takes_curves else []
    return [(f"{prefix}_{called(curve.name)}", Load.of(curve)) for curve in every]


def loadable(
    processor: Processor,
    regs: RegisterMap,
    load: Load,
    functions: list[Function],
    name: str,
    storage: str = "",
) -> Loadable:
    """A modulus, key or curve as C text.  name, storage: of the variable; `static ` if no
    other file sees it."""
    prefix = functions[0].prefix
    tables = _Tables(processor, regs, load, prefix, name)
    places = [tables.operation(function) for function in functions]
    (channel,) = (channel for channel in regs.inputs if channel.name == "modulus")
    (lane,) = channel.lanes
    beats = processor.load(*load)["modulus"]
    words = to_words(lane.packed(beats), WORD, channel.words_of(len(beats)))
    packet = tables.array(words)
    modulus = tables.array(to_words(int(load.modulus), WORD, words_of(load.modulus.bit_length())))
    known = tables.array(tables.known or [0])
    operations = ", ".join(place or "0" for place in places)
    lines = [
        *tables.lines,
        f"static const {prefix}_operation *const {name}_operations[] = {{{operations}}};",
        f"{storage}const {prefix}_{kind(processor)} {name} = {{{packet}, {len(beats)}u, {modulus}, "
        f"{words_of(load.modulus.bit_length())}u, {known}, {name}_operations}};",
    ]
    return Loadable(name, "\n".join(lines) + "\n")


@dataclass
class _Tables:
    """The arrays of one loadable, each content once.  known: words of the constants that its
    packets contain."""

    processor: Processor
    regs: RegisterMap
    load: Load
    prefix: str
    name: str
    lines: list[str] = field(default_factory=list)
    known: list[int] = field(default_factory=list)
    _arrays: dict[tuple[str, str], str] = field(default_factory=dict)

    def array(self, words: list[int]) -> str:
        """The name of an array with these words, which is added if there is none."""
        rows = [
            ", ".join(f"UINT32_C(0x{word:08x})" for word in row)
            for row in (words[place : place + 4] for place in range(0, len(words), 4))
        ]
        return self._array("uint32_t", rows)

    def _array(self, of: str, rows: list[str]) -> str:
        text = ",\n    ".join(rows)
        key = (of, text)
        if key not in self._arrays:
            self._arrays[key] = f"{self.name}_{len(self._arrays)}"
            self.lines.append(f"static const {of} {self._arrays[key]}[] = {{\n    {text}\n}};")
        return self._arrays[key]

    def operation(self, function: Function) -> str:
        """The name of an operation's table, or "" if this load does not have the
        operation."""
        load, processor = self.load, self.processor
        if function.operation not in processor.operations_on(load):
            return ""
        mode = processor.mode(function.operation, load)
        table = processor.packets(mode, load)
        rules = {
            argument_name(rule.name): rule for rule in processor.operand_rules(mode, load.modulus)
        }
        numbers = [self._number(number, function, rules) for number in table.numbers]
        results = [result.name for result in function.results]
        pieces = [
            f"{{{results.index(called(piece.result) + '_out')}u, "
            f"{piece.bits}u, {piece.start}u, "
            f"{piece.low}u}}"
            for piece in table.pieces
        ]
        limits = [
            text
            for operand in function.operands
            for text in self._limits(operand, rules.get(operand.name))
        ]
        outcomes = [self._status(outcome) for outcome in table.outcomes]
        command, place = self._command(table)
        parts = (
            f"UINT32_C(0x{command:08x})",
            f"{place}u",
            f"{table.beats}u",
            self._array(f"{self.prefix}_number", numbers),
            f"{len(numbers)}u",
            self._array(f"{self.prefix}_piece", pieces) if pieces else "0",
            f"{len(pieces)}u",
            self._array("uint32_t *const", [", ".join(limits)]),
            self._array("uint8_t", [", ".join(outcomes)]) if outcomes else "0",
        )
        return self._array(f"{self.prefix}_operation", [f"{{{', '.join(parts)}}}"])

    def _number(
        self, number: PacketNumber, function: Function, rules: Mapping[str, OperandRule]
    ) -> str:
        streams = [each.name for each in self.regs.inputs]
        flags = _SIZED * number.sized | _HIGHEST * bool(number.highest)
        times, low, source = number.highest, 0, number.source
        if isinstance(source, OperandBits):
            name = argument_name(source.operand)
            place = [operand.name for operand in function.operands].index(name)
            words = function.operands[place].words * WORD or number.size or WORD * WORD
            low = source.low
            sized = number.size - number.shift if number.size else words
            bits = min(source.bits or words - low, sized)
            if source.reduced:
                flags |= _REDUCED
                below = rules[name].below
                assert below is not None
                times = (below - 1) // self.load.modulus
        elif isinstance(source, Chance):
            place, bits = _DRAWN, (source.below - 1).bit_length()
            flags |= _NOT_ZERO * bool(source.least)
            if source.below != 1 << bits:
                flags |= _BELOW
                low = WORD * len(self.known)
                self.known += to_words(source.below, WORD, words_of(bits))
        else:
            place, low = _KNOWN, WORD * len(self.known)
            bits = number.size - number.shift
            self.known += to_words(source, WORD, words_of(bits))
        return (
            f"{{{streams.index(number.stream)}u, {place}u, {flags}u, {times}u, "
            f"{number.shift}u, {number.size}u, {bits}u, {low}u}}"
        )

    def _limits(self, argument: Argument, rule: OperandRule | None) -> tuple[str, str]:
        """The names of two arrays: the least and the largest value of an operand."""
        if rule is None or rule.below is None or argument.sized:
            return "0", "0"
        return (
            self.array(to_words(rule.least, WORD, argument.words)),
            self.array(to_words(rule.below - 1, WORD, argument.words)),
        )

    def _status(self, name: str) -> str:
        return f"{self.prefix.upper()}_{name.upper() or 'OK'}"

    def _command(self, table: Packets) -> tuple[int, int]:
        """The beat of a command, and the position of the length in it."""
        (channel,) = (channel for channel in self.regs.inputs if channel.name == "command")
        (lane,) = channel.lanes
        beat = dict(table.command) | ({table.counted: 0} if table.counted else {})
        assert lane.bits <= WORD
        place = 0
        for name, bits in lane.fields:
            if name == table.counted:
                return lane.packed([beat]), place
            place += bits
        return lane.packed([beat]), _NOWHERE
