"""What `verify` needs to know of a multiplier or a processor: its batches, and how they are run and
judged.

Trials are `products.Products` for multipliers and `processors.trial.Operations` for processors."""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from modmul.design import Interface, Mode
from modmul.export.hdl import Hdl
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.verification import processors, protocol
from modmul.verification.executable import Process
from modmul.verification.result import CycleRange
from modmul.verification.verdict import Measure, Verdict

Running = TypeVar("Running", bound=Process)
RunningOut = TypeVar("RunningOut", bound=Process, covariant=True)


class Profile(Protocol):
    """How a batch is driven, as far as everybody knows."""

    @property
    def name(self) -> str: ...
    @property
    def interface(self) -> Interface: ...


class AnyTask(Protocol):
    """One batch of a plan.

    golden_stride: every how many results the golden model is asked, too."""

    @property
    def index(self) -> int: ...
    @property
    def drive(self) -> Any: ...
    @property
    def golden_stride(self) -> int: ...


class AnySimulator(Protocol[RunningOut]):
    """An executable that simulates one or more designs."""

    def start(self, *, seed: int = 1, waveform: Path | None = None) -> RunningOut: ...


AnyRequest = TypeVar("AnyRequest", protocol.CoreRequest, processors.StreamRequest)
OneTask = TypeVar("OneTask", bound=AnyTask)
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Trial(abc.ABC, Generic[AnyRequest, OneTask, Running, Answer]):
    """The verification of one design, as it was written.

    what: the word for what is verified, products or operations.  usual: how many random ones,
    unless the caller asks for another number."""

    what: ClassVar[str]
    usual: ClassVar[int]
    spec: Spec
    written: Hdl

    # ---- simulators ---------------------------------------------------------------------------

    @abc.abstractmethod
    def compiled(self, cache: Cache) -> AnySimulator[Running]:
        """A simulator of all interfaces, in their order."""

    @abc.abstractmethod
    def tracing(self, interface: Interface, cache: Cache) -> AnySimulator[Running]:
        """Gives a simulator of that interface alone, which can write waveforms."""

    @abc.abstractmethod
    def answered(self, session: Running, request: AnyRequest) -> Answer:
        """What a simulator says to a batch."""

    @abc.abstractmethod
    def judged(self, request: AnyRequest, answer: Answer, golden_stride: int = 1) -> Verdict:
        """The mismatches of a batch, and what was measured."""

    # ---- batches ------------------------------------------------------------------------------

    @abc.abstractmethod
    def tasks(self, products: int) -> Iterator[OneTask]:
        """The whole verification with `products` random products or operations."""

    @abc.abstractmethod
    def request(self, seed: int, task: OneTask) -> AnyRequest:
        """Gives the batch of a task; the same arguments give the same batch."""

    @abc.abstractmethod
    def first(self, seed: int) -> Iterator[AnyRequest]:
        """A few products or operations at each interface, for waveforms."""

    @abc.abstractmethod
    def reduced(
        self, request: AnyRequest, verdict: Verdict, attempt: Callable[[AnyRequest], Verdict]
    ) -> tuple[AnyRequest, Verdict]:
        """The smallest failing batch found, and its verdict."""

    @abc.abstractmethod
    def size(self, request: AnyRequest) -> tuple[int, int]:
        """How many products or operations, and how many moduli."""

    # ---- the record ---------------------------------------------------------------------------

    @abc.abstractmethod
    def latency(self, measures: Mapping[Mode, Measure]) -> CycleRange:
        """Declared and measured latency of the design."""

    @abc.abstractmethod
    def interval(self, measures: Mapping[Mode, Measure]) -> CycleRange:
        """Declared and measured interval of the design."""


def measured(declared: tuple[int, int], measures: Sequence[Measure]) -> CycleRange:
    """What was declared, beside what was measured, all of it together."""
    total = Measure()
    for measure in measures:
        total.merge(measure)
    if total.smallest is None or total.largest is None:
        return CycleRange(declared, None, None)
    return CycleRange(declared, (total.smallest, total.largest), total.total / total.count)
