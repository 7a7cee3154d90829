"""Requests to a simulated processor: moduli, operations under them, and the pauses of streams.

A request begins with a reset.  After it come batches, each with one modulus and operations under
it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from modmul.arithmetic.curves import Curve
from modmul.arithmetic.moduli import Field
from modmul.design import Beat, Interface
from modmul.export.hdl import Hdl, emit
from modmul.export.ports import ports
from modmul.operation import Job
from modmul.processors.contract import Load, Processor
from modmul.verification.streams import Exchange, Offer, StreamDesign

MODULUS, RESULT = "modulus", "result"  # streams that every processor has
_PATIENCE, _LONGEST_PATIENCE = 64, 20_000  # cycles to wait for results that nobody requested


@dataclass(frozen=True)
class StreamProfile:
    """How the streams of a processor are driven.  Gaps are part of the batches.

    dense: operations follow each other as closely as possible, so that their intervals are checked.
    gaps: random gaps between operations.
    pauses: the chance of a pause in each cycle, in 1/256, by stream.
    in_flight: a new modulus is offered while the operation before it is under way.  The operation
    after it may be offered at the same time, and still uses the new modulus.
    concurrent: after the first modulus, moduli and operations come independently of each other; the
    cycles tell which modulus applies to an operation."""

    name: str
    dense: bool = False
    gaps: bool = False
    pauses: Mapping[str, int] = field(default_factory=dict)
    in_flight: bool = False
    concurrent: bool = False
    interface: ClassVar[Interface] = "stream"

    @property
    def timed(self) -> bool:
        """Whether nothing pauses during an operation, so that its cycles can be checked."""
        return not any(self.pauses.values())


FULL_SPEED = StreamProfile("back to back", dense=True)


@dataclass(frozen=True)
class Batch:
    """A modulus, or a curve over it, and the operations under it.

    gap: cycles before the modulus is offered.  gaps: cycles before each operation is offered,
    counted from the last result before it; None: each is offered as soon as it can be accepted."""

    modulus: int
    jobs: Sequence[Job]
    field: Field = "prime"
    gap: int = 0
    gaps: Sequence[int] | None = None
    curve: Curve | None = None

    @property
    def load(self) -> Load:
        """The modulus, field and curve that are loaded."""
        return Load(self.modulus, self.field, self.curve)

    @classmethod
    def under(cls, load: Load, jobs: Sequence[Job], gap: int = 0) -> Batch:
        """A batch of operations under one load, each offered as soon as possible."""
        return cls(load.modulus, jobs, load.field, gap, curve=load.curve)


@dataclass(frozen=True)
class StreamRequest:
    """The batches that run after one reset, for the design number `design` of the simulator.  seed:
    of the pauses."""

    processor: Processor
    design: int
    drive: StreamProfile
    batches: Sequence[Batch]
    seed: int = 1

    @property
    def jobs(self) -> list[Job]:
        return [job for batch in self.batches for job in batch.jobs]

    def exchange(self) -> Exchange:
        """The beats to offer, each with the event that it waits for."""
        offers = _Beats(self.processor, self.drive)
        for batch in self.batches:
            offers.load(batch)
            for number, job in enumerate(batch.jobs):
                offers.ask(job, number == 0, None if batch.gaps is None else batch.gaps[number])
        times = [self.processor.declared(job).maximum for job in self.jobs]
        gaps = [gap for batch in self.batches for gap in (batch.gap, *(batch.gaps or ()))]
        return Exchange(
            offers.inputs,
            {RESULT: offers.results},
            self.drive.pauses,
            self.seed,
            patience=min(_PATIENCE + max(times[-1:], default=0), _LONGEST_PATIENCE),
            limit=2 * max(times, default=0) + max(gaps, default=0) + _PATIENCE * 16,
        )


class _Beats:
    """Collects the beats of a request.  inputs: the offers so far, by stream.  results: the number
    of beats of results that they produce."""

    def __init__(self, processor: Processor, drive: StreamProfile):
        self.processor, self.drive = processor, drive
        self.inputs: dict[str, list[Offer]] = {
            stream.name: [] for stream in processor.streams if stream.direction == "input"
        }
        self.results = 0
        self.at_once = False  # whether the last modulus is offered as soon as it can be
        self.command = ""  # the stream whose first beat begins an operation

    def load(self, batch: Batch) -> None:
        """Offer a modulus, usually after all earlier results; if it shall come during an operation,
        after that operation has begun."""
        waits = (RESULT, self.results)
        if self.command and (self.drive.in_flight or self.drive.concurrent):
            waits = (self.command, len(self.inputs[self.command]))
        self.at_once = not batch.gap and not self.drive.pauses.get(MODULUS)
        beats = self.processor.load(*batch.load)[MODULUS]
        self._offer(MODULUS, beats, waits, batch.gap)

    def ask(self, job: Job, first: bool, gap: int | None) -> None:
        """Offer an operation.  first: it is the first under its modulus and waits for that, unless
        the modulus is sure to be offered while the operation before is under way."""
        waits = (MODULUS, len(self.inputs[MODULUS]))
        if first and self.command and self.drive.in_flight and self.at_once:
            waits = (RESULT, 0)
        if self.command and gap is not None and (self.drive.concurrent or not first):
            waits = (RESULT, self.results)
        elif self.command and self.drive.concurrent:
            waits = (RESULT, 0)
        request = self.processor.request(job)
        self.command = next(iter(request))
        for stream, beats in request.items():
            if stream == self.command:
                self._offer(stream, beats, waits, gap or 0)
            else:
                self._offer(stream, beats, (stream, 0), 0)
        self.results += self.processor.reply_beats(job.mode, job.modulus)

    def _offer(self, stream: str, beats: Sequence[Beat], waits: tuple[str, int], gap: int) -> None:
        """Offer beats one after the other; the first one waits until so many beats were transferred
        on another stream."""
        for index, beat in enumerate(beats):
            ends = {"first": int(index == 0), "last": int(index == len(beats) - 1)}
            if index:
                self.inputs[stream].append(Offer(beat | ends))
            else:
                self.inputs[stream].append(Offer(beat | ends, gap, *waits))


def design_of(processor: Processor, written: Hdl | None = None) -> StreamDesign:
    """The emitted Verilog of a processor, for `compile_streams`."""
    written = emit(processor) if written is None else written
    stream_ports = ports(processor, "stream", written.pins)
    return StreamDesign(written.verilog, written.stream, stream_ports, written.models)
