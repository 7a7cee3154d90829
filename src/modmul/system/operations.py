"""What the driver of a processor says of its operations: functions with named operands and results,
and what can be loaded, as tables in C.

Both are made of the tables that the processor has of its packets (`processors.packets`), so that no
operation has code of its own."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from modmul.arithmetic import curves
from modmul.arithmetic.words import ceil_div, to_words
from modmul.design import Mode, OperandRule
from modmul.errors import SpecError
from modmul.export.processor.plan import samples
from modmul.processors import Load, Processor
from modmul.processors.packets import Chance, Number, Packets, Part
from modmul.spec import Spec
from modmul.system.channels import WORD
from modmul.system.registers import RegisterMap

# Names of operands that C++ has other uses for.
_RENAMED = {"private": "private_key"}
_NOWHERE = WORD  # place of a length in a command that has none
_DRAWN, _KNOWN = 254, 255  # sources
_NOT_ZERO, _BELOW, _REDUCED, _SIZED, _HIGHEST = 1, 2, 4, 8, 16  # rules


class Argument(NamedTuple):
    """A number that a function takes or gives, of so many words."""

    name: str
    words: int
    meaning: str = ""
    sized: bool = False


class Function(NamedTuple):
    """One operation in C.  sized: the operand whose length in bits is chosen, of at most
    `longest`.  told: what may be returned besides OK."""

    name: str
    title: str
    operation: str
    operands: tuple[Argument, ...]
    results: tuple[Argument, ...]
    sized: str
    longest: int
    told: tuple[str, ...]
    prefix: str

    @property
    def parameters(self) -> str:
        """As C has them."""
        each = [f"{self.prefix}_device *device"]
        each += [f"const uint32_t *{operand.name}" for operand in self.operands]
        each += ["uint32_t bits"] * bool(self.sized)
        each += [f"uint32_t *{result.name}" for result in self.results]
        return ", ".join(each)

    @property
    def call(self) -> str:
        """For the example in the header."""
        names = [operand.name for operand in self.operands] + ["bits"] * bool(self.sized)
        names += [result.name for result in self.results]
        return f"{self.prefix}_{self.name}(&device, {', '.join(names)})"


class Loadable(NamedTuple):
    """The text of one thing that can be loaded, and its name."""

    name: str
    text: str


def kind(processor: Processor) -> str:
    """What is loaded: a curve, a key or a modulus."""
    return "curve" if processor.takes_curves else "key" if processor.takes_keys else "modulus"


class Known(NamedTuple):
    """An operation with something loaded."""

    mode: Mode
    load: Load
    packets: Packets


def known(spec: Spec) -> list[Known]:
    """Every operation with one of each kind that can be loaded: the same whatever the spec loads,
    so that a driver takes what was made without it."""
    processor, found = spec.processor, list[Known]()
    for load in dict.fromkeys(_every_load(processor)):
        for operation in processor.operations_on(load):
            mode = processor.mode_for(operation, load.modulus, load.field, None, load.curve)
            found.append(Known(mode, load, processor.packets(mode, load)))
    return found


def room(spec: Spec, every: list[Known]) -> int:
    """Words of the longest number that is copied."""
    sizes = [number.size for one in every for number in one.packets.numbers]
    return _words(max(*sizes, spec.design.width))


def functions(spec: Spec, every: list[Known], prefix: str) -> list[Function]:
    """All operations, in the order that the processor has them.  prefix: of all names."""
    of = {name: [one for one in every if one.mode.operation == name]
          for name in spec.processor.operands}  # fmt: skip
    return [_function(spec.processor, name, those, prefix) for name, those in of.items() if those]


def loads(spec: Spec, told: RegisterMap, made: list[Function]) -> list[Loadable]:
    """What the driver has of its own: the modulus or curve of the spec, or, where it has none, all
    named curves that the processor takes."""
    prefix = made[0].prefix
    if spec.load is not None:
        name = f"{prefix}_{called(spec.curve.name) if spec.curve else 'own'}"
        return [loadable(spec.processor, told, spec.load, made, name)]
    every = _named_curves(spec.processor) if spec.processor.takes_curves else []
    return [loadable(spec.processor, told, Load.of(one), made, f"{prefix}_{called(one.name)}")
            for one in every]  # fmt: skip


def loadable(
    processor: Processor, register_map: RegisterMap, load: Load, made: list[Function], name: str
) -> Loadable:
    """The text in C of what is loaded, as `name`."""
    prefix = made[0].prefix
    tables = _Tables(processor, register_map, load, prefix, name)
    places = [tables.operation(one) for one in made]
    (channel,) = (one for one in register_map.inputs if one.name == "modulus")
    (lane,) = channel.lanes
    beats = processor.load(*load)["modulus"]
    words = to_words(lane.packed(beats), WORD, channel.words_of(len(beats)))
    packet = tables.array(words)
    modulus = tables.array(to_words(int(load.modulus), WORD, _words(load.modulus.bit_length())))
    known = tables.array(tables.known or [0])
    operations = ", ".join(place or "0" for place in places)
    lines = [
        *tables.lines,
        f"static const {prefix}_operation *const {name}_operations[] = {{{operations}}};",
        f"const {prefix}_{kind(processor)} {name} = {{{packet}, {len(beats)}u, {modulus}, "
        f"{_words(load.modulus.bit_length())}u, {known}, {name}_operations}};",
    ]
    return Loadable(name, "\n".join(lines) + "\n")


# ---- functions ----------------------------------------------------------------------------------


def _every_load(processor: Processor) -> Iterator[Load]:
    """All named curves, or moduli and keys at their edges."""
    if processor.takes_curves:
        yield from (Load.of(curve) for curve in _named_curves(processor))
    yield from (load for load, _ in samples(Spec(processor)))


def _named_curves(processor: Processor) -> list[curves.Curve]:
    """Those that the processor takes, without those that are only for tests, unless it takes no
    others."""
    every = []
    for one in curves.within(processor.width):
        try:
            processor.check_modulus(one.prime, one.field, one)
        except SpecError:
            continue
        every.append(one)
    return [one for one in every if not one.name.startswith("toy")] or every


def _function(
    processor: Processor, operation: str, those: list[Known], prefix: str
) -> Function:
    tables = [one.packets for one in those]
    rules = [{rule.name: rule for rule in processor.operand_rules(one.mode, one.load.modulus)}
             for one in those]  # fmt: skip
    names = dict.fromkeys(itertools.chain(*rules, *(one.operands for one in tables)))
    operands = tuple(_operand(processor, name, rules, operation) for name in names)
    sized = [operand for operand in operands if operand.sized]
    results = []
    for name in dict.fromkeys(piece.result for table in tables for piece in table.pieces):
        top = max(piece.low for table in tables for piece in table.pieces if piece.result == name)
        results.append(Argument(f"{called(name)}_out", _words(top + processor.width)))
    outcomes = dict.fromkeys(outcome for table in tables for outcome in table.outcomes if outcome)
    longest = max((rule.longest or 0 for each in rules for rule in each.values()), default=0)
    return Function(
        called(operation), operation, operation, operands, tuple(results),
        sized[0].name if sized else "", longest, tuple(outcomes), prefix,
    )  # fmt: skip


# An operand has at least as many words as a modulus: those of other curves may be longer.
def _operand(processor: Processor, name: str, rules: list[dict[str, OperandRule]],
             operation: str) -> Argument:  # fmt: skip
    known = [rule[name] for rule in rules if name in rule]
    called = argument_name(name)
    if not known:
        return Argument(called, _words(processor.width), processor.extra[name.partition("_")[0]])
    if known[0].sized:
        return Argument(called, 0, known[0].meaning, True)
    bits = max(((one.below or 1) - 1).bit_length() for one in known)
    if processor.takes_keys and operation == "private":
        bits = max(bits, processor.key_primes[0] * processor.key_primes[1])
    return Argument(called, _words(max(bits, processor.width)), known[0].meaning)


def argument_name(name: str) -> str:
    """What C calls an operand."""
    return _RENAMED.get(name, called(name))


def called(name: str) -> str:
    """A name as C has it."""
    return name.replace("-", "_").lower()


def _words(bits: int) -> int:
    return max(1, ceil_div(bits, WORD))


# ---- tables -------------------------------------------------------------------------------------


@dataclass
class _Tables:
    """The arrays of one loadable, each content once.  known: words of numbers that belong to it."""

    processor: Processor
    told: RegisterMap
    load: Load
    prefix: str
    name: str
    lines: list[str] = field(default_factory=list)
    known: list[int] = field(default_factory=list)
    _arrays: dict[tuple[str, str], str] = field(default_factory=dict)

    def array(self, words: list[int]) -> str:
        """The name of an array of words."""
        rows = [", ".join(f"UINT32_C(0x{word:08x})" for word in row)
                for row in (words[place : place + 6] for place in range(0, len(words), 6))]
        return self._array("uint32_t", rows)

    def _array(self, of: str, rows: list[str]) -> str:
        text = ",\n    ".join(rows)
        key = (of, text)
        if key not in self._arrays:
            self._arrays[key] = f"{self.name}_{len(self._arrays)}"
            self.lines.append(f"static const {of} {self._arrays[key]}[] = {{\n    {text}\n}};")
        return self._arrays[key]

    def operation(self, function: Function) -> str:
        """The name of the table of an operation; "" where there is none with that loaded."""
        load, processor = self.load, self.processor
        if function.operation not in processor.operations_on(load):
            return ""
        mode = processor.mode_for(function.operation, load.modulus, load.field, None, load.curve)
        table = processor.packets(mode, load)
        rules = {argument_name(rule.name): rule
                 for rule in processor.operand_rules(mode, load.modulus)}  # fmt: skip
        numbers = [self._number(number, function, rules) for number in table.numbers]
        results = [result.name for result in function.results]
        pieces = [f"{{{results.index(called(one.result) + '_out')}u, {one.bits}u, {one.start}u, "
                  f"{one.low}u}}" for one in table.pieces]  # fmt: skip
        limits = [text for operand in function.operands
                  for text in self._limits(operand, rules.get(operand.name))]  # fmt: skip
        outcomes = [self._status(outcome) for outcome in table.outcomes]
        command, place = self._command(table)
        parts = (
            f"UINT32_C(0x{command:08x})", f"{place}u", f"{table.beats}u",
            self._array(f"{self.prefix}_number", numbers), f"{len(numbers)}u",
            self._array(f"{self.prefix}_piece", pieces) if pieces else "0", f"{len(pieces)}u",
            self._array("uint32_t *const", [", ".join(limits)]),
            self._array("uint8_t", [", ".join(outcomes)]) if outcomes else "0",
        )  # fmt: skip
        return self._array(f"{self.prefix}_operation", [f"{{{', '.join(parts)}}}"])

    def _number(self, one: Number, function: Function, rules: Mapping[str, OperandRule]) -> str:
        streams = [each.name for each in self.told.inputs]
        flags = _SIZED * one.sized | _HIGHEST * bool(one.highest)
        times, low, source = one.highest, 0, one.source
        if isinstance(source, Part):
            name = argument_name(source.operand)
            place = [operand.name for operand in function.operands].index(name)
            words = function.operands[place].words * WORD or one.size or WORD * WORD
            low = source.low
            bits = min(source.bits or words - low, one.size - one.shift if one.size else words)
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
                self.known += to_words(source.below, WORD, _words(bits))
        else:
            place, low = _KNOWN, WORD * len(self.known)
            bits = one.size - one.shift
            self.known += to_words(source, WORD, _words(bits))
        return (f"{{{streams.index(one.stream)}u, {place}u, {flags}u, {times}u, {one.shift}u, "
                f"{one.size}u, {bits}u, {low}u}}")  # fmt: skip

    def _limits(self, argument: Argument, rule: OperandRule | None) -> tuple[str, str]:
        """The names of arrays of the least and the most that an operand may be."""
        if rule is None or rule.below is None or argument.sized:
            return "0", "0"
        return (self.array(to_words(rule.least, WORD, argument.words)),
                self.array(to_words(rule.below - 1, WORD, argument.words)))  # fmt: skip

    def _status(self, name: str) -> str:
        return f"{self.prefix.upper()}_{name.upper() or 'OK'}"

    def _command(self, table: Packets) -> tuple[int, int]:
        """The beat of a command, and the place of a length in it."""
        (channel,) = (one for one in self.told.inputs if one.name == "command")
        (lane,) = channel.lanes
        beat = dict(table.command) | ({table.counted: 0} if table.counted else {})
        assert lane.bits <= WORD
        place = 0
        for name, bits in lane.fields:
            if name == table.counted:
                return lane.packed([beat]), place
            place += bits
        return lane.packed([beat]), _NOWHERE
