"""A buffer that hands trains of beats on without gaps, however they trickled in."""

from __future__ import annotations

from amaranth.hdl import Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.fifo import SyncFIFO, SyncFIFOBuffered
from amaranth.lib.wiring import In, Out

# Up to here a queue is cheap in distributed RAM, read in the cycle after it was written; a longer
# one takes one cycle more and fits block RAM.
SHORT_QUEUE = 64


def queue(width: int, depth: int) -> SyncFIFO | SyncFIFOBuffered:
    """A FIFO of `depth` entries of `width` bits."""
    return (SyncFIFO if depth <= SHORT_QUEUE else SyncFIFOBuffered)(width=width, depth=depth)


def queue_latency(depth: int) -> int:
    """Cycles from writing into an empty `queue` to reading from it."""
    return 1 if depth <= SHORT_QUEUE else 2


def gather_latency(beats: int, trains: int, length: int) -> int:
    """Cycles from the first beat in to the first beat out of a Gather, for a train of `length`
    beats (at most `beats`), when neither side pauses."""
    return 0 if beats == 1 else length - 1 + queue_latency(beats * trains)


class Gather(wiring.Component):
    """Buffer for `trains` trains of `beats` beats each; `layout` has the members `first`, `last`.

    source: may pause anywhere.  sink: valid only while a whole train is in the buffer, so that
    it never pauses between its first beat and its last.
    whole: a whole train is inside.  held: something is, if only part of a train.
    partial: a train has come in partly.
    With beats == 1 the two streams are wired together: `whole` is the source's `valid`, and nothing
    is held."""

    def __init__(self, layout: data.StructLayout, *, beats: int, trains: int):
        self.layout, self.beats, self.trains = layout, beats, trains
        super().__init__(
            {
                "source": In(stream.Signature(layout)),
                "sink": Out(stream.Signature(layout)),
                "whole": Out(1),
                "held": Out(1),
                "partial": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        if self.beats == 1:
            wiring.connect(m, wiring.flipped(self.source), wiring.flipped(self.sink))
            m.d.comb += self.whole.eq(self.source.valid)
            return m
        depth = self.beats * self.trains
        m.submodules.fifo = fifo = queue(self.layout.size, depth)
        trains = Signal(range(depth + 1))  # whole ones inside
        come = Signal()
        gone = Signal()
        m.d.comb += [
            fifo.w_data.eq(self.source.p),
            fifo.w_en.eq(self.source.valid),
            self.source.ready.eq(fifo.w_rdy),
            self.sink.p.eq(fifo.r_data),
            self.sink.valid.eq(trains != 0),
            fifo.r_en.eq(self.sink.valid & self.sink.ready),
            self.held.eq(fifo.level != 0),
            gone.eq(fifo.r_en & self.sink.p.last),
        ]
        written = self.source.valid & self.source.ready
        with m.If(written):
            m.d.sync += self.partial.eq(~self.source.p.last)
        if queue_latency(depth) == 1:
            m.d.comb += [come.eq(written & self.source.p.last), self.whole.eq(trains != 0)]
        else:  # a beat can be read two cycles after it was written
            m.d.sync += come.eq(written & self.source.p.last)
            m.d.comb += self.whole.eq((trains != 0) | come)
        with m.If(come & ~gone):
            m.d.sync += trains.eq(trains + 1)
        with m.If(gone & ~come):
            m.d.sync += trains.eq(trains - 1)
        return m
