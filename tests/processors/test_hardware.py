"""The emitted Verilog of exponentiation processors, against the integers and the declared cycles.

All in one simulator, since each C++ compile costs seconds; every multiplier of the registry, long
numbers and injected faults are in test_long.py."""

from __future__ import annotations

import dataclasses
import os
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from modmul.arithmetic import binary
from modmul.processors.exponentiation import Exponentiation
from modmul.toolchain.cache import Cache
from modmul.verification.processors import Batch, Judged, check, design_of
from modmul.verification.streams import (
    StreamOutcome,
    StreamSession,
    StreamSimulator,
    compile_streams,
)
from powers import batch_of

PAUSES = {"modulus": 60, "command": 200, "operand": 128, "exponent": 230, "result": 128}
EVERY = bool(os.environ.get("CONFORMANCE"))
# By default one of words (of 64 bits, not 512), one of pairs, one of both fields, two in turn; and
# both methods.
PROCESSORS = [
    each
    if EVERY or each.multiplier.width < 100
    else dataclasses.replace(each, multiplier=type(each.multiplier)(width=64))
    for each in Exponentiation.examples()
    if EVERY or each.multiplier.name not in ("interleaved", "three-pass")
]
LEFT_TO_RIGHT = next(processor for processor in PROCESSORS if processor.method == "left-to-right")
FIPS = next(processor for processor in PROCESSORS if processor.multiplier.name == "fips")
CONSTANT = [processor for processor in PROCESSORS if processor.timing == "constant"]


def title(processor: Exponentiation) -> str:
    return processor.title


@pytest.fixture(scope="module")
def simulator() -> StreamSimulator:
    return compile_streams([design_of(processor) for processor in PROCESSORS], Cache())


@pytest.fixture
def session(simulator: StreamSimulator) -> Iterator[StreamSession]:
    with simulator.start() as running:
        yield running


def passes(
    processor: Exponentiation, session: StreamSession, batches: list[Batch], **options: Any
) -> Judged:
    verdict = check(processor, session, PROCESSORS.index(processor), batches, **options)
    assert verdict.mismatches == []
    assert len(verdict.measured) == sum(len(batch.jobs) for batch in batches)
    return verdict


def outcome_of(verdict: Judged) -> StreamOutcome:
    assert verdict.outcome is not None
    return verdict.outcome


def prime_batch(
    processor: Exponentiation, bits: int, lengths: tuple[int, ...], rng: random.Random
) -> Batch:
    """Under a random odd modulus of that many bits."""
    modulus = rng.getrandbits(bits) | 1 << bits - 1 | 1
    return batch_of(processor, modulus, lengths, rng)


def binary_batch(
    processor: Exponentiation, degree: int, lengths: tuple[int, ...], rng: random.Random
) -> Batch:
    """In GF(2^degree)."""
    modulus = binary.random_irreducible(degree, rng)
    return batch_of(processor, modulus, lengths, rng, "binary")


every = pytest.mark.parametrize("processor", PROCESSORS, ids=title)


@every
def test_powers_and_cycles(processor: Exponentiation, session: StreamSession) -> None:
    """Under two moduli, one of them the largest; every exponentiation takes the declared cycles."""
    rng = random.Random(processor.title)
    width = processor.multiplier.width
    largest = (1 << width) - 1
    batches = [
        prime_batch(processor, width, (7, 40, 65), rng),
        batch_of(processor, largest, (20, 33), rng),
    ]
    passes(processor, session, batches)


@every
def test_all_streams_may_pause(processor: Exponentiation, session: StreamSession) -> None:
    rng = random.Random(processor.title)
    width = processor.multiplier.width
    for seed in (1, 2):
        batches = [prime_batch(processor, width - 1 + each, (19, 45), rng) for each in (0, 1)]
        passes(processor, session, batches, pauses=PAUSES, seed=seed)


def test_golden_model_is_the_hardware(session: StreamSession) -> None:
    for processor in PROCESSORS:
        rng = random.Random(3)
        batch = prime_batch(processor, min(61, processor.multiplier.width), (9,), rng)
        verdict = passes(processor, session, [batch])
        beats = outcome_of(verdict).beats["result"]
        for number, job in enumerate(batch.jobs):
            count = processor.reply_beats(job.mode, job.modulus)
            reply = processor.reply(job.mode, beats[number * count : (number + 1) * count])
            assert reply == processor.compute(job)


def test_fields_and_lengths_change_with_the_modulus(session: StreamSession) -> None:
    rng = random.Random(8)
    batches = [
        prime_batch(FIPS, 64, (12,), rng),
        binary_batch(FIPS, 63, (40,), rng),
        prime_batch(FIPS, 3, (12,), rng),
        binary_batch(FIPS, 17, (33,), rng),
        binary_batch(FIPS, 1, (6,), rng),
        prime_batch(FIPS, 33, (30,), rng),
    ]
    passes(FIPS, session, batches)
    passes(FIPS, session, batches, pauses=PAUSES)


@pytest.mark.parametrize("processor", CONSTANT, ids=title)
def test_no_handshake_tells_secrets(processor: Exponentiation, session: StreamSession) -> None:
    """Every beat of every stream goes over in the same cycle, whatever base and exponent are."""
    modulus = (1 << processor.multiplier.width) - 59
    bits, rng = 40, random.Random(4)
    ones = (1 << bits) - 1
    secrets = [
        *(
            (0, 0),
            (0, ones),
            (1, ones),
            (modulus - 1, 0),
            (modulus - 1, ones),
            (2, 1),
            (2, 1 << 39),
        ),
        *((rng.randrange(modulus), rng.getrandbits(bits)) for _ in range(5)),
    ]
    timed = []
    for base, exponent in secrets:
        batch = Batch(modulus, [processor.job(base, exponent, modulus, bits=bits)] * 2)
        verdict = passes(processor, session, [batch], pauses={"operand": 100, "result": 100})
        timed.append(outcome_of(verdict).cycles)
    for other in timed[1:]:
        for stream, cycles in timed[0].items():
            assert np.array_equal(cycles, other[stream]), stream


def test_left_to_right_tells_the_ones(session: StreamSession) -> None:
    """So the test before can fail."""
    processor = LEFT_TO_RIGHT
    assert processor.timing == "data-dependent"
    modulus = (1 << 96) - 17
    batch = Batch(
        modulus,
        [processor.job(5, exponent, modulus, bits=40) for exponent in (0, 1, 3, (1 << 40) - 1)],
    )
    none, single, two, every = passes(processor, session, [batch]).measured
    product = single - none
    assert product > 90 and (two, every) == (none + 2 * product, none + 40 * product)
