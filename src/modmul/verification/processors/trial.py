"""Verifies processors: runs operations with all of their streams."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from modmul.design import Interface
from modmul.operation import Mode, Time
from modmul.parameters import OPERATIONS
from modmul.toolchain.cache import Cache
from modmul.verification.processors import plan
from modmul.verification.processors.exchange import FULL_SPEED, StreamRequest, design_of
from modmul.verification.processors.judge import judge
from modmul.verification.processors.plan import StreamTask
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
class OperationTrial(Trial[StreamRequest, StreamTask, StreamSession, StreamOutcome]):
    """The verification of a processor."""

    what, usual = "operations", OPERATIONS

    def compiled(self, cache: Cache, *, trace: bool = False) -> StreamSimulator:
        return compile_streams([design_of(self.spec.processor, self.written)], cache, trace=trace)

    def tracing(self, interface: Interface, cache: Cache) -> StreamSimulator:
        return self.compiled(cache, trace=True)

    def answered(self, session: StreamSession, request: StreamRequest) -> StreamOutcome:
        return session.run(request.design, request.exchange())

    def judged(
        self, request: StreamRequest, answer: StreamOutcome, golden_stride: int = 1
    ) -> Verdict:
        return judge(request, answer, golden_stride)

    def tasks(self, products: int) -> Iterator[StreamTask]:
        return plan.tasks(self.spec.processor, self.spec.modes, products)

    def request(self, seed: int, task: StreamTask) -> StreamRequest:
        return plan.request(self.spec.processor, self.spec.load, seed, task)

    def first(self, seed: int) -> Iterator[StreamRequest]:
        yield self.request(seed, StreamTask(0, FULL_SPEED, "random", _FIRST, 1))

    def reduced(
        self, request: StreamRequest, verdict: Verdict, attempt: Callable[[StreamRequest], Verdict]
    ) -> tuple[StreamRequest, Verdict]:
        return reduce(request, verdict, attempt)

    def size(self, request: StreamRequest) -> tuple[int, int]:
        return len(request.jobs), len(request.batches)

    def latency(self, measures: Mapping[Mode, Measure]) -> CycleRange:
        """The latency of the headline; other lengths are checked on their own."""
        return self._headline("latency", measures)

    def interval(self, measures: Mapping[Mode, Measure]) -> CycleRange:
        """The interval of the headline, as `latency` does."""
        return self._headline("interval", measures)

    def _headline(self, what: Time, measures: Mapping[Mode, Measure]) -> CycleRange:
        mode = self.spec.headline
        declared = self.spec.design.time(what, mode)
        own = [measures[mode]] if mode in measures else []
        return measured((declared.minimum, declared.maximum), own)
