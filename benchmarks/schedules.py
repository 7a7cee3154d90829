"""The schedules that come with the engine (schedules.json in its folder), searched anew.

python -m benchmarks.schedules [--attempts N] [--effort E] [--exact] [--again] [--on MULTIPLIER]
[--least CYCLES] [PROGRAM ...]: for each case of `engine.figures` whose schedule is missing (or,
with --again, for all) a search by list scheduling with N attempts at each period, then with --exact
one by OR-Tools CP-SAT, which has to be installed, with a deterministic time of E at each shorter
period.  What is not worse than what is there is written.  --on: only on the multiplier that
schedules.json names so.  --least: no shorter period is tried.  --check: every stored schedule is
searched as it was found, at its period, and compared.  --spaces: instead, whatever loop of a
processor of the spaces that come with modmul, or of those whose figures stand in the documents, has
no schedule that is stored or near enough."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from benchmarks import binary_cycles, curve_cycles, engine, exact_schedules
from modmul.exploration import grid, shipped, space
from modmul.processors.engine import bounds, figures, library, moves, schedule, search, stored
from modmul.processors.engine.engine import Engine
from modmul.processors.engine.machine import Machine, machines
from modmul.processors.engine.processor import EngineProcessor
from modmul.processors.engine.program import Loop, Program
from modmul.toolchain import files

FILE = Path(stored.__file__).with_name("schedules.json")


def main() -> int:
    """One run; 1 if a schedule cannot be found again."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.schedules", description=__doc__)
    parser.add_argument("--attempts", type=int, default=search.ATTEMPTS)
    parser.add_argument("--effort", type=float, default=20.0)
    parser.add_argument("--exact", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--on", metavar="MULTIPLIER")
    parser.add_argument("--least", type=int, default=0, metavar="CYCLES")
    parser.add_argument("--spaces", action="store_true")
    parser.add_argument("programs", nargs="*", help="default: all")
    given = parser.parse_args()
    if given.spaces:
        return of_spaces(given)
    wrong, seen = 0, set()
    for case in figures.CASES:
        if given.programs and case.program not in given.programs:
            continue
        if given.on not in (None, case.engine.machine.name):
            continue
        every = scheduled(library.find(case.program), case.engine)
        loop, machine = max(every, key=lambda pair: len(pair[0].ops))
        if (shape := stored.digest(loop, machine)) in seen:
            continue
        seen.add(shape)
        before = stored.find(loop, machine)
        begun = time.monotonic()
        if given.check:
            same = before is not None and again(loop, machine, before) == before.schedule
            wrong += not same
            print(
                case.program,
                machine.name,
                "found again" if same else "NOT FOUND AGAIN",
                f"{time.monotonic() - begun:.0f} s",
                flush=True,
            )
        elif before is None or given.again:
            improve(case.program, loop, machine, given)
    if given.check:
        print(f"{len(seen)} schedules searched, {wrong} not found again")
    return 1 if wrong else 0


def of_spaces(given: argparse.Namespace) -> int:
    """For each machine of the spaces and documents: the loops that take long to schedule."""
    for design in designs():
        for program, loop, machine in loops(design):
            if stored.missing(loop, machine):
                improve(program, loop, machine, given)
                stored.table.cache_clear()
    return 0


def designs() -> Iterator[EngineProcessor]:
    """Processors of the spaces, and those whose figures stand in the documents."""
    for name in shipped():
        for point in grid.grid(space.read_space(name)).points:
            if isinstance(point.spec.design, EngineProcessor):
                yield point.spec.design
    yield from curve_cycles.designs()
    yield from binary_cycles.designs()
    for _, spec, _ in (*engine.specs(), *engine.specs_of_schemes()):
        assert isinstance(spec.design, EngineProcessor)
        yield spec.design


def loops(design: EngineProcessor) -> Iterator[tuple[str, Loop, Machine]]:
    """The loops of all its programs, with the program's name and the machine."""
    for name, program in design.programs.parsed.items():
        yield from ((name, *pair) for pair in scheduled(program, design.engine))


def scheduled(program: Program, on: Engine) -> list[tuple[Loop, Machine]]:
    """The loops of a program as they are scheduled, each with the machine as it is there."""
    told = bounds.prove(moves.settled(program), on.limits, on.binary_limits)
    every = zip(told.program.sections, machines(told.program.sections, on.machine), strict=False)
    return [(section, machine) for section, machine in every if isinstance(section, Loop)]


def again(loop: Loop, machine: Machine, record: stored.Stored) -> schedule.LoopSchedule | None:
    """The schedule as it was found."""
    if record.method == "exact":
        problem = schedule.Problem(loop, machine)
        return exact_schedules.attempt(problem, record.period, record.effort)[1]
    return search.search(loop, machine, record.attempts, least=record.begun)


def improve(program: str, loop: Loop, machine: Machine, given: argparse.Namespace) -> None:
    """Find a schedule, and write it if it is better than the one there."""
    least = schedule.Problem(loop, machine).least.period
    begun = max(least, given.least)
    match = search.search(loop, machine, given.attempts, least=begun)
    best = stored.Stored(
        program,
        machine.name,
        stored.digest(loop, machine),
        match.period,
        match.start,
        attempts=given.attempts,
        begun=begun,
    )
    note(program, machine, "climb", match.period, least)
    if given.exact and match.period > begun:
        solved = exact_schedules.solve(loop, machine, given.effort, match.period, least=begun)
        tried = solved.tried if solved and begun == least else ()
        refuted = least
        for attempt in tried:
            if attempt.answer != "none":
                break
            refuted = attempt.period + max(1, machine.align)
        if solved and solved.schedule.period < match.period:
            best = msgspec.structs.replace(
                best,
                period=solved.schedule.period,
                start=solved.schedule.start,
                method="exact",
                effort=given.effort,
                attempts=0,
            )
            note(program, machine, "exact", best.period, refuted)
        best = msgspec.structs.replace(best, refuted=min(refuted, best.period))
    write(best)


def note(program: str, machine: Machine, how: str, period: int, least: int) -> None:
    print(
        f"{time.strftime('%H:%M:%S')} {program} | {machine.name}: {how} {period}, nothing below "
        f"{least}",
        flush=True,
    )


def write(best: stored.Stored) -> None:
    """The file with this schedule, unless the one there is shorter, or as short and more of the
    periods below it are refuted."""
    before = msgspec.json.decode(FILE.read_bytes(), type=list[stored.Stored])
    known = {record.digest: record for record in before}
    old = known.get(best.digest)
    if old is not None and (old.period, -old.refuted) < (best.period, -best.refuted):
        return
    known[best.digest] = best
    lines = [
        msgspec.json.encode(record).decode()
        for record in sorted(known.values(), key=lambda record: (record.program, record.multiplier))
    ]
    files.write(FILE, "[\n" + ",\n".join(lines) + "\n]\n")


if __name__ == "__main__":
    sys.exit(main())
