"""Translates the text of a program into the words of a ROM.

    image = assemble(parse("mine", text), Engine(Fpmm(width=256)))

The steps: copies for values that share a register (moves), the proof of bounds and the shifts of N
(bounds), what secrets reach (flow), schedules of the loops, everything in time (layout), registers,
words.  At the end every register that was used is overwritten, and what multipliers keep."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from modmul.errors import SpecError
from modmul.processors.engine import bounds, flow, layout, moves, registers, search, wiping
from modmul.processors.engine.engine import Engine
from modmul.processors.engine.instructions import (
    AHEAD,
    IMMEDIATE,
    STORE,
    Word,
    encode,
    in_words,
    instruction_set,
)
from modmul.processors.engine.layout import Placed
from modmul.processors.engine.machine import Machine, machines
from modmul.processors.engine.program import (
    KEEP,
    PLAIN,
    WIDTH,
    HostSection,
    Loop,
    Operation,
    Program,
    changed,
)
from modmul.processors.engine.schedule import LoopSchedule

Schedules = Callable[[Loop, Machine], LoopSchedule]


@dataclass(frozen=True)
class Image:
    """An assembled program.  program: with all copies and shifts.  register: of each value by its
    name.  rows: place of each constant in the store, by its name.  tail: cycles after the last
    section."""

    program: Program
    engine: Engine
    bounds: bounds.Bounds
    flow: flow.Flow
    placed: tuple[Placed, ...]
    register: Mapping[str, int]
    rows: Mapping[str, int]
    words: tuple[Word, ...]
    tail: int

    @property
    def machine(self) -> Machine:
        return self.engine.machine

    @property
    def machines(self) -> tuple[Machine, ...]:
        """The machine in each section, whose times depend on the field of the modulus."""
        *each, _ = machines([block.section for block in self.placed], self.machine)
        return tuple(each)

    @property
    def loops(self) -> list[tuple[Loop, Machine]]:
        """All loops, each with the machine that it is scheduled for."""
        pairs = zip(self.placed, self.machines, strict=True)
        return [
            (block.section, machine) for block, machine in pairs if isinstance(block.section, Loop)
        ]

    @property
    def rom(self) -> list[int]:
        return [encode(word) for word in self.words]

    @property
    def used(self) -> list[int]:
        return sorted({*self.register.values()})

    @property
    def scalars(self) -> list[int]:
        """The places in the scalar store that the program uses."""
        return sorted({word.aux for word in self.words if word.op == "SCALAR"})

    def cycles(self, counters: Sequence[int] = ()) -> int:
        """The cycles from the first word to HALT, both included, without pauses.  counters:
        number of passes for each counter of the program."""
        return layout.cycles(self.placed, counters) + self.tail


def assemble(
    program: Program,
    engine: Engine,
    schedules: Schedules | None = None,
    rows: Mapping[str, int] | None = None,
) -> Image:
    """Assemble a program.

    schedules: returns the schedule of a loop; by default it is searched.  rows: places of constants
    in the store by name, so that several programs can share one; by default in order of
    declaration.  Raises SpecError if values may overflow, secrets reach the time, or something does
    not fit."""
    machine = engine.machine
    sized = _sized(_begun(program), engine)
    numbers = _rows(sized, rows)
    proved = bounds.prove(moves.settled(sized), engine.limits, engine.binary_limits)
    told = flow.follow(proved.program, engine.multiplier)
    placed, idle = layout.place(proved.program, machine, schedules or search.search)
    register = registers.allocate(proved.program, placed, machine, engine.protected)
    return build(proved, told, engine, placed, register, numbers, idle)


def build(
    proved: bounds.Bounds,
    told: flow.Flow,
    engine: Engine,
    placed: tuple[Placed, ...],
    register: Mapping[str, int],
    rows: Mapping[str, int],
    idle: int,
) -> Image:
    """The image of sections that have been placed in time.  idle: cycles after the last
    section until all units are idle."""
    timed = _renumbered(_timed(placed, register, rows), registers.scalars(proved.program))
    end = sum(block.gap + block.length for block in placed)
    first = -(-(end + idle) // engine.machine.turn) * engine.machine.turn
    scalars = sorted({word.aux for _, word in timed if word.op == "SCALAR"})
    *_, machine = machines(proved.program.sections, engine.machine)
    timed += wiping.epilogue(first, sorted({*register.values()}), scalars, machine)
    return Image(
        proved.program,
        engine,
        proved,
        told,
        placed,
        register,
        rows,
        in_words(timed),
        timed[-1][0] + 1 - end,
    )


def _renumbered(
    timed: Iterable[tuple[int, Word]], places: Mapping[int, int]
) -> list[tuple[int, Word]]:
    """Replace the numbers that scalars have in the text by their places in the scalar store."""
    return [
        (time, msgspec.structs.replace(word, aux=places.get(word.aux, word.aux)))
        if word.instruction.of_scalar and not (word.op == "SEL" and word.a == word.b)
        else (time, word)
        for time, word in timed
    ]


def _sized(program: Program, engine: Engine) -> Program:
    """Fill in loop counts and widths of digits that depend on the engine."""

    def sized(operation: Operation) -> Operation:
        if operation.width >= 0:
            return operation
        left = engine.wide % -operation.width or -operation.width
        return msgspec.structs.replace(operation, width=left)

    sections = []
    for section in program.sections:
        section = changed(section, tuple(map(sized, section.ops)))
        if isinstance(section, Loop) and section.count == WIDTH:
            section = msgspec.structs.replace(section, count=engine.multiplier.width)
        sections.append(section)
    return msgspec.structs.replace(program, sections=tuple(sections))


def _rows(program: Program, numbers: Mapping[str, int] | None) -> dict[str, int]:
    """The place of each constant in the store.  Raises SpecError if one is missing."""
    names = program.of("constant")
    if numbers is None:
        return {name: place for place, name in enumerate(names)}
    missing = [name for name in names if name not in numbers]
    if missing:
        raise SpecError(
            "rows",
            missing[0],
            "the number of each constant in the store",
            f"{program.name}: constant {missing[0]} has no number in the store",
        )
    return {name: numbers[name] for name in names}


def _begun(program: Program) -> Program:
    """Put MODULUS 0 before the program, unless it begins with a MODULUS."""
    first = program.sections[0] if program.sections else None
    if first is None:
        raise SpecError("program", program.name, "one with operations", f"{program.name}: empty")
    if first.ops[0].op == "MODULUS":
        return program
    load = Operation("MODULUS", number=0)
    rest = program.sections
    if isinstance(first, HostSection):
        begun: tuple[HostSection, ...] = (HostSection((load, *first.ops)),)
        return msgspec.structs.replace(program, sections=(*begun, *rest[1:]))
    return msgspec.structs.replace(program, sections=(HostSection((load,)), *rest))


# ---- words ------------------------------------------------------------------------------------


def _timed(
    placed: Sequence[Placed], register: Mapping[str, int], rows: Mapping[str, int]
) -> Iterator[tuple[int, Word]]:
    """All words with their cycles, each loop once."""
    now = 0
    for block in placed:
        now += block.gap
        if not isinstance(block.section, Loop):
            starts = zip(block.section.ops, block.start, block.unit, strict=True)
            words = [
                (now + start, _word(operation, unit, register, rows))
                for operation, start, unit in starts
            ]
        else:
            words = list(_loop(block, now, register))
        yield from sorted(words, key=lambda each: each[0])
        now += block.length


def _loop(placed: Placed, begin: int, register: Mapping[str, int]) -> Iterator[tuple[int, Word]]:
    """The words of a loop: LOOP in the cycle before the first pass, END in the last of
    each."""
    loop, length = placed.section, placed.length
    assert isinstance(loop, Loop)
    two = placed.stages - 1
    if loop.count is None:
        yield begin - 1, Word("LOOP", aux=loop.counter or 0, stage=two)
    else:
        high, low = divmod(loop.count, instruction_set().registers)
        yield begin - 1, Word("LOOP", aux=IMMEDIATE, a=high, b=low, stage=two)
    if placed.start[0] or loop.ops[0].op not in ("BIT", "DIGIT"):
        yield begin, Word("NOP")
    taken = {0, length - 1}
    for operation, start, unit in zip(loop.ops, placed.start, placed.unit, strict=True):
        stage, cycle = divmod(start, length)
        word = _word(operation, unit, register, {})
        taken.add(cycle)
        yield begin + cycle, msgspec.structs.replace(word, stage=stage)
    free = (cycle for cycle in range(length) if cycle not in taken)
    for _, cycle in zip(range(AHEAD + 1 - len(taken)), free, strict=False):
        yield begin + cycle, Word("NOP")
    yield begin + length - 1, Word("END")


def _word(
    operation: Operation, unit: int, register: Mapping[str, int], rows: Mapping[str, int]
) -> Word:
    """The word of an operation, without its wait."""
    fields: dict[str, int] = {}
    if operation.dst is not None:
        fields["dst"] = register[operation.dst]
    reads = [field for field in operation.instruction.reads if field != "dst"]
    fields |= {field: register[name] for field, name in zip(reads, operation.reads, strict=False)}
    if operation.op in ("MUL", "SQR"):
        fields["aux"] = unit
    elif operation.op == "SCAN":
        fields["b"] = operation.number or 0
    elif operation.op == "MODULUS":
        fields |= {"a": operation.number or 0, "aux": int(operation.field == "binary")}
    elif "aux" in operation.instruction.operands:
        fields["aux"] = operation.number or 0
    if operation.op == "DIGIT":
        fields["a"] = operation.width
    elif operation.op == "OUT":
        fields["b"] = operation.width
    elif operation.op == "BIT":
        fields |= {"a": operation.width & PLAIN, "b": operation.width // KEEP}
    elif operation.op == "IN" and operation.number == STORE:
        fields["a"] = rows[str(operation.dst)]
    return Word(operation.op, **fields)
