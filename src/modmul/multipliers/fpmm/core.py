"""The bare core: slot rotation, operand memories, modulus, and the datapath between them.

Set-up (a new modulus) starts in the last phase of a slot and takes exactly the next slot, which
stays empty; it drops all products in flight by clearing their flags, never their data: the empty
slot absorbs whatever carries come out of the one before it (gallin2019, 2.3).  For the same reason
data registers have no reset; after a reset the first thing to come is a modulus.  So that not even
an X of a simulator outlives it, operands are zero in empty slots and carries are dropped there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring

from modmul.blocks.delay import delay
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
            m, self.timeline, a, b, self.p_prime, self._modulus_words, self.active, self._keep
        )
        self._output(result)
        return m

    # ---- slots ----------------------------------------------------------------------------------

    def _slots(self) -> None:
        """The logical multipliers in rotation: active or not, and the iteration each is in."""
        m, tl, words = self.m, self.timeline, self.parameters.words
        state = data.StructLayout({"active": 1, "iteration": range(words)})
        ring = [Signal(state, name=f"waiting_{k}") for k in range(self.parameters.sigma)]
        slot, following = Signal(state, name="slot"), Signal(state, name="following")
        self.busy, self.setup = Signal(name="setup_busy"), Signal(name="setup")
        self.clear = Signal(name="clear")  # first cycle of the slot that set-up takes
        self.loading = loading = Signal(name="loading")
        self.head, self.slot = ring[0], slot
        idle = self._idle(ring[0])
        self.accept = idle & self.operand.valid
        last = slot.active & (slot.iteration == words - 1)
        m.d.comb += [
            self.operand.ready.eq(idle | loading),
            following.active.eq(slot.active & ~last),
            following.iteration.eq(Mux(following.active, slot.iteration + 1, 0)),
        ]
        with m.If(tl.start(0)):
            m.d.sync += slot.active.eq(ring[0].active | self.accept)
            m.d.sync += slot.iteration.eq(ring[0].iteration)
        with m.If(tl.start(1)):
            for k, entry in enumerate(ring):
                m.d.sync += entry.eq(ring[k + 1] if k + 1 < len(ring) else following)
        m.d.sync += loading.eq((self.accept | loading) & ~tl.word(words - 1, 0))
        with m.If(self.clear):
            m.d.sync += [slot.eq(0), *(entry.eq(0) for entry in ring)]
        running = slot.active & (slot.iteration != 0)
        self.active = SlotFlag(tl, slot.active, 1, "active", self.clear)
        self.running = SlotFlag(tl, running, 1, "running", self.clear)
        self.finishing = SlotFlag(tl, last, 1, "finishing", self.clear)

    def _idle(self, head: data.View) -> Value:
        """High in the first phase of a slot that nobody has: an operand may begin.

        Where the slot is long enough it comes from a flip-flop, decided the cycle before."""
        m, tl = self.m, self.timeline
        if self.parameters.theta < 3:  # the rotation has not settled a cycle before
            return tl.start(0) & ~head.active & ~self.busy
        idle = Signal(name="idle")
        setup_begins = self.modulus.valid & ~self.busy
        m.d.sync += idle.eq(tl.start(-1) & ~head.active & ~setup_begins)
        return idle

    def _in_words(self, value: Value, time: int) -> Value:
        """`value`, but low in the phase s that slots have without latency reduction."""
        if self.parameters.theta == self.parameters.words:
            return value
        return value & ~self.timeline.word(self.parameters.words, time)

    def _keep(self, time: int) -> Value:
        return self._in_words(self.running.at(time), time)

    # ---- modulus --------------------------------------------------------------------------------

    def _setup(self) -> None:
        """P' in the last phase of a slot, then p_0 .. p_(s-1) in the phases of the next."""
        m, tl, parameters = self.m, self.timeline, self.parameters
        inputs = parameters.schedule.input_registers
        may_start = tl.start(-1) & ~self.busy
        m.d.comb += [
            self.setup.eq(may_start & self.modulus.valid),
            self.modulus.ready.eq(may_start | self.busy),
        ]
        m.d.sync += self.clear.eq(self.setup)
        with m.If(tl.word(parameters.words - 1, 0)):
            m.d.sync += self.busy.eq(0)
        with m.If(self.setup):
            m.d.sync += self.busy.eq(1)
        self.p_prime = Signal(parameters.beat, name="p_prime", reset_less=True)
        self.modulus_word = delay(m, self.modulus.p.data, inputs, "modulus_word")
        self.modulus_write = self._in_words(delay(m, self.busy, inputs, "modulus_write"), inputs)
        self.modulus_index = self._index(inputs, "modulus_write_index")
        with m.If(delay(m, self.setup, inputs, "p_prime_write")):
            m.d.sync += self.p_prime.eq(self.modulus_word)

    def _index(self, time: int, name: str) -> Signal:
        """Counter of the word at `time`, 0 .. theta - 1."""
        theta = self.parameters.theta
        index = Signal(range(theta), name=name, init=-time % theta)
        if _power(theta):
            self.m.d.sync += index.eq(index + 1)
        else:
            self.m.d.sync += index.eq(Mux(self.timeline.start(time - 1), 0, index + 1))
        return index

    def _modulus_words(self, time: int, bits: slice = slice(None)) -> Value:
        """The stream of p_j (of some bits of it), word 0 visible at `time`."""
        m, parameters = self.m, self.parameters
        words = self.modulus_word[bits]
        name = "memory_p" if bits == slice(None) else f"memory_p{bits.start}"
        memory = SimpleDualPort(parameters.chip, len(words), parameters.words, "distributed", 1)
        m.submodules[name] = memory
        m.d.comb += [
            memory.write_enable.eq(self.modulus_write),
            memory.write_address.eq(self.modulus_index),
            memory.write_data.eq(words),
            memory.read_address.eq(self._index(time - 1, f"{name}_index")),
            memory.read_clear.eq(~self._in_words(Const(1, 1), time - 1)),
        ]
        return memory.read_data

    # ---- operands -------------------------------------------------------------------------------

    def _write(self) -> tuple[Value, Value]:
        """Write enable and address of the operand memories.

        Without input registers an idle slot is written whatever is on the pins: nobody reads it
        before an operand has been accepted there."""
        m, tl, parameters = self.m, self.timeline, self.parameters
        inputs, depth = parameters.schedule.input_registers, parameters.depth
        address = Signal(range(depth), name="write_address", init=-inputs % depth)
        following = address + 1 if _power(depth) else Mux(address == depth - 1, 0, address + 1)
        with m.If(self._in_words(Const(1, 1), inputs - 1)):
            m.d.sync += address.eq(following)
        enable = Signal(name="write")
        if inputs:
            m.d.sync += enable.eq(self.accept | self.loading)
            return enable, address
        with m.If(tl.start(-1)):
            m.d.sync += enable.eq(~self._next_head_active())
        return self._in_words(enable, 0), address

    def _next_head_active(self) -> Value:
        """Whether the slot that begins in the next cycle is taken, seen in the last of this one."""
        if self.parameters.theta > 2:
            return self.head.active
        raise ValueError("operand memories without input registers need slots of 3 cycles")

    def _operands(self) -> tuple[SlotValue, Value]:
        """The operand memories, written for `inputs` + 1 and read into `ports`."""
        m, tl, parameters = self.m, self.timeline, self.parameters
        inputs, ports = parameters.schedule.input_registers, parameters.schedule.ports
        depth = parameters.depth
        enable, base = self._write()
        a_address, b_address = Signal(range(depth)), Signal(range(depth))
        m.d.sync += b_address.eq(base)
        # a's address comes so late that its word, read, is just in time at `ports`
        unregistered = parameters.schedule.a_unregistered
        first = b_address if unregistered else base
        time = 1 if unregistered else inputs
        iteration = self.slot.iteration if time else self.head.iteration
        # in a power of two the low bits of a slot's first address are zero
        sum_ = first | iteration if _power(parameters.words) else first + iteration
        with m.If(tl.start(time)):
            m.d.sync += a_address.eq(sum_)
        memories = []
        for name, address in (("a", a_address), ("b", b_address)):
            registers = ports - inputs - 1 - (name == "a" and unregistered)
            memory = SimpleDualPort(
                parameters.chip, parameters.beat, depth, parameters.storage, registers
            )
            m.submodules[f"memory_{name}"] = memory
            word = getattr(self.operand.p, name)
            m.d.comb += [
                memory.write_enable.eq(enable),
                memory.write_address.eq(base),
                memory.write_data.eq(delay(m, word, inputs, f"{name}_word")),
                memory.read_address.eq(address),
            ]
            memories.append(memory)
        of_a, of_b = memories
        used = self.active.at(ports - 1)
        m.d.comb += [  # what was never written is never multiplied
            of_a.read_enable.eq(tl.start(ports - 1)),
            of_a.read_clear.eq(~used),
            of_b.read_clear.eq(~self._in_words(used, ports - 1)),
        ]
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
