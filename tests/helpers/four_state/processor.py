"""Scripts of four-valued simulations of processors."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from four_state.script import BenchScript
from modmul.arithmetic import curves
from modmul.errors import SpecError
from modmul.export import points
from modmul.operation import Job
from modmul.processors.contract import Beats, Load, Processor
from modmul.processors.engine.instructions import STORE
from modmul.processors.engine.processor import EngineProcessor
from modmul.processors.engine.transport import SOURCES
from modmul.processors.exponentiation import EXPONENTIATE, Exponentiation

_SEED = 5
_BITS = 3  # of an exponent


class LoadedJobs(NamedTuple):
    """What is loaded, and the operations under it: one that is interrupted, and all others."""

    load: Load
    interrupted: Job
    jobs: Sequence[Job]


def exponentiation_script(processor: Exponentiation) -> BenchScript:
    """Powers under two moduli."""
    rng, width = random.Random(_SEED), processor.multiplier.width

    def work(count: int) -> LoadedJobs:
        modulus = rng.getrandbits(width) | 1 << width - 1 | 1
        mode = processor.mode(EXPONENTIATE, Load(modulus), length=_BITS)
        jobs = [
            Job(mode, modulus, {"base": rng.randrange(modulus), "exponent": rng.getrandbits(_BITS)})
            for _ in range(count + 1)
        ]
        return LoadedJobs(Load(modulus), jobs[0], jobs[1:])

    return processor_script(processor, work(2), work(1))


def curve_script(processor: EngineProcessor, cycles: int) -> BenchScript:
    """Operations on the shortest two curves that the processor takes, all those that take at most
    so many cycles."""
    works = [
        work
        for curve in curves.within(processor.width)[::-1]
        if processor.can_load(Load.of(curve)) and (work := _on(processor, Load.of(curve), cycles))
    ]
    if len(works) < 2:
        message = f"{processor.title}: no operation takes at most {cycles} cycles"
        raise SpecError("cycles", cycles, "more", message)
    return processor_script(processor, *works[:2])


def _on(processor: EngineProcessor, load: Load, cycles: int) -> LoadedJobs | None:
    rng, jobs = random.Random(_SEED), []
    for operation in processor.operations_on(load):
        mode = processor.mode(operation, load)
        rules = {rule.name: rule for rule in processor.operand_rules(mode, load.modulus)}
        if processor.latency(mode).maximum <= cycles:
            operands = points.drawn(operation, load, rules, rng)
            jobs.append(Job(mode, load.modulus, operands))
    return LoadedJobs(load, jobs[0], jobs) if jobs else None


def processor_script(processor: Processor, first: LoadedJobs, last: LoadedJobs) -> BenchScript:
    """A command before anything is loaded, operations with two things loaded, resets in the middle
    of an operation and of what is loaded."""
    inputs = tuple(stream.name for stream in processor.streams if stream.direction == "input")
    loading = sum(map(len, processor.load(*last.load).values()))
    every = (*first.jobs, *last.jobs, first.interrupted)
    longest = 2 * max(int(processor.latency(job.mode).maximum) for job in every) + loading
    script = BenchScript(inputs, "command", cycles=100)
    script.restart(20)
    _knock(script, processor, first, longest)
    _load(script, processor, first.load, longest)
    for job in first.jobs:
        _operation(script, processor, job, longest)
    script.drain(longest)
    script.put("mute")
    _operation(script, processor, first.interrupted, longest, expected=False)
    script.put("idle", longest // 8)
    script.restart(longest)
    _knock(script, processor, first, longest)
    beats = processor.load(*last.load)["modulus"]
    script.packet("modulus", beats[: len(beats) // 2], len(beats))
    script.restart(longest // 4)
    _load(script, processor, last.load, longest)
    for job in last.jobs:
        _operation(script, processor, job, longest)
    script.drain(longest)
    script.put("idle", longest // 2)
    return script


def _knock(script: BenchScript, processor: Processor, work: LoadedJobs, longest: int) -> None:
    """A command that must not be taken."""
    beat = processor.request(work.jobs[0])["command"][0]
    script.put("knock", longest // 4, first=1, last=1, **beat)


def _load(script: BenchScript, processor: Processor, load: Load, longest: int) -> None:
    for stream, beats in processor.load(*load).items():
        script.packet(stream, beats)
    script.cycles += longest


def _operation(
    script: BenchScript, processor: Processor, job: Job, longest: int, expected: bool = True
) -> None:
    packets = processor.request(job)
    ends = {stream: len(packet) - 1 for stream, packet in packets.items()}
    for stream, place in _order(processor, job, packets):
        last = int(place == ends[stream])
        script.put(stream, first=int(place == 0), last=last, **packets[stream][place])
    script.cycles += longest
    if expected:
        answer = processor.answer(job)
        script.beats += [
            {"first": int(place == 0), "last": int(place == len(answer) - 1), **beat}
            for place, beat in enumerate(answer)
        ]
        script.results += 1


def _order(processor: Processor, job: Job, packets: Beats) -> Iterator[tuple[str, int]]:
    """Every beat of a request, by its stream and its place in the packet, in an order in which the
    processor takes them: a program may read a number of another stream between two of one."""
    places = {stream: iter(range(len(packet))) for stream, packet in packets.items()}
    if isinstance(processor, EngineProcessor):
        yield from (("command", place) for place in places["command"])
        for word in processor.image(job.mode).words:
            if word.op == "IN" and word.aux != STORE:
                stream = SOURCES[word.aux]
                number = itertools.islice(places[stream], processor.engine.machine.beats)
                yield from ((stream, place) for place in number)
    yield from ((stream, place) for stream, left in places.items() for place in left)
