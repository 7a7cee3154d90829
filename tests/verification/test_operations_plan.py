"""The plan of a processor's verification, and its replay files: nothing is simulated here."""

from __future__ import annotations

import copy
import dataclasses
import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

from modmul.errors import SpecError
from modmul.export.hdl import Hdl
from modmul.processors import Load
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.verification import replay
from modmul.verification.processors import StreamRequest, plan, stimuli
from modmul.verification.processors.trial import OperationTrial
from modmul.verification.verdict import Verdict
from modmul.verification.verify import verify
from powers import BOTH_FIELDS, ONES_TELL, OPTIONS, SPEC, WORDS


def request(spec: Spec, task: plan.StreamTask) -> StreamRequest:
    return OperationTrial(spec, Hdl("", {}, ())).request(5, task)


@pytest.mark.parametrize("spec", [SPEC, BOTH_FIELDS], ids=lambda spec: spec.design.title)
def test_edges_of_operands_lengths_and_moduli(spec: Spec) -> None:
    processor = spec.processor
    first = next(iter(plan.tasks(processor, spec.modes, 0)))
    edges = request(spec, first)
    width = processor.width
    assert {batch.field for batch in edges.batches} == set(processor.fields_built)
    assert {3, (1 << width) - 1} <= {batch.modulus for batch in edges.batches}
    lengths = {job.mode.length for job in edges.jobs}
    assert {0, 1, 2, 7, 8, 9, 17, processor.modes[0].length} <= lengths
    for batch in edges.batches:
        load = Load(batch.modulus, batch.field)
        below = processor.operand_rules(batch.jobs[0].mode, batch.modulus)[0].below
        assert below is not None
        every = stimuli.edge_jobs(processor, load, random.Random(1))
        assert {0, 1, below - 1} <= {job.operands["base"] for job in every}
        ends = {(1 << job.mode.length) - 1 for job in every if job.mode.length}
        assert {0, *ends} <= {job.operands["exponent"] for job in every}


def test_a_long_exponent_is_an_edge_where_it_is_affordable() -> None:
    for longest in (20, 65535):
        spec = Spec.from_options({**OPTIONS, "longest_exponent": longest})
        jobs = stimuli.edge_jobs(spec.processor, Load(63, "prime"), random.Random(1))
        assert max(job.mode.length or 0 for job in jobs) == longest
    huge = Spec.from_options(
        {**WORDS, "multiplier": "fips", "width": 2048, "longest_exponent": 65535}
    )
    load = Load((1 << 2048) - 1, "prime")
    jobs = stimuli.edge_jobs(huge.processor, load, random.Random(1))
    assert 9 <= max(job.mode.length or 0 for job in jobs) < 2048


def test_the_spec_s_modulus_comes_first() -> None:
    tasks = list(plan.tasks(ONES_TELL.processor, ONES_TELL.modes, 10))
    assert {task.part for task in tasks} == {"edges", "headline", "random"}
    for task in tasks:
        planned = request(ONES_TELL, task)
        if not (task.drive.in_flight or task.drive.concurrent):
            assert planned.batches[0].modulus == 0x2B
        assert planned == request(ONES_TELL, task)


def test_the_headline_is_among_few_operations() -> None:
    spec = Spec.from_options(
        {"architecture": "exponentiation", "multiplier": "fips", "width": 1024}
    )
    tasks = [*plan.tasks(spec.processor, spec.modes, 20)]
    headline = next(task for task in tasks if task.part == "headline")
    jobs = request(spec, headline).jobs
    assert jobs[0].mode == spec.headline and [job.mode.length for job in jobs[1:]] == [0]
    drawn = [job for task in tasks if task.part == "random" for job in request(spec, task).jobs]
    assert len(drawn) == 20
    assert max(job.mode.length or 0 for job in drawn) < 100


# ---- replay files --------------------------------------------------------------------------------


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    for spec in (SPEC, BOTH_FIELDS):
        tasks = list(plan.tasks(spec.processor, spec.modes, 20))
        if not os.environ.get("CONFORMANCE"):  # one of each kind of batch
            kinds = [(task.part, task.drive.in_flight, task.drive.concurrent) for task in tasks]
            tasks = list(dict(zip(kinds, tasks, strict=True)).values())
        for task in tasks:
            asked = request(spec, task)
            path = tmp_path / "case.json"
            replay.write(path, spec, False, asked, Verdict(), 7)
            read = replay.read(path)
            assert (read.spec, read.power_up, read.netlist) == (spec, 7, False)
            assert read.request(0).exchange() == asked.exchange()
            assert read.request(0).drive == asked.drive


ABSENT = object()


@pytest.mark.parametrize(
    ("place", "value", "why"),
    [
        (["format"], 1, "format"),
        (["spec", "multiplier"], "fpm", "multiplier"),
        (["spec", "architecture"], "interleaved", "multiplier"),
        (["netlist"], ABSENT, "netlist"),
        (["drive"], {}, "drive"),
        (["drive", "pauses"], {"operand": 256}, "pauses"),
        (["drive", "pauses"], {"sideways": 1}, "no stream sideways"),
        (["drive", "concurrent"], "yes", "concurrent"),
        (["seed"], -1, "seed"),
        (["runs"], [], "runs"),
        (["runs", 0, "modulus"], "0x7f", "at most 6 bits"),
        (["runs", 0, "modulus"], "0x" + "f" * 5000, "modulus"),
        (["runs", 0, "field"], "binary", "field"),
        (["runs", 0, "field"], "real", "field"),
        (["runs", 0, "gap"], 10**9, "gap"),
        (["runs", 0, "jobs", 0, "gap"], -1, "gap"),
        (["runs", 0, "jobs"], [], "no operation"),
        (["runs", 0, "jobs", 0, "operation"], "multiply", "no operation multiply"),
        (["runs", 0, "jobs", 0, "length"], 65536, "length"),
        (["runs", 0, "jobs", 0, "length"], -1, "length"),
        (["runs", 0, "jobs", 0, "operands"], {"base": "0x0"}, "operands"),
        (["runs", 0, "jobs", 0, "operands", "base"], "0x3f", "base"),
        (["runs", 0, "jobs", 0, "operands", "base"], 5, "operands"),
        (["runs", 0, "jobs", 0, "operands", "exponent"], "0x2", "exponent"),
        (["runs", 0, "jobs", 0, "operands", "exponent"], "0x" + "f" * 20000, "operands"),
    ],
)
def test_a_damaged_case_is_refused(
    place: list[str | int], value: Any, why: str, tmp_path: Path
) -> None:
    path = tmp_path / "case.json"
    first = next(iter(plan.tasks(SPEC.processor, SPEC.modes, 0)))
    planned = request(SPEC, first)
    batch = dataclasses.replace(planned.batches[0], jobs=[planned.processor.job(1, 1, 63, bits=1)])  # type: ignore[attr-defined]
    batch = dataclasses.replace(batch, modulus=63)
    replay.write(path, SPEC, False, dataclasses.replace(planned, batches=[batch]), Verdict(), 7)
    inner = record = json.loads(path.read_text())
    for key in place[:-1]:
        inner = inner[key]
    if value is ABSENT:
        del inner[place[-1]]
    else:
        inner[place[-1]] = copy.deepcopy(value)
    path.write_text(json.dumps(record))
    with pytest.raises(SpecError, match=why) as caught:
        verify(replay=path, cache=Cache())
    assert caught.value.key == "replay" and len(caught.value.message) < len(str(path)) + 500
