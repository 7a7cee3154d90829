"""The elastic adapter, around cores that obey the rules and compute next to nothing."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator

from modmul.blocks.core_timing import CoreTiming, ModeTiming
from modmul.blocks.elastic import Elastic

WIDTH = 8
LIMIT = 10_000  # cycles; no run needs half of them
FRAME = {"first": 1, "last": 1}


def timing(latency: int, interval: int, beats: int = 1, **shape: object) -> CoreTiming:
    given = {"modulus_beats": 1, "slots": 1, "reload": "stalls"} | shape
    return CoreTiming(
        modes=(ModeTiming(beats, latency, interval),),
        operand=data.StructLayout(FRAME | {"a": WIDTH, "b": WIDTH}),
        result=data.StructLayout(FRAME | {"data": WIDTH}),
        modulus=data.StructLayout(FRAME | {"data": WIDTH}),
        **given,
    )


SHAPES = {
    "bit-serial": timing(latency=10, interval=9),
    "pipelined": timing(slots=15, latency=15, interval=15),
    "one beat, long modulus": timing(modulus_beats=3, slots=2, latency=9, interval=8),
    "F44": timing(beats=4, modulus_beats=4, slots=4, latency=75, interval=64, reload="flushes"),
    "F44, waits": timing(beats=4, modulus_beats=4, slots=4, latency=75, interval=64),
    "odd": timing(beats=8, modulus_beats=9, slots=2, latency=60, interval=48, reload="flushes"),
    "short modulus": timing(beats=5, slots=3, latency=31, interval=30, reload="flushes"),
    "long": timing(beats=33, modulus_beats=66, latency=60, interval=40, reload="flushes"),
}
ROTATION = 16  # of F44, whose slots may stand in a row
PROMPT = [name for name in SHAPES if name != "pipelined"]


def turn(shape: CoreTiming) -> int:
    """Cycles of one slot's turn; several turns in one interval for F44."""
    return (ROTATION if shape.modes[0].interval == 64 else shape.modes[0].interval) // shape.slots


