"""Chooses operations that reveal errors: edges of every operand and of every length, and random
ones."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import replace

from modmul.arithmetic import curves
from modmul.errors import SpecError
from modmul.export import keys, points
from modmul.export.operands import edges_below, runs_of_bits
from modmul.operation import Job, Mode, OperandRule
from modmul.processors.contract import Load, Processor
from modmul.verification import stimuli

MOST_CYCLES = 2_000_000  # the most of one operation among the edges
USUAL_CYCLES = 250_000  # the most of a random operation that has not the headline's length
LONGEST = 65_535  # the most bits of an operand whose length can be chosen
_TRIES = 100


def edge_loads(processor: Processor, own: Load | None) -> list[Load]:
    """The spec's own modulus, and the edges of the multiplier's moduli in every field, at
    the shortest lengths, the longest ones and one between; or the edges of curves or keys.  Loads
    that the processor does not take are left out."""
    settings = stimuli.edge_settings(processor.multiplier, None)
    loads = [Load(setting.modulus, setting.field) for setting in settings]
    if processor.takes_curves:
        loads = points.edge_loads(processor)
    elif processor.takes_keys:
        loads = keys.edge_loads(processor)
    first = [] if own is None else [own]
    return [load for load in dict.fromkeys([*first, *loads]) if processor.can_load(load)]


def random_load(processor: Processor, rng: random.Random, words: int | None = None) -> Load:
    """Draw a modulus of any field and length, usually of full width, or a curve or a key.  words:
    the words in use, if they can be chosen.  Raises SpecError if no modulus is found that the
    processor takes."""
    if processor.takes_curves:
        return points.random_load(processor, rng)
    if processor.takes_keys:
        return keys.random_load(processor, rng)
    for _ in range(_TRIES):
        mode = stimuli.random_mode(processor.multiplier, rng)
        if words is not None:
            mode = Mode(field=mode.field, words=words)
        drawn = stimuli.random_setting(processor.multiplier, mode, rng)
        if processor.can_load(load := Load(drawn.modulus, mode.field)):
            return load
    message = f"{processor.title}: no random modulus is taken"
    raise SpecError("architecture", processor.title, None, message)


def load_for(processor: Processor, mode: Mode) -> Load | None:
    """The largest modulus, or the longest curve, that goes with a mode of the processor;
    None if there is none among the edges."""
    if processor.takes_curves:
        curved = (*map(Load.of, curves.within(processor.width)), *points.edge_loads(processor))
        return next((load for load in curved if goes_with(processor, mode, load)), None)
    if processor.takes_keys:
        keyed = keys.edge_loads(processor)
        return next((load for load in keyed if goes_with(processor, mode, load)), None)
    chosen = Mode(field=mode.field, words=mode.words)
    moduli = stimuli.edge_moduli(processor.multiplier, chosen)
    for modulus in moduli:
        load = Load(modulus, mode.field)
        if goes_with(processor, mode, load):
            return load
    return None


def goes_with(processor: Processor, mode: Mode, load: Load) -> bool:
    """Whether there is an operation of this mode under this load."""
    if not processor.can_load(load) or mode.operation not in processor.operations_on(load):
        return False
    length = None if load.curve is not None else mode.length
    try:
        return processor.mode(mode.operation, load, length) == mode
    except SpecError:  # a length that a key does not have
        return False


def shortest(processor: Processor, mode: Mode, load: Load) -> Mode:
    """The shortest operation that can follow one of this mode."""
    if any(rule.sized for rule in processor.operand_rules(mode, load.modulus)):
        return replace(mode, length=0)
    every = (processor.mode(operation, load) for operation in processor.operations_on(load))
    return min(every, key=lambda mode: processor.latency(mode).maximum)


# ---- edges ---------------------------------------------------------------------------------------


def edge_jobs(processor: Processor, load: Load, rng: random.Random) -> list[Job]:
    """All operations at all edges.  At every length that matters, each edge of the sized
    operand comes with edges of the other operands in random order; first come the operations with
    all operands smallest, all largest, and the highest bit with the smallest others."""
    jobs = []
    for operation in processor.operations_on(load):
        rules = _rules(processor, operation, load)
        if points.known(operation):
            mode, by_name = processor.mode(operation, load), _by_name(rules)
            edges = points.edges(operation, load, by_name, rng)
            jobs += [Job(mode, load.modulus, operands) for operands in edges]
            continue
        plain = {rule.name: _edges(processor, load, rule) for rule in rules if not rule.sized}
        turns = {
            name: itertools.cycle(rng.sample(edges, len(edges))) for name, edges in plain.items()
        }
        lengths: Sequence[int | None] = [None]
        if len(plain) < len(rules):
            lengths = _edge_lengths(processor, operation, load)
        for length in lengths:
            mode, sized = processor.mode(operation, load, length), _exponents(length or 0, rng)
            count = max(map(len, plain.values())) if length is None else len(sized)
            corners = ({name: edges[end] for name, edges in plain.items()} for end in (0, 1, 0))
            others = ({name: next(turn) for name, turn in turns.items()} for _ in range(count))
            for number, chosen in enumerate((*corners, *others)):
                operands = {
                    rule.name: sized[number % len(sized)] if rule.sized else chosen[rule.name]
                    for rule in rules
                }
                jobs.append(Job(mode, load.modulus, operands))
    return jobs


def _edges(processor: Processor, load: Load, rule: OperandRule) -> list[int]:
    """Values of an operand: smallest, largest, and edges of the modulus."""
    assert rule.below is not None
    values = edges_below(rule.below, load.modulus, processor.multiplier.beat)
    edges = [rule.least, rule.below - 1, *(value for value in values if value >= rule.least)]
    return list(dict.fromkeys(edges)) if rule.below - rule.least > 1 else [rule.least] * 2


def _exponents(length: int, rng: random.Random) -> list[int]:
    """Exponents of this length: no bit set, all bits, the highest, the lowest, and a random
    one."""
    ones = (1 << length) - 1
    return [0, ones, ones + 1 >> 1, ones & 1, rng.getrandbits(length)]


def _edge_lengths(processor: Processor, operation: str, load: Load) -> list[int]:
    """The lengths 0, 1, 2, those around the words of the streams, the headline's and the
    longest, as far as they take at most MOST_CYCLES."""
    longest = _longest(processor, operation, load)
    words = {
        bits
        for stream in processor.streams[1:]
        if stream.direction == "input"
        for bits, _ in stream.members.values()
    }
    lengths = {0, 1, 2, longest, processor.modes[0].length or 0}
    lengths |= {bits + more for bits in words for more in (-1, 0, 1)}
    lengths |= {2 * bits + 1 for bits in words}
    chosen: list[int] = []
    cycles = 0
    for length in sorted(length for length in lengths if length <= longest):
        if length > 2:  # computing the cycles of a very long operation takes long itself
            if cycles * length > 2 * MOST_CYCLES * chosen[-1]:
                break
            cycles = _cycles(processor, operation, load, length)
            if cycles > MOST_CYCLES:
                break
        chosen.append(length)
    return chosen


# ---- random operations ---------------------------------------------------------------------------


def random_job(processor: Processor, load: Load, rng: random.Random) -> Job:
    """Draw any operation of a usual length; every fourth operand has long runs of equal bits."""
    operation = rng.choice(processor.operations_on(load))
    length = None
    if any(rule.sized for rule in _rules(processor, operation, load)):
        length = rng.randint(0, usual_length(processor, operation, load))
    return job_of(processor, processor.mode(operation, load, length), load, rng)


def job_of(processor: Processor, mode: Mode, load: Load, rng: random.Random) -> Job:
    rules = processor.operand_rules(mode, load.modulus)
    if points.known(mode.operation):
        operands = points.drawn(mode.operation, load, _by_name(rules), rng)
        return Job(mode, load.modulus, operands)
    operands = {}
    for rule in rules:
        if rule.sized:
            bits, least, below = mode.length or 0, 0, 1 << (mode.length or 0)
        else:
            assert rule.below is not None
            bits, least, below = rule.below.bit_length(), rule.least, rule.below
        drawn = runs_of_bits(bits, rng) if rng.random() < 0.25 else rng.getrandbits(bits + 8)
        operands[rule.name] = least + drawn % (below - least)
    return Job(mode, load.modulus, operands)


def usual_length(processor: Processor, operation: str, load: Load) -> int:
    """The most bits of a random operation: a little more than two words, or as many as
    USUAL_CYCLES allow."""
    longest = _longest(processor, operation, load)
    for length in (67, 33, 17, 9):
        if length <= longest and _cycles(processor, operation, load, length) <= USUAL_CYCLES:
            return length
    return min(4, longest)


def _longest(processor: Processor, operation: str, load: Load) -> int:
    """The most bits of the sized operand of an operation, at most LONGEST."""
    rules = _rules(processor, operation, load)
    sized = (rule.longest for rule in rules if rule.sized and rule.longest is not None)
    return min((*sized, LONGEST))


def _rules(processor: Processor, operation: str, load: Load) -> tuple[OperandRule, ...]:
    return processor.operand_rules(processor.mode(operation, load), load.modulus)


def _cycles(processor: Processor, operation: str, load: Load, length: int) -> int:
    return processor.latency(processor.mode(operation, load, length)).maximum


def _by_name(rules: Sequence[OperandRule]) -> dict[str, OperandRule]:
    return {rule.name: rule for rule in rules}
