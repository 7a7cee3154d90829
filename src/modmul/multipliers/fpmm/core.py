"""The bare core: slot rotation, operand memories, modulus, and the datapath between them.

Set-up (a new modulus) starts in the last phase of a slot and takes exactly the next slot, which stays
empty; it drops all products in flight by clearing their flags, never their data: the empty slot
absorbs whatever carries come out of the one before it (gallin2019, 2.3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import data, wiring

from modmul.blocks.memory import SimpleDualPort
from modmul.multipliers.contract import core_signature
from modmul.multipliers.fpmm.timeline import SlotFlag, SlotValue, Timeline

if TYPE_CHECKING:
    from modmul.multipliers.fpmm import Fpmm


class Core(wiring.Component):
    """The finely-pipelined multiplier; streams as in `core_signature`."""

    def __init__(self, parameters: Fpmm):
        self.parameters = parameters
        super().__init__(core_signature(parameters))

    def elaborate(self, platform: object) -> Module:
        self.m = m = Module()
        self.timeline = Timeline(m, self.parameters.theta)
        self._slots()
        self._setup()
        a, b = self._operands()
        result = self.parameters.build_datapath(
            m, self.timeline, a, b, self.p_prime, self._modulus_words, self._keep
        )
        self._output(result)
        return m

    # ---- slots ----------------------------------------------------------------------------------

    def _slots(self) -> None:
        """The logical multipliers in rotation: active or not, and the iteration each is in."""
        m, tl, words = self.m, self.timeline, self.parameters.words
        state = data.StructLayout({"active": 1, "iteration": range(words)})
        ring = [Signal(state, name=f"waiting_{k}") for k in range(self.parameters.slots)]
        slot, following = Signal(state, name="slot"), Signal(state, name="following")
        self.busy, self.setup = Signal(name="setup_busy"), Signal(name="setup")
        self.loading = loading = Signal(name="loading")
        idle = ~ring[0].active & ~self.busy
        accept = tl.start(0) & idle & self.operand.valid
        last = slot.active & (slot.iteration == words - 1)
        m.d.comb += [
            self.operand.ready.eq((tl.start(0) & idle) | loading),
            following.active.eq(slot.active & ~last),
            following.iteration.eq(Mux(following.active, slot.iteration + 1, 0)),
        ]
        with m.If(tl.start(0)):
            m.d.sync += slot.active.eq(ring[0].active | (self.operand.valid & idle))
            m.d.sync += slot.iteration.eq(ring[0].iteration)
        with m.If(tl.start(1)):
            for k, entry in enumerate(ring):
                m.d.sync += entry.eq(ring[k + 1] if k + 1 < len(ring) else following)
        with m.If(accept):
            m.d.sync += loading.eq(1)
        with m.If(tl.word(words - 1, 0)):
            m.d.sync += loading.eq(0)
        with m.If(self.setup):
            m.d.sync += [loading.eq(0), slot.eq(0), *(entry.eq(0) for entry in ring)]
        self.taken = accept | loading
        self.iteration = slot.iteration
        running = slot.active & (slot.iteration != 0)
        self.active = SlotFlag(tl, slot.active, 1, "active", self.setup)
        self.running = SlotFlag(tl, running, 1, "running", self.setup)
        self.finishing = SlotFlag(tl, last, 1, "finishing", self.setup)

    def _in_words(self, value: Value, time: int) -> Value:
        """`value`, but low in the phase without a word that slots have without latency reduction."""
        if self.parameters.theta == self.parameters.words:
            return value
        return value & ~self.timeline.word(self.parameters.words, time)

    def _keep(self, time: int) -> Value:
        return self._in_words(self.running.at(time), time)

    # ---- modulus --------------------------------------------------------------------------------

    def _setup(self) -> None:
        """P' in the last phase of a slot, then p_0 .. p_(s-1) in the phases of the next."""
        m, tl, parameters = self.m, self.timeline, self.parameters
        may_start = tl.start(-1) & ~self.busy
        m.d.comb += [
            self.setup.eq(may_start & self.modulus.valid),
            self.modulus.ready.eq(may_start | self.busy),
        ]
        with m.If(tl.word(parameters.words - 1, 0)):
            m.d.sync += self.busy.eq(0)
        with m.If(self.setup):
            m.d.sync += self.busy.eq(1)
        word = Signal(parameters.beat, name="modulus_word", reset_less=True)
        self.p_prime = Signal(parameters.beat, name="p_prime", reset_less=True)
        first, self.modulus_write = Signal(name="p_prime_write"), Signal(name="modulus_write")
        m.d.sync += [
            word.eq(self.modulus.p.data),
            first.eq(self.setup),
            self.modulus_write.eq(self.busy),
        ]
        with m.If(first):
            m.d.sync += self.p_prime.eq(word)
        self.modulus_word = word

    def _index(self, time: int, name: str) -> Signal:
        """Counter of the word at `time`, 0 .. theta - 1."""
        index = Signal(range(self.parameters.theta), name=name)
        self.m.d.sync += index.eq(Mux(self.timeline.start(time - 1), 0, index + 1))
        return index

    def _modulus_words(self, time: int, bits: slice = slice(None)) -> Value:
        """The stream of p_j (of some bits of it), word 0 visible at `time`."""
        m, parameters = self.m, self.parameters
        words = self.modulus_word[bits]
        name = f"modulus_{bits.start or 0}"
        memory = SimpleDualPort(len(words), parameters.words, "distributed", False)
        m.submodules[name] = memory
        m.d.comb += [
            memory.write_enable.eq(self._in_words(self.modulus_write, 1)),
            memory.write_address.eq(self._write_index()),
            memory.write_data.eq(words),
            memory.read_address.eq(self._index(time - 1, f"{name}_index")),
            memory.read_clear.eq(~self._in_words(Value.cast(1), time - 1)),
        ]
        return memory.read_data

    def _write_index(self) -> Signal:
        if not hasattr(self, "_written"):
            self._written = self._index(1, "modulus_write_index")
        return self._written

    # ---- operands -------------------------------------------------------------------------------

    def _operands(self) -> tuple[SlotValue, Value]:
        """The operand memories: input register at 1, written for 2, read into `ports`."""
        m, tl, parameters = self.m, self.timeline, self.parameters
        depth, ports = parameters.slots * parameters.words, parameters.schedule.ports
        write, write_address = Signal(name="write"), Signal(range(depth), init=depth - 1)
        with m.If(self._in_words(Value.cast(1), 0)):
            advanced = Mux(write_address == depth - 1, 0, write_address + 1)
            m.d.sync += write_address.eq(write_address + 1 if _power(depth) else advanced)
        m.d.sync += write.eq(self.taken)
        b_address, a_address = Signal(range(depth)), Signal(range(depth))
        base, iteration = write_address, self.iteration
        m.d.sync += b_address.eq(write_address)
        with m.If(tl.start(1)):
            # in a power of two the low bits of a slot's first address are zero
            m.d.sync += a_address.eq(
                base | iteration if _power(parameters.words) else base + iteration
            )
        memories = []
        for name, address in (("a", a_address), ("b", b_address)):
            memory = SimpleDualPort(parameters.beat, depth, parameters.storage, ports == 4)
            m.submodules[f"operand_{name}"] = memory
            word = Signal(parameters.beat, name=f"{name}_word", reset_less=True)
            m.d.sync += word.eq(getattr(self.operand.p, name))
            m.d.comb += [
                memory.write_enable.eq(write),
                memory.write_address.eq(write_address),
                memory.write_data.eq(word),
                memory.read_address.eq(address),
            ]
            memories.append(memory)
        of_a, of_b = memories
        m.d.comb += of_a.read_enable.eq(tl.start(ports - 1))
        used = self._in_words(self.active.at(ports - 1), ports - 1)
        m.d.comb += of_b.read_clear.eq(~used)
        return SlotValue(tl, of_a.read_data, ports, "a", held=True), of_b.read_data

    # ---- result ---------------------------------------------------------------------------------

    def _output(self, result: Value) -> None:
        tl, words = self.timeline, self.parameters.words
        time = self.parameters.schedule.first_word
        self.m.d.comb += [
            self.result.valid.eq(self._in_words(self.finishing.at(time), time)),
            self.result.p.first.eq(tl.start(time)),
            self.result.p.last.eq(tl.word(words - 1, time)),
            self.result.p.data.eq(result),
        ]


def _power(count: int) -> bool:
    """Whether `count` is a power of two."""
    return count & (count - 1) == 0
