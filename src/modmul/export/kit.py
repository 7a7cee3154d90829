"""Writes the files that `build` delivers beside the Verilog, for multipliers and for processors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

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


class Kit(Protocol):
    """plan: what the testbench does.  count: how many of `what` it checks.  beat: bits of one beat
    of operands."""

    plan: VectorPlan | TestbenchPlan
    count: int
    what: str
    beat: int

    def testbench(self, hdl: Hdl, name: str, files: str) -> str:
        """The text of the testbench; files: the list of files to simulate."""

    def picture(self, output: str) -> str | None:
        """The timing diagram, from what the testbench printed; None where there is none."""

    def describe(
        self,
        hdl: Hdl,
        name: str,
        simulated: Simulated,
        proof: Certificate,
        measured: Mapping[str, Any] | None,
    ) -> dict[str, Any]:
        """The description without the list of files."""

    def sheet(
        self, description: dict[str, Any], picture: str | None, files: dict[str, str], blocks: str
    ) -> str:
        """The datasheet in Markdown; picture, blocks: names of files."""


def kit(spec: Spec) -> Kit:
    """The kit for the design of a spec, with the plan of its testbench made."""
    return _OfProcessor(spec) if isinstance(spec.design, Processor) else _OfMultiplier(spec)


class _OfMultiplier:
    what = "products"

    def __init__(self, spec: Spec):
        self.spec, self._plan = spec, plan(spec)
        self.plan: VectorPlan | TestbenchPlan = self._plan
        self.count, self.beat = len(self._plan.products), spec.multiplier.beat

    def testbench(self, hdl: Hdl, name: str, files: str) -> str:
        return testbench(self.spec, hdl, name, self._plan, files)

    def picture(self, output: str) -> str | None:
        return diagram(self.spec, self._plan, output)

    def describe(
        self,
        hdl: Hdl,
        name: str,
        simulated: Simulated,
        proof: Certificate,
        measured: Mapping[str, Any] | None,
    ) -> dict[str, Any]:
        return describe(self.spec, hdl, name, simulated, proof, measured)

    def sheet(
        self, description: dict[str, Any], picture: str | None, files: dict[str, str], blocks: str
    ) -> str:
        return datasheet.markdown(description, picture, files, blocks)


class _OfProcessor:
    what = "operations"

    def __init__(self, spec: Spec):
        self.spec, self._plan = spec, processor_plan(spec)
        self.plan: VectorPlan | TestbenchPlan = self._plan
        self.count = len(self._plan.operations)
        self.beat = max(port for port in _payloads(spec.design))

    def testbench(self, hdl: Hdl, name: str, files: str) -> str:
        return processor_bench(self.spec, hdl, name, self._plan, files)

    def picture(self, output: str) -> str | None:
        return None

    def describe(
        self,
        hdl: Hdl,
        name: str,
        simulated: Simulated,
        proof: Certificate,
        measured: Mapping[str, Any] | None,
    ) -> dict[str, Any]:
        return of_processor.describe(self.spec, hdl, name, simulated, proof, measured)

    def sheet(
        self, description: dict[str, Any], picture: str | None, files: dict[str, str], blocks: str
    ) -> str:
        return sheet.markdown(description, files, blocks)


def _payloads(design: Design) -> list[int]:
    """Bits of a beat of each stream."""
    return [sum(bits for bits, _ in stream.members.values()) for stream in design.streams]
