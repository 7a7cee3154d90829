"""The elastic adapter: streams that may pause anywhere, around a core that cannot stall.

Operands and moduli are gathered until a whole train of beats is there, because a core takes them
without gaps.  A product starts only while the result queue has room for it (credits), because a
core's results cannot wait.  A modulus counts as accepted with
its last beat, an operand with its first, one in the same cycle before the other.  A modulus goes to
the core when every operand accepted before it has gone (and, if the core drops products on
reload, when every result is out); meanwhile operands wait.  After a reset they wait for the first
modulus.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from modmul.arithmetic.words import ceil_div
from modmul.blocks.gather import Gather, gather_latency, queue, queue_latency

_TRAINS = 2  # operands that wait: one comes in while the other goes on
_SPARE = 8  # cycles that a result may be late now and then, without the core losing any


class Pace(NamedTuple):
    """How fast products of one kind go through a core.

    beats: of one operand and of one result.  latency: cycles, first operand beat in to last result
    beat out, both counted (the largest).  interval: cycles between two products of one slot (the
    smallest)."""

    beats: int
    latency: int
    interval: int


@dataclass(frozen=True)
class Traffic:
    """What the adapter must know of a core.

    operand, result, modulus: layouts of one beat, each with members `first` and `last`
    (modulus None: none is loaded).  paces: of the kinds of products that there are.
    modulus_beats: beats that load a modulus, at most.  slots: products the core works on at once.
    reload: what a new modulus does to products in flight in the core."""

    operand: data.StructLayout
    result: data.StructLayout
    modulus: data.StructLayout | None
    paces: tuple[Pace, ...]
    modulus_beats: int
    slots: int
    reload: Literal["waits", "drops"]

    @property
    def beats(self) -> int:
        """Of the longest operand."""
        return max(pace.beats for pace in self.paces)

    @property
    def credits(self) -> int:
        """Products between start and departure that keep every slot busy while results leave at
        half a beat a cycle, and now and then later: so long is a credit out."""
        queued = queue_latency(self.beats * 2 * self.slots) + _SPARE
        products = [
            ceil_div(pace.latency + queued + 2 * pace.beats, pace.interval) for pace in self.paces
        ]
        return self.slots * max(2, *products)

    @property
    def adapter_latency(self) -> int:
        """`added_latency` of the longest operand."""
        return self.added_latency(self.beats)

    def added_latency(self, beats: int) -> int:
        """Cycles that the adapter adds to the latency of an operand of `beats` beats when nobody
        pauses, apart from the wait for the core to be ready: gathering it, and the result queue."""
        return gather_latency(self.beats, _TRAINS, beats) + queue_latency(
            self.beats * self.credits
        )


class Elastic(wiring.Component):
    """The adapter alone: `operand`, `modulus`, `result` outside, `core_...` towards the core."""

    def __init__(self, traffic: Traffic):
        self.traffic = traffic
        members = {
            "operand": In(stream.Signature(traffic.operand)),
            "core_operand": Out(stream.Signature(traffic.operand)),
            "result": Out(stream.Signature(traffic.result)),
            "core_result": In(stream.Signature(traffic.result, always_ready=True)),
        }
        if traffic.modulus is not None:
            members |= {
                "modulus": In(stream.Signature(traffic.modulus)),
                "core_modulus": Out(stream.Signature(traffic.modulus)),
            }
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        started = Signal()  # the core takes the first beat of a product
        free = Signal()  # there is a place for one more result
        waits = Signal()  # operands wait for a modulus
        gather = self._operands(m, started, free, waits)
        self._results(m, started, free)
        if self.traffic.modulus is not None:
            self._moduli(m, gather.held, started, waits)
        return m

    def _operands(self, m: Module, started: Signal, free: Signal, waits: Signal) -> Gather:
        """Operands come in unless one `waits` for a modulus, and start if a result place is
        `free`."""
        traffic, core = self.traffic, self.core_operand
        gather = Gather(traffic.operand, beats=traffic.beats, trains=_TRAINS)
        m.submodules.operands = gather
        accept = Signal()
        go = Signal()
        running = Signal()  # the core has taken the first beat of a product, but not the last
        m.d.comb += [
            accept.eq(~waits | gather.partial),
            gather.source.p.eq(self.operand.p),
            gather.source.valid.eq(self.operand.valid & accept),
            self.operand.ready.eq(gather.source.ready & accept),
            go.eq(free | running),
            core.p.eq(gather.sink.p),
            core.valid.eq(gather.sink.valid & go),
            gather.sink.ready.eq(core.ready & go),
            started.eq(core.valid & core.ready & ~running),
        ]
        if traffic.beats > 1:
            with m.If(core.valid & core.ready):
                m.d.sync += running.eq(~core.p.last)
        return gather

    def _results(self, m: Module, started: Signal, free: Signal) -> None:
        """Results go through a queue with a place for every product between start and leave."""
        traffic = self.traffic
        m.submodules.results = fifo = queue(traffic.result.size, traffic.beats * traffic.credits)
        m.d.comb += [
            fifo.w_data.eq(self.core_result.p),
            fifo.w_en.eq(self.core_result.valid),
            self.result.p.eq(fifo.r_data),
            self.result.valid.eq(fifo.r_rdy),
            fifo.r_en.eq(self.result.ready),
        ]
        left = self.result.valid & self.result.ready & self.result.p.last
        m.d.comb += free.eq(_count(m, "credits", traffic.credits, started, left) != traffic.credits)

    def _moduli(self, m: Module, held: Value, started: Signal, waits: Signal) -> None:
        """A modulus goes to the core when no operand accepted before it is `held` here, nor, if
        the core would drop it, a product in the core."""
        traffic, core = self.traffic, self.core_modulus
        assert traffic.modulus is not None
        m.submodules.moduli = gather = Gather(
            traffic.modulus, beats=traffic.modulus_beats, trains=1
        )
        wiring.connect(m, wiring.flipped(self.modulus), gather.source)
        idle = Signal()
        loaded = Signal()  # a modulus has been accepted since the reset
        with m.If(self.modulus.valid & self.modulus.ready & self.modulus.p.last):
            m.d.sync += loaded.eq(1)
        m.d.comb += [
            waits.eq(gather.whole | ~loaded),
            core.p.eq(gather.sink.p),
            core.valid.eq(gather.sink.valid & idle),
            gather.sink.ready.eq(core.ready & idle),
        ]
        if traffic.reload == "drops":
            done = self.core_result.valid & self.core_result.p.last
            flying = _count(m, "flying", traffic.credits, started, done)
            m.d.comb += idle.eq(~held & (flying == 0))
        else:
            m.d.comb += idle.eq(~held)


def _count(m: Module, name: str, limit: int, up: Value, down: Value) -> Signal:
    """A counter from 0 to `limit` of what came and has not gone."""
    count = Signal(range(limit + 1), name=name)
    with m.If(up & ~down):
        m.d.sync += count.eq(count + 1)
    with m.If(down & ~up):
        m.d.sync += count.eq(count - 1)
    return count
