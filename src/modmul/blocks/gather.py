"""A buffer that passes on packets of beats without gaps, even if they arrive with gaps."""

from __future__ import annotations

from typing import ClassVar

from amaranth.hdl import Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.fifo import SyncFIFO, SyncFIFOBuffered
from amaranth.lib.wiring import In, Out

# Up to this depth a queue is cheap in distributed RAM, and a word can be read in the cycle after it
# was written; a longer queue takes one more cycle and fits block RAM.
SHORT_QUEUE = 64

_QUEUE_PORTS = {
    "w_en": "a word comes in, if there is room",
    "w_rdy": "there is room",
    "w_*data": "the word that comes in",
    "r_en": "the oldest word is taken, if there is one",
    "r_rdy": "there is a word",
    "r_data": "the oldest word",
}

_QUEUE_PLACES = {
    "produce": "where the next word is written",
    "consume": "where the next word is read",
}


class ShortQueue(SyncFIFO):
    """Queue of {depth} words of {width} bits, first in, first out. A word can be read in the cycle
    after it was written: the RAM is read without a clock edge. Writing and reading are independent;
    what is written into a full queue, or read from an empty one, is not there."""

    PORT_NOTES: ClassVar[dict[str, str]] = _QUEUE_PORTS | {"*level": "words inside"}
    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "a ring of {depth} places": _QUEUE_PLACES
        | {"level": "words inside", "w_port_en": "a word is written"}
    }


class LongQueue(SyncFIFOBuffered):
    """Queue of {depth} words of {width} bits, first in, first out: a RAM of one word less, and its
    output register. A word can be read two cycles after it was written into an empty queue: it goes
    through the RAM into the register. Writing and reading are independent; what is written into a
    full queue, or read from an empty one, is not there."""

    PORT_NOTES: ClassVar[dict[str, str]] = _QUEUE_PORTS
    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "a ring in RAM, and an output register, r_data": _QUEUE_PLACES
        | {
            "inner_level": "words in the RAM",
            "inner_r_rdy": "there is one",
            "w_port_en": "a word is written into the RAM",
            "r_port_en": "a word goes from the RAM to r_data, which is empty or being emptied",
        }
    }


def fields_of(layout: data.StructLayout) -> str:
    """Return the fields of a beat as a text."""
    widths = {str(name): field.width for name, field in layout}
    named = [name if bits == 1 else f"{name} ({bits} bits)" for name, bits in widths.items()]
    return f"from the highest bit down: {', '.join(reversed(named))}"


def queue(width: int, depth: int) -> ShortQueue | LongQueue:
    """Return a FIFO of `depth` entries of `width` bits."""
    return (ShortQueue if depth <= SHORT_QUEUE else LongQueue)(width=width, depth=depth)


def queue_latency(depth: int) -> int:
    """Return the cycles from writing into an empty `queue` to reading from it."""
    return 1 if depth <= SHORT_QUEUE else 2


def gather_latency(beats: int, packets: int, length: int) -> int:
    """Return the cycles from the first beat into a Gather to the first beat out of it, for a packet
    of `length` beats (at most `beats`), if neither side pauses; 0 for packets of one beat, which
    need none."""
    return 0 if beats == 1 else length - 1 + queue_latency(beats * packets)


class Gather(wiring.Component):
    """A buffer of the elastic adapter: gathers packets, which are the operands of a product or a
    modulus, and passes each of them on without pauses. It has room for {packets} packets of {beats}
    beats.

    The first beat of a packet is offered once its last one is here. A packet ends with a beat whose
    `last` is high, and the next one begins after it; `first` is passed on, but not looked at, and
    beats are not counted."""

    PORT_NOTES: ClassVar[dict[str, str]] = {
        "source_payload": "{fields}",
        "sink_payload": "{fields}",
        "complete": "a whole packet is inside",
        "occupied": "a beat is inside",
        "partly_in": "a packet has come in partly",
    }
    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "packets that are complete": {
            "packet_in": "the last beat of a packet {comes_in}; it can be read in the next cycle",
            "packet_out": "the last beat of a packet leaves",
            "complete_packets": "inside",
        },
    }

    def __init__(self, layout: data.StructLayout, *, beats: int, packets: int):
        """layout: of a beat, with the members `first` and `last`.  beats: of the longest packet, 2
        or more."""
        self.layout, self.beats, self.packets = layout, beats, packets
        super().__init__(
            {
                "source": In(stream.Signature(layout)),
                "sink": Out(stream.Signature(layout)),
                "complete": Out(1),
                "occupied": Out(1),
                "partly_in": Out(1),
            }
        )

    @property
    def fields(self) -> str:
        """The fields of a beat, for the notes at the ports."""
        return fields_of(self.layout)

    @property
    def comes_in(self) -> str:
        """When the beats that can be read in the next cycle came in, for a note."""
        short = queue_latency(self.beats * self.packets) == 1
        return "comes in" if short else "came in, in the cycle before"

    def elaborate(self, platform: object) -> Module:
        m = Module()
        depth = self.beats * self.packets
        m.submodules.fifo = fifo = queue(self.layout.size, depth)
        packets = Signal(range(depth + 1), name="complete_packets")
        entered, left = Signal(name="packet_in"), Signal(name="packet_out")
        m.d.comb += [
            fifo.w_data.eq(self.source.p),
            fifo.w_en.eq(self.source.valid),
            self.source.ready.eq(fifo.w_rdy),
            self.sink.p.eq(fifo.r_data),
            self.sink.valid.eq(packets != 0),
            fifo.r_en.eq(self.sink.valid & self.sink.ready),
            self.occupied.eq(fifo.level != 0),
            left.eq(fifo.r_en & self.sink.p.last),
        ]
        written = Signal(name="beat_in")
        m.d.comb += written.eq(self.source.valid & self.source.ready)
        with m.If(written):
            m.d.sync += self.partly_in.eq(~self.source.p.last)
        if queue_latency(depth) == 1:
            m.d.comb += [entered.eq(written & self.source.p.last), self.complete.eq(packets != 0)]
        else:  # a beat can be read two cycles after it was written
            m.d.sync += entered.eq(written & self.source.p.last)
            m.d.comb += self.complete.eq((packets != 0) | entered)
        with m.If(entered & ~left):
            m.d.sync += packets.eq(packets + 1)
        with m.If(left & ~entered):
            m.d.sync += packets.eq(packets - 1)
        return m
