"""The engine in Verilog does what the golden machine does, beat by beat."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator
from functools import cache

import pytest

from modmul import multipliers
from modmul.processors.engine import library, stored
from modmul.processors.engine.assembler import assemble
from modmul.processors.engine.engine import Engine
from modmul.processors.engine.hardware.build import EngineBuild, Storage
from modmul.processors.engine.machine import Writers
from modmul.processors.engine.program import Program
from modmul.processors.engine.text import parse
from modmul.toolchain.cache import Cache
from modmul.verification.streams import Offer, StreamSession, compile_streams
from traced_engine import EngineRun, exchange, expected, left, ran, traced

PASSES = 5  # of loops whose count is chosen
CURVES = ("ladder", "complete", "x", "on-curve", "inverse", "power-ladder")
BINARY = ("ladder-binary", "on-binary", "inverse-binary")

# architecture, width, options, storage of registers, programs
Case = tuple[str, int, dict[str, object], Storage, tuple[str, ...]]
QUICK: dict[str, Case] = {
    "words, four slots": ("fpmm", 64, {}, "block", (*CURVES, "power-window", "random")),
    "reducing": ("fips", 40, {"word": 8}, "block", ("ladder", "x", "random", *BINARY)),
    "two ports": ("fpmm", 127, {}, "block", ("surface", "inverse", "add")),
}
# multipliers and ports, where there are several
AROUND = {
    "two multipliers": (2, 1),
    "two ports": (2, 2),
    "two ports, reducing": (2, 2),
    "whole operands": (2, 2),
    "one bank, two ports": (2, 2),
    "one memory": (2, 2),
    "two banks": (2, 2),
}
WHOLE = ("whole operands", "whole operands, one port", "one memory", "one memory, one port")
WRITERS: dict[str, Writers] = {"one bank": "one", "one bank, two ports": "one", "two banks": "two"}
LONG: dict[str, Case] = {
    # with multiples of the modulus in look-up tables, in shift registers
    "one memory": ("fpmm", 127, {"target": "xc4v"}, "block", ("surface", "inverse")),
    "one bank, two ports": ("fpmm", 64, {"word": 17}, "block", ("ladder", "inverse")),
    # with multiples of the modulus in look-up tables
    "two banks": ("fpmm", 127, {"target": "xc6s"}, "block", ("surface", "inverse", "random")),
    "reducing, longer words": ("fips", 64, {"word": 16}, "block", ("ladder", "x", "random")),
    "on a chip": ("fpmm", 64, {"target": "ecp5"}, "block", ("ladder", "inverse", "random")),
    "whole": ("montgomery-radix2", 40, {}, "distributed", ("power-ladder", "random")),
    "two multipliers": ("fpmm", 127, {"target": "ecp5"}, "block", ("surface", "inverse")),
    "whole operands": ("fpmm", 127, {"target": "ecp5"}, "block", ("surface", "inverse", "add")),
    "one bank": ("fpmm", 64, {"target": "xc4v"}, "block", ("ladder", "add", "random")),
    "words, two slots": ("fpmm", 160, {}, "distributed", ("ladder", "complete-3", "random")),
    "words, one slot": ("fpmm", 48, {"word": 17}, "distributed", ("inverse", "random")),
    "reducing, all": ("fips", 64, {"word": 16}, "distributed", (*CURVES, "power-window")),
    "look-ahead": ("montgomery-lookahead", 64, {}, "block", ("complete0", "inverse", "random")),
    "polynomials alone": ("fips", 40, {"word": 8, "field": "binary"}, "block", BINARY),
    "polynomials, reducing": (
        "fips",
        64,
        {"word": 16, "binary_square": "spread"},
        "distributed",
        BINARY,
    ),
    "two ports, reducing": ("fpmm", 62, {"word": 16}, "distributed", ("inverse", "add")),
    "whole operands, one port": ("fpmm", 64, {}, "distributed", ("ladder", "random")),
    "one memory, one port": ("fpmm", 127, {"target": "xc4v"}, "block", ("surface", "inverse")),
    "three passes": ("three-pass", 64, {}, "block", ("x", "random")),
}
ENGINES = QUICK | LONG


def random_text(rng: random.Random) -> str:
    """A program of operations on names drawn at random, with a loop."""
    names, lines = (
        ["x", "y"],
        ["constant one, r2, unit", "input x, y", "scalar k secret", "counter n"],
    )

    def sum_of(inside: bool) -> str:
        a, b = rng.choice(names), rng.choice(names)
        forms = [
            f"({a} + {b}) * one",
            f"({a} - {b}) * {rng.choice(names)}",
            f"{a} * {b}",
            f"{a} ** 2",
            f"(3 * {a}) * one",
        ]
        return rng.choice([*forms, f"{a} if k else {b}"] if inside else forms)

    lines += ["x = x * r2", "y = y * r2"]
    for place in range(rng.randrange(2, 6)):
        lines.append(f"v{place} = {sum_of(False)}")
        names.append(f"v{place}")
    lines += ["loop n:", "  bit k"]
    lines += [f"  {rng.choice(names)} = {sum_of(True)}" for _ in range(rng.randrange(2, 9))]
    lines += ["end"]
    lines += [f"output {name} * unit % N" for name in rng.sample(names, 2)]
    return "\n".join(lines) + "\n"


def programs(names: tuple[str, ...]) -> list[Program]:
    chosen = [library.find(name) for name in names if name != "random"]
    if "random" in names:
        rng = random.Random(7)
        chosen += [parse(f"random-{place}", random_text(rng)) for place in range(4)]
    return chosen


@cache
def build(name: str) -> EngineBuild:
    architecture, width, options, storage, of = ENGINES[name]
    units, ports = AROUND.get(name, (1, 1))
    multiplier = multipliers.find(architecture)(width=width, **options)
    engine = Engine(
        multiplier,
        multipliers=units,
        ports=ports,
        interconnect="operand" if name in WHOLE else "word",
        writers=WRITERS.get(name, "each"),
    )
    several = programs(of)
    constants = tuple(
        dict.fromkeys(constant for program in several for constant in program.of("constant"))
    )
    rows = {constant: place for place, constant in enumerate(constants)}
    images = (assemble(program, engine, stored.schedule, rows=rows) for program in several)
    return EngineBuild(engine, tuple(images), constants, storage)


class Running:
    """Simulators of some engines, in one executable each for the quick and the long ones."""

    def __init__(self) -> None:
        self.sessions: dict[bool, StreamSession] = {}

    def session(self, name: str) -> tuple[StreamSession, int]:
        """The one that has this engine, and its place there."""
        group = QUICK if name in QUICK else LONG
        if (name in QUICK) not in self.sessions:
            designs = [
                traced(build(engine), f"engine_{place}") for place, engine in enumerate(group)
            ]
            self.sessions[name in QUICK] = compile_streams(designs, Cache()).start().__enter__()
        return self.sessions[name in QUICK], list(group).index(name)


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    simulators = Running()
    yield simulators
    for session in simulators.sessions.values():
        session.__exit__(None, None, None)


def values(
    built: EngineBuild, program: int, rng: random.Random
) -> tuple[int, dict[str, int], dict[str, int]]:
    """A modulus, a value for everything that the program takes, and lengths of scalars."""
    width = built.multiplier.width
    modulus = rng.getrandbits(width) | 1 << width - 1 | 1
    asked = built.images[program].program
    given = {
        source.name: PASSES if source.kind == "counter" else rng.randrange(1, modulus >> 1)
        for source in asked.sources
    }
    if "n" in asked.of("constant"):
        given["n"] = modulus - 2
    return modulus, given, dict.fromkeys(asked.of("scalar"), width)


def cases() -> Iterator[object]:
    for name, case in ENGINES.items():
        marks = () if name in QUICK else pytest.mark.long
        for place, program in enumerate(programs(case[4])):
            yield pytest.param(name, place, marks=marks, id=f"{name}: {program.name}")


@pytest.mark.parametrize(("name", "program"), [*cases()])
def test_beat_by_beat(running: Running, name: str, program: int) -> None:
    built, rng = build(name), random.Random(f"{name} {program}")
    given = values(built, program, rng)
    wanted = expected(built, built.images[program], *given)
    observed = ran(*running.session(name), built, program, *given)
    assert observed.writes == wanted.writes
    assert same(observed, wanted)
    assert observed.cycles == wanted.cycles
    assert not observed.outcome.violations


def same(observed: EngineRun, wanted: EngineRun) -> bool:
    return (observed.results, observed.status) == (wanted.results, wanted.status)


@pytest.mark.parametrize("name", ["words, four slots", "reducing", "two ports"])
@pytest.mark.short("words, four slots", "two ports")
def test_streams_may_pause(running: Running, name: str) -> None:
    """Time stands still for whole turns; nothing else changes."""
    built, rng = build(name), random.Random(name)
    given = values(built, 0, rng)
    wanted = expected(built, built.images[0], *given)
    pauses = {
        "modulus": 60,
        "command": 60,
        "operand": 200,
        "scalar": 200,
        "random": 120,
        "result": 160,
    }
    observed = ran(*running.session(name), built, 0, *given, pauses=pauses)
    assert same(observed, wanted)
    assert [beat[1:] for beat in observed.writes] == [beat[1:] for beat in wanted.writes]
    assert observed.cycles > wanted.cycles
    assert not observed.outcome.violations


@pytest.mark.parametrize(
    "name", ["words, four slots", "reducing", "two ports", "one memory", *WRITERS]
)
@pytest.mark.short("reducing", "two ports")
def test_nothing_stays(running: Running, name: str) -> None:
    """Neither after a program nor after one that was interrupted, once that is cleared away."""
    built, rng = build(name), random.Random(name)
    given = values(built, 0, rng)
    session, place = running.session(name)
    complete = ran(session, place, built, 0, *given).outcome
    assert set(left([complete]).values()) == {0}
    asked = exchange(built, 0, *given)
    fewer = dataclasses.replace(asked, inputs=asked.inputs | {"random": []}, limit=400)
    stuck = session.run(place, fewer)
    assert stuck.status == "stuck"
    assert set(left([stuck]).values()) != {0}
    command = [Offer({"program": len(built.images), "count": 0, "first": 1, "last": 1})]
    cleared = session.run(
        place,
        dataclasses.replace(
            asked,
            inputs={"modulus": asked.inputs["modulus"], "command": command},
            outputs=asked.outputs | {"result": 1},
        ),
    )
    assert len(cleared.beats["result"]) == 1
    assert set(left([stuck, cleared]).values()) == {0}
