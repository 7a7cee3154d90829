"""The tables of packets say what `request` and `reply` do, for every processor."""

from __future__ import annotations

import pytest

from modmul import processors
from modmul.design import Job
from modmul.export.processor.plan import samples
from modmul.processors import Load, Processor
from modmul.processors.packets import Chance, OperandBits
from modmul.spec import Spec

EXAMPLES = [one for name in processors.NAMES for one in processors.find(name).examples()]


def packed(beats: list[dict[str, int]], bits: int) -> int:
    """Beats as one number."""
    return sum(one["data"] << place * bits for place, one in enumerate(beats))


def check(processor: Processor, load: Load, job: Job) -> None:
    table = processor.packets(job.mode, load)
    bits = {one.name: next(iter(one.members.values()))[0] for one in processor.streams}
    wanted = processor.request(job)
    more = set(table.operands) - job.operands.keys()
    known = dict(job.operands) | dict.fromkeys(more, 0)
    made = table.request(known, job.modulus, bits, job.mode.length or 0)
    if not table.counted or job.mode.length:  # a program that cannot do 0 passes does one
        assert made["command"] == wanted["command"]
    assert made.keys() == {name for name, beats in wanted.items() if beats}
    for name, beats in wanted.items():
        assert len(beats) == len(made.get(name, []))
        numbers = [one for one in table.numbers if one.stream == name]
        if not name.startswith("random"):
            assert made.get(name, []) == beats
            continue
        for place, one in enumerate(numbers):
            value = packed(beats, bits[name]) >> place * one.size & (1 << one.size) - 1
            if isinstance(one.source, Chance):
                assert one.source.least <= value < one.source.below
            else:
                assert isinstance(one.source, OperandBits) and one.source.operand in more
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
        found = table.reply(packed(answer, bits["result"]))
        assert found == {name: value for name, value in said.items() if name not in flags
                         and value} | {name: 0 for name in found if not found[name]}  # fmt: skip


@pytest.mark.parametrize(
    "processor",
    [pytest.param(one, marks=() if place % 8 == 0 else pytest.mark.long)
     for place, one in enumerate(EXAMPLES)], ids=lambda one: one.title,
)  # fmt: skip
def test_tables_of_packets(processor: Processor) -> None:
    seen = set()
    for load, job in samples(Spec(processor)):
        if (load, job.mode.operation) not in seen:
            seen.add((load, job.mode.operation))
            check(processor, load, job)
    assert seen
