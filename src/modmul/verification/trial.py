"""Defines what `verify` needs from multipliers and processors: their batches, and how these are run
and judged.

Trials are `products.ProductTrial` for multipliers and `processors.trial.OperationTrial` for
processors."""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from modmul.design import Interface
from modmul.export.hdl import Hdl
from modmul.operation import Mode
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.verification import processors, protocol
from modmul.verification.executable import Process
from modmul.verification.result import CycleRange
from modmul.verification.verdict import Measure, Verdict

Running = TypeVar("Running", bound=Process)
RunningOut = TypeVar("RunningOut", bound=Process, covariant=True)


class Profile(Protocol):
    """The part of a batch's drive that multipliers and processors share."""

    @property
    def name(self) -> str: ...
    @property
    def interface(self) -> Interface: ...


class AnyTask(Protocol):
    """One batch of a plan.

    golden_stride: one in so many results is compared with the golden model, too."""

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
    """The verification of one design and its emitted text.

    what: the word for the results, products or operations.  usual: the default number of random
    ones."""

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
        """A simulator of this interface alone, which can write waveforms."""

    @abc.abstractmethod
    def answered(self, session: Running, request: AnyRequest) -> Answer:
        """Run a batch on a simulator and return its answer."""

    @abc.abstractmethod
    def judged(self, request: AnyRequest, answer: Answer, golden_stride: int = 1) -> Verdict:
        """The mismatches of a batch, and its measured cycles."""

    # ---- batches ------------------------------------------------------------------------------

    @abc.abstractmethod
    def tasks(self, products: int) -> Iterator[OneTask]:
        """The whole verification with `products` random products or operations."""

    @abc.abstractmethod
    def request(self, seed: int, task: OneTask) -> AnyRequest:
        """The batch of a task; the same arguments give the same batch."""

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
        """The number of products or operations, and the number of moduli."""

    # ---- the record ---------------------------------------------------------------------------

    @abc.abstractmethod
    def latency(self, measures: Mapping[Mode, Measure]) -> CycleRange:
        """The declared and the measured latency of the design."""

    @abc.abstractmethod
    def interval(self, measures: Mapping[Mode, Measure]) -> CycleRange:
        """The declared and the measured interval of the design."""


def measured(declared: tuple[int, int], measures: Sequence[Measure]) -> CycleRange:
    """The declared cycles with all measured ones merged into one range."""
    total = Measure()
    for measure in measures:
        total.merge(measure)
    if total.smallest is None or total.largest is None:
        return CycleRange(declared, None, None)
    return CycleRange(declared, (total.smallest, total.largest), total.total / total.count)
