"""Plans the emitted testbench of a processor: moduli, operations with results, and their times."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from modmul.design import Beat
from modmul.errors import SpecError
from modmul.export import keys, points
from modmul.operation import Cycles, Job, Mode
from modmul.processors import Load, Processor
from modmul.processors.oracle import checked_answer
from modmul.spec import Spec

_SEED = 2019
_CYCLES = 60_000  # about the cycles of all operations at full speed; they are repeated with pauses
_WHOLE = 250_000  # a longer operation of the headline's length is left out
_EACH = 4  # operations under each modulus
_LENGTHS = (0, 1, 2, 7, 31, 32, 33, 64, 65, 100)  # bits, as far as they are cheap enough


class Offered(NamedTuple):
    """A beat of an input stream.  It waits until `results` beats of results and `moduli` beats of
    the modulus were transferred."""

    beat: Beat
    first: bool
    last: bool
    results: int
    moduli: int


class PlannedOperation(NamedTuple):
    """An operation of the testbench.  begins: the number of its first beat on the request's first
    stream.  ends: the number of beats of results when it is done.  cycles: as declared."""

    job: Job
    begins: int
    ends: int
    cycles: Cycles


class TestbenchPlan(NamedTuple):
    """The plan of a testbench.  inputs: the beats of each input stream, in order.  results: the
    beats of the results.  request: the stream with which an operation begins.  full_speed: the
    number of operations before pauses begin."""

    inputs: dict[str, list[Offered]]
    results: list[Offered]
    operations: list[PlannedOperation]
    request: str
    full_speed: int


def plan(spec: Spec) -> TestbenchPlan:
    """The plan: moduli of every field and length, the spec's own first, each with a few
    operations with edge operands and random ones, and exponents of several lengths.  All of it
    comes twice: at full speed, then with pauses on every stream.  Raises CheckFailed if the golden
    model, which computes the expected results, is wrong."""
    processor, chance = spec.processor, random.Random(_SEED)
    batches = [(load, list(_jobs(processor, load, chance))) for load in loads(spec)]
    batches[0][1].extend(_whole(processor, batches[0][0], chance))
    return _laid_out(processor, batches)


def samples(spec: Spec) -> Iterator[tuple[Load, Job]]:
    """One operation of each kind at its whole length, under each modulus of the plan.  They
    serve to see the beats on the streams, not the results."""
    processor, chance = spec.processor, random.Random(_SEED)
    for load in loads(spec):
        for operation in processor.operations_on(load):
            yield load, sample(processor, load, operation, chance)


def sample(processor: Processor, load: Load, operation: str, chance: random.Random) -> Job:
    """Draw operands of an operation at its whole length."""
    mode = _mode(processor, operation, load)
    if not points.known(operation):
        return _job(processor, operation, load, mode.length, _EACH, chance)
    rules = {rule.name: rule for rule in processor.operand_rules(mode, load.modulus)}
    return Job(mode, load.modulus, points.drawn(operation, load, rules, chance))


def loads(spec: Spec) -> list[Load]:
    """The spec's own modulus, then in each field the largest and some shorter ones that the
    processor takes; or curves, or keys."""
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
    """One curve of each form, of those on which operations are cheapest; then curves, or
    moduli without a curve, for the operations that these lack."""
    every = points.edge_loads(processor)
    curved = [load for load in every[::-1] if load.curve is not None]
    forms = {load.curve.form: load for load in curved[::-1] if load.curve is not None}
    lacking = set(processor.offered)
    for load in [*forms.values(), *curved, *(load for load in every if load.curve is None)]:
        allowed = set(processor.operations_on(load))
        if load in forms.values() or allowed & lacking:
            yield load
        lacking -= allowed


def _jobs(processor: Processor, load: Load, chance: random.Random) -> Iterator[Job]:
    """Operations of every kind; only the shorter ones if they are slow."""
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


def _drawn(processor: Processor, mode: Mode, load: Load, chance: random.Random) -> Iterator[Job]:
    """Operations: two with edge operands, the others with random ones."""
    rules = {rule.name: rule for rule in processor.operand_rules(mode, load.modulus)}
    ends = points.edges(mode.operation, load, rules, chance)[:2]
    others = [points.drawn(mode.operation, load, rules, chance) for _ in range(_EACH - 2)]
    return (Job(mode, load.modulus, operands) for operands in (*ends, *others))


def _mode(processor: Processor, operation: str, load: Load, length: int | None = None) -> Mode:
    return processor.mode(operation, load, length)


def _affordable(processor: Processor, operation: str, load: Load) -> list[int | None]:
    """Lengths whose operations are cheap enough together; [None] if no length can be
    chosen."""
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
    """The headline operation at its whole length, unless that is too slow."""
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
    """An operation: number 0 has the largest operands, number 1 the smallest, others random
    ones."""
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
                results += _packet(checked_answer(processor, job), 0, 0)
                ends = len(results)
                operations.append(PlannedOperation(job, begins, ends, processor.declared(job)))
    return TestbenchPlan(inputs, results, operations, request, len(operations) // 2)


def _packet(beats: Sequence[Beat], results: int, moduli: int) -> Iterator[Offered]:
    for place, beat in enumerate(beats):
        first, last = place == 0, place == len(beats) - 1
        yield Offered(beat, first, last, results * first, moduli * first)
