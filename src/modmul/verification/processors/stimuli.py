"""Operations that find faults: the edges of every operand and of every length, and random ones."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from typing import NamedTuple

from modmul.arithmetic.moduli import Field
from modmul.design import Job, Mode, OperandRule
from modmul.errors import SpecError
from modmul.export.operands import edges_below, runs_of_bits
from modmul.processors.contract import Processor
from modmul.verification import stimuli

MOST_CYCLES = 2_000_000  # of one operation among the edges
USUAL_CYCLES = 250_000  # of one random operation that is not of the headline's length
LONGEST = 65_535  # bits of an operand whose length can be chosen
_TRIES = 100


class Load(NamedTuple):
    """A modulus, and the field that is chosen with it."""

    modulus: int
    field: Field


def edge_loads(processor: Processor, own: Load | None) -> list[Load]:
    """The spec's own modulus, and the edges of the multiplier's in every field, at the shortest
    lengths, the longest ones and one between; only what the processor takes."""
    found = stimuli.edge_settings(processor.multiplier, None)
    loads = [Load(one.modulus, one.field) for one in found]
    first = [] if own is None else [own]
    return [one for one in dict.fromkeys([*first, *loads]) if takes(processor, *one)]


def random_load(processor: Processor, rng: random.Random, words: int | None = None) -> Load:
    """Any field and length, usually of full width.  words: in use, where they can be chosen.

    SpecError where no modulus is found that the processor takes."""
    for _ in range(_TRIES):
        mode = stimuli.random_mode(processor.multiplier, rng)
        if words is not None:
            mode = Mode(field=mode.field, words=words)
        drawn = stimuli.random_setting(processor.multiplier, mode, rng)
        if takes(processor, drawn.modulus, mode.field):
            return Load(drawn.modulus, mode.field)
    message = f"{processor.title}: no random modulus is taken"
    raise SpecError("architecture", processor.title, None, message)


def load_for(processor: Processor, mode: Mode) -> Load | None:
    """The largest modulus that goes with a mode of the processor; None if there is none among the
    edges."""
    chosen = Mode(field=mode.field, words=mode.words)
    moduli = stimuli.edge_moduli(processor.multiplier, chosen)
    for modulus in moduli:
        load = Load(modulus, mode.field)
        if takes(processor, *load) and _mode(processor, mode.operation, load, mode.length) == mode:
            return load
    return None


def takes(processor: Processor, modulus: int, field: Field) -> bool:
    """Whether the processor accepts that modulus."""
    try:
        processor.check_modulus(modulus, field)
    except SpecError:
        return False
    return True


# ---- edges ---------------------------------------------------------------------------------------


def edge_jobs(processor: Processor, load: Load, rng: random.Random) -> list[Job]:
    """All operations: at every length that matters each of its edges, and all edges of every other
    operand beside them in random order; at each length first those with all operands smallest,
    then largest."""
    jobs = []
    for operation in processor.operands:
        rules = _rules(processor, operation, load)
        plain = {rule.name: _edges(processor, load, rule) for rule in rules if not rule.sized}
        turns = {
            name: itertools.cycle(rng.sample(edges, len(edges))) for name, edges in plain.items()
        }
        lengths: Sequence[int | None] = [None]
        if len(plain) < len(rules):
            lengths = _edge_lengths(processor, operation, load)
        for length in lengths:
            mode, sized = _mode(processor, operation, load, length), _exponents(length or 0, rng)
            count = max(map(len, plain.values())) if length is None else len(sized)
            corners = ({name: edges[end] for name, edges in plain.items()} for end in (0, 1))
            others = ({name: next(turn) for name, turn in turns.items()} for _ in range(count))
            for number, chosen in enumerate((*corners, *others)):
                operands = {
                    rule.name: sized[number % len(sized)] if rule.sized else chosen[rule.name]
                    for rule in rules
                }
                jobs.append(Job(mode, load.modulus, operands))
    return jobs


def _edges(processor: Processor, load: Load, rule: OperandRule) -> list[int]:
    """From the smallest and the largest on."""
    assert rule.below is not None
    values = edges_below(rule.below, load.modulus, processor.multiplier.beat)
    found = [rule.least, rule.below - 1, *(one for one in values if one >= rule.least)]
    return list(dict.fromkeys(found)) if rule.below - rule.least > 1 else [rule.least] * 2


def _exponents(length: int, rng: random.Random) -> list[int]:
    """Of that many bits, leading zeros counted: no bit, all, the highest, the lowest; any."""
    ones = (1 << length) - 1
    return [0, ones, ones + 1 >> 1, ones & 1, rng.getrandbits(length)]


def _edge_lengths(processor: Processor, operation: str, load: Load) -> list[int]:
    """0, 1, 2; about the words of the streams; the headline's and the longest; those that take
    at most MOST_CYCLES."""
    longest = _longest(processor, operation, load)
    words = {
        bits
        for stream in processor.streams[1:]
        if stream.direction == "input"
        for bits, _ in stream.members.values()
    }
    found = {0, 1, 2, longest, processor.modes[0].length or 0}
    found |= {bits + more for bits in words for more in (-1, 0, 1)}
    found |= {2 * bits + 1 for bits in words}
    chosen: list[int] = []
    cycles = 0
    for length in sorted(one for one in found if one <= longest):
        if length > 2:  # to ask for the cycles of a very long one takes long itself
            if cycles * length > 2 * MOST_CYCLES * chosen[-1]:
                break
            cycles = _cycles(processor, operation, load, length)
            if cycles > MOST_CYCLES:
                break
        chosen.append(length)
    return chosen


# ---- random operations ---------------------------------------------------------------------------


def random_job(processor: Processor, load: Load, rng: random.Random) -> Job:
    """Any operation of a usual length; every fourth operand has long runs of equal bits."""
    operation = rng.choice(list(processor.operands))
    length = None
    if any(rule.sized for rule in _rules(processor, operation, load)):
        length = rng.randint(0, usual_length(processor, operation, load))
    return job_of(processor, _mode(processor, operation, load, length), load, rng)


def job_of(processor: Processor, mode: Mode, load: Load, rng: random.Random) -> Job:
    """One of that mode, with random operands."""
    operands = {}
    for rule in processor.operand_rules(mode, load.modulus):
        if rule.sized:
            bits, least, below = mode.length or 0, 0, 1 << (mode.length or 0)
        else:
            assert rule.below is not None
            bits, least, below = rule.below.bit_length(), rule.least, rule.below
        drawn = runs_of_bits(bits, rng) if rng.random() < 0.25 else rng.getrandbits(bits + 8)
        operands[rule.name] = least + drawn % (below - least)
    return Job(mode, load.modulus, operands)


def usual_length(processor: Processor, operation: str, load: Load) -> int:
    """Of random operations at most: a little more than two words, or what USUAL_CYCLES allow."""
    longest = _longest(processor, operation, load)
    for length in (67, 33, 17, 9):
        if length <= longest and _cycles(processor, operation, load, length) <= USUAL_CYCLES:
            return length
    return min(4, longest)


def _longest(processor: Processor, operation: str, load: Load) -> int:
    """The most bits that the sized operand of an operation can have, or LONGEST."""
    rules = _rules(processor, operation, load)
    sized = (rule.longest for rule in rules if rule.sized and rule.longest is not None)
    return min((*sized, LONGEST))


def _rules(processor: Processor, operation: str, load: Load) -> tuple[OperandRule, ...]:
    return processor.operand_rules(_mode(processor, operation, load, None), load.modulus)


def _cycles(processor: Processor, operation: str, load: Load, length: int) -> int:
    return processor.latency(_mode(processor, operation, load, length)).maximum


def _mode(processor: Processor, operation: str, load: Load, length: int | None) -> Mode:
    return processor.mode_for(operation, load.modulus, load.field, length)