class Core(wiring.Component):
    """Beat j of a result is a_j + b_j + the sum of the beats of the modulus, as it is when the
    beat leaves: a modulus that came too early shows.

    The slots take turns of `theta` cycles; one is free again `interval` after it was taken, so
    that free slots may stand in a row and then be long in coming.  `wrong` rises, for ever,
    when a packet has a gap or is not framed.  A reload clears what is in flight in a core that
    drops; one that waits is not ready for it before."""

    def __init__(self, shape: CoreTiming):
        self.shape = shape
        super().__init__(
            {
                "operand": In(stream.Signature(shape.operand)),
                "modulus": In(stream.Signature(shape.modulus)),
                "result": Out(stream.Signature(shape.result, always_ready=True)),
                "wrong": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        shape = self.shape
        theta, delay = turn(shape), shape.modes[0].latency - shape.beats
        phase = Signal(range(theta * shape.slots + 1))
        interval = shape.modes[0].interval
        busy = [Signal(range(interval), name=f"busy_{i}") for i in range(shape.slots)]
        open_ = [(phase == i * theta) & (busy[i] == 0) for i in range(shape.slots)]
        boundary = Const(0)
        for i in range(shape.slots):
            boundary |= phase == i * theta
        running, loading = Signal(), Signal()
        line = [Signal(shape.result, name=f"line_{i}") for i in range(delay)]
        flags, sums = Signal(delay), Signal(WIDTH)
        taken = self.operand.valid & self.operand.ready
        loaded = self.modulus.valid & self.modulus.ready
        quiet = (flags == 0) if shape.reload == "stalls" else True
        m.d.comb += [
            self.operand.ready.eq(running | (~loading & Cat(open_).any())),
            self.modulus.ready.eq(loading | (~running & quiet & boundary)),
            self.result.p.eq(line[-1]),
            self.result.p.data.eq(line[-1].data + sums),
            self.result.valid.eq(flags[-1]),
        ]
        m.d.sync += [
            phase.eq(Mux(phase == theta * shape.slots - 1, 0, phase + 1)),
            line[0].first.eq(self.operand.p.first),
            line[0].last.eq(self.operand.p.last),
            line[0].data.eq(self.operand.p.a + self.operand.p.b),
            flags.eq(flags << 1 | taken),
        ]
        m.d.sync += [line[i + 1].eq(line[i]) for i in range(delay - 1)]
        for counter, free in zip(busy, open_, strict=True):
            m.d.sync += counter.eq(Mux(counter == 0, 0, counter - 1))
            with m.If(taken & ~running & free):
                m.d.sync += counter.eq(shape.modes[0].interval - 1)
        with m.If(taken):
            m.d.sync += running.eq(~self.operand.p.last)
        with m.If(loaded):
            old = Mux(self.modulus.p.first, 0, sums)
            m.d.sync += [sums.eq(old + self.modulus.p.data), loading.eq(~self.modulus.p.last)]
            if shape.reload == "flushes":
                m.d.sync += flags.eq(0)
        gap = (running & ~self.operand.valid) | (loading & ~self.modulus.valid)
        frame = (taken & (self.operand.p.first == running)) | (
            loaded & (self.modulus.p.first == loading)
        )
        with m.If(gap | frame | (taken & loaded)):
            m.d.sync += self.wrong.eq(1)
        return m


@dataclass
class Run:
    """One simulation: what goes in with which chance a cycle, and what was seen, with cycles."""

    shape: CoreTiming
    operands: list[list[tuple[int, int]]]
    moduli: list[list[int]]
    seed: int = 0
    source: float = 1.0
    loader: float = 1.0
    sink: float = 1.0
    alone: bool = False  # each product waits for the one before, and a cycle more every time
    events: list[tuple[str, int]] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    results: list[list[int]] = field(default_factory=list)

    def run(self) -> Run:
        m = Module()
        m.submodules.core = self.core = core = Core(self.shape)
        m.submodules.adapter = self.adapter = adapter = Elastic(self.shape)
        wiring.connect(m, adapter.core_operand, core.operand)
        wiring.connect(m, adapter.core_modulus, core.modulus)
        wiring.connect(m, core.result, adapter.core_result)
        simulator = Simulator(m)
        simulator.add_clock(1e-6)
        simulator.add_testbench(self._outside)
        simulator.run()
        return self

    async def _outside(self, ctx) -> None:  # type: ignore[no-untyped-def]
        chance = random.Random(self.seed)
        adapter = self.adapter
        operands, moduli = _beats(self.operands), _beats(self.moduli)
        beats, cycle, quiet, result = [], 0, 2 * self.shape.modes[0].latency, adapter.result
        offered: dict[str, tuple[int, bool, bool, object] | None] = {"o": None, "m": None}
        while len(self.results) < len(self.operands):
            early = self.alone and cycle < quiet
            if offered["m"] is None and chance.random() < self.loader:
                offered["m"] = next(moduli, None)
            if offered["o"] is None and not early and chance.random() < self.source:
                offered["o"] = next(operands, None)
            for stream_, beat in ((adapter.operand, offered["o"]), (adapter.modulus, offered["m"])):
                ctx.set(stream_.valid, beat is not None)
                if beat is not None:
                    names = ("a", "b") if stream_ is adapter.operand else ("data",)
                    ctx.set(stream_.p.first, beat[1])
                    ctx.set(stream_.p.last, beat[2])
                    for name, value in zip(names, beat[3], strict=True):
                        ctx.set(stream_.p[name], value)
            ctx.set(result.ready, chance.random() < self.sink)
            taken = {
                "o": offered["o"] is not None and ctx.get(adapter.operand.ready),
                "m": offered["m"] is not None and ctx.get(adapter.modulus.ready),
            }
            for kind in "om":  # in one cycle, the operand belongs to the modulus before
                beat = offered[kind]
                if taken[kind] and beat is not None:
                    if beat[1 if kind == "o" else 2]:
                        self.events.append((kind, beat[0]))
                    if kind == "o" and beat[1]:
                        self.starts.append(cycle)
                    if kind == "o" and beat[2]:
                        quiet = LIMIT
                    offered[kind] = None
            if ctx.get(result.valid) and ctx.get(result.ready):
                assert ctx.get(result.p.first) == (not beats)
                beats.append(ctx.get(result.p.data))
                if ctx.get(result.p.last):
                    self.results.append(beats)
                    self.ends.append(cycle)
                    beats = []
                    quiet = cycle + len(self.results)  # another phase each time
            assert cycle < LIMIT, "nothing comes any more"
            await ctx.tick()
            cycle += 1
        assert not ctx.get(self.core.wrong)

    def expected(self) -> list[list[int]]:
        """Results in the order in which operands and moduli were accepted."""
        results, total = [], 0
        for kind, index in self.events:
            if kind == "m":
                total = sum(self.moduli[index])
            else:
                results.append([(a + b + total) % (1 << WIDTH) for a, b in self.operands[index]])
        return results


def _beats(packets: list) -> Iterator:  # type: ignore[type-arg]
    for index, packet in enumerate(packets):
        for j, beat in enumerate(packet):
            values = beat if isinstance(beat, tuple) else (beat,)
            yield index, j == 0, j == len(packet) - 1, values


def make(shape: CoreTiming, products: int, moduli: int = 1, **how: object) -> Run:
    values = random.Random(products)
    byte = lambda: values.randrange(1 << WIDTH)  # noqa: E731
    return Run(
        shape,
        [[(byte(), byte()) for _ in range(shape.beats)] for _ in range(products)],
        [[byte() for _ in range(shape.modulus_beats)] for _ in range(moduli)],
        **how,
    ).run()


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.long)])
@pytest.mark.short("1-F44, waits", "1-odd", "1-bit-serial", "1-one beat, long modulus")
def test_nothing_is_lost_or_mixed_when_all_sides_pause(name: str, seed: int) -> None:
    """Moduli come in between at random; each holds for the operands accepted after it."""
    shape = SHAPES[name]
    interval = shape.modes[0].interval
    often = shape.modulus_beats * shape.slots / (4 * interval)  # a modulus in four products
    pauses = {"source": 0.6, "loader": often * seed, "sink": 0.3 * seed}
    run = make(shape, 30, moduli=20, seed=seed, **pauses)
    assert run.results == run.expected()
    kinds = [kind for kind, _ in run.events]
    assert kinds.count("m") > 3, "too few moduli between the operands to mean anything"
    assert "om" in "".join(kinds) and "mo" in "".join(kinds)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.short("bit-serial", "pipelined", "F44", "short modulus", "one beat, long modulus")
