"""Verifies multipliers: runs products at the bare core and behind the elastic adapter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from modmul.design import Interface
from modmul.export.hdl import Hdl
from modmul.multipliers.contract import Multiplier
from modmul.operation import Mode
from modmul.parameters import PRODUCTS
from modmul.toolchain.cache import Cache
from modmul.verification import plan
from modmul.verification.cycles import declared_range
from modmul.verification.judge import judge
from modmul.verification.plan import CoreTask
from modmul.verification.protocol import CoreOutcome, CoreRequest, ModulusRun
from modmul.verification.reduce import reduce
from modmul.verification.result import CycleRange
from modmul.verification.simulator import CompiledCore, Session, Simulator, compile_simulator
from modmul.verification.trial import Trial, measured
from modmul.verification.verdict import Measure, Verdict

INTERFACES: list[tuple[int, Interface]] = [(0, "core"), (1, "stream")]


def designs(multiplier: Multiplier, written: Hdl) -> list[CompiledCore]:
    """The two designs that are simulated: the bare core, and the core behind the adapter."""
    text, models, pins = written.verilog, written.models, written.pins
    return [
        CompiledCore(multiplier, text, written.core, "core", models, pins),
        CompiledCore(multiplier, text, written.stream, "stream", models, pins),
    ]


@dataclass(frozen=True)
class ProductTrial(Trial[CoreRequest, CoreTask, Session, CoreOutcome]):
    """The verification of a multiplier."""

    what, usual = "products", PRODUCTS

    def compiled(self, cache: Cache) -> Simulator:
        return compile_simulator(designs(self.spec.multiplier, self.written), cache)

    def tracing(self, interface: Interface, cache: Cache) -> Simulator:
        every = designs(self.spec.multiplier, self.written)
        only = [core for core in every if core.interface == interface]
        return compile_simulator(only, cache, trace=True)

    def answered(self, session: Session, request: CoreRequest) -> CoreOutcome:
        return session.run(request)

    def judged(self, request: CoreRequest, answer: CoreOutcome, golden_stride: int = 1) -> Verdict:
        return judge(request, answer, golden_stride)

    def tasks(self, products: int) -> Iterator[CoreTask]:
        return plan.tasks(self.spec.multiplier, products, INTERFACES)

    def request(self, seed: int, task: CoreTask) -> CoreRequest:
        return plan.request(self.spec.multiplier, self.spec.setting, seed, task)

    def first(self, seed: int) -> Iterator[CoreRequest]:
        """Products for a waveform: at each interface two more than twice the slots."""
        count = 2 * self.spec.multiplier.slots + 2
        for number, interface in INTERFACES:
            drive = plan.CORE[0] if interface == "core" else plan.STREAM[0]
            request = self.request(seed, CoreTask(0, number, drive, "random", count, 1))
            first = request.runs[0]
            run = ModulusRun(first.setting, first.products, operations=first.operations)
            yield replace(request, runs=[run])

    def reduced(
        self, request: CoreRequest, verdict: Verdict, attempt: Callable[[CoreRequest], Verdict]
    ) -> tuple[CoreRequest, Verdict]:
        return reduce(request, verdict, attempt)

    def size(self, request: CoreRequest) -> tuple[int, int]:
        return sum(len(run.products) for run in request.runs), len(request.runs)

    def latency(self, measures: Mapping[Mode, Measure]) -> CycleRange:
        """The latency at the bare core, over all modes."""
        return measured(declared_range(self.spec.multiplier, "latency"), [*measures.values()])

    def interval(self, measures: Mapping[Mode, Measure]) -> CycleRange:
        """The interval at the bare core, over all modes."""
        return measured(declared_range(self.spec.multiplier, "interval"), [*measures.values()])
