"""Stored schedules, bounds, searches, and faults injected into schedules and words."""

from __future__ import annotations

import dataclasses
import importlib
import random
import re
from collections import Counter
from pathlib import Path

import msgspec
import pytest

import engine_reference
from known_answers import image
from modmul import multipliers
from modmul.errors import CheckFailed
from modmul.processors.engine import (
    figures,
    layout,
    library,
    registers,
    search,
    stored,
)
from modmul.processors.engine.assembler import Image, assemble, build
from modmul.processors.engine.engine import Engine
from modmul.processors.engine.instructions import Word
from modmul.processors.engine.machine import Machine
from modmul.processors.engine.program import Loop
from modmul.processors.engine.schedule import LoopSchedule, Problem, valid
from modmul.processors.engine.tables import ReservationTable
from modmul.processors.engine.text import parse

ROOT = Path(__file__).parents[3]
PROGRAMS = ("x25519", "p256-ladder", "kummer", "power-ladder")


def longest(image: Image) -> Loop:
    return longest_and_machine(image)[0]


def longest_and_machine(image: Image) -> tuple[Loop, Machine]:
    """The longest loop, and the machine that it is scheduled for."""
    return max(image.loops, key=lambda loop: len(loop[0].ops))


CASES = [
    pytest.param(
        case, id=f"{case.program}-{case.multiplier}-{case.width}-{case.multipliers}-{case.ports}"
    )
    for case in figures.CASES
]


@pytest.mark.parametrize("case", CASES)
# One of each multiplier, each kind of loop, and each way to arrange multipliers, ports and banks.
@pytest.mark.short(
    "x25519-fpmm-0-1-1",
    "x25519-twice-fpmm-0-1-1",
    "p256-complete-fips-256-1-1",
    "p256-ladder-montgomery-lookahead-256-1-1",
    "power-ladder-fips-1024-1-1",
    "b163-ladder-fips-0-1-1",
    "kummer-fpmm-0-1-1_1",
    "kummer-fpmm-0-2-1",
    "kummer-fpmm-0-2-2_0",
    "kummer-fpmm-0-2-2_2",
    "kummer-fpmm-0-2-2_5",
)
def test_stored_schedules_keep_every_rule_and_what_was_required(
    case: figures.MeasuredProgram,
) -> None:
    """Also that the words compute what the text says, in the cycles declared."""
    assembled = case.image()
    assert stored.find(*longest_and_machine(assembled)) is not None
    row = figures.row(case)
    assert row.kept, row
    assert row.least <= row.period
    engine_reference.compare(assembled, [2] * len(assembled.program.of("counter")))


@pytest.mark.long
@pytest.mark.parametrize("target", ["ecp5", "xc7"])
def test_a_shorter_pipeline_has_the_stored_schedule(target: str) -> None:
    """No search for each chip: what is stored for the longer pipeline of `generic` is valid."""
    loop = max(library.find("ladder").loops, key=lambda loop: len(loop.ops))
    machine, other = (
        Engine(multipliers.find("fpmm")(width=256, target=chip)).machine
        for chip in ("generic", target)
    )
    assert other.latency < machine.latency and stored.find(loop, other) is None
    assert stored.schedule(loop, other).period == stored.schedule(loop, machine).period == 744


def of_cases() -> set[str]:
    images = (case.image() for case in figures.CASES)
    return {stored.digest(*longest_and_machine(image)) for image in images}


@pytest.mark.long  # assembles all of them; those that run by default say it, too
def test_every_case_has_a_stored_schedule() -> None:
    assert of_cases() <= stored.table().keys()


