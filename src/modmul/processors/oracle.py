"""Compares the results of a processor with the oracle of operations, which shares nothing with its
programs and golden model."""

from __future__ import annotations

from collections.abc import Mapping

from modmul.arithmetic.oracle import OracleQuery, right
from modmul.design import Beat
from modmul.errors import CheckFailed
from modmul.operation import Job
from modmul.processors.contract import Processor


def contradicted(
    processor: Processor, job: Job, results: Mapping[str, int]
) -> dict[str, int] | None:
    """The right results if `results` are wrong, otherwise None.  What the processor is
    declared to answer instead of a result is not wrong."""
    mode = job.mode
    expected = right(
        OracleQuery(mode.operation, job.operands, job.modulus, mode.field, curve=mode.curve)
    )
    return None if results in (expected, processor.declined(job)) else expected


def checked_answer(processor: Processor, job: Job) -> list[Beat]:
    """The beats of the stream `result` that the golden model gives.  Raises CheckFailed if
    they are wrong."""
    beats = processor.answer(job)
    results = processor.reply(job.mode, beats)
    if (expected := contradicted(processor, job, results)) is not None:
        gave = f"{describe(job)} gives {hexadecimal(results)}, not {hexadecimal(expected)}"
        raise CheckFailed(f"{processor.title}: the golden model is wrong: {gave}")
    return beats


def describe(job: Job) -> str:
    """An operation in words, with its operands."""
    mode = job.mode
    if mode.curve is not None:
        return f"{mode.operation} {hexadecimal(job.operands)} on {mode.curve}"
    field = "" if mode.field == "prime" else " over GF(2)"
    return f"{mode.operation} {hexadecimal(job.operands)} mod {job.modulus:#x}{field}"


def hexadecimal(numbers: Mapping[str, int]) -> str:
    """Numbers with their names, for a message."""
    return ", ".join(f"{name} = {value:#x}" for name, value in numbers.items())
