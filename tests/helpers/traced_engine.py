"""The engine in Verilog, with what is written into its registers as streams of their own, and runs
of it that are compared with the golden machine."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from amaranth.hdl import Module
from amaranth.lib import wiring

from modmul.arithmetic.words import from_words
from modmul.blocks.memory import bits_of
from modmul.design import Stream
from modmul.export.hdl import models_in, verilog_of
from modmul.export.pins import USUAL
from modmul.export.ports import Port, _stream, clock_and_reset
from modmul.processors.engine import operation
from modmul.processors.engine.assembler import Image
from modmul.processors.engine.golden import Beat, writes
from modmul.processors.engine.hardware.build import ENTRY, EngineBuild
from modmul.processors.engine.hardware.core import Core
from modmul.processors.engine.hardware.host import SOURCES
from modmul.processors.engine.hardware.streams import sources, streams
from modmul.verification.streams import Exchange, Offer, StreamDesign, StreamOutcome, StreamSession

Moduli = int | Sequence[int]  # one, or those that a program chooses from
MANY = 1 << 24  # beats: more than are ever written
AROUND = ENTRY + 1  # cycles from a command to its status, beside those of the program


class TracedCore(Core):
    """With every beat that is written into a bank on a stream `into_...`."""

    def elaborate(self, platform: object) -> Module:
        m = super().elaborate(platform)
        scalars = self.scalars
        m.d.comb += [
            self.into_scalars.valid.eq(scalars.write),
            self.into_scalars.p.register.eq(scalars.write_number),
            self.into_scalars.p.place.eq(scalars.place),
            self.into_scalars.p.data.eq(scalars.data),
        ]
        for bank in self.build.bank_names:
            stream = getattr(self, f"into_{bank}")
            write = getattr(self.registers, f"write_{bank}")
            m.d.comb += [
                stream.valid.eq(write.enable),
                stream.p.register.eq(write.register),
                stream.p.place.eq(write.place),
                stream.p.data.eq(write.data),
            ]
        return m


def written(build: EngineBuild) -> list[Stream]:
    members = {
        "register": (bits_of(build.machine.bank_size), ""),
        "place": (bits_of(build.beats), ""),
        "data": (build.word, ""),
    }
    banks = (*build.bank_names, "scalars")
    return [Stream(f"into_{bank}", "output", "", members) for bank in banks]


def traced(build: EngineBuild, name: str) -> StreamDesign:
    """Its Verilog."""
    plain, more = streams(build), written(build)
    signature = wiring.Signature(
        {
            **{stream.name: stream.signature() for stream in plain},
            **{stream.name: stream.signature(always_ready=True) for stream in more},
        }
    )
    ports: list[Port] = [*clock_and_reset(USUAL)]
    for stream in plain:
        ports += _stream(stream, stalls=True)
    for stream in more:
        ports += _stream(stream, stalls=False)
    text = verilog_of([(TracedCore(build, signature), tuple(ports), name)])
    return StreamDesign(text, name, tuple(ports), models_in(text, build.multiplier))


class EngineRun(NamedTuple):
    """What a program gave: numbers, status, every beat written, with cycles since the issue of the
    first word; and cycles from the command to the status, both counted."""

    results: list[int]
    status: int
    writes: list[Beat]
    cycles: int
    outcome: StreamOutcome


def expected(
    build: EngineBuild,
    image: Image,
    modulus: Moduli,
    values: Mapping[str, int],
    lengths: Mapping[str, int],
) -> EngineRun:
    """By the golden machine."""
    done = operation.run(image, modulus, values, lengths).outcome
    beats = sorted(writes(done, build.machine, build.word))
    results = [int(result) for result in done.results]  # type: ignore[arg-type]
    return EngineRun(results, int(done.status), beats, done.cycles + AROUND, None)


def exchange(
    build: EngineBuild,
    program: int,
    modulus: Moduli,
    values: Mapping[str, int],
    lengths: Mapping[str, int],
) -> Exchange:
    """What goes over its streams for one run of a program."""
    image = build.images[program]
    moduli = (modulus,) if isinstance(modulus, int) else modulus
    fields = build.images[program].program.fields
    settings = operation.settings_of(build.engine, moduli, fields)
    given = operation.streams(image, settings, values, lengths)
    operand, scalar, random = operation.beats(image, given)
    counters = [values[name] for name in image.program.of("counter")]
    count = counters[0] if counters else 0
    command = {"program": program, "count": count, "first": 1, "last": 1}
    inputs = {
        "modulus": packet(build.store(settings, given.constants)),
        "command": [Offer(command)],
    }
    numbers = dict(zip(SOURCES, (operand, scalar, random), strict=True))
    inputs |= {name: packet(numbers[name]) for name in sources(build)}
    results = sum(word.op == "OUT" for word in image.words)
    outputs = {"result": results * build.beats + 1}
    outputs |= {stream.name: MANY for stream in written(build)}
    return Exchange(inputs, outputs, limit=4000)


def ran(
    session: StreamSession,
    place: int,
    build: EngineBuild,
    program: int,
    modulus: Moduli,
    values: Mapping[str, int],
    lengths: Mapping[str, int],
    pauses: Mapping[str, int] | None = None,
) -> EngineRun:
    """By the simulated Verilog, the design at that place."""
    asked = exchange(build, program, modulus, values, lengths)
    out = session.run(place, dataclasses.replace(asked, pauses=pauses or {}))
    beats = [beat["data"] for beat in out.beats["result"]]
    results = [
        from_words(beats[at : at + build.beats], build.word)
        for at in range(0, len(beats) - 1, build.beats)
    ]
    begun = int(out.cycles["command"][0])
    return EngineRun(
        results,
        beats[-1],
        sorted(_written(build, out, begun + ENTRY)),
        int(out.cycles["result"][-1]) - begun + 1,
        out,
    )


def _written(build: EngineBuild, out: StreamOutcome, first: int) -> Iterable[Beat]:
    for number, bank in enumerate(build.bank_names):
        name = f"into_{bank}"
        for beat, cycle in zip(out.beats[name], out.cycles[name], strict=True):
            register = beat["register"] + number * build.machine.bank_size
            yield Beat(int(cycle) - first, register, beat["place"], beat["data"])


def left(outcomes: Iterable[StreamOutcome]) -> dict[tuple[str, int, int], int]:
    """What is in the memories after some runs: by name, number and place."""
    return {
        (name, beat["register"], beat["place"]): beat["data"]
        for out in outcomes
        for name in out.beats
        if name.startswith("into_")
        for beat in out.beats[name]
    }


def packet(beats: Sequence[int]) -> list[Offer]:
    return [
        Offer({"data": beat, "first": int(place == 0), "last": int(place == len(beats) - 1)})
        for place, beat in enumerate(beats)
    ]
