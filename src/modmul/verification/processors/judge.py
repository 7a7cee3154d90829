"""Compares the results of a processor with the oracle of its operations and with what it
declares."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from modmul.design import Beat
from modmul.operation import Cycles, Job
from modmul.processors.contract import Processor
from modmul.processors.oracle import contradicted, describe, hexadecimal
from modmul.verification.processors.exchange import (
    FULL_SPEED,
    MODULUS,
    RESULT,
    Batch,
    StreamProfile,
    StreamRequest,
)
from modmul.verification.streams import StreamOutcome, StreamSession
from modmul.verification.verdict import Measure, Mismatch, Verdict


@dataclass
class Judged(Verdict):
    """The verdict on operations of a processor.  measured: for every operation with a result, the
    cycles from its first beat to the last beat of its result, both included.  outcome: of the
    simulation."""

    measured: list[int] = field(default_factory=list)
    outcome: StreamOutcome | None = None


class _Done(NamedTuple):
    """One operation whose result came.  begun: the cycle of its first beat.  ended: the cycle of
    the last beat of its result."""

    number: int
    job: Job
    beats: Sequence[Beat]
    begun: int
    ended: int


def check(
    processor: Processor,
    session: StreamSession,
    design: int,
    batches: Sequence[Batch],
    *,
    pauses: Mapping[str, int] | None = None,
    seed: int = 1,
) -> Judged:
    """Run batches one after the other on the design number `design` of a running simulator, and
    check them with the oracle; see `judge`.

    pauses: the chance of a pause in each cycle, in 1/256, by stream."""
    drive = StreamProfile("pauses", pauses=pauses) if pauses else FULL_SPEED
    request = StreamRequest(processor, design, drive, batches, seed)
    return judge(request, session.run(design, request.exchange()), golden_stride=0)


def judge(request: StreamRequest, outcome: StreamOutcome, golden_stride: int = 1) -> Judged:
    """Compare all results with the oracle and, if nothing paused, the cycles with the declared
    ones.  golden_stride: one in so many operations is compared with the golden model, too; 0 for
    none."""
    verdict = Judged(cycles=outcome.total, outcome=outcome)
    verdict.mismatches += [Mismatch(text) for text in outcome.violations]
    if request.drive.concurrent:
        request = _as_accepted(request, outcome, verdict)
    jobs = request.jobs
    done = list(_done(request.processor, jobs, outcome))
    if outcome.status == "flooded":
        verdict.mismatches.append(Mismatch("more beats came than were asked for"))
    elif len(done) < len(jobs):
        text = f"nothing moved any more; {len(done)} of {len(jobs)} results had come"
        verdict.mismatches.append(Mismatch(text, len(done)))
    for operation in done:
        golden = bool(golden_stride) and operation.number % golden_stride == 0
        _check_result(request.processor, operation, golden, verdict)
    verdict.measured = [operation.ended - operation.begun + 1 for operation in done]
    if request.drive.timed:
        _check_cycles(request, done, verdict)
    return verdict


def _as_accepted(request: StreamRequest, outcome: StreamOutcome, verdict: Judged) -> StreamRequest:
    """The batches as the processor saw them: a modulus applies to the operations that began
    after its last beat.  No operation may begin between its beats."""
    processor, batches = request.processor, request.batches
    lengths = [len(processor.load(*batch.load)[MODULUS]) for batch in batches]
    ends = np.cumsum(lengths)
    accepted = outcome.cycles[MODULUS].astype(np.int64)
    never = np.iinfo(np.int64).max
    firsts = [int(accepted[at]) if at < len(accepted) else never for at in ends - lengths]
    lasts = [int(accepted[at]) if at < len(accepted) else never for at in ends - 1]
    jobs_of: list[list[Job]] = [[] for _ in batches]
    begun = _begun(processor, request.jobs, outcome)
    for number, job in enumerate(request.jobs):
        at = begun[number] if number < len(begun) else never
        place = max(0, int(np.searchsorted(lasts, at)) - 1)
        if place + 1 < len(batches) and firsts[place + 1] <= at < never:
            text = f"cycle {at}: an operation began between the beats of a modulus"
            verdict.mismatches.append(Mismatch(text, number))
        jobs_of[place].append(under(processor, job, batches[place]))
    pairs = zip(batches, jobs_of, strict=True)
    moved = [dataclasses.replace(batch, jobs=jobs) for batch, jobs in pairs]
    return dataclasses.replace(request, batches=moved)


def under(processor: Processor, job: Job, batch: Batch) -> Job:
    """The operation of `job`, with the same operands, under the modulus of `batch`."""
    mode = processor.mode(job.mode.operation, batch.load, job.mode.length)
    return Job(mode, batch.modulus, job.operands)


# ---- which beats belong to which operation -------------------------------------------------------


def _begun(processor: Processor, jobs: Sequence[Job], outcome: StreamOutcome) -> list[int]:
    """The cycles in which operations began, without those that did not begin."""
    starts: list[int] = []
    beats = 0
    for job in jobs:
        stream, packet = next(iter(processor.request(job).items()))
        cycles = outcome.cycles[stream]
        if beats >= len(cycles):
            break
        starts.append(int(cycles[beats]))
        beats += len(packet)
    return starts


def _done(processor: Processor, jobs: Sequence[Job], outcome: StreamOutcome) -> Iterator[_Done]:
    beats, cycles = outcome.beats[RESULT], outcome.cycles[RESULT]
    begun = _begun(processor, jobs, outcome)
    start = 0
    for number, (job, first) in enumerate(zip(jobs, begun, strict=False)):
        end = start + processor.reply_beats(job.mode, job.modulus)
        if end > len(beats):
            return
        yield _Done(number, job, beats[start:end], first, int(cycles[end - 1]))
        start = end


# ---- values --------------------------------------------------------------------------------------


def _check_result(processor: Processor, done: _Done, golden: bool, verdict: Judged) -> None:
    verdict.products += 1
    ends = [(beat["first"], beat["last"]) for beat in done.beats]
    framing = [(int(i == 0), int(i == len(ends) - 1)) for i in range(len(ends))]
    if ends != framing:
        text = f"operation {done.number}: first and last of its result are {ends}"
        verdict.mismatches.append(Mismatch(text, done.number))
    job = done.job
    answer = processor.reply(job.mode, done.beats)
    gave = f"{describe(job)} gave {hexadecimal(answer)}"
    if (expected := contradicted(processor, job, answer)) is not None:
        text = f"{gave}, not {hexadecimal(expected)}"
        verdict.mismatches.append(Mismatch(text, done.number))
    if golden:
        verdict.golden += 1
        if answer != (computed := processor.compute(job)):
            text = f"{gave}, but the golden model {hexadecimal(computed)}"
            verdict.mismatches.append(Mismatch(text, done.number))


# ---- cycles --------------------------------------------------------------------------------------


def _check_cycles(request: StreamRequest, done: Sequence[_Done], verdict: Judged) -> None:
    """Check the latency of every operation, and the interval of those whose next operation waits
    for nothing else."""
    processor = request.processor
    for operation, cycles in zip(done, verdict.measured, strict=True):
        _compare(verdict, "latency", operation, cycles, processor.declared(operation.job))
    if not request.drive.dense:
        return
    followed = [
        batch.gaps is None and number + 1 < len(batch.jobs)
        for batch in request.batches
        for number in range(len(batch.jobs))
    ]
    for operation, following in itertools.pairwise(done):
        if followed[operation.number]:
            interval = processor.declared_interval(operation.job)
            _compare(verdict, "interval", operation, following.begun - operation.begun, interval)


def _compare(
    verdict: Judged,
    time: Literal["latency", "interval"],
    done: _Done,
    cycles: int,
    declared: Cycles,
) -> None:
    measures = verdict.latency if time == "latency" else verdict.interval
    figure: NDArray[np.int64] = np.array([cycles], np.int64)
    measures.setdefault(done.job.mode, Measure()).add(figure)
    low, high = declared.minimum, declared.maximum
    if not low <= cycles <= high:
        span = str(low) if low == high else f"{low} to {high}"
        text = f"operation {done.number} ({done.job.mode.name}): {time} {cycles}, declared {span}"
        verdict.mismatches.append(Mismatch(text, done.number))