@pytest.mark.long
def test_every_stored_schedule_is_of_a_case_or_of_a_space(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And no loop of a processor of a space, or of the documents, is searched for minutes.  Some of
    these adopt what was stored for another machine."""
    monkeypatch.syspath_prepend(str(ROOT))
    schedules = importlib.import_module("benchmarks.schedules")
    used = of_cases()
    for design in schedules.designs():
        for assembled in design.programs.images.values():
            for loop, machine in assembled.loops:
                assert not stored.missing(loop, machine), (design.title, assembled.program.name)
                entry = stored.known(Problem(loop, machine))
                used |= {entry.digest} if entry else set()
    assert stored.table().keys() <= used


@pytest.mark.parametrize("program", ["power-ladder"])
def test_a_search_depends_on_seed_and_attempts_alone(program: str) -> None:
    assembled = image(program, width=256)
    schedules = [search.search(longest(assembled), assembled.machine, 12, seed=3) for _ in range(2)]
    assert schedules[0] == schedules[1]
    assert valid(Problem(longest(assembled), assembled.machine), schedules[0]) is None


@pytest.mark.parametrize("adder", [2, 5, 6])
def test_any_depth_of_the_adder(adder: int) -> None:
    """On the grid of eight cycles three stages more cost nothing, a fourth does."""
    engine = Engine(multipliers.find("fpmm")(width=255), adder=adder)
    loop = longest(image("x25519"))
    least = Problem(loop, engine.machine).least
    assert (least.chain > 464) == (adder > 5)


@pytest.mark.parametrize("architecture", ["fips", "interleaved", "three-pass", "montgomery-2csa"])
def test_any_multiplier_of_constant_time(architecture: str) -> None:
    engine = Engine(multipliers.find(architecture)(width=64))
    paper = assemble(
        library.find("power-ladder"), engine, lambda loop, machine: search.search(loop, machine, 6)
    )
    for count in (1, 2, 5):
        engine_reference.compare(paper, [count])


# ---- faults -----------------------------------------------------------------------------------


def short(program: str) -> Image:
    """A program whose longest loop is done four times."""
    original = library.find(program)
    text = re.sub("loop [0-9]+:", "loop 4:", original.text)
    engine = Engine(multipliers.find("fpmm")(width=library.entry(program).width))
    return assemble(parse(program, text), engine, stored.schedule)


def told(image: Image, changed: Image) -> str:
    """Who finds a changed image wrong."""
    try:
        engine_reference.compare(changed, [3] * len(image.program.of("counter")))
    except CheckFailed as error:
        return type(error).__name__
    return "nobody"


def moved(image: Image, loop: Loop, start: LoopSchedule) -> str:
    """Who finds a changed start time wrong, with the registers of before, and with new ones."""
    problem = Problem(loop, image.machine)
    if valid(problem, start) is not None:
        return "rules"
    placed = tuple(
        entry._replace(start=start.start) if entry.section == loop else entry
        for entry in image.placed
    )
    old = build(
        image.bounds, image.flow, image.engine, placed, image.register, image.rows, image.tail
    )
    return told(image, old)


@pytest.mark.parametrize("program", PROGRAMS)
def test_moved_start_times(program: str) -> None:
    """Every operation a cycle, or one or two steps of the grid, later or earlier: the rules refuse
    it, or the words differ from the text, or they compute the same."""
    image = short(program)
    loop, count = longest(image), Counter[str]()
    schedule = stored.schedule(loop, image.machine)
    for place in Problem(loop, image.machine).body:
        for step in (1, -1, image.machine.align, -image.machine.align, 2 * image.machine.align):
            start = list(schedule.start)
            start[place] += step
            if start[place] >= 0:
                count[moved(image, loop, LoopSchedule(schedule.period, tuple(start)))] += 1
    # a legal move is right if its registers are: then it is no fault
    assert count["rules"] > 3 * count["nobody"]
    assert count.total() > 4 * len(loop.ops) - 10


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(program, marks=pytest.mark.long if program == "kummer" else ())
        for program in PROGRAMS
    ],
)
def test_words_with_a_changed_field(program: str) -> None:
    """In every word of the longest loop: the stage flipped, each register another one in use, the
    wait one longer, another instruction.  Each is found, but where a value is dead already."""
    image = short(program)
    begin = next(
        place
        for place, word in enumerate(image.words)
        if word.op == "LOOP" and len(longest(image).ops) > 2
    )
    end = next(place for place in range(begin, len(image.words)) if image.words[place].op == "END")
    count: Counter[str] = Counter()
    for place in range(begin, end):
        for changed in mutants(image, image.words[place]):
            words = (*image.words[:place], changed, *image.words[place + 1 :])
            count[told(image, with_words(image, words))] += 1
    assert count["nobody"] == 0, count
    assert count["Hazard"] and count["CheckFailed"]
    assert count.total() > 2 * (end - begin)


def mutants(image: Image, word: Word) -> list[Word]:
    words = [msgspec.structs.replace(word, wait=word.wait + 1)]
    if word.instruction.unit in ("multiplier", "adder"):
        words.append(msgspec.structs.replace(word, stage=1 - word.stage))
        for field in {*word.instruction.reads, "dst"}:
            bank = [number for number in image.used if number // 32 == getattr(word, field) // 32]
            place = bank.index(getattr(word, field))
            if len(bank) > 1:
                words.append(msgspec.structs.replace(word, **{field: bank[place - 1]}))
    if word.op == "SUB":
        words.append(msgspec.structs.replace(word, aux=word.aux - 1))
    return words


def with_words(image: Image, words: tuple[Word, ...]) -> Image:
    return dataclasses.replace(image, words=words)


def test_a_register_shared_by_two_values() -> None:
    """Every pair of registers of a bank made one: never the same as the text."""
    image = short("x25519")
    count: Counter[str] = Counter()
    for first in image.used:
        for other in image.used:
            if first < other and first // 32 == other // 32:
                shared = {
                    name: first if number == other else number
                    for name, number in image.register.items()
                }
                changed = build(
                    image.bounds,
                    image.flow,
                    image.engine,
                    image.placed,
                    shared,
                    image.rows,
                    image.tail,
                )
                count[told(image, changed)] += 1
    assert count["nobody"] == 0 and count.total() > 10


def test_allocation_is_by_what_happens() -> None:
    assembled = image("p256-ladder")
    for most in (1, 3):
        lives = registers.lives(assembled.program, assembled.placed, assembled.machine, most)
        assert all(life.begin <= life.end for several in lives.values() for life in several)
    assert layout.cycles(assembled.placed, []) + assembled.tail == assembled.cycles()


@pytest.mark.parametrize("name", ["montgomery-lookahead", "fips", "fpmm"])
def test_a_word_that_finds_no_place_is_tried_where_there_may_be_one(name: str) -> None:
    """`later` leaves out no cycle in which the word may begin."""
    machine = Engine(multipliers.find(name)(width=64)).machine
    rng, table = random.Random(name), ReservationTable(machine, 8 * machine.turn * machine.interval)
    for _ in range(20):
        op, cycle = rng.choice(("MUL", "SQR", "ADD")), rng.randrange(table.round)
        unit = table.unit(op, cycle)
        if unit is not None:
            table.take(op, cycle, unit)
            continue
        between = range(cycle, table.later(op, cycle))
        assert not any(table.unit(op, time) is not None for time in between)
