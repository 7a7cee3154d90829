"""Runs a program on the golden machine for given numbers, with what the host does before and
after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from modmul.arithmetic import binary
from modmul.arithmetic.moduli import Field
from modmul.arithmetic.words import to_words
from modmul.errors import SpecError
from modmul.multipliers.setting import Setting
from modmul.processors.engine.assembler import Image
from modmul.processors.engine.engine import Engine
from modmul.processors.engine.golden import EngineOutcome, Golden, Streams
from modmul.processors.engine.instructions import OPERAND, RANDOM, SCALAR, STORE
from modmul.processors.engine.program import Loop, Source
from modmul.processors.engine.values import Numbers


class Result(NamedTuple):
    """The result of a run.  results: the numbers put out, in order.  outcome: the rest."""

    results: tuple[int, ...]
    outcome: EngineOutcome

    @property
    def status(self) -> int:
        return int(self.outcome.status)


def run(
    image: Image,
    moduli: int | Sequence[int],
    values: Mapping[str, int],
    lengths: Mapping[str, int] | None = None,
    pauses: Sequence[int] = (),
) -> Result:
    """Run a program on the golden machine.

    moduli: N, or those that MODULUS chooses from.  values: by name, the residues of constants
    (except those that follow from N and R), plain numbers of aligned ones, inputs, random numbers,
    scalars and counters.
    lengths: bits of scalars (default: as many as the program reads, or as the constant has by which
    the scalar is recoded).  Raises SpecError for a value that is missing or not below its bound."""
    several = (moduli,) if isinstance(moduli, int) else moduli
    engine, program = image.engine, image.program
    settings = settings_of(engine, several, program.fields)
    counters = [_value(name, values) for name in program.of("counter")]
    numbers = Numbers(engine.machine, settings, engine.limits.register)
    outcome = Golden(engine.machine, numbers).run(
        image.words, streams(image, settings, values, lengths), counters, pauses=pauses
    )
    return Result(tuple(outcome.results), outcome)


def settings_of(
    engine: Engine, moduli: Sequence[int], fields: Mapping[int, Field]
) -> list[Setting]:
    """The multiplier with each of several moduli.  fields: of moduli, by number."""
    return [
        engine.over(modulus, fields.get(place, "prime")) for place, modulus in enumerate(moduli)
    ]


def streams(
    image: Image,
    settings: Sequence[Setting],
    values: Mapping[str, int],
    lengths: Mapping[str, int] | None = None,
) -> Streams:
    """All numbers that a program gets, as for `run`.  settings: the multiplier by
    modulus."""
    program, names = image.program, taken(image)
    modulus = moduli_of(image, settings)
    plain = [
        [_input(image, program.source(name), modulus[name], values) for name in names[place]]
        for place in (OPERAND, RANDOM)
    ]
    scalars = [
        _scalar(image, program.source(name), values, lengths or {}) for name in names[SCALAR]
    ]
    return Streams(plain[0], scalars, plain[1], store(image, settings, values))


def taken(image: Image) -> dict[int, list[str]]:
    """The names of the numbers that a program takes from each stream, in order."""
    names: dict[int, list[str]] = {OPERAND: [], SCALAR: [], RANDOM: []}
    for operation in image.program.operations():
        if operation.op == "IN" and operation.number != STORE:
            names[operation.number or 0].append(str(operation.dst))
    return names


def store(image: Image, settings: Sequence[Setting], values: Mapping[str, int]) -> list[int]:
    """The constants in the order of the store, each for the modulus that is loaded when it
    is read; 0 where the program has none."""
    modulus = moduli_of(image, settings)
    rows = [0] * (1 + max(image.rows.values(), default=-1))
    for name, row in image.rows.items():
        rows[row] = _constant(image.engine, image.program.source(name), modulus[name], values)
    return rows


def beats(image: Image, inputs: Streams) -> tuple[list[int], list[int], list[int]]:
    """What the host sends on the streams operand, scalar and random, beat by beat."""
    bits, count = image.engine.word, image.machine.beats
    operand, scalar, random = (
        [*chain(*(to_words(number, bits, count) for number in several))]
        for several in (inputs.operand, inputs.scalar, inputs.random)
    )
    return operand, scalar, random


def fermat(setting: Setting, width: int, wide: int) -> int:
    """The constant for `1 / x`: the lowest `width` bits of N - 2, or of 2^m - 2 in GF(2^m),
    lowest first from the top of a register of `wide` bits on.  They are chosen so that BIT, which
    takes the exclusive or with the bit before, gives the bits of the exponent."""
    bits = taken = 0
    exponent = residues(setting) - 2
    for place in range(width):
        taken ^= exponent >> place & 1
        bits = bits << 1 | taken
    return bits << wide - width


def residues(setting: Setting) -> int:
    """The number of residues: N, or 2^m in GF(2^m)."""
    bits = setting.modulus.bit_length()
    return 1 << bits - 1 if setting.field == "binary" else setting.modulus


# ---- one number -------------------------------------------------------------------------------


def moduli_of(image: Image, settings: Sequence[Setting]) -> dict[str, Setting]:
    """Return, by name, the modulus that is loaded when a number is taken.  Raises SpecError for a
    modulus that must be near the one before and is not."""
    loaded, setting = {}, settings[0]
    for operation in image.program.operations():
        if operation.op == "MODULUS":
            setting, before = settings[operation.number or 0], setting.modulus
            if operation.near and 2 * setting.modulus < before:
                allowed = f"at least half of {before:#x}"
                raise SpecError(
                    "modulus",
                    setting.modulus,
                    allowed,
                    f"modulus = {setting.modulus:#x}: must be {allowed}",
                )
        if operation.op == "IN":
            loaded[str(operation.dst)] = setting
    return loaded


def _constant(engine: Engine, source: Source, setting: Setting, values: Mapping[str, int]) -> int:
    """A constant as it stands in the store."""
    factor = setting.montgomery_factor or 1
    name = source.name.partition(".")[0]  # `r2.1` is another r2
    if name == "most":
        return (1 << engine.wide) - 1
    if source.form == "whole":
        return _below(name, values, engine.limits.register)
    if source.form == "aligned":
        return _aligned(engine, name, _value(name, values))
    if name == "fermat":
        return fermat(setting, engine.multiplier.width, engine.wide)
    known = {"one": factor, "r2": factor**2, "r3": factor**3, "unit": 1}  # powers of x, too
    value = known.get(name)
    if value is None:
        value = _value(name, values) * factor
    if setting.field == "binary":
        return binary.remainder(value, setting.modulus)
    return value % setting.modulus


def _input(image: Image, source: Source, setting: Setting, values: Mapping[str, int]) -> int:
    modulus = residues(setting)
    limits = image.engine.limits
    below = {"N": modulus, "2N": 2 * modulus, "W": limits.plain, "R": limits.register}[source.below]
    return _below(source.name, values, below)


def _scalar(
    image: Image, source: Source, values: Mapping[str, int], lengths: Mapping[str, int]
) -> int:
    """A scalar, shifted left so that its first bit is the highest of a register."""
    length = scalar_bits(image, source, values, lengths)
    if length > image.engine.wide:
        raise SpecError(
            source.name,
            length,
            f"of at most {image.engine.wide} bits",
            f"{source.name}: {length} bits: must be {image.engine.wide} at most",
        )
    return _below(source.name, values, 1 << length) << image.engine.wide - length


def scalar_bits(
    image: Image, source: Source, values: Mapping[str, int], lengths: Mapping[str, int]
) -> int:
    """How many bits of a scalar a program reads."""
    if source.by:
        return _value(source.by, values).bit_length()
    place = image.program.of("scalar").index(source.name)
    return lengths.get(source.name, _bits(image, place, values))


def _aligned(engine: Engine, name: str, value: int) -> int:
    """A number shifted left until it fills a register."""
    if not 0 < value < engine.limits.register:
        raise SpecError(
            name,
            value,
            "above 0 and below 2^bits of a register",
            f"{name} = {value:#x}: must be above 0, of at most {engine.wide} bits",
        )
    return value << engine.wide - value.bit_length()


def _below(name: str, values: Mapping[str, int], below: int) -> int:
    value = _value(name, values)
    if not 0 <= value < below:
        raise SpecError(
            name, value, f"below {below:#x}", f"{name} = {value:#x}: must be below {below:#x}"
        )
    return value


def _value(name: str, values: Mapping[str, int]) -> int:
    if name not in values:
        raise SpecError(name, None, "a number", f"{name}: has no value")
    return values[name]


def _bits(image: Image, scalar: int, values: Mapping[str, int]) -> int:
    """How many bits of a scalar a program reads, up to the last loop that reads some.  A
    `bit` after that loop reads one of the zeros behind the scalar."""
    counters = [values.get(name, 0) for name in image.program.of("counter")]
    total = last = 0
    for block in image.placed:
        ops = (op for op in block.section.ops if op.number == scalar)
        taken = [op for op in ops if op.op in ("BIT", "DIGIT")]
        total += block.count(counters) * sum(op.width if op.op == "DIGIT" else 1 for op in taken)
        if taken and (isinstance(block.section, Loop) or taken[0].op == "DIGIT"):
            last = total
    return last
