"""From the text of a program to the words of a ROM.

    image = assemble(parse("mine", text), Engine(Fpmm(width=256)))

The steps: copies for values that share a register (moves), the proof of bounds and the shifts of N
(bounds), what secrets reach (flow), schedules of the loops, everything in time (layout), registers,
words.  At the end every register that was used is overwritten."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from modmul.errors import SpecError
from modmul.processors.engine import bounds, flow, layout, moves, registers, schedule
from modmul.processors.engine.instructions import IMMEDIATE, Word, encode, instruction_set
from modmul.processors.engine.layout import Placed
from modmul.processors.engine.machine import Engine, Machine
from modmul.processors.engine.program import Host, Loop, Operation, Program
from modmul.processors.engine.schedule import Schedule

Schedules = Callable[[Loop, Machine], Schedule]


@dataclass(frozen=True)
class Image:
    """A program in words.

    program: with all copies and shifts.  wipe: the address at which an interrupted program is to be
    begun again, so that it overwrites its registers.  tail: cycles after the last section."""

    program: Program
    engine: Engine
    bounds: bounds.Bounds
    flow: flow.Flow
    placed: tuple[Placed, ...]
    register: Mapping[str, int]
    words: tuple[Word, ...]
    wipe: int
    tail: int

    @property
    def machine(self) -> Machine:
        return self.engine.machine

    @property
    def rom(self) -> list[int]:
        """The numbers in the ROM."""
        return [encode(word) for word in self.words]

    @property
    def used(self) -> list[int]:
        """The registers that it uses."""
        return sorted({*self.register.values()})

    def cycles(self, counters: Sequence[int] = ()) -> int:
        """From the first word to HALT, both counted, when nothing pauses.  counters: how often the
        loops that have one are done."""
        return layout.cycles(self.placed, counters) + self.tail


def assemble(program: Program, engine: Engine, found: Schedules | None = None) -> Image:
    """The words of a program.  found: gives the schedule of a loop (default: a search).

    SpecError where values may overflow, secrets reach the time, or something does not fit."""
    machine = engine.machine
    search = found or schedule.search
    proved = bounds.prove(moves.settled(_begun(program)), engine.limits)
    told = flow.follow(proved.program, engine.multiplier)
    placed, idle = layout.place(
        proved.program, machine, lambda loop: search(loop, machine)
    )
    register = registers.allocate(proved.program, placed, machine)
    return build(proved, told, engine, placed, register, idle)


def build(proved: bounds.Bounds, told: flow.Flow, engine: Engine, placed: tuple[Placed, ...],
          register: Mapping[str, int], idle: int) -> Image:  # fmt: skip
    """The image of what is placed; idle: cycles after the last section until nothing is at work."""
    machine = engine.machine
    timed = list(_timed(placed, register))
    end = sum(one.gap + one.length for one in placed)
    time = end + idle
    first = time
    for number in sorted({*register.values()}):
        timed.append((time, Word("WIPE", dst=number)))
        time += machine.beats
    time += machine.memory
    timed.append((time, Word("HALT")))
    words, wipe = _waiting(timed, first)
    return Image(proved.program, engine, proved, told, placed, register, words, wipe,
                 time + 1 - end)  # fmt: skip


def _begun(program: Program) -> Program:
    """With MODULUS 0 as the first word, unless the text says something else."""
    first = program.sections[0] if program.sections else None
    if first is None:
        raise SpecError("program", program.name, "one with operations", f"{program.name}: empty")
    if first.ops[0].op == "MODULUS":
        return program
    load = Operation("MODULUS", number=0)
    rest = program.sections
    if isinstance(first, Host):
        begun: tuple[Host, ...] = (Host((load, *first.ops)),)
        return msgspec.structs.replace(program, sections=(*begun, *rest[1:]))
    return msgspec.structs.replace(program, sections=(Host((load,)), *rest))


# ---- words ------------------------------------------------------------------------------------


def _timed(placed: Sequence[Placed], register: Mapping[str, int]) -> Iterator[tuple[int, Word]]:
    """All words at their cycles, each loop gone through once."""
    now = 0
    for one in placed:
        now += one.gap
        if not isinstance(one.section, Loop):
            found = [(now + start, _word(operation, unit, register)) for operation, start, unit
                     in zip(one.section.ops, one.start, one.unit, strict=True)]  # fmt: skip
        else:
            found = list(_loop(one, now, register))
        yield from sorted(found, key=lambda each: each[0])
        now += one.length


def _loop(placed: Placed, begin: int, register: Mapping[str, int]) -> Iterator[tuple[int, Word]]:
    """LOOP in the cycle before the first pass, END in the last of each."""
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
    for operation, start, unit in zip(loop.ops, placed.start, placed.unit, strict=True):
        stage, cycle = divmod(start, length)
        word = _word(operation, unit, register)
        yield begin + cycle, msgspec.structs.replace(word, stage=stage)
    yield begin + length - 1, Word("END")


def _word(one: Operation, unit: int, register: Mapping[str, int]) -> Word:
    """The word of an operation, without its wait."""
    fields: dict[str, int] = {}
    if one.dst is not None:
        fields["dst"] = register[one.dst]
    reads = [field for field in one.instruction.reads if field != "dst"]
    fields |= {field: register[name] for field, name in zip(reads, one.reads, strict=False)}
    if one.op in ("MUL", "SQR"):
        fields["aux"] = unit
    elif one.op == "SCAN":
        fields["b"] = one.number or 0
    elif one.op == "MODULUS":
        fields["a"] = one.number or 0
    elif "aux" in one.instruction.operands:
        fields["aux"] = one.number or 0
    if one.op == "DIGIT":
        fields["a"] = one.width
    return Word(one.op, **fields)


def _waiting(timed: list[tuple[int, Word]], wipe: int) -> tuple[tuple[Word, ...], int]:
    """Each word with its wait, NOP where one word cannot say it, and after END where nothing comes
    in the next cycle; and the address of the first word from cycle `wipe` on."""
    most = (1 << instruction_set().fields["wait"].bits) - 1
    words: list[Word] = []
    place = 0
    for (time, word), (later, _) in zip(timed, [*timed[1:], (timed[-1][0] + 1, None)], strict=True):
        if time == wipe:
            place = len(words)
        wait = later - time - 1
        if wait < 0:
            raise AssertionError(f"two words in cycle {time}")
        here = 0 if word.op == "END" else min(wait, most)
        words.append(msgspec.structs.replace(word, wait=here))
        wait -= here
        while wait:
            here = min(wait - 1, most)
            words.append(Word("NOP", wait=here))
            wait -= here + 1
    return tuple(words), place