def test_a_stalled_sink_loses_nothing(name: str) -> None:
    """With a sink that hardly ever takes, the core must not run ahead of the queue."""
    run = make(SHAPES[name], 3 * SHAPES[name].slots + 4, sink=0.08, seed=3)
    assert run.results == run.expected()


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.short("bit-serial", "pipelined", "F44", "short modulus", "one beat, long modulus")
def test_latency_is_the_sum(name: str) -> None:
    """The core's latency and the adapter's, when the operand meets a ready core."""
    shape = SHAPES[name]
    theta = turn(shape)
    run = make(shape, theta, alone=True)
    latencies = {end - start + 1 for start, end in zip(run.starts, run.ends, strict=True)}
    declared = shape.modes[0].latency + shape.added_latency(shape.beats)
    assert min(latencies) == declared
    assert max(latencies) < declared + theta


@pytest.mark.parametrize("name", PROMPT)
@pytest.mark.short("bit-serial", "F44, waits", "short modulus")
def test_full_throughput_in_spite_of_pauses(name: str) -> None:
    """Results leave at the core's own rate though source and sink pause at random."""
    shape = SHAPES[name]
    # When the first and the last are taken is chance.
    products = (96 if shape.beats == 1 else 48) + 16 * shape.slots
    period = shape.modes[0].interval / shape.slots
    # What is bit-parallel does not wait inside: the source has to be there in time.
    source = min(1.0, (5 if shape.beats == 1 else 2) * shape.beats / period)
    sink = min(1.0, max(0.5, 1.5 * shape.beats / period))
    run = make(shape, products, source=source, sink=sink, seed=4)
    half = products // 2 // shape.slots * shape.slots
    measured = (run.ends[-1] - run.ends[-1 - half]) / half
    assert measured <= period * 1.02


@pytest.mark.parametrize("name", ["pipelined", "long", "F44"])
def test_full_throughput_without_pauses(name: str) -> None:
    shape = SHAPES[name]
    run = make(shape, 8 * shape.slots)
    half = 4 * shape.slots
    assert (run.ends[-1] - run.ends[-1 - half]) * shape.slots == shape.modes[0].interval * half
