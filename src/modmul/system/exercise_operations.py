"""Operations at the registers of a processor: what the testbench of a bus asks for."""

from __future__ import annotations

from collections.abc import Sequence

from modmul.design import Beat
from modmul.export.processor.plan import TestbenchPlan
from modmul.operation import Job
from modmul.processors import Load, Processor
from modmul.system.script import Script

_OPERATIONS = 6
_CYCLES = 400_000  # after which no operation but the first is computed


def operations(script: Script, processor: Processor, plan: TestbenchPlan) -> None:
    """Compute the first operations of the plan, each with its modulus, key or curve."""
    loaded, before, spent = None, 0, 0
    for number, operation in enumerate(plan.operations[: plan.full_speed]):
        results, before = plan.results[before : operation.ends], operation.ends
        beats = [result.beat for result in results]
        spent += int(operation.cycles.maximum)
        if number and (spent > _CYCLES or number >= _OPERATIONS):
            continue
        job = operation.job
        asked = Load(job.modulus, job.mode.field, job.mode.curve)
        if asked != loaded:
            script.say(f"modulus {int(job.modulus):#x}")
            script.load(processor.load(*asked))
            loaded = asked
        _operation(script, processor, job, beats)


def _operation(script: Script, processor: Processor, job: Job, beats: Sequence[Beat]) -> None:
    """Compute one operation, whose result must be these beats."""
    regs = script.regs
    script.say(job.mode.name)
    script.write("enables", result=1)
    script.packets(processor.request(job))
    script.unreadable()
    script.put("interrupt", 0, 1)
    script.read("result_beats", beats=len(beats))
    (lane,) = regs.result.lanes
    script.expect(lane.name, lane.packed(beats), regs.result.words_of(len(beats)))
    script.read("events", result=1, error=0)
    script.write("events", result=1)
    script.write("control", take=1)
    script.read("status", result=0)
