"""Exponentiation processors in a simulator, against the integers and the declared cycles."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from modmul.arithmetic.moduli import Field
from modmul.arithmetic.oracle import Asked, right
from modmul.design import Beat, Job
from modmul.export.hdl import Hdl, emit
from modmul.export.ports import ports
from modmul.processors.contract import Processor
from modmul.processors.exponentiation import Exponentiation
from modmul.verification.streams import Exchange, Offer, Outcome, StreamDesign, StreamSession


@dataclass(frozen=True)
class Batch:
    """A modulus and what is computed with it."""

    modulus: int
    jobs: Sequence[Job]
    field: Field = "prime"


@dataclass
class Verdict:
    """faults: one sentence each.  measured: of every job the cycles from its command to the last
    beat of its result, both counted.  outcome: of the simulation."""

    outcome: Outcome
    faults: list[str] = field(default_factory=list)
    measured: list[int] = field(default_factory=list)


def design_of(processor: Processor, written: Hdl | None = None) -> StreamDesign:
    """The emitted Verilog of a processor, for `compile_streams`."""
    written = emit(processor) if written is None else written
    found = ports(processor, "stream")
    return StreamDesign(written.verilog, written.stream, found, written.models)


def batch_of(
    processor: Exponentiation,
    modulus: int,
    lengths: Sequence[int],
    rng: random.Random,
    field: Field = "prime",
) -> Batch:
    """Edges, and random exponentiations with exponents of these lengths."""
    bound = processor.chosen(modulus, field).operand_bound(modulus)
    word = processor.exponent_word
    edges = [
        (0, 0, 0),
        (bound - 1, 0, 3),
        (0, 1, 1),
        (1, (1 << word) - 1, word),
        (bound - 1, 1 << word, word + 1),
        (2 % bound, 3, word - 1),
    ]
    if bound > modulus:  # the only residue that is left unreduced when R is divided off
        edges.append((modulus, 5, 4))
    drawn = [(rng.randrange(bound), rng.getrandbits(bits), bits) for bits in lengths]
    jobs = [
        processor.job(base, exponent, modulus, bits=bits, field=field)
        for base, exponent, bits in edges + drawn
    ]
    return Batch(modulus, jobs, field)


def check(
    processor: Exponentiation,
    session: StreamSession,
    design: int,
    batches: Sequence[Batch],
    *,
    pauses: Mapping[str, int] | None = None,
    seed: int = 1,
    limit: int = 50_000_000,
) -> Verdict:
    """Run batches one after the other and compare every power with the integers, and, where no
    stream pauses, the cycles with those declared.

    pauses: chance of a pause in each cycle, in 1/256, by stream.  limit: cycles without any beat
    that mean it is stuck, more than one exponentiation takes."""
    asked = exchange(processor, batches)
    asked = dataclasses.replace(asked, pauses=pauses or {}, seed=seed, limit=limit)
    outcome = session.run(design, asked)
    verdict = Verdict(outcome, list(outcome.faults))
    if outcome.status != "done":
        verdict.faults.append(f"the simulation ended as {outcome.status}")
        return verdict
    _judge(processor, batches, verdict, timed=not pauses)
    return verdict


def exchange(processor: Exponentiation, batches: Sequence[Batch]) -> Exchange:
    """The beats of batches: a modulus waits for all results before it, a command for its modulus;
    everything else is offered as soon as it is taken."""
    inputs: dict[str, list[Offer]] = {
        one.name: [] for one in processor.streams if one.direction == "input"
    }
    results = 0
    for batch in batches:
        loads = processor.load(batch.modulus, batch.field)["modulus"]
        inputs["modulus"] += _train(loads, "result", results)
        loaded = len(inputs["modulus"])
        for job in batch.jobs:
            for name, train in processor.request(job).items():
                after = ("modulus", loaded) if name == "command" else (None, 0)
                inputs[name] += _train(train, *after)
        results += len(batch.jobs) * _words(processor, batch)
    return Exchange(inputs, {"result": results})


def _train(beats: Sequence[Beat], after: str | None, count: int) -> Iterator[Offer]:
    for index, beat in enumerate(beats):
        ends = {"first": int(index == 0), "last": int(index == len(beats) - 1)}
        yield Offer(beat | ends, after=None if index else after, beats=count)


def _words(processor: Exponentiation, batch: Batch) -> int:
    return processor.words_of(processor.chosen(batch.modulus, batch.field))


def _judge(
    processor: Exponentiation, batches: Sequence[Batch], verdict: Verdict, timed: bool
) -> None:
    outcome, start, number = verdict.outcome, 0, 0
    cycles = outcome.cycles
    for batch in batches:
        words = _words(processor, batch)
        for job in batch.jobs:
            beats = outcome.beats["result"][start : start + words]
            start += words
            ends = int(cycles["result"][start - 1])
            verdict.measured.append(ends - int(cycles["command"][number]) + 1)
            number += 1
            verdict.faults += _of_beats(beats)
            _of_value(processor, job, beats, verdict)
            if timed:
                _of_time(processor, job, verdict)


def _of_beats(beats: Sequence[Mapping[str, int]]) -> list[str]:
    wanted = [(int(i == 0), int(i == len(beats) - 1)) for i in range(len(beats))]
    found = [(beat["first"], beat["last"]) for beat in beats]
    return [] if found == wanted else [f"first and last of a result: {found}"]


def _of_value(
    processor: Exponentiation, job: Job, beats: list[dict[str, int]], verdict: Verdict
) -> None:
    found, mode = processor.reply(job.mode, beats), job.mode
    wanted = right(Asked(mode.operation, job.operands, job.modulus, mode.field))
    if found != wanted:
        asked = ", ".join(f"{name} = {value:#x}" for name, value in job.operands.items())
        verdict.faults.append(
            f"{mode.operation} {asked} mod {job.modulus:#x}: {_hex(found)}, not {_hex(wanted)}"
        )


def _hex(results: Mapping[str, int]) -> str:
    return ", ".join(f"{name} = {value:#x}" for name, value in results.items())


def _of_time(processor: Exponentiation, job: Job, verdict: Verdict) -> None:
    declared = processor.declared(job)
    if not declared.minimum <= verdict.measured[-1] <= declared.maximum:
        verdict.faults.append(
            f"{job.mode.length} bits: {verdict.measured[-1]} cycles, declared are "
            f"{declared.minimum} to {declared.maximum}"
        )
