"""A processor with `protection = full` whose programs do not check all of their results: the whole
processor twice, in the same cycles, and a comparison.

Copy 0 drives the streams.  In each cycle the outputs of both copies are compared, data only with
`valid`.  From the first difference on until a reset, the numbers of results are 0, and the status
tells a fault and nothing else."""

from __future__ import annotations

from typing import ClassVar

from amaranth.hdl import Module, Mux
from amaranth.lib import wiring

from modmul.blocks.part import keep_apart, wire
from modmul.multipliers.lockstep import FAULT_NOTE, outputs_differ, remembered


class Lockstep(wiring.Component):
    """Two copies of a processor, with its streams.  A difference of outputs shows in the same
    cycle, so no beat that differs leaves; no handshake depends on it."""

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "the comparison": FAULT_NOTE
        | {
            "differs": "the outputs of copies differ in this cycle",
            "fault": "they differ, or differed in an earlier cycle",
        }
    }

    def __init__(self, copies: tuple[wiring.Component, wiring.Component], fault: int):
        """copies: of the processor, with a stream `result` whose last beat is the status.  fault:
        the status that tells a fault."""
        self._copies, self._fault = copies, fault
        keep_apart(copies[1])
        super().__init__(copies[0].signature)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        first, second = self._copies
        m.submodules.copy_0, m.submodules.copy_1 = first, second
        m.d.comb += [copy.result.ready.eq(self.result.ready) for copy in self._copies]
        differ = outputs_differ([(first.result, second.result)])
        for name in self.signature.members:
            if name == "result":
                continue
            source, one, other = (getattr(of, name) for of in (self, first, second))
            for taken in (one, other):
                m.d.comb += [taken.payload.eq(source.payload), taken.valid.eq(source.valid)]
            m.d.comb += source.ready.eq(one.ready)
            differ |= one.ready != other.ready
        differs = wire(m, differ, "differs")
        fault = wire(m, differs | remembered(m, differs), "fault")
        given = first.result.p
        told = Mux(given.last, self._fault, 0)
        m.d.comb += [
            self.result.valid.eq(first.result.valid),
            self.result.p.eq(given),
            self.result.p.data.eq(Mux(fault, told, given.data)),
        ]
        return m
