"""Writes the files that `build` delivers beside the Verilog, for multipliers and for processors."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from modmul.design import Design
from modmul.export import datasheet
from modmul.export.description import describe
from modmul.export.hdl import Hdl
from modmul.export.processor import description as of_processor
from modmul.export.processor import sheet
from modmul.export.processor.plan import TestbenchPlan
from modmul.export.processor.plan import plan as processor_plan
from modmul.export.processor.testbench import testbench as processor_bench
from modmul.export.protocol import diagram
from modmul.export.testbench import testbench
from modmul.export.vectors import VectorPlan, plan
from modmul.processors import Processor
from modmul.spec import Spec
from modmul.timing_proof.certificate import Certificate

Simulated = Mapping[str, str | None]


@dataclass(frozen=True)
class Kit:
    """The functions that write the files beside the Verilog.

    plan: the plan of the testbench.  count: how many of `what` it checks.  beat: the bits of one
    beat of operands.
    testbench: returns its text, from the Verilog, the name and the list of files to simulate.
    picture: returns the timing diagram, from the output of the testbench; None if there is none.
    describe: returns the description without the list of files, from Verilog, name, verdicts of
    simulators, proof of the timing, and measured figures.
    sheet: returns the datasheet in Markdown, from the description, the name of the timing diagram,
    the files with their meanings, and the name of the block diagram."""

    plan: VectorPlan | TestbenchPlan
    count: int
    what: str
    beat: int
    testbench: Callable[[Hdl, str, str], str]
    picture: Callable[[str], str | None]
    describe: Callable[[Hdl, str, Simulated, Certificate, Mapping[str, Any] | None], dict[str, Any]]
    sheet: Callable[[dict[str, Any], str | None, dict[str, str], str], str]


def kit(spec: Spec) -> Kit:
    if isinstance(spec.design, Processor):
        operations = processor_plan(spec)
        return Kit(
            operations,
            len(operations.operations),
            "operations",
            _widest(spec.design),
            testbench=lambda hdl, name, files: processor_bench(spec, hdl, name, operations, files),
            picture=lambda _: None,
            describe=functools.partial(of_processor.describe, spec),
            sheet=lambda description, _, files, blocks: sheet.markdown(description, files, blocks),
        )
    vectors = plan(spec)
    return Kit(
        vectors,
        len(vectors.products),
        "products",
        spec.multiplier.beat,
        testbench=lambda hdl, name, files: testbench(spec, hdl, name, vectors, files),
        picture=lambda output: diagram(spec, vectors, output),
        describe=functools.partial(describe, spec),
        sheet=datasheet.markdown,
    )


def _widest(design: Design) -> int:
    """The most bits in a beat of a stream."""
    return max(sum(bits for bits, _ in stream.members.values()) for stream in design.streams)
