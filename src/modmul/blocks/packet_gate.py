"""Between an input stream and a circuit that counts its beats: packets of a wrong length are cut or
filled with zeros."""

from __future__ import annotations

from typing import ClassVar

from amaranth.hdl import Module, Mux, Signal, Value, ValueLike
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out


class PacketGate(wiring.Component):
    """Gives each operation the beats of one packet, and as many beats as it asks for.

    If the packet has fewer beats, or another packet begins before its last one, zeros follow; the
    other packet waits for the next operation. Surplus beats are dropped once the operation has
    ended, and so are beats before the first one of a packet. Packets of the right length go through
    in the same cycles.

    With protection, no fault in `begun` makes zeros of a packet that has not begun; then the packet
    would be that of the next operation. It stops the gate, or changes nothing."""

    PORT_NOTES: ClassVar[dict[str, str]] = {
        "fills": "a 0 is taken that no packet had",
        "idle": "from the next cycle on, a packet has to begin",
        "*_first": "the first beat of its packet",
        "*_last": "the last beat of its packet",
    }
    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "how far the packet is": {
            "begun": "the operation has taken its first beat",
            "filling": "its last beat was taken, or another packet begins: zeros follow",
            "filled": "a 0 is offered that no packet had; none begins a packet",
            "begins": "the first beat of a packet is offered",
            "awaited": "the inverse of `begun`, kept apart from it",
        }
    }

    def __init__(self, layout: data.StructLayout, protected: bool = False):
        """layout: of a beat, with the members `first` and `last`."""
        self.layout, self.protected = layout, protected
        beats = stream.Signature(layout)
        super().__init__({"source": In(beats), "sink": Out(beats), "idle": In(1), "fills": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m, source, sink = Module(), self.source, self.sink
        begun, filling = Signal(name="begun"), Signal(name="filling")
        begins, filled = Signal(name="begins"), Signal(name="filled")
        awaited: Value = ~begun
        if self.protected:
            awaited = Signal(name="awaited", init=1)
            m.d.sync += awaited.eq(self.idle | (awaited & ~(sink.valid & sink.ready)))
        interrupts = begins & ~awaited
        m.d.comb += [
            begins.eq(source.valid & source.p.first),
            filled.eq(filling & (begun if self.protected else 1)),
            sink.valid.eq(filled | (source.valid & Mux(source.p.first, awaited, begun))),
            *(sink.p[name].eq(Mux(filled, 0, source.p[name])) for name in self.layout.members),
            self.fills.eq(filled & sink.ready),
            source.ready.eq(
                Mux(
                    begun,
                    sink.ready & ~interrupts & ~filling,
                    awaited & (sink.ready | (source.valid & ~source.p.first)),
                )
            ),
        ]
        with m.If(self.idle):
            m.d.sync += [begun.eq(0), filling.eq(0)]
        with m.Else():
            with m.If(begun & interrupts):
                m.d.sync += filling.eq(1)
            with m.If(sink.valid & sink.ready):
                m.d.sync += [begun.eq(1), filling.eq(filling | source.p.last)]
        return m


class FirstBeat(wiring.Component):
    """Drops the beats of a packet after its first one."""

    def __init__(self, layout: data.StructLayout):
        """layout: of a beat, with the member `first`."""
        beats = stream.Signature(layout)
        super().__init__({"source": In(beats), "sink": Out(beats)})

    def elaborate(self, platform: object) -> Module:
        m, source, sink = Module(), self.source, self.sink
        m.d.comb += [
            sink.valid.eq(source.valid & source.p.first),
            sink.p.eq(source.p),
            source.ready.eq(sink.ready | (source.valid & ~source.p.first)),
        ]
        return m


def gated(
    m: Module, source: stream.Interface, name: str, idle: ValueLike, protected: bool = False
) -> PacketGate:
    """Put an input stream behind a PacketGate, and return the gate."""
    m.submodules[f"{name}_gate"] = gate = PacketGate(source.p.shape(), protected)
    wiring.connect(m, wiring.flipped(source), gate.source)
    m.d.comb += gate.idle.eq(idle)
    return gate


def first_beats(m: Module, source: stream.Interface, name: str) -> stream.Interface:
    """Put an input stream behind a FirstBeat, and return what it lets through."""
    m.submodules[f"{name}_gate"] = gate = FirstBeat(source.p.shape())
    wiring.connect(m, wiring.flipped(source), gate.source)
    return gate.sink
