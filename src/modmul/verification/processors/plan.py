"""Plans the batches of a processor's verification: first edges, driven in every way, then
operations of the headline's length, then random ones.

As with multipliers (`verification.plan`), a batch is a pure function of its index and the seed.  An
operation takes thousands of cycles, so the declared cycles decide how many operations there are."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from modmul.export import keys
from modmul.operation import Job, Mode
from modmul.processors.contract import Load, Processor
from modmul.verification.processors import stimuli
from modmul.verification.processors.exchange import FULL_SPEED, Batch, StreamProfile, StreamRequest
from modmul.verification.processors.judge import under

Part = Literal["edges", "headline", "random"]
_EDGE_CYCLES, _OTHER_EDGE_CYCLES = 8_000_000, 2_000_000  # limits: at full speed, other drives
_MOST_EDGES, _OTHER_EDGES = 1000, 160  # limits: at full speed, other drives
_FEWEST = 12  # short edges under each drive, however long they take
_HEADLINE_CYCLES = 400_000_000  # longer operations of the headline's length are left out
_MORE_CYCLES = 20_000_000  # the same for other modes; more operations if ten times shorter
_BATCH_CYCLES = 1_000_000  # in a random batch
_LARGEST_BATCH = 64
_TOGETHER = 4  # operations under one modulus in a random batch
LONGEST_GAP = 1_000_000  # cycles before a modulus
_MODULI = 8  # moduli that come independently of operations
# One in so many operations is compared with the golden model; all are among edges at full speed.
RANDOM_GOLDEN = 8


@dataclass(frozen=True)
class StreamTask:
    """One batch.  part: "headline" stands for operations of `mode`, as many as are affordable.
    count: the number of random operations.  golden_stride: see `judge`."""

    index: int
    drive: StreamProfile
    part: Part
    count: int
    golden_stride: int
    mode: Mode | None = None


def drives(processor: Processor) -> tuple[StreamProfile, ...]:
    """The ways of driving: full speed; gaps between operations; each stream pausing alone,
    and all together; moduli that come while operations are under way."""
    streams = [stream.name for stream in processor.streams]
    every = dict.fromkeys(streams, 128)
    return (
        FULL_SPEED,
        StreamProfile("random gaps", gaps=True),
        *(StreamProfile(f"pauses of {name}", pauses={name: 200}) for name in streams),
        StreamProfile("all pause", pauses=every),
        StreamProfile("reload in flight", in_flight=True),
        StreamProfile("all pause, reload in flight", pauses=every, in_flight=True),
        StreamProfile("independent moduli", concurrent=True),
        StreamProfile("all pause, independent moduli", pauses=every, concurrent=True),
    )


def tasks(processor: Processor, modes: Sequence[Mode], products: int) -> Iterator[StreamTask]:
    """The whole verification with `products` random operations.  modes: of the spec, the
    headline first."""
    profiles = drives(processor)
    index = 0
    for drive in profiles:
        yield StreamTask(index, drive, "edges", 0, 1 if drive is FULL_SPEED else RANDOM_GOLDEN)
        index += 1
    for place, mode in enumerate(modes):
        cycles = processor.latency(mode).maximum
        if cycles <= (_MORE_CYCLES if place else _HEADLINE_CYCLES):
            golden = int(cycles <= _MORE_CYCLES)
            yield StreamTask(index, FULL_SPEED, "headline", 0, golden, mode)
            index += 1
    turns = [turn for drive in profiles[1:] for turn in (FULL_SPEED, drive)]
    size = max(1, min(batch_size(processor), -(-products // len(turns))))
    while products > 0:
        count = min(size, products)
        yield StreamTask(index, turns[index % len(turns)], "random", count, RANDOM_GOLDEN)
        index += 1
        products -= count


def batch_size(processor: Processor) -> int:
    headline = processor.modes[0]
    length = headline.length
    if length:
        headline = replace(headline, length=min(length, 32))
    return max(1, min(_LARGEST_BATCH, _BATCH_CYCLES // processor.latency(headline).maximum))


def request(processor: Processor, own: Load | None, seed: int, task: StreamTask) -> StreamRequest:
    """The batch of a task.  own: the spec's modulus.  The same arguments give the same
    batch."""
    rng = random.Random(f"modmul {seed} {task.index}")
    if task.part == "headline":
        assert task.mode is not None
        batches = headline(processor, own, task.mode, rng)
    elif task.drive.concurrent:
        batches = _concurrent(processor, task.count or max(_FEWEST, batch_size(processor)), rng)
    elif task.part == "edges":
        batches = _edges(processor, own, task.drive, rng)
    else:
        batches = _random(processor, own, task.count, rng)
    if task.drive.in_flight:
        batches = _reloading(processor, batches, rng)
    if task.drive.concurrent or task.drive.gaps:
        batches = [_with_gaps(processor, batch, rng) for batch in batches]
    return StreamRequest(processor, 0, task.drive, batches, rng.getrandbits(63))


# ---- edges ---------------------------------------------------------------------------------------


def _edges(
    processor: Processor, own: Load | None, drive: StreamProfile, rng: random.Random
) -> list[Batch]:
    """Batches that take one edge of each modulus in turn, as many as the cycles allow.  The
    moduli begin with different edges."""
    loads = stimuli.edge_loads(processor, own)
    queues = []
    for place, load in enumerate(loads):
        jobs = stimuli.edge_jobs(processor, load, rng)
        start = place * len(jobs) // len(loads)
        queues.append([*jobs[start:], *jobs[:start]])
    full = drive.dense
    left = _EDGE_CYCLES if full else _OTHER_EDGE_CYCLES
    room = _MOST_EDGES if full else _OTHER_EDGES
    most, count = left // 4, 0
    chosen: list[list[Job]] = [[] for _ in loads]
    for turn in range(max(map(len, queues))):
        for place, queue in enumerate(queues):
            if turn >= len(queue) or count >= room:
                continue
            job = queue[turn]
            cycles, short = processor.declared(job).maximum, (job.mode.length or 0) < 2
            if cycles <= min(left, most) or (short and count < _FEWEST):
                chosen[place].append(job)
                left, count = left - cycles, count + 1
    both = zip(loads, chosen, strict=True)
    return [Batch.under(load, jobs) for load, jobs in both if jobs]


def headline(processor: Processor, own: Load | None, mode: Mode, rng: random.Random) -> list[Batch]:
    """One operation of this mode, or a few if they are short, and a short one after them, so
    that the interval is measured."""
    load = stimuli.load_for(processor, mode)
    if own is not None and stimuli.goes_with(processor, mode, own):
        load = own
    if load is None:
        return []
    count = 1 + min(3, _MORE_CYCLES // 10 // processor.latency(mode).maximum)
    jobs = [stimuli.job_of(processor, mode, load, rng) for _ in range(count)]
    last = stimuli.shortest(processor, mode, load)
    return [Batch.under(load, [*jobs, stimuli.job_of(processor, last, load, rng)])]


# ---- random operations ---------------------------------------------------------------------------


def _random(processor: Processor, own: Load | None, count: int, rng: random.Random) -> list[Batch]:
    batches: list[Batch] = []
    while count > 0:
        load = own if own is not None and not batches else stimuli.random_load(processor, rng)
        jobs = [stimuli.random_job(processor, load, rng) for _ in range(min(count, _TOGETHER))]
        batches.append(Batch.under(load, jobs))
        count -= len(jobs)
    return batches


def _concurrent(processor: Processor, count: int, rng: random.Random) -> list[Batch]:
    """Batches in which any modulus may meet any operation: operands are below all bounds,
    and all requests have one shape."""
    if processor.takes_curves:
        return _concurrent_curves(processor, count, rng)
    first = stimuli.random_load(processor, rng)
    jobs = [stimuli.random_job(processor, first, rng) for _ in range(count)]
    words = jobs[0].mode.words
    loads = [first, *(stimuli.random_load(processor, rng, words) for _ in range(_MODULI - 1))]
    if processor.takes_keys:
        loads = keys.alike(processor, first, _MODULI, rng)
    batches = [Batch.under(load, ()) for load in loads]
    jobs = [fitting(processor, job, batches) for job in jobs]
    batches = [batch for batch in batches if same_shape(processor, jobs, batch)]
    share = -(-count // len(batches))
    return [
        replace(batch, jobs=[under(processor, job, batch) for job in part])
        for index, batch in enumerate(batches)
        if (part := jobs[share * index : share * (index + 1)]) or index
    ]


def _concurrent_curves(processor: Processor, count: int, rng: random.Random) -> list[Batch]:
    """Batches in which any curve of a form may meet any operation: no operand need be a
    point of the curve."""
    loads = [load for load in stimuli.edge_loads(processor, None) if load.curve is not None]
    forms = sorted({load.curve.form for load in loads if load.curve is not None})
    form = rng.choice(forms)
    loads = [load for load in loads if load.curve is not None and load.curve.form == form]
    offered = processor.operations_on(loads[0])
    known = [operation for operation in ("point-check", "invert") if operation in offered]
    loads = [rng.choice(loads) for _ in range(_MODULI)]
    least = min(load.curve.elements for load in loads if load.curve is not None)
    batches, share = [], -(-count // len(loads))
    for load in loads:
        chosen = (rng.choice(known) for _ in range(share))
        modes = [processor.mode(operation, load) for operation in chosen]
        jobs = []
        for mode in modes:
            names = processor.operands[mode.operation]
            operands = {name: rng.randrange(least) for name in names}
            jobs.append(Job(mode, load.modulus, operands))
        batches.append(Batch.under(load, jobs))
    return batches


def fitting(processor: Processor, job: Job, batches: Sequence[Batch]) -> Job:
    """The operation with its operands reduced to the range that every modulus allows."""
    operands = dict(job.operands)
    for batch in batches:
        other = under(processor, job, batch)
        for rule in processor.operand_rules(other.mode, other.modulus):
            if rule.below is not None and operands[rule.name] >= rule.below:
                operands[rule.name] = rule.least + operands[rule.name] % (rule.below - rule.least)
    return job._replace(operands=operands)


def same_shape(processor: Processor, jobs: Sequence[Job], batch: Batch) -> bool:
    """Whether the beats of these operations are the same under the modulus of this batch."""

    def shape(job: Job) -> object:
        return processor.request(job), processor.reply_beats(job.mode, job.modulus)

    return all(shape(job) == shape(under(processor, job, batch)) for job in jobs)


# ---- gaps ----------------------------------------------------------------------------------------


def _reloading(processor: Processor, batches: Sequence[Batch], rng: random.Random) -> list[Batch]:
    """The same operations; after every few of them their modulus is loaded again, or another
    one, at any time while an operation is under way."""
    pieces = []
    for batch in batches:
        rest = list(batch.jobs)
        while rest:
            length = rng.randint(1, 3)
            pieces.append(replace(batch, jobs=rest[:length]))
            rest = rest[length:]
    rng.shuffle(pieces)
    return [replace(piece, gap=_some_gap(processor, piece, rng)) for piece in pieces]


def _with_gaps(processor: Processor, batch: Batch, rng: random.Random) -> Batch:
    """The batch with gaps between operations, up to about twice the period of a multiplier's
    slots, sometimes longer."""
    most = 2 * processor.multiplier.issue_slot_period + 8
    gaps = [rng.randrange(most * (1 if rng.random() < 0.9 else 8)) for _ in batch.jobs]
    return replace(batch, gaps=gaps or None, gap=_some_gap(processor, batch, rng))


def _some_gap(processor: Processor, batch: Batch, rng: random.Random) -> int:
    """Draw the gap before a modulus, in cycles: none, or up to the length of an operation."""
    if not batch.jobs or rng.random() < 0.3:
        return 0
    return rng.randrange(min(LONGEST_GAP, processor.declared(rng.choice(batch.jobs)).maximum))
