"""Simulates designs with any streams; streams.cpp is the other side.

A run begins with a reset.  Every input stream offers its beats in order, each as soon as the event
that it waits for has happened.  The response has the outputs, and the cycle of each beat."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Literal

import numpy as np
from numpy.typing import NDArray

from modmul.design import Design, Interface
from modmul.export.hdl import Hdl
from modmul.export.ports import Port, ports
from modmul.targets.models import Model
from modmul.toolchain.cache import Cache
from modmul.verification.executable import Driver, Process, compile_executable, exactly

_DRIVER = Driver("streams.h", ("runner.h", "bits.h"), "streams.cpp")
_MAGIC = 0x6D6D7333
_REQUEST = struct.Struct("<4I2Q2I")
_RUN, _KEEP, _STRIKE = range(3)
_STRUCK = struct.Struct("<2I")
_RESPONSE = struct.Struct("<4IQ")
_PLAN = struct.Struct("<2I")
_WAIT = struct.Struct("<2IQ")
_COMPLAINT = struct.Struct("<Q2I")
_STATUS: tuple[Literal["done", "stuck", "flooded"], ...] = ("done", "stuck", "flooded")
_VIOLATIONS = {1: "valid was withdrawn", 2: "a waiting beat changed"}

Beat = Mapping[str, int]  # the value of each field; missing fields are 0


@dataclass(frozen=True)
class Offer:
    """One beat of an input stream.  gap: cycles before it is offered, counted from the cycle when
    `beats` beats were transferred on the stream `after` (None: from the beat before)."""

    beat: Beat
    gap: int = 0
    after: str | None = None
    beats: int = 0


@dataclass(frozen=True)
class Exchange:
    """One run.

    inputs: the beats of each input stream.  outputs: the number of beats expected on each output
    stream.  pauses: the chance of a pause in each cycle, in 1/256, by stream.  patience: after so
    many silent cycles no more beats are expected.  limit: after so many cycles without any beat the
    run is stuck."""

    inputs: Mapping[str, Sequence[Offer]]
    outputs: Mapping[str, int]
    pauses: Mapping[str, int] = field(default_factory=dict)
    seed: int = 1
    patience: int = 64
    limit: int = 1_000_000


@dataclass(frozen=True)
class StreamOutcome:
    """The response to a run.

    status: "stuck" if nothing moved any more, "flooded" if more beats came than expected.  beats:
    the beats of each output stream.  cycles: the cycle in which each beat of a stream was
    transferred; 0 is the first cycle after reset.  violations: breaches of the protocol.  total:
    cycles simulated."""

    status: Literal["done", "stuck", "flooded"]
    beats: dict[str, list[dict[str, int]]]
    cycles: dict[str, NDArray[np.uint64]]
    violations: list[str]
    total: int


@dataclass(frozen=True)
class StreamDesign:
    """A module of `verilog` whose ports are clk, rst and streams.  An output without `ready`
    transfers a beat in each cycle in which it is valid.

    models: of the chip primitives instantiated in it."""

    verilog: str
    module: str
    ports: tuple[Port, ...]
    models: tuple[Model, ...] = ()

    @classmethod
    def of(cls, design: Design, interface: Interface, written: Hdl) -> StreamDesign:
        """The module with this interface in the emitted text of a design."""
        module = written.top(interface)
        return cls(written.verilog, module, ports(design, interface, written.pins), written.models)

    @property
    def top(self) -> str:
        return self.module

    def sources(self) -> list[str]:
        return [self.verilog, *(model.text for model in self.models)]

    @property
    def streams(self) -> dict[str, tuple[bool, list[Port]]]:
        """For each stream by name, whether it is an input, and the fields of its beats in order."""
        by_name: dict[str, tuple[bool, list[Port]]] = {}
        for name, group in itertools.groupby(self.ports, lambda port: port.stream):
            if name is not None:
                ports = list(group)
                fields = [port for port in ports if port.field not in ("valid", "ready")]
                by_name[name] = ports[0].direction == "input", fields
        return by_name

    @property
    def steady(self) -> frozenset[str]:
        """The outputs without `ready`, which cannot be paused."""
        paused = {port.stream for port in self.ports if port.field == "ready"}
        return frozenset(self.streams.keys() - paused)

    def maker(self, prefix: str) -> list[str]:
        """C++ that creates the model, with a list of its streams."""
        streams, steady = [], self.steady
        for name, (is_input, fields) in self.streams.items():
            beat = ", ".join(f"field(top.{port.name}, {port.width})" for port in fields)
            ends = f"&top.{name}_valid, &{'always' if name in steady else f'top.{name}_ready'}"
            streams.append(f"        Stream{{{str(is_input).lower()}, {ends}, {{{beat}}}}},")
        return [
            f"static std::vector<Stream> streams_of_{prefix}({prefix}& top) {{",
            *["    static uint8_t always;  // in the place of a `ready`"] * bool(steady),
            "    return {",
            *streams,
            "    };",
            "}",
            f"std::unique_ptr<Model>(new VerilatedDesign<{prefix}>(context, streams_of_{prefix}))",
        ]


@dataclass(frozen=True)
class StreamSimulator:
    """An executable that simulates `designs`, each by its position."""

    path: Path
    designs: tuple[StreamDesign, ...]

    def start(self, *, seed: int = 1, waveform: Path | None = None) -> StreamSession:
        """Start it.  seed: of undefined power-up values.  waveform: the VCD file to write, for a
        simulator compiled with `trace`; it is complete when the session is closed."""
        return StreamSession(self, seed, waveform)


def compile_streams(
    designs: Sequence[StreamDesign], cache: Cache, *, trace: bool = False
) -> StreamSimulator:
    """Compile a simulator, which takes seconds, or find it in the cache.  Raises ToolMissing,
    ToolFailed."""
    return StreamSimulator(compile_executable(_DRIVER, designs, cache, trace=trace), tuple(designs))


class StreamSession(Process):
    """A running simulator.  Use it as a context manager, in one thread at a time."""

    def __init__(self, simulator: StreamSimulator, seed: int, waveform: Path | None):
        self.simulator = simulator
        self._kept: list[Exchange] = []
        super().__init__(simulator.path, seed, waveform)

    def run(self, design: int, exchange: Exchange) -> StreamOutcome:
        """Simulate one run of the design at this position.

        Raises KeyError for a stream or field that it lacks, ValueError for a pause on a stream that
        cannot pause, ToolFailed if the simulator ends instead."""
        return self._run(design, exchange, _RUN, 0)

    def keep(self, design: int, exchange: Exchange) -> StreamOutcome:
        """Simulate one run from power-up, and keep moments of it for `strike`.  Raises as `run`
        does."""
        self._kept.append(exchange)
        return self._run(design, exchange, _KEEP, len(self._kept) - 1)

    def strike(
        self, design: int, exchange: Exchange, stream: str, cycle: int, beat: Beat
    ) -> StreamOutcome:
        """Simulate a run that is kept, or is from now on, with one beat more, which is offered in
        this cycle on a stream on which it has none.  The run need only be simulated from there on,
        until all is as if nothing had been.  Raises as `run` does."""
        number = next((n for n, each in enumerate(self._kept) if each is exchange), None)
        if number is None:
            self.keep(design, exchange)
            number = len(self._kept) - 1
        streams = self.simulator.designs[design].streams
        question = _head(design, streams, exchange, _STRIKE, number)
        question += _STRUCK.pack([*streams].index(stream), cycle)
        question += _packed(beat, streams[stream][1])
        return self.ask(question, lambda answer: _decode(answer, streams))

    def _run(self, design: int, exchange: Exchange, kind: int, number: int) -> StreamOutcome:
        simulated = self.simulator.designs[design]
        streams, steady = simulated.streams, simulated.steady
        if any(exchange.pauses.get(name) for name in steady):
            raise ValueError(f"{', '.join(sorted(steady))} cannot pause: there is no ready")
        question = _head(design, streams, exchange, kind, number) + _encode(streams, exchange)
        return self.ask(question, lambda answer: _decode(answer, streams))


_Streams = Mapping[str, tuple[bool, list[Port]]]


def _head(design: int, streams: _Streams, exchange: Exchange, kind: int, number: int) -> bytes:
    first = (_MAGIC, design, len(streams), exchange.patience, exchange.limit, exchange.seed)
    return _REQUEST.pack(*first, kind, number)


def _encode(streams: _Streams, exchange: Exchange) -> bytes:
    used = {*exchange.inputs, *exchange.outputs, *exchange.pauses}
    if not used <= set(streams):
        raise KeyError(f"no stream {', '.join(sorted(used - set(streams)))}")
    numbers = {name: number for number, name in enumerate(streams)}
    parts: list[bytes] = []
    for name, (is_input, fields) in streams.items():
        offers = exchange.inputs.get(name, ()) if is_input else ()
        count = len(offers) if is_input else exchange.outputs.get(name, 0)
        parts.append(_PLAN.pack(count, exchange.pauses.get(name, 0)))
        for offer in offers:
            stream = numbers[offer.after] if offer.after is not None else 0
            parts.append(_WAIT.pack(offer.gap, stream, offer.beats if offer.after else 0))
        parts += [_packed(offer.beat, fields) for offer in offers]
    return b"".join(parts)


def _packed(beat: Beat, fields: list[Port]) -> bytes:
    unknown = set(beat) - {port.field for port in fields}
    if unknown:
        raise KeyError(f"no field {', '.join(sorted(unknown))}")
    value = offset = 0
    for port in fields:
        assert port.field is not None
        member = beat.get(port.field, 0)
        if not 0 <= member < 1 << port.width:
            raise ValueError(f"{port.name} = {member:#x}: has only {port.width} bits")
        value |= member << offset
        offset += port.width
    return value.to_bytes(_beat_bytes(fields), "little")


def _beat_bytes(fields: Iterable[Port]) -> int:
    return -(-sum(port.width for port in fields) // 8)


def _decode(answer: IO[bytes], streams: _Streams) -> StreamOutcome:
    magic, status, complaints, _, total = _RESPONSE.unpack(exactly(answer, _RESPONSE.size))
    if magic != _MAGIC:
        raise EOFError
    cycles: dict[str, NDArray[np.uint64]] = {}
    beats: dict[str, list[dict[str, int]]] = {}
    for name, (is_input, fields) in streams.items():
        count = int.from_bytes(exactly(answer, 8), "little")
        cycles[name] = np.frombuffer(exactly(answer, 8 * count), "<u8")
        if not is_input:
            size = _beat_bytes(fields)
            beats[name] = [_unpacked(exactly(answer, size), fields) for _ in range(count)]
    violations = []
    for _ in range(complaints):
        cycle, stream, violation = _COMPLAINT.unpack(exactly(answer, _COMPLAINT.size))
        violations.append(f"cycle {cycle}: {list(streams)[stream]}: {_VIOLATIONS[violation]}")
    return StreamOutcome(_STATUS[status], beats, cycles, violations, total)


def _unpacked(octets: bytes, fields: list[Port]) -> dict[str, int]:
    value, members = int.from_bytes(octets, "little"), {}
    for port in fields:
        members[str(port.field)] = value & (1 << port.width) - 1
        value >>= port.width
    return members
