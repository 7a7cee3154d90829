"""Runs operations in a simulator, one after the other. Each begins with a reset, so that its result
and its cycles do not depend on those before it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import msgspec

from modmul.design import Beat, Beats
from modmul.errors import ToolFailed
from modmul.export import hdl
from modmul.multipliers.contract import Operand
from modmul.toolchain.files import replacing
from modmul.toolchain.work import Work
from modmul.verification.simulation import numerals
from modmul.verification.simulation.request import Subject, UserRequest
from modmul.verification.streams import (
    Exchange,
    Offer,
    StreamDesign,
    StreamOutcome,
    StreamSession,
    compile_streams,
)

SEED = 1  # of the values on idle wires, and of registers before the reset
SILENCE = 64  # cycles after a result in which no further beat may come
_UNTIL_STUCK = 10_000  # cycles without a beat, in addition to those of an operation
_INPUT, _RESULT = "modulus", "result"


class SimulatedOperation(NamedTuple):
    """The result of one operation.

    result: numbers by name; a carry-save product is a pair (sum, carry), a flag True or False.
    cycles: from the first beat of the request to the last of the result, both included.  Both are
    None if no whole result came.  faults: breaches of the protocol, wrong results, cycles other
    than declared; one sentence each.  error: why it was not simulated.  montgomery_factor: R, where
    the result is a product divided by it."""

    result: dict[str, Operand] | None
    cycles: int | None
    faults: list[str]
    error: str | None = None
    montgomery_factor: int | None = None

    @property
    def line(self) -> Line:
        if self.result is None:
            return Line(None, self.cycles, self.faults, self.error)
        result = {name: numerals.written(value) for name, value in self.result.items()}
        factor = None if self.montgomery_factor is None else hex(self.montgomery_factor)
        return Line(result, self.cycles, self.faults, montgomery_factor=factor)


class Line(msgspec.Struct, frozen=True, omit_defaults=True):
    """The result as a line of output: numbers as hexadecimal texts, pairs as lists of two, flags as
    true or false."""

    result: dict[str, str | list[str] | bool] | None
    cycles: int | None
    faults: list[str]
    error: str | None = None
    montgomery_factor: str | None = None


@contextlib.contextmanager
def running(
    subject: Subject,
    *,
    waveform: Path | None = None,
    work: Work | None = None,
) -> Iterator[Callable[[UserRequest], SimulatedOperation]]:
    """Start a simulator of the module that the spec asks for; yield a function that runs an
    operation.  waveform: the VCD file of the whole block, which exists when the block ends.  Raises
    SpecError if the file cannot be written; ToolMissing, ToolFailed, NoRoom."""
    spec, work = subject.spec, work or Work()
    work.progress("compiling the simulator", 0, 1)
    design = StreamDesign.of(spec.design, spec.interface, hdl.emit(spec.design))
    simulator = compile_streams([design], work.cache, trace=waveform is not None)
    work.progress("compiling the simulator", 1, 1)
    with _written(waveform) as part, simulator.start(seed=SEED, waveform=part) as session:
        yield lambda request: _run(subject, session, request)


@contextlib.contextmanager
def _written(waveform: Path | None) -> Iterator[Path | None]:
    """The temporary name to write a waveform to."""
    if waveform is None:
        yield None
        return
    try:
        with replacing(waveform) as part:
            yield part
    except FileNotFoundError:
        raise ToolFailed(f"{waveform}: the simulator could not write the waveform") from None


def _run(subject: Subject, session: StreamSession, request: UserRequest) -> SimulatedOperation:
    sent = subject.request(request)
    expected = subject.reply_beats(request)
    exchange = exchange_of(subject.load(request), sent, expected, request.declared[1])
    outcome = session.run(0, exchange)
    faults = list(outcome.violations)
    beats = outcome.beats[_RESULT]
    if outcome.status == "stuck":
        faults.append(f"nothing moves any more after {len(beats)} of {expected} beats of a result")
        return SimulatedOperation(None, None, faults)
    if outcome.status == "flooded":
        faults.append(f"a result has more than its {expected} beats, or a second one came")
    result = subject.reply(request, beats[:expected])
    cycles = _cycles(outcome, next(iter(sent)), expected)
    faults += _of_beats(beats[:expected])
    if request.spec.interface == "core":
        faults += _gaps(outcome, sent, expected)
    faults += subject.contradictions(request, result)
    low, high = request.declared
    if not low <= cycles <= high:
        declared = str(low) if low == high else f"{low} to {high}"
        faults.append(f"{cycles} cycles, declared {declared}")
    return SimulatedOperation(
        dict(result), cycles, faults, montgomery_factor=_factor(request, result)
    )


def _factor(request: UserRequest, result: Mapping[str, Operand]) -> int | None:
    """R, where the result is a product of a Montgomery multiplier."""
    setting = request.spec.setting
    if setting is None or "product" not in result or request.spec.design.role != "multiplier":
        return None
    factor = setting.montgomery_factor
    return None if factor == 1 else factor


def exchange_of(load: Beats, request: Beats, expected: int, longest: int) -> Exchange:
    """An exchange that offers the modulus at once, and all other beats when it is loaded.
    Where none is loaded they come a while after the reset, because a core may be ready late.
    longest: the most declared cycles."""
    loads = load.get(_INPUT, [])
    first = Offer({}, after=_INPUT, beats=len(loads)) if loads else Offer({}, gap=longest)
    inputs = {name: _packet(beats, first) for name, beats in request.items()}
    if loads:
        inputs[_INPUT] = _packet(loads, Offer({}))
    limit = longest + _UNTIL_STUCK
    return Exchange(inputs, {_RESULT: expected}, seed=SEED, patience=SILENCE, limit=limit)


def _packet(beats: Sequence[Beat], first: Offer) -> list[Offer]:
    """The offers of a packet.  first: when its first beat is offered."""
    last, later = len(beats) - 1, Offer({})
    return [
        replace(
            later if index else first,
            beat=beat | {"first": int(index == 0), "last": int(index == last)},
        )
        for index, beat in enumerate(beats)
    ]


def _cycles(outcome: StreamOutcome, begins: str, expected: int) -> int:
    """The cycles of an operation.  begins: the stream whose first beat begins it."""
    return int(outcome.cycles[_RESULT][expected - 1]) - int(outcome.cycles[begins][0]) + 1


def _of_beats(beats: Sequence[Mapping[str, int]]) -> list[str]:
    framing = [(int(i == 0), int(i == len(beats) - 1)) for i in range(len(beats))]
    ends = [(beat["first"], beat["last"]) for beat in beats]
    return [] if ends == framing else [f"(first, last) of the beats of the result: {ends}"]


def _gaps(outcome: StreamOutcome, request: Beats, expected: int) -> list[str]:
    """The faults of a bare core whose packets do not go over in consecutive cycles."""
    gaps = []
    for name in (_INPUT, *request, _RESULT):
        cycles = outcome.cycles.get(name, ())[: expected if name == _RESULT else None]
        if len(cycles) and int(cycles[-1]) - int(cycles[0]) + 1 != len(cycles):
            gaps.append(f"{name}: its beats do not go over in consecutive cycles")
    return gaps
