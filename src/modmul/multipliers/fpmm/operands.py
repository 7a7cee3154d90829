"""The memories of an FPMM's operands: written at the core's pins, read into its datapath."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from modmul.arithmetic.words import is_power_of_two
from modmul.blocks.delay import delay
from modmul.blocks.memory import BlockRam, PairedRam, SimpleDualPort
from modmul.blocks.part import wire
from modmul.multipliers.fpmm.parameters import FpmmParameters
from modmul.multipliers.fpmm.slots import Slots
from modmul.multipliers.fpmm.timeline import SlotValue, Timeline


class OperandMemories:
    """The memories of both operands of every slot.  operand: the operand stream of the core.

    Words come from memories with registers behind them, from block RAMs with their own output
    register (`from_blocks`), or from one block RAM for both operands (`from_pair`)."""

    def __init__(
        self, m: Module, p: FpmmParameters, timeline: Timeline, slots: Slots, operand: Any
    ):
        self.m, self.parameters, self.timeline = m, p, timeline
        self.slots, self.operand = slots, operand

    def read(self) -> tuple[SlotValue, Value]:
        """A_i, held for a slot, and the stream of b_j: written for `inputs` + 1 and read for
        `ports`."""
        p = self.parameters
        enable, base = self._write()
        if p.from_pair:
            return self._from_pair(enable, base)
        a_address, b_address = self._read_addresses(base)
        if p.from_blocks:
            a_word = self._from_block("a", a_address, enable, base)
            b_word = self._from_block("b", b_address, enable, base)
            return self._held(a_word), b_word
        return self._from_memories(a_address, b_address, enable, base)

    def _held(self, a_word: Value) -> SlotValue:
        return SlotValue(self.timeline, a_word, self.parameters.schedule.ports, "a", held=True)

    def _in_words(self, value: Value, time: int) -> Value:
        return self.timeline.in_words(value, self.parameters.words, time)

    # ---- addresses ------------------------------------------------------------------------------

    def _write(self) -> tuple[Value, Value]:
        m, tl, p = self.m, self.timeline, self.parameters
        inputs, depth = p.schedule.input_registers, p.depth
        address = Signal(range(depth), name="write_address", init=-inputs % depth)
        following = address + 1
        if not is_power_of_two(depth):
            following = Mux(address == depth - 1, 0, following)
        with m.If(self._in_words(Const(1, 1), inputs - 1)):
            m.d.sync += address.eq(following)
        enable = Signal(name="operand_write")
        if inputs:
            m.d.sync += enable.eq(self.slots.start | self.slots.operand_continues)
            return enable, address
        if p.theta <= 2:  # whether the next slot is taken is not known a cycle before
            raise ValueError("operand memories without input registers need slots of 3 cycles")
        with m.If(tl.start(-1)):
            m.d.sync += enable.eq(~self.slots.waiting_active)
        return self._in_words(enable, 0), address

    def _read_addresses(self, base: Value) -> tuple[Value, Value]:
        """The addresses of a_i, once a slot, and of b_j, in every cycle."""
        m, p = self.m, self.parameters
        schedule = p.schedule
        a_address, b_address = (Signal(range(p.depth), name=f"{name}_address") for name in "ab")
        m.d.sync += b_address.eq(base)
        # The address of a is so late that its word is read just in time for `ports`.
        first = b_address if schedule.a_unregistered else base
        time = 1 if schedule.a_unregistered else schedule.input_registers
        with m.If(self.timeline.start(time)):
            m.d.sync += a_address.eq(self._of_word(first, self._index(time)))
        return a_address, b_address

    def _index(self, time: int) -> Value:
        """i of the slot whose first address is there at `time`."""
        return self.slots.index if time else self.slots.waiting_index

    def _of_word(self, first: Value, index: Value) -> Value:
        """The address of a word of a slot; `first` has low bits 0 for a power of two."""
        return first | index if is_power_of_two(self.parameters.words) else first + index

    # ---- words ----------------------------------------------------------------------------------

    def _from_memories(
        self, a_address: Value, b_address: Value, enable: Value, base: Value
    ) -> tuple[SlotValue, Value]:
        ports = self.parameters.schedule.ports
        unregistered = self.parameters.schedule.a_unregistered
        both = ("read_enable", "read_clear")
        of_a = self._memory("a", a_address, enable, base, () if unregistered else both)
        of_b = self._memory("b", b_address, enable, base, ("read_clear",))
        used = self.slots.active.at(ports - 1)  # words that were never written are zeroed
        if not unregistered:
            self.m.d.comb += of_a.read_enable.eq(self.timeline.start(ports - 1))
            self.m.d.comb += of_a.read_clear.eq(~used)
        clear_b = wire(self.m, ~self._in_words(used, ports - 1), "clear_b")
        self.m.d.comb += of_b.read_clear.eq(clear_b)
        a_word, b_word = (
            wire(self.m, memory.read_data, f"{name}_word")
            for name, memory in (("a", of_a), ("b", of_b))
        )
        return self._held(a_word), b_word

    def _memory(
        self, name: str, address: Value, enable: Value, base: Value, controls: tuple[str, ...]
    ) -> SimpleDualPort:
        m, p = self.m, self.parameters
        inputs, ports = p.schedule.input_registers, p.schedule.ports
        latency = ports - inputs - 1 - (not controls)
        memory = SimpleDualPort(
            p.chip,
            p.word_bits,
            p.depth,
            p.storage,
            latency,
            self._holds(f"operand {name}"),
            controls,
        )
        m.submodules[f"memory_{name}"] = memory
        m.d.comb += [
            memory.write_enable.eq(enable),
            memory.write_address.eq(base),
            memory.write_data.eq(delay(m, self.operand.p[name], inputs, f"operand_{name}")),
            memory.read_address.eq(address),
        ]
        return memory

    def _holds(self, what: str) -> str:
        return (
            f"{what}, {self.parameters.words} words{' of each slot' * (self.parameters.sigma > 1)}"
        )

    def _from_block(self, name: str, address: Value, enable: Value, base: Value) -> Value:
        """An operand's words from block RAM with its own output register.

        The address of a stays for a slot, and so does its word."""
        p = self.parameters
        memory = BlockRam(p.chip, p.word_bits, p.depth, self._holds(f"operand {name}"))
        self.m.submodules[f"memory_{name}"] = memory
        self.m.d.comb += [
            memory.write_enable.eq(enable),
            memory.write_address.eq(base),
            memory.write_data.eq(self.operand.p[name]),
            memory.read_address.eq(address),
        ]
        return wire(self.m, memory.read_data, f"{name}_word")

    def _from_pair(self, enable: Value, base: Value) -> tuple[SlotValue, Value]:
        """Both operands from one block RAM, each from a port that reads where it writes.

        So b_j is read in the cycle in which it is written.  In the first cycle of a slot the port
        of a has the address of a_i, which is a_0 if an operand is being written."""
        m, tl, p = self.m, self.timeline, self.parameters
        inputs, ports = p.schedule.input_registers, p.schedule.ports
        depths = (p.depth, p.depth)
        memory = PairedRam(p.chip, p.word_bits, depths, self._holds("operands"))
        m.submodules.memory = memory
        index = Mux(tl.start(inputs), self._index(inputs), 0)
        m.d.comb += [
            memory.address_1.eq(self._of_word(base, index)),
            memory.address_2.eq(Cat(base, Const(1, 1))),
        ]
        words = []
        used = self.slots.active.at(ports - 1)  # what was never written is never multiplied
        clears = wire(m, ~self._in_words(used, ports - 1), "clear_b")
        for port, name, loads, clear in (
            (1, "a", tl.start(ports - 1), ~used),
            (2, "b", Const(1, 1), clears),
        ):
            comes = delay(m, self.operand.p[name], inputs, f"operand_{name}")
            m.d.comb += [
                getattr(memory, f"write_{port}").eq(enable),
                getattr(memory, f"write_data_{port}").eq(comes),
            ]
            word = Signal(p.word_bits, name=f"{name}_word", reset_less=True)
            with m.If(loads):
                m.d.sync += word.eq(getattr(memory, f"read_data_{port}"))
                with m.If(clear):
                    m.d.sync += word.eq(0)
            words.append(word)
        return self._held(words[0]), words[1]
