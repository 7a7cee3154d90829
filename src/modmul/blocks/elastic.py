"""The elastic adapter: streams that may pause anywhere, around a core that cannot stall.

Operands and moduli are gathered until a whole packet of beats is there, because a core takes them
without gaps.  A product starts only while the result queue has room for it, because a core's
results cannot wait.  A modulus counts as accepted with
its last beat, an operand with its first, one in the same cycle before the other.  A modulus goes to
the core when every operand accepted before it has gone (and, if the core drops products on
reload, when every result is out); meanwhile operands wait.  After a reset they wait for the first
modulus.
"""

from __future__ import annotations

from typing import ClassVar

from amaranth.hdl import Const, Module, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from modmul.blocks.core_timing import PACKETS, CoreTiming
from modmul.blocks.gather import Gather, queue
from modmul.blocks.part import whole


class Elastic(wiring.Component):
    """The elastic adapter: lets all streams pause at any time, around a core that {cannot}.

    Operands: {operand_way}. A product begins only while fewer than {most_owed} results are owed,
    that is, belong to products that have begun, and have not been taken by the receiver. So the
    queue of results never overflows.

    {modulus_way}

    Results: a FIFO of {result_beats} beats."""

    _NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "operands": {
            "operand_last_place": "beats of each operand, with the modulus in the core, less 1",
            "modulus_waits": "a modulus load is pending, or none has been loaded since reset",
            "takes_operands": "no modulus waits, or an operand has come in partly",
            "may_send": "the result has a place, or the core has taken the first beat already",
            "partly_sent": "the core has taken the first beat of a product, not yet the last",
            "product_begins": "the core takes the first beat of a product",
            "occupied": "an operand, or a part of one, is here",
            "partly_in": "an operand has come in partly",
            "complete": "a whole modulus is here, to be loaded",
            "operands": "",
        },
        "results": {
            "results_owed": "products that have begun and whose results have not left",
            "result_has_place": "",
            "result_taken": "the last beat of a result has left, in the cycle before",
            "results": "",
        },
        "modulus": {
            "loaded": "a modulus has been accepted since the reset",
            "modulus_sent": "beats of a modulus that the core has taken",
            "in_core": "products that have begun and whose results are not out of the core",
            "moduli": "",
        },
    }

    def __init__(self, timing: CoreTiming):
        """operand, modulus, result: the outer streams.  core_...: the streams towards the core."""
        self.timing = timing
        self._one_beat = timing.beats == 1
        self._sized = len(timing.lengths) > 1
        members = {
            "operand": In(stream.Signature(timing.operand)),
            "core_operand": Out(stream.Signature(timing.operand)),
            "result": Out(stream.Signature(timing.result)),
            "core_result": In(stream.Signature(timing.result, always_ready=True)),
        }
        if timing.modulus is not None:
            members |= {
                "modulus": In(stream.Signature(timing.modulus)),
                "core_modulus": Out(stream.Signature(timing.modulus)),
            }
        super().__init__(members)
        # Numbers of one beat go past the adapter, which sees valid and ready only.
        if self._one_beat:
            self.core_operand.payload = self.operand.payload
        if timing.modulus is not None and timing.modulus_beats == 1:
            self.core_modulus.payload = self.modulus.payload

    # ---- for the comment above the module -----------------------------------------------------

    @property
    def cannot(self) -> str:
        """What the core cannot do, which is why there is an adapter."""
        if self._one_beat:
            return "cannot hold a result"
        return "takes the beats of an operand without pauses, and cannot hold a result"

    @property
    def operand_way(self) -> str:
        """How operands come to the core."""
        if self._one_beat:
            return "of one beat, they go past the adapter, which gates valid and ready only"
        beats = self.timing.beats
        asked = f"as many as the modulus asks for, up to {beats},"
        length = asked if self._sized else f"exactly {beats}"
        return (
            "they are gathered, since the core takes their beats in consecutive cycles. Each "
            f"must have {length} beats, the first of them with `first`, the last with `last`; any "
            "other packet is dropped, and gives no result"
        )

    @property
    def modulus_way(self) -> str:
        """When a modulus comes to the core."""
        if self.timing.modulus is None:
            return "There is no modulus to be loaded."
        when = "".join(f", {reason}" for reason in self._reasons[:-1])
        when += f"{',' * bool(when)} and {self._reasons[-1]}" if self._reasons else ""
        meanwhile = "meanwhile no operand is accepted"
        if not self._one_beat:
            meanwhile = (
                "meanwhile no operand begins to come in, and one that has come in partly is "
                "finished, under the modulus before"
            )
        return (
            "A modulus holds for all operands accepted after it: it goes to the core as soon as "
            f"that is ready for it{when}; {meanwhile}. After a reset operands wait for the first "
            "modulus."
        )

    @property
    def _reasons(self) -> list[str]:
        """The conditions behind the adapter for which a modulus waits."""
        waits = {
            "no operand accepted before it is here": not self._one_beat,
            "no product is in the core, which would drop it": self.timing.reload == "flushes",
        }
        return [reason for reason, does in waits.items() if does]

    @property
    def NOTES(self) -> dict[str, dict[str, str]]:
        notes = {title: dict(section) for title, section in self._NOTES.items()}
        if self._reasons:
            notes["modulus"]["may_load"] = ", and ".join(self._reasons)
        if self._one_beat:
            notes["operands"]["may_send"] = "the result has a place, and no modulus waits"
        return notes

    PORT_NOTES: ClassVar[dict[str, str]] = {
        "*_first": "the first beat of its packet",
        "*_last": "the last beat of its packet",
    }

    @property
    def most_owed(self) -> int:
        """See `CoreTiming`."""
        return self.timing.most_owed

    @property
    def result_beats(self) -> int:
        """Beats that the queue of results holds."""
        return self.timing.beats * self.timing.most_owed

    # ---- the hardware -------------------------------------------------------------------------

    def elaborate(self, platform: object) -> Module:
        m = Module()
        begins = Signal(name="product_begins")
        place = Signal(name="result_has_place")
        waits = Signal(name="modulus_waits")
        occupied = self._operands(m, begins, place, waits)
        self._results(m, begins, place)
        if self.timing.modulus is not None:
            self._moduli(m, occupied, begins, waits)
        return m

    def _operands(self, m: Module, begins: Signal, place: Signal, waits: Signal) -> Value:
        """Let operands in unless a modulus `waits`, and begin their products if a result has a
        `place`; return whether an operand is held here."""
        core = self.core_operand
        if self._one_beat:
            sent = Signal(name="may_send")
            m.d.comb += [
                sent.eq(place & ~waits),
                core.valid.eq(self.operand.valid & sent),
                self.operand.ready.eq(core.ready & sent),
                begins.eq(core.valid & core.ready),
            ]
            return Const(0, 1)
        gather = Gather(
            self.timing.operand, beats=self.timing.beats, packets=PACKETS, sized=self._sized
        )
        m.submodules.operands = gather
        if self._sized:
            self.last_place = Signal(range(self.timing.beats), name="operand_last_place")
            m.d.comb += gather.last_place.eq(self.last_place)
        accept, go = Signal(name="takes_operands"), Signal(name="may_send")
        running = Signal(name="partly_sent")
        m.d.comb += [
            accept.eq(~waits | gather.partly_in),
            gather.source.p.eq(self.operand.p),
            gather.source.valid.eq(self.operand.valid & accept),
            self.operand.ready.eq(gather.source.ready & accept),
            go.eq(place | running),
            core.p.eq(gather.sink.p),
            core.valid.eq(gather.sink.valid & go),
            gather.sink.ready.eq(core.ready & go),
            begins.eq(core.valid & core.ready & ~running),
        ]
        with m.If(core.valid & core.ready):
            m.d.sync += running.eq(~core.p.last)
        return gather.occupied

    def _results(self, m: Module, begins: Signal, place: Signal) -> None:
        """Pass results through a queue with a place for every product that has begun."""
        most = self.timing.most_owed
        m.submodules.results = fifo = queue(self.timing.result.size, self.result_beats)
        taken = Signal(name="result_taken")
        m.d.comb += [
            fifo.w_data.eq(whole(Value.cast(self.core_result.p))),
            fifo.w_en.eq(self.core_result.valid),
            self.result.p.eq(fifo.r_data),
            self.result.valid.eq(fifo.r_rdy),
            fifo.r_en.eq(self.result.ready),
        ]
        m.d.sync += taken.eq(self.result.valid & self.result.ready & self.result.p.last)
        owed = _count(m, "results_owed", most, begins, taken)
        m.d.comb += place.eq(owed != most)

    def _moduli(self, m: Module, occupied: Value, begins: Signal, waits: Signal) -> None:
        """Pass a modulus to the core when no operand accepted before it is here, and, if the core
        would drop it, no product is in the core."""
        timing, core = self.timing, self.core_modulus
        assert timing.modulus is not None
        idle, loaded = Signal(name="may_load"), Signal(name="loaded")
        if timing.modulus_beats == 1:
            with m.If(self.modulus.valid & self.modulus.ready):
                m.d.sync += loaded.eq(1)
            m.d.comb += [
                waits.eq(self.modulus.valid | ~loaded),
                core.valid.eq(self.modulus.valid & idle),
                self.modulus.ready.eq(core.ready & idle),
            ]
        else:
            fewest = timing.modulus_beats - timing.beats + min(timing.lengths)
            gather = Gather(timing.modulus, beats=timing.modulus_beats, packets=1, shortest=fewest)
            m.submodules.moduli = gather
            with m.If(gather.complete):
                m.d.sync += loaded.eq(1)
            if self._sized:
                self._choose_length(m)
            m.d.comb += [
                gather.source.p.eq(self.modulus.p),
                gather.source.valid.eq(self.modulus.valid),
                self.modulus.ready.eq(gather.source.ready),
                waits.eq(gather.complete | ~loaded),
                core.p.eq(gather.sink.p),
                core.valid.eq(gather.sink.valid & idle),
                gather.sink.ready.eq(core.ready & idle),
            ]
        if timing.reload == "flushes":
            done = self.core_result.valid & self.core_result.p.last
            inside = _count(m, "in_core", timing.most_owed, begins, done)
            m.d.comb += idle.eq(~occupied & (inside == 0))
        else:
            m.d.comb += idle.eq(~occupied)

    def _choose_length(self, m: Module) -> None:
        """Count the beats of a modulus that go to the core, which has as many more in every mode
        than an operand."""
        core, more = self.core_modulus, self.timing.modulus_beats - self.timing.beats
        sent = Signal(range(self.timing.modulus_beats), name="modulus_sent")
        with m.If(core.valid & core.ready):
            m.d.sync += sent.eq(sent + 1)
            with m.If(core.p.last):
                m.d.sync += [sent.eq(0), self.last_place.eq(sent - more)]


def _count(m: Module, name: str, limit: int, up: Value, down: Value) -> Signal:
    """A counter from 0 to `limit` of what came (`up`) and has not gone (`down`)."""
    count = Signal(range(limit + 1), name=name)
    with m.If(up & ~down):
        m.d.sync += count.eq(count + 1)
    with m.If(down & ~up):
        m.d.sync += count.eq(count - 1)
    return count
