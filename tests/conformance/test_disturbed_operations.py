"""Packets of processors that are too short, too long, or interrupted by the next one: the next
operation is right, without a reset."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

import pytest

from disturbed import DISTURBED, packet, wait
from modmul import processors
from modmul.design import Beats
from modmul.export import hdl
from modmul.export.processor.plan import samples
from modmul.multipliers.fips import Fips
from modmul.multipliers.fpmm import Fpmm
from modmul.operation import Job
from modmul.processors import Load, Processor
from modmul.processors.curve import PrimeCurve
from modmul.processors.exponentiation import Exponentiation
from modmul.processors.oracle import contradicted
from modmul.processors.rsa import PRIVATE, Rsa
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.verification.streams import (
    Exchange,
    Offer,
    StreamDesign,
    StreamSession,
    compile_streams,
)

PROTECTED = Fpmm(width=16, protection="full")
LONGER = ("one beat long", "very long", "long and interrupted")
KINDS = (*LONGER, "one beat short", "one beat alone", "interrupted")

DESIGNS = {
    f"{name}-{place}": design
    for name in processors.NAMES
    for place, design in enumerate(processors.find(name).examples())
} | {
    "short": Exponentiation(multiplier=Fips(width=16, word=8), exponent_word=8),
    "exponentiation-protected": Exponentiation(multiplier=PROTECTED),
    "curve-protected": PrimeCurve(multiplier=PROTECTED, forms="weierstrass", schemes="ecdsa"),
    "rsa-protected": Rsa(multiplier=PROTECTED, method="ladder"),
}


class Operation(NamedTuple):
    job: Job
    request: Beats
    beats: int
    """Of the result."""
    later: int
    """More cycles than it takes."""


def operations(design: Processor) -> Iterator[tuple[Load, list[Operation]]]:
    """Of each load, the shortest operations that together use all its streams."""
    for load, several in groupby(samples(Spec(design)), key=lambda sample: sample[0]):
        jobs = sorted(
            (job for _, job in several), key=lambda job: int(design.declared(job).maximum)
        )
        chosen, streams = list[Operation](), set[str]()
        for job in jobs:
            request = design.request(job)
            if streams < streams | {name for name, beats in request.items() if beats}:
                streams |= {name for name, beats in request.items() if beats}
                beats = design.reply_beats(job.mode, job.modulus)
                later = int(design.declared(job).maximum) + 500
                chosen.append(Operation(job, request, beats, later))
        yield load, chosen


def check(
    design: Processor,
    session: StreamSession,
    inputs: dict[str, list[Offer]],
    operation: Operation,
    right: str,
) -> None:
    """right: R where the result of an operation is right; L where there were too many beats: it is
    right, or a fault of a protected design; S where beats were missing: a fault if there is
    protection or the result is checked, else the result is not looked at."""
    protected = design.protection == "full"
    checked = protected or operation.job.mode.operation == PRIVATE
    count, later = operation.beats, operation.later
    beats = count * len(right)
    exchange = Exchange(inputs, {"result": beats + 1}, patience=3 * later, limit=20 * later)
    outcome = session.run(0, exchange)
    assert outcome.violations == []
    answers = outcome.beats["result"]
    framing = [(int(i % count == 0), int(i % count == count - 1)) for i in range(beats)]
    assert [(beat["first"], beat["last"]) for beat in answers] == framing
    for place, expected in enumerate(right):
        reply = design.reply(operation.job.mode, answers[place * count : (place + 1) * count])
        fault = reply == {"fault": True}
        if expected == "S":
            assert fault or not checked
        elif not (expected == "L" and protected and fault):
            assert contradicted(design, operation.job, reply) is None


def disturb_operation(
    design: Processor, session: StreamSession, load: Beats, operation: Operation
) -> None:
    """Send three operations; one packet of the second is disturbed.  What the third needs comes at
    once, or when all is quiet."""
    for name, beats in operation.request.items():
        for kind in KINDS if len(beats) > 1 else LONGER if beats else ():
            for gap in (0, operation.later):
                inputs = {"modulus": packet(load["modulus"])}
                for stream, each in operation.request.items():
                    inputs[stream] = []
                    if each:
                        second = DISTURBED[kind](each) if stream == name else packet(each)
                        once = wait(packet(each), "modulus", len(load["modulus"]))
                        inputs[stream] = [*once, *second, *packet(each, gap=gap)]
                right = "RLR" if kind in LONGER else "RSR"
                check(design, session, inputs, operation, right)


def disturb_modulus(
    design: Processor, session: StreamSession, load: Beats, operation: Operation
) -> None:
    """Send a modulus after an operation that is disturbed, then again, and another operation."""
    modulus = load["modulus"]
    for kind in KINDS if len(modulus) > 1 else LONGER:
        for gap in (0, operation.later):
            disturbed = wait(DISTURBED[kind](modulus), "result", operation.beats)
            moduli = [*packet(modulus), *disturbed, *packet(modulus, gap=gap)]
            inputs = {"modulus": moduli}
            for stream, each in operation.request.items():
                inputs[stream] = []
                if each:
                    once = wait(packet(each), "modulus", len(modulus))
                    inputs[stream] = [*once, *wait(packet(each), "modulus", len(moduli))]
            check(design, session, inputs, operation, "RR")


@pytest.mark.parametrize("name", DESIGNS)
@pytest.mark.short("short", "binary-curve-4", "exponentiation-protected")
def test_the_operation_after_a_disturbed_packet_is_right(name: str) -> None:
    """Of every input stream.  Beats that are too many are dropped, so that even the operation that
    they belong to is right; where a result is checked, beats that are missing are a fault."""
    design = DESIGNS[name]
    module = StreamDesign.of(design, "stream", hdl.emit(design))
    with compile_streams([module], Cache()).start() as session:
        load, several = next(operations(design))
        beats = design.load(*load)
        if beats["modulus"]:
            disturb_modulus(design, session, beats, several[0])
        for operation in several:
            disturb_operation(design, session, beats, operation)
