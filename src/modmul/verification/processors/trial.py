"""How processors are verified: operations on all streams at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from modmul.design import Interface, Mode, Time
from modmul.toolchain.cache import Cache
from modmul.verification.processors import plan
from modmul.verification.processors.exchange import FULL_SPEED, Request, design_of
from modmul.verification.processors.judge import judge
from modmul.verification.processors.plan import Task
from modmul.verification.processors.reduce import reduce
from modmul.verification.result import CycleRange
from modmul.verification.streams import (
    StreamOutcome,
    StreamSession,
    StreamSimulator,
    compile_streams,
)
from modmul.verification.trial import Trial, measured
from modmul.verification.verdict import Measure, Verdict

_FIRST = 2  # operations in a waveform


@dataclass(frozen=True)
class Operations(Trial[Request, Task, StreamSession, StreamOutcome]):
    """The verification of a processor."""

    def compiled(self, cache: Cache, *, trace: bool = False) -> StreamSimulator:
        return compile_streams([design_of(self.spec.processor, self.written)], cache, trace=trace)

    def tracing(self, interface: Interface, cache: Cache) -> StreamSimulator:
        return self.compiled(cache, trace=True)

    def answered(self, session: StreamSession, request: Request) -> StreamOutcome:
        return session.run(request.design, request.exchange())

    def judged(self, request: Request, answer: StreamOutcome, golden_stride: int = 1) -> Verdict:
        return judge(request, answer, golden_stride)

    def tasks(self, products: int) -> Iterator[Task]:
        return plan.tasks(self.spec.processor, self.spec.modes, products)

    def request(self, seed: int, task: Task) -> Request:
        return plan.request(self.spec.processor, self.spec.load, seed, task)

    def first(self, seed: int) -> Iterator[Request]:
        yield self.request(seed, Task(0, FULL_SPEED, "random", _FIRST, 1))

    def reduced(
        self, request: Request, verdict: Verdict, attempt: Callable[[Request], Verdict]
    ) -> tuple[Request, Verdict]:
        return reduce(request, verdict, attempt)

    def size(self, request: Request) -> tuple[int, int]:
        return len(request.jobs), len(request.batches)

    def latency(self, measures: Mapping[Mode, Measure]) -> CycleRange:
        """The latency of the headline; other lengths have declarations of their own."""
        return self._headline("latency", measures)

    def interval(self, measures: Mapping[Mode, Measure]) -> CycleRange:
        """The interval of the headline, as `latency`."""
        return self._headline("interval", measures)

    def _headline(self, what: Time, measures: Mapping[Mode, Measure]) -> CycleRange:
        mode = self.spec.headline
        declared = self.spec.design.time(what, mode)
        own = [measures[mode]] if mode in measures else []
        return measured((declared.minimum, declared.maximum), own)
