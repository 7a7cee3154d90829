"""Writes and reads the part of a replay file (`verification.replay`) that is about operations of a
processor."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import msgspec

from modmul.arithmetic import own_curves
from modmul.arithmetic.keys import Key
from modmul.arithmetic.moduli import Field
from modmul.operation import Job
from modmul.processors.contract import Load, Processor
from modmul.verification.processors.exchange import Batch, StreamProfile, StreamRequest
from modmul.verification.processors.plan import LONGEST_GAP, same_shape
from modmul.verification.processors.stimuli import LONGEST

_Hexadecimal = Annotated[str, msgspec.Meta(pattern="^0x[0-9a-f]{1,1100}$")]
_Operand = Annotated[str, msgspec.Meta(pattern="^0x[0-9a-f]{1,16384}$")]
_Seed = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
_Chance = Annotated[int, msgspec.Meta(ge=0, le=255)]


class _Drive(msgspec.Struct):
    name: str
    dense: bool
    gaps: bool
    pauses: dict[str, _Chance]
    in_flight: bool
    concurrent: bool


class _Job(msgspec.Struct):
    """One operation.  gap: None if it is offered as soon as it can be accepted."""

    operation: str
    length: Annotated[int, msgspec.Meta(ge=0, le=LONGEST)] | None
    operands: dict[str, _Operand]
    gap: int | None


class PlainKey(msgspec.Struct, frozen=True):
    """An RSA key, of hexadecimal texts.  others: its third and fourth prime."""

    p: _Hexadecimal
    q: _Hexadecimal
    e: _Hexadecimal
    others: tuple[_Hexadecimal, ...] = ()


class _Run(msgspec.Struct):
    """One modulus and its operations.  curve: the name of a curve whose prime is the modulus.  key:
    the RSA key whose modulus it is.  Both are None if there is none."""

    modulus: _Hexadecimal
    field: Field
    gap: int
    jobs: list[_Job]
    curve: str | None = None
    key: PlainKey | None = None


class _Case(msgspec.Struct):
    drive: _Drive
    seed: _Seed
    runs: Annotated[list[_Run], msgspec.Meta(min_length=1)]


def plain(request: StreamRequest) -> dict[str, Any]:
    """The content for the file: drive, seed, runs."""
    drive = request.drive
    return {
        "drive": {
            "name": drive.name,
            "dense": drive.dense,
            "gaps": drive.gaps,
            "pauses": dict(drive.pauses),
            "in_flight": drive.in_flight,
            "concurrent": drive.concurrent,
        },
        "seed": request.seed,
        "runs": [_plain(batch) for batch in request.batches],
    }


def read(content: object, processor: Processor) -> StreamRequest:
    """The request in the content of a file, for design number 0.

    Raises ValueError or SpecError for a request that the processor cannot execute."""
    case = msgspec.convert(content, _Case)
    drive = StreamProfile(**msgspec.structs.asdict(case.drive))
    unknown = set(drive.pauses) - {stream.name for stream in processor.streams}
    if unknown:
        raise ValueError(f"{processor.title} has no stream {', '.join(sorted(unknown))}")
    batches = [_batch(run, processor) for run in case.runs]
    jobs = [job for batch in batches for job in batch.jobs]
    if not jobs:
        raise ValueError("no operation is asked for")
    if drive.concurrent and not all(same_shape(processor, jobs, batch) for batch in batches):
        raise ValueError("operations that any of the moduli may meet differ in their beats")
    return StreamRequest(processor, 0, drive, batches, case.seed)


def _plain(batch: Batch) -> dict[str, Any]:
    gaps = [None] * len(batch.jobs) if batch.gaps is None else batch.gaps
    jobs = [
        {
            "operation": job.mode.operation,
            "length": job.mode.length,
            "operands": {name: hex(value) for name, value in job.operands.items()},
            "gap": gap,
        }
        for job, gap in zip(batch.jobs, gaps, strict=True)
    ]
    curve = None if batch.curve is None else own_curves.written(batch.curve)
    modulus, key = batch.modulus, plain_key(batch.modulus)
    return {
        "modulus": hex(modulus),
        "field": batch.field,
        "curve": curve,
        "key": msgspec.to_builtins(key),
        "gap": batch.gap,
        "jobs": jobs,
    }


def plain_key(modulus: int) -> PlainKey | None:
    """An RSA key for the file; None for a modulus without known factors."""
    if not isinstance(modulus, Key):
        return None
    p, q, *others = map(hex, modulus.primes)
    return PlainKey(p, q, hex(modulus.e), tuple(others))


def key_of(plain: PlainKey) -> Key:
    """The RSA key in a file.  Raises SpecError for numbers that are none."""
    return Key(*(int(number, 16) for number in (plain.p, plain.q, plain.e, *plain.others)))


def _batch(run: _Run, processor: Processor) -> Batch:
    if own_curves.in_a_file(run.curve):
        raise ValueError("a curve names a file")
    curve = None if run.curve is None else own_curves.parse(run.curve)
    modulus = int(run.modulus, 16)
    if run.key is not None:
        modulus = key_of(run.key)
    load = Load(modulus, run.field, curve)
    if curve is not None and (load != Load.of(curve) or not processor.takes_curves):
        raise ValueError(f"{processor.title} has no curve {run.curve} over {run.modulus}")
    processor.check_modulus(*load)
    jobs = [_job(job, load, processor) for job in run.jobs]
    gaps = [job.gap for job in run.jobs]
    if not all(0 <= gap <= LONGEST_GAP for gap in (run.gap, *(gap or 0 for gap in gaps))):
        raise ValueError(f"a gap is not from 0 to {LONGEST_GAP} cycles")
    waits = any(gap is not None for gap in gaps)
    batch = Batch.under(load, jobs, run.gap)
    return replace(batch, gaps=[gap or 0 for gap in gaps]) if waits else batch


def _job(plain: _Job, load: Load, processor: Processor) -> Job:
    operands = processor.operands.get(plain.operation)
    if operands is None:
        raise ValueError(f"{processor.title} has no operation {plain.operation}")
    if set(plain.operands) != set(operands):
        raise ValueError(f"operands of {plain.operation} are {', '.join(operands)}")
    mode = processor.mode(plain.operation, load, plain.length)
    values = {name: int(plain.operands[name], 16) for name in operands}
    job = Job(mode, load.modulus, values)
    processor.request(job)
    return job
