"""The logical multipliers of an FPMM in rotation: which of them are active, and where each is.

Set-up (a new modulus) starts in the last phase of a slot and takes exactly the next slot, which
stays empty; it drops all products in flight by clearing their flags, never their data: the empty
slot absorbs whatever carries come out of the one before it (gallin2019, 2.3).  For the same reason
data registers have no reset; after a reset the first thing to come is a modulus.  So that not even
an X of a simulator outlives it, operands are zero in empty slots and carries are dropped there.
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, Value

from modmul.blocks.part import wire
from modmul.multipliers.fpmm.parameters import FpmmParameters
from modmul.multipliers.fpmm.timeline import SlotFlag, Timeline


class Slots:
    """operand, modulus: these streams of the core; modulus is None if none is loaded.

    The part that loads a modulus drives load_modulus (the first word is taken), modulus_continues,
    and drop_products (the first cycle of the slot of set-up)."""

    def __init__(
        self,
        m: Module,
        p: FpmmParameters,
        timeline: Timeline,
        operand: Any,
        modulus: Any | None,
    ):
        self.m, self.parameters, self.timeline = m, p, timeline
        self.modulus = modulus
        loaded = modulus is not None
        self.modulus_continues = Signal(name="modulus_continues") if loaded else Const(0, 1)
        self.load_modulus = Signal(name="load_modulus")
        self.drop_products = Signal(name="drop_products") if loaded else Const(0, 1)
        self.operand_continues = Signal(name="operand_continues")
        self._rotate(operand)

    def _rotate(self, operand: Any) -> None:
        """Rotate the slots: whether each is active, and at which word of a it is."""
        m, tl, words = self.m, self.timeline, self.parameters.words

        def entry(name: str) -> tuple[Signal, Signal]:
            return Signal(name=f"{name}_active"), Signal(range(words), name=f"{name}_index")

        ring = [entry(f"waiting_{k}") for k in range(self.parameters.sigma)]
        active, self.index = slot = entry("slot")
        next_active, next_index = following = entry("next")
        self.waiting_active, self.waiting_index = ring[0]
        free = self._free()
        self.start = wire(m, free & operand.valid, "start")
        last = wire(m, active & (self.index == words - 1), "last_period")
        m.d.comb += [
            operand.ready.eq(free | self.operand_continues),
            next_active.eq(active & ~last),
            next_index.eq(Mux(next_active, self.index + 1, 0)),
        ]
        taken = self.waiting_active | self.start
        if self.parameters.modulus_paired:  # it may come in this very cycle
            taken = taken & ~self.load_modulus
        with m.If(tl.start(0)):
            m.d.sync += active.eq(taken)
            m.d.sync += self.index.eq(self.waiting_index)
        with m.If(tl.start(1)):
            for front, behind in zip(ring, [*ring[1:], following], strict=True):
                m.d.sync += [value.eq(other) for value, other in zip(front, behind, strict=True)]
        more = (self.start | self.operand_continues) & ~tl.word(words - 1, 0)
        m.d.sync += self.operand_continues.eq(more)
        if self.modulus is not None:
            with m.If(self.drop_products):
                m.d.sync += [value.eq(0) for pair in (slot, *ring) for value in pair]
        has_t = wire(m, active & (self.index != 0), "has_t")
        self.active = SlotFlag(tl, active, 1, "slot_active", self.drop_products)
        self.running = SlotFlag(tl, has_t, 1, "has_t", self.drop_products)
        self.finishing = SlotFlag(tl, last, 1, "last_period", self.drop_products)

    def _free(self) -> Value:
        """A flag that is high in the first phase of a free slot: an operand may begin.

        If the slot is long enough, the flag is a flip-flop, decided in the cycle before."""
        m, tl, head_active = self.m, self.timeline, self.waiting_active
        free = Signal(name="slot_free")
        if self.modulus is None:
            return self._free_after_a_turn(free)
        if self.parameters.theta < 3:  # the rotation has not settled a cycle before
            m.d.comb += free.eq(tl.start(0) & ~head_active & ~self.modulus_continues)
            return free
        setup_begins = self.modulus.valid & ~self.modulus_continues
        m.d.sync += free.eq(tl.start(-1) & ~head_active & ~setup_begins)
        return free

    def _free_after_a_turn(self, free: Signal) -> Value:
        """The same flag if no modulus is loaded: low until a turn of empty slots has
        passed."""
        m, tl = self.m, self.timeline
        turns = Signal(range(self.parameters.sigma + 1), name="empty_slots")
        whole = wire(m, turns == self.parameters.sigma, "turn_was_empty")
        with m.If(tl.start(-1) & ~whole):
            m.d.sync += turns.eq(turns + 1)
        if self.parameters.theta < 3:
            m.d.comb += free.eq(tl.start(0) & ~self.waiting_active & whole)
        else:
            m.d.sync += free.eq(tl.start(-1) & ~self.waiting_active & whole)
        return free
