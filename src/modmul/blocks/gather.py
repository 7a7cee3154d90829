"""A buffer that passes on whole packets of beats without gaps, even if they arrive with gaps."""

from __future__ import annotations

from typing import ClassVar

from amaranth.hdl import Module, Mux, Signal, unsigned
from amaranth.lib import data, stream, wiring
from amaranth.lib.fifo import SyncFIFO, SyncFIFOBuffered
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from modmul.blocks.part import wire

# Up to this depth a queue is cheap in distributed RAM, and a word can be read in the cycle after it
# was written; a longer queue takes one more cycle and fits block RAM.
SHORT_QUEUE = 64

_QUEUE_PORTS = {
    "w_en": "a word comes in, if there is room",
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

    PORT_NOTES: ClassVar[dict[str, str]] = _QUEUE_PORTS
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


def queue(width: int, depth: int) -> ShortQueue | LongQueue:
    """A FIFO of `depth` entries of `width` bits."""
    return (ShortQueue if depth <= SHORT_QUEUE else LongQueue)(width=width, depth=depth)


def queue_latency(depth: int) -> int:
    """The cycles from writing into an empty `queue` to reading from it."""
    return 1 if depth <= SHORT_QUEUE else 2


def gather_latency(beats: int, packets: int, length: int) -> int:
    """The cycles from the first beat into a Gather to the first beat out of it, for a packet
    of `length` beats (at most `beats`), if neither side pauses; 0 for packets of one beat, which
    need none."""
    return 0 if beats == 1 else length - 1 + queue_latency(beats * packets)


class Gather(wiring.Component):
    """A buffer of the elastic adapter: gathers packets, which are the operands of a product or a
    modulus, and passes each of them on without pauses. It has room for {room} of {beats}
    beats.

    A packet begins with a beat whose `first` is high and ends with one whose `last` is; its first
    beat is offered once its last one is here. A packet of {wanted} beats is whole; any other one is
    dropped, as is one that does not end before another begins, and a beat that belongs to none."""

    PORT_NOTES: ClassVar[dict[str, str]] = {
        "*_first": "the first beat of its packet",
        "*_last": "the last beat of its packet",
        "last_place": "the place of the last beat of a whole packet, from 0",
        "complete": "a whole packet is inside",
        "occupied": "a beat is inside",
        "partly_in": "a packet has come in partly",
    }
    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "a packet that comes in": {
            "place": "of the beat that comes next, from 0",
            "packet_start": "where it begins in the RAM",
            "produce": "where its next beat is written",
            "following": "where the beat behind that one is written",
            "beat_in": "it is taken",
            "interrupts": "another packet begins before this one has ended, which is dropped",
            "ends": "it ends with this beat, or is too long",
            "is_whole": "it ends, and has the right number of beats",
            "closes": "it ends or is dropped: another one may begin",
        },
        "packets that are complete": {
            "ram": "a ring of beats",
            "ram_write_enable": "also of a beat that is dropped, as the next one overwrites it",
            "full": "there is no place for a beat",
            "beat_out": "a beat leaves",
            "consume": "where the next beat is read",
            "consume_next": "where the next beat is read in the next cycle",
            "packet_in": "the last beat of a packet {comes_in}; it can be read in the next cycle",
            "packet_out": "the last beat of a packet leaves",
            "complete_packets": "inside",
        },
    }

    def __init__(
        self,
        layout: data.StructLayout,
        *,
        beats: int,
        packets: int,
        shortest: int | None = None,
        sized: bool = False,
    ):
        """layout: of a beat, with the members `first` and `last`.  beats: of the longest packet, 2
        or more.  shortest: beats of the shortest packet (default: `beats`).  sized: an input
        `last_place` says how many beats each packet must have, less 1."""
        self.layout, self.beats, self.packets = layout, beats, packets
        self.shortest, self.sized = shortest or beats, sized
        members = {
            "source": In(stream.Signature(layout)),
            "sink": Out(stream.Signature(layout)),
            "complete": Out(1),
            "occupied": Out(1),
            "partly_in": Out(1),
        }
        super().__init__(members | ({"last_place": In(range(beats))} if sized else {}))

    @property
    def room(self) -> str:
        """How many packets there is room for, for the text above the module."""
        return "one packet" if self.packets == 1 else f"{self.packets} packets"

    @property
    def wanted(self) -> str:
        """The beats of a whole packet, for the text above the module."""
        if self.sized:
            return "`last_place` + 1"
        if self.shortest < self.beats:
            return f"{self.shortest} to {self.beats}"
        return f"exactly {self.beats}"

    @property
    def comes_in(self) -> str:
        """When the beats that can be read in the next cycle came in, for a note."""
        short = queue_latency(self.beats * self.packets) == 1
        return "comes in" if short else "came in, in the cycle before"

    def elaborate(self, platform: object) -> Module:
        m = Module()
        depth, source, sink = self.beats * self.packets, self.source, self.sink
        short = queue_latency(depth) == 1
        place = Signal(range(self.beats), name="place")
        begin, produce, consume = (
            Signal(range(depth), name=name) for name in ("packet_start", "produce", "consume")
        )
        full, partly_in = Signal(name="full"), self.partly_in
        fewest = 1 if self.sized else self.shortest
        most_packets = 1 + (depth - 1) // fewest  # of the first of them one beat is left
        packets = Signal(range(most_packets + 1), name="complete_packets")
        interrupts, ends, whole = (Signal(name=name) for name in ("interrupts", "ends", "is_whole"))
        entered, left = Signal(name="packet_in"), Signal(name="packet_out")
        written, read = Signal(name="beat_in"), Signal(name="beat_out")
        least, most = self.shortest - 1, self.beats - 1
        if self.sized:
            least = most = self.last_place
        m.d.comb += [
            interrupts.eq(source.valid & source.p.first & partly_in),
            source.ready.eq(~full & ~interrupts),
            written.eq(source.valid & source.ready & (source.p.first | partly_in)),
            ends.eq(source.p.last | (place == most)),
            whole.eq(source.p.last & (place >= least)),
            self.occupied.eq(self.complete | partly_in),
            sink.valid.eq(packets != 0),
            read.eq(sink.valid & sink.ready),
            left.eq(read & sink.p.last),
        ]
        following = wire(m, Mux(produce == depth - 1, 0, produce + 1), "following")
        closes = wire(m, interrupts | (written & ends), "closes")
        with m.If(written):
            m.d.sync += [place.eq(place + 1), partly_in.eq(1), produce.eq(following)]
            m.d.sync += full.eq(following == consume)
        with m.If(closes):
            m.d.sync += [place.eq(0), partly_in.eq(0)]
            with m.If(written & whole):
                m.d.sync += begin.eq(following)
            with m.Else():
                m.d.sync += [produce.eq(begin), full.eq(0)]
        with m.If(read):
            m.d.sync += full.eq(0)
        next_read = Signal.like(consume, name="consume_next")
        m.d.comb += next_read.eq(consume)
        with m.If(read):
            m.d.comb += next_read.eq(Mux(consume == depth - 1, 0, consume + 1))
        m.d.sync += consume.eq(next_read)
        m.submodules.ram = ram = Memory(shape=unsigned(self.layout.size), depth=depth, init=[])
        write, read_port = ram.write_port(), ram.read_port(domain="comb" if short else "sync")
        m.d.comb += [
            write.en.eq(source.valid & ~full),  # of a beat that is dropped, too: less logic
            write.addr.eq(produce),
            write.data.eq(source.p),
            read_port.addr.eq(consume if short else next_read),
            sink.p.eq(read_port.data),
        ]
        if short:
            m.d.comb += [entered.eq(written & whole), self.complete.eq(packets != 0)]
        else:  # a beat can be read two cycles after it was written
            m.d.sync += entered.eq(written & whole)
            m.d.comb += self.complete.eq((packets != 0) | entered)
        m.d.sync += packets.eq(packets + entered - left)
        return m
