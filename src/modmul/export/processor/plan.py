"""What the emitted testbench of a processor does: moduli, operations with results, and when."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from modmul.arithmetic.moduli import Field
from modmul.design import Beat, Cycles, Job
from modmul.errors import SpecError
from modmul.processors import Processor
from modmul.spec import Spec

_SEED = 2019
_CYCLES = 60_000  # of all operations at full speed, about; they come once more with pauses
_WHOLE = 250_000  # cycles of an operation of the headline's length that is still tried
_EACH = 4  # operations of a modulus
_LENGTHS = (0, 1, 2, 7, 31, 32, 33, 64, 65, 100)  # bits, as far as they are cheap enough


class Offered(NamedTuple):
    """A beat of an input stream.  It waits until so many beats of results are out and so many of
    the modulus are in."""

    beat: Beat
    first: bool
    last: bool
    results: int
    moduli: int


class Operation(NamedTuple):
    """begins: number of its first beat on the request's first stream.  ends: beats of results that
    are out when it is done.  cycles: declared."""

    job: Job
    begins: int
    ends: int
    cycles: Cycles


class Plan(NamedTuple):
    """inputs: by stream, in order.  results: the beats that come out.  request: the stream with
    which an operation begins.  full_speed: so many operations come before pauses begin."""

    inputs: dict[str, list[Offered]]
    results: list[Offered]
    operations: list[Operation]
    request: str
    full_speed: int


def plan(spec: Spec) -> Plan:
    """Moduli of every field and length, the spec's own first; each with a few operations: operands
    at their edges and random ones, exponents of several lengths.  All of it twice: at full speed,
    then with pauses on every stream."""
    processor, chance = spec.processor, random.Random(_SEED)
    batches = [
        (modulus, field, list(_jobs(processor, modulus, field, chance)))
        for modulus, field in _moduli(spec)
    ]
    whole = _whole(processor, *_moduli(spec)[0], chance)
    batches[0][2].extend(whole)
    return _laid_out(processor, batches)


def _moduli(spec: Spec) -> list[tuple[int, Field]]:
    """The spec's own, then in each field the largest and a short one that the processor takes."""
    processor = spec.processor
    chosen = [] if spec.modulus is None else [(spec.modulus.value, spec.modulus.field)]
    top = 1 << processor.multiplier.modulus_bits
    for field in processor.fields_built:
        for start in (top - 1, (top >> 1) + 1, 1 << (processor.width + 1) // 2):
            candidates = (start - step for step in range(64))
            chosen += next(([(n, field)] for n in candidates if _takes(processor, n, field)), [])
    if not chosen:
        allowed = "a modulus that it takes"
        raise SpecError("modulus", None, allowed, f"modulus: none found; name {allowed}")
    return list(dict.fromkeys(chosen))


def _takes(processor: Processor, modulus: int, field: Field) -> bool:
    try:
        processor.check_modulus(modulus, field)
    except SpecError:
        return False
    return True


def _jobs(
    processor: Processor, modulus: int, field: Field, chance: random.Random
) -> Iterator[Job]:
    """Operations of every kind; the shorter ones where they are slow."""
    for operation in processor.operands:
        lengths = _affordable(processor, operation, modulus, field)
        for number in range(_EACH):
            length = lengths[(number * len(lengths)) // _EACH]
            yield _job(processor, operation, modulus, field, length, number, chance)


def _affordable(
    processor: Processor, operation: str, modulus: int, field: Field
) -> list[int | None]:
    """Lengths whose operations are cheap enough together; [None] where there is none to choose."""
    mode = processor.mode_for(operation, modulus, field)
    if mode.length is None:
        return [None]
    most = _CYCLES // (_EACH * 2 * len(processor.fields_built))
    lengths: list[int | None] = []
    for length in _LENGTHS:
        try:
            one = processor.mode_for(operation, modulus, field, length)
            cycles = processor.latency(one).maximum
        except SpecError:
            break
        if lengths and len(lengths) > 2 and cycles > most:
            break
        lengths.append(length)
    return lengths


def _whole(
    processor: Processor, modulus: int, field: Field, chance: random.Random
) -> list[Job]:
    """The headline operation at its whole length, where that is not too slow."""
    operation = processor.modes[0].operation
    mode = processor.mode_for(operation, modulus, field)
    if mode.length is None or processor.latency(mode).maximum > _WHOLE:
        return []
    return [_job(processor, operation, modulus, field, mode.length, _EACH, chance)]


def _job(
    processor: Processor,
    operation: str,
    modulus: int,
    field: Field,
    length: int | None,
    number: int,
    chance: random.Random,
) -> Job:
    """The first ones have operands at their edges, the others random ones."""
    mode, operands = processor.mode_for(operation, modulus, field, length), {}
    for rule in processor.operand_rules(mode, modulus):
        sized = 1 << (mode.length or 0) if rule.sized else None
        below = rule.below if sized is None else sized if rule.below is None else rule.below
        assert below is not None
        drawn = rule.least + chance.randrange(max(1, below - rule.least))
        operands[rule.name] = {0: below - 1, 1: rule.least}.get(number, drawn)
    return Job(mode, modulus, operands)


def _laid_out(processor: Processor, batches: Sequence[tuple[int, Field, list[Job]]]) -> Plan:
    inputs: dict[str, list[Offered]] = {
        stream.name: [] for stream in processor.streams if stream.direction == "input"
    }
    results: list[Offered] = []
    operations: list[Operation] = []
    request = ""
    for _ in range(2):
        for modulus, field, jobs in batches:
            for name, beats in processor.load(modulus, field).items():
                inputs[name] += _packet(beats, len(results), 0)
            loaded = len(inputs["modulus"])
            for job in jobs:
                streams = processor.request(job)
                request = next(iter(streams))
                begins = len(inputs[request])
                for name, beats in streams.items():
                    inputs[name] += _packet(beats, 0, loaded if name == request else 0)
                results += _packet(processor.answer(job), 0, 0)
                ends = len(results)
                operations.append(Operation(job, begins, ends, processor.declared(job)))
    return Plan(inputs, results, operations, request, len(operations) // 2)


def _packet(beats: Sequence[Beat], results: int, moduli: int) -> Iterator[Offered]:
    for place, beat in enumerate(beats):
        first, last = place == 0, place == len(beats) - 1
        yield Offered(beat, first, last, results * first, moduli * first)
