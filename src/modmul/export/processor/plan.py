"""The plan of the emitted testbench of a processor: moduli, operations with results, and when."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from modmul.design import Beat, Cycles, Job, Mode
from modmul.errors import SpecError
from modmul.export import keys, points
from modmul.processors import Load, Processor
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


class PlannedOperation(NamedTuple):
    """begins: number of its first beat on the request's first stream.  ends: beats of results that
    are out when it is done.  cycles: declared."""

    job: Job
    begins: int
    ends: int
    cycles: Cycles


class TestbenchPlan(NamedTuple):
    """inputs: by stream, in order.  results: the beats that come out.  request: the stream with
    which an operation begins.  full_speed: so many operations come before pauses begin."""

    inputs: dict[str, list[Offered]]
    results: list[Offered]
    operations: list[PlannedOperation]
    request: str
    full_speed: int


def plan(spec: Spec) -> TestbenchPlan:
    """Moduli of every field and length, the spec's own first; each with a few operations: operands
    at their edges and random ones, exponents of several lengths.  All of it twice: at full speed,
    then with pauses on every stream."""
    processor, chance = spec.processor, random.Random(_SEED)
    loads = _loads(spec)
    batches = [(load, list(_jobs(processor, load, chance))) for load in loads]
    batches[0][1].extend(_whole(processor, loads[0], chance))
    return _laid_out(processor, batches)


def samples(spec: Spec) -> Iterator[tuple[Load, Job]]:
    """One operation of each kind at its whole length, under each modulus of the plan: what goes
    over the streams, not what is computed."""
    processor, chance = spec.processor, random.Random(_SEED)
    for load in _loads(spec):
        for operation in processor.operations_on(load):
            mode = _mode(processor, operation, load)
            if points.known(operation):
                rules = {rule.name: rule for rule in processor.operand_rules(mode, load.modulus)}
                drawn = points.drawn(operation, load, rules, chance)
                yield load, Job(mode, load.modulus, drawn)
            else:
                yield load, _job(processor, operation, load, mode.length, _EACH, chance)


def _loads(spec: Spec) -> list[Load]:
    """The spec's own, then in each field the largest and a short one that the processor takes; or
    curves."""
    processor = spec.processor
    chosen = [] if spec.load is None else [spec.load]
    if processor.takes_curves:
        return list(dict.fromkeys([*chosen, *_curves(processor)]))
    if processor.takes_keys:
        return list(dict.fromkeys([*chosen, *keys.edge_loads(processor)]))
    top = 1 << processor.multiplier.modulus_bits
    for field in processor.fields_built:
        for start in (top - 1, (top >> 1) + 1, 1 << (processor.width + 1) // 2):
            candidates = (start - step for step in range(64))
            every = (Load(n, field) for n in candidates)
            chosen += next(([load] for load in every if processor.can_load(load)), [])
    if not chosen:
        allowed = "a modulus that it takes"
        raise SpecError("modulus", None, allowed, f"modulus: none found; name {allowed}")
    return list(dict.fromkeys(chosen))


def _curves(processor: Processor) -> Iterator[Load]:
    """One curve of each form, of those on which operations are cheapest."""
    every = [load for load in points.edge_loads(processor) if load.curve is not None]
    for form in dict.fromkeys(load.curve.form for load in every if load.curve is not None):
        yield next(load for load in every[::-1] if load.curve and load.curve.form == form)


def _jobs(processor: Processor, load: Load, chance: random.Random) -> Iterator[Job]:
    """Operations of every kind; the shorter ones where they are slow."""
    for operation in processor.operations_on(load):
        mode = _mode(processor, operation, load)
        if points.known(operation):
            if processor.latency(mode).maximum <= _CYCLES:
                yield from _drawn(processor, mode, load, chance)
            continue
        lengths = _affordable(processor, operation, load)
        for number in range(_EACH):
            length = lengths[(number * len(lengths)) // _EACH]
            yield _job(processor, operation, load, length, number, chance)


def _drawn(
    processor: Processor, mode: Mode, load: Load, chance: random.Random
) -> Iterator[Job]:
    """Draws operations: two at their edges, the others at random."""
    rules = {rule.name: rule for rule in processor.operand_rules(mode, load.modulus)}
    ends = points.edges(mode.operation, load, rules, chance)[:2]
    others = [points.drawn(mode.operation, load, rules, chance) for _ in range(_EACH - 2)]
    return (Job(mode, load.modulus, operands) for operands in (*ends, *others))


def _mode(
    processor: Processor, operation: str, load: Load, length: int | None = None
) -> Mode:
    return processor.mode(operation, load, length)


def _affordable(processor: Processor, operation: str, load: Load) -> list[int | None]:
    """Lengths whose operations are cheap enough together; [None] where there is none to choose."""
    mode = _mode(processor, operation, load)
    if not any(rule.sized for rule in processor.operand_rules(mode, load.modulus)):
        return [None]
    most = _CYCLES // (_EACH * 2 * len(processor.fields_built))
    lengths: list[int | None] = []
    for length in _LENGTHS:
        try:
            cycles = processor.latency(_mode(processor, operation, load, length)).maximum
        except SpecError:
            break
        if lengths and len(lengths) > 2 and cycles > most:
            break
        lengths.append(length)
    return lengths


def _whole(processor: Processor, load: Load, chance: random.Random) -> list[Job]:
    """The headline operation at its whole length, where that is not too slow."""
    operation = processor.operations_on(load)[0]
    mode = _mode(processor, operation, load)
    if mode.length is None or processor.latency(mode).maximum > _WHOLE:
        return []
    if points.known(operation):
        return list(_drawn(processor, mode, load, chance))[-1:]
    return [_job(processor, operation, load, mode.length, _EACH, chance)]


def _job(
    processor: Processor,
    operation: str,
    load: Load,
    length: int | None,
    number: int,
    chance: random.Random,
) -> Job:
    """The first ones have operands at their edges, the others random ones."""
    mode, operands = _mode(processor, operation, load, length), {}
    for rule in processor.operand_rules(mode, load.modulus):
        sized = 1 << (mode.length or 0) if rule.sized else None
        below = rule.below if sized is None else sized if rule.below is None else rule.below
        assert below is not None
        drawn = rule.least + chance.randrange(max(1, below - rule.least))
        operands[rule.name] = {0: below - 1, 1: rule.least}.get(number, drawn)
    return Job(mode, load.modulus, operands)


def _laid_out(processor: Processor, batches: Sequence[tuple[Load, list[Job]]]) -> TestbenchPlan:
    inputs: dict[str, list[Offered]] = {
        stream.name: [] for stream in processor.streams if stream.direction == "input"
    }
    results: list[Offered] = []
    operations: list[PlannedOperation] = []
    request = ""
    for _ in range(2):
        for load, jobs in batches:
            for name, beats in processor.load(*load).items():
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
                operations.append(PlannedOperation(job, begins, ends, processor.declared(job)))
    return TestbenchPlan(inputs, results, operations, request, len(operations) // 2)


def _packet(beats: Sequence[Beat], results: int, moduli: int) -> Iterator[Offered]:
    for place, beat in enumerate(beats):
        first, last = place == 0, place == len(beats) - 1
        yield Offered(beat, first, last, results * first, moduli * first)
