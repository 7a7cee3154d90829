"""A multiplier with `protection = full`: the bare core twice, in the same cycles, and a comparison.

Copy 0 drives the streams.  In each cycle the outputs of both copies are compared; data counts only
with `valid`.  From the cycle after the first difference on, `fault` is 1 until a reset.  The queue
of results behind it gives a result a cycle later, too.  So a fault of one copy, however long it
lasts and however many of its bits it changes, gives no wrong result without `fault`; a fault of the
comparison can only give `fault`.

No handshake depends on `fault`, which tells something about the operands.  So a fault of copy 0 can
also delay a result for ever."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib import wiring

from modmul.blocks.part import keep_apart
from modmul.multipliers.facts import MultiplierFacts
from modmul.multipliers.signature import core_signature

FAULT_NOTE = {"fault_seen": "the outputs of copies differed in an earlier cycle"}


def outputs_differ(pairs: Iterable[tuple[Any, Any]]) -> Value:
    """Whether two copies of streams that leave a circuit differ in a beat or its `valid`."""
    differences = []
    for one, other in pairs:
        differences.append(one.valid != other.valid)
        differences.append(one.valid & (Value.cast(one.p) != Value.cast(other.p)))
    return Cat(differences).any()


def remembered(m: Module, fault: Value) -> Signal:
    seen = Signal(name="fault_seen")
    m.d.sync += seen.eq(seen | fault)
    return seen


class Lockstep(wiring.Component):
    """The bare core twice, in lockstep. Copy 0 drives the ports. If an output of copy 1 differs
    from its own, `result_fault` is 1 from the next cycle on until a reset. So a result can be used
    if it is 0 in the cycle after the last beat."""

    NOTES: ClassVar[dict[str, dict[str, str]]] = {"the comparison": FAULT_NOTE}

    def __init__(self, multiplier: MultiplierFacts, copies: tuple[wiring.Component, ...]):
        """multiplier: protected.  copies: two bare cores, unprotected."""
        self._copies = copies
        keep_apart(copies[1])
        super().__init__(core_signature(multiplier))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        first, second = self._copies
        m.submodules.copy_0, m.submodules.copy_1 = first, second
        differs = outputs_differ([(first.result, second.result)])
        for name in first.signature.members:
            if name == "result":
                continue
            stream = getattr(self, name)
            for core in (first, second):
                m.d.comb += [
                    getattr(core, name).payload.eq(stream.payload),
                    getattr(core, name).valid.eq(stream.valid),
                ]
            m.d.comb += stream.ready.eq(getattr(first, name).ready)
            differs |= getattr(first, name).ready != getattr(second, name).ready
        m.d.comb += self.result.valid.eq(first.result.valid)
        for name, _ in first.result.p.shape():
            m.d.comb += self.result.p[name].eq(first.result.p[name])
        m.d.comb += self.result.p.fault.eq(remembered(m, differs))
        return m
