"""The tables of packets say what `request` and `reply` do, for every processor."""

from __future__ import annotations

import pytest

from modmul import processors
from modmul.export.processor.plan import samples
from modmul.operation import Job
from modmul.processors import Load, Processor
from modmul.processors.packets import Chance, OperandBits
from modmul.spec import Spec

EXAMPLES = [example for name in processors.NAMES for example in processors.find(name).examples()]


def packed(beats: list[dict[str, int]], bits: int) -> int:
    """Beats as one number."""
    return sum(beat["data"] << place * bits for place, beat in enumerate(beats))


def check(processor: Processor, load: Load, job: Job) -> None:
    table = processor.packets(job.mode, load)
    bits = {stream.name: next(iter(stream.members.values()))[0] for stream in processor.streams}
    wanted = processor.request(job)
    more = set(table.operands) - job.operands.keys()
    known = dict(job.operands) | dict.fromkeys(more, 0)
    request = table.request(known, job.modulus, bits, job.mode.length or 0)
    if not table.counted or job.mode.length:  # a program that cannot do 0 passes does one
        assert request["command"] == wanted["command"]
    assert request.keys() == {name for name, beats in wanted.items() if beats}
    for name, beats in wanted.items():
        assert len(beats) == len(request.get(name, []))
        numbers = [number for number in table.numbers if number.stream == name]
        if not name.startswith("random"):
            assert request.get(name, []) == beats
            continue
        for place, number in enumerate(numbers):
            value = packed(beats, bits[name]) >> place * number.size & (1 << number.size) - 1
            if isinstance(number.source, Chance):
                assert number.source.least <= value < number.source.below
            else:
                assert isinstance(number.source, OperandBits) and number.source.operand in more
    answer = processor.answer(job)
    assert table.beats == len(answer) == processor.reply_beats(job.mode, job.modulus)
    said = processor.reply(job.mode, answer)
    status = table.outcomes[answer[-1]["data"]] if table.outcomes else ""
    flags = {name for name, value in said.items() if isinstance(value, bool)}
    if said == {"valid": False}:
        assert status == "invalid"
    elif flags and said != {"valid": True}:
        assert {status} == flags
    else:
        assert status == ""
        reply = table.reply(packed(answer, bits["result"]))
        assert reply == {
            name: value for name, value in said.items() if name not in flags and value
        } | {name: 0 for name in reply if not reply[name]}


@pytest.mark.parametrize(
    "processor",
    [
        pytest.param(example, marks=() if place % 8 == 0 else pytest.mark.long)
        for place, example in enumerate(EXAMPLES)
    ],
    ids=lambda processor: processor.title,
)
def test_tables_of_packets(processor: Processor) -> None:
    seen = set()
    for load, job in samples(Spec(processor)):
        if (load, job.mode.operation) not in seen:
            seen.add((load, job.mode.operation))
            check(processor, load, job)
    assert seen
