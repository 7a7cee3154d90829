"""The windows of one stream with what moves their words: of an input, and of the result."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Mapping
from typing import ClassVar

from amaranth.hdl import Cat, Module, Mux, ResetInserter, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modmul.system.channels import WORD, Channel
from modmul.system.registers import BEATS, MOST_BANKS, RegisterMap
from modmul.system.transfer import Receiver, Sender, WindowMemory, address_bits

RESULT = "result"
_NUMBER = MOST_BANKS.bit_length()  # bits of a bank's number
_NUMBERS = ("a_bank", "b_bank", "result_bank")


def any_of(values: Iterable[Value]) -> Value:
    return functools.reduce(operator.or_, values)


class InputWindows(wiring.Component):
    """The windows of the stream {stream}, which a bus writes, and the sender of its packets.

    With `chained`, a packet may take the result before it as an operand, instead of the words of a
    window.

    Ports; `...` stands for the names of the windows:

      `select_...`: writes the bytes of `data` whose bits in `strobes` are high to the word at
        `address` of that window
      `send`: sends a packet; `data` is what is written to the send register (see the register
        map)
      `refused`: a select or `send` in this cycle has no effect: a packet is being sent, `clear`
        is high, or what `data` says is not possible
      `busy`: a packet is being sent; `done`: the last one of its beats is taken in this cycle
      `valid`, `ready`, `begins`, `ends`, `beat_...`, `flag`: the stream, with a part of the beat
        from each window; `begins` and `ends` are the first and the last beat of a packet, which
        may be sent in several pieces
      `held`: there is a result (with `chained`, as the next ones); `chain_...`: its words at
        `chain_address`, in the next cycle; `uses`: the packet that is being sent depends on it;
        `take`: it is no longer needed
      `banked_...`: with banks, the words at `chain_address` of the banks `a_bank` and `b_bank`,
        in the next cycle; `result_bank`: the bank for the result; `computing`: a product was
        sent, and its result has not come; `came`: it comes in this cycle
      `length`: the beats of a packet, where the modulus decides; `packet`: those of the modulus
      `clear`: zeroes the words at `clear_address`, and all else
    """

    # With banks (see `Banks`), a product is `computing` until its result `came`, and is the only
    # one; `banked_...` are the words at `chain_address` of the banks in `a_bank` and `b_bank`.

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "pieces of a packet": {
            "asked": "the send register is written",
            "taken": "and what is asked for is possible: a piece is sent",
            "first_chosen": "the piece being sent begins a packet",
            "last_chosen": "it ends one",
            "*_chosen": "this field of what was written to the send register",
            "beats_sent": "beats of the packet in the pieces before",
            "beats_with_these": "with those of this piece",
            "sender_valid": "a beat is offered",
            "sender_begins": "it is the first of the piece",
            "sender_ends": "it is the last of the piece",
            "sender_sent": "the last beat of the piece is taken",
            "sender": "makes beats of words",
        },
        "words": {
            "word*": "the word for this part of the beat: of the window, of the result, of a bank, "
            "or of the other operand for a square",
            "*write_enable": "bytes of the window that are written",
            "*write_address": "where",
            "*write_data": "with what: zeros while they are wiped",
            "*read0_data": "word of this window",
            "*read0_address": "of the word that is sent",
        },
    }

    def __init__(self, regs: RegisterMap, channel: Channel):
        self._channel, self.stream = channel, channel.name
        self._fields = {field.name: field for field in regs.by_name[f"{channel.name}_send"].fields}
        self.chained = "a_result" in self._fields
        bits = address_bits(channel.words)
        chain = {f"chain_{lane.name}": In(WORD) for lane in regs.result.lanes}
        chain |= {"held": In(1), "chain_address": Out(bits), "uses": Out(1), "take": Out(1)}
        self._banked = regs.banks if self.chained else 0
        if self._banked:
            chain |= {f"banked_{lane.name}": In(WORD) for lane in channel.lanes}
            chain |= {name: Out(_NUMBER) for name in _NUMBERS}
            chain |= {"came": In(1), "computing": Out(1)}
        self.shortest, self.longest = channel.packet or (0, 0)
        decided = self.shortest < self.longest  # by the modulus, which has as many beats more
        self.sized = decided and channel.name == "operand"
        self._sizes = decided and not self.sized
        count = range(self.longest + 1)
        lengths = {"length": In(count)} if self.sized else {}
        lengths |= {"packet": Out(count, init=self.longest)} if self._sizes else {}
        super().__init__(
            {
                **lengths,
                **{channel.name_for("select", lane.name): In(1) for lane in channel.lanes},
                "send": In(1),
                "address": In(bits),
                "data": In(WORD),
                "strobes": In(WORD // 8),
                "clear": In(1),
                "clear_address": In(bits),
                "busy": Out(1),
                "done": Out(1),
                "refused": Out(1),
                **(chain if self.chained else {}),
                "valid": Out(1),
                "ready": In(1),
                "begins": Out(1),
                "ends": Out(1),
                **{
                    channel.name_for("beat", lane.name): Out(channel.bits) for lane in channel.lanes
                },
                **({"flag": Out(len(channel.flags))} if channel.flags else {}),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        sender = Sender(self._channel)
        m.submodules.sender = ResetInserter(self.clear)(sender)
        asked, taken = Signal(name="asked"), Signal(name="taken")
        chosen: dict[str, Value] = {
            name: self.data[field.low : field.low + field.width]
            for name, field in self._fields.items()
        }
        beats = chosen.pop("beats")
        kept = {name: Signal(len(bits), name=f"{name}_chosen") for name, bits in chosen.items()}
        with m.If(taken):
            m.d.sync += [kept[name].eq(bits) for name, bits in chosen.items()]
        possible = (beats <= self._channel.beats) & ~sender.busy & ~self.clear
        if self._channel.packet is not None:
            possible &= self._fits(m, chosen, beats, taken)
        if self.chained:
            wants = chosen["a_result"] | chosen["b_result"] | chosen["take"]
            possible &= self.held | ~wants
            uses = kept["a_result"] | kept["b_result"] | kept["take"]
            m.d.comb += [self.uses.eq(sender.busy & uses), self.take.eq(sender.sent & kept["take"])]
        if self._banked:
            possible &= ~self.computing
            for name in _NUMBERS:
                possible &= chosen[name] <= self._banked
                m.d.comb += getattr(self, name).eq(kept[name])
            with m.If(self.clear | self.came):
                m.d.sync += self.computing.eq(0)
            with m.Elif(taken & chosen["last"]):
                m.d.sync += self.computing.eq(1)
        selects = [self._channel.name_for("select", lane.name) for lane in self._channel.lanes]
        selected = any_of(getattr(self, select) for select in selects)
        m.d.comb += [
            asked.eq(self.send & (beats != 0)),
            taken.eq(asked & possible),
            self.refused.eq((asked & ~possible) | (selected & (sender.busy | self.clear))),
            sender.go.eq(taken),
            sender.beats.eq(beats),
            sender.ready.eq(self.ready),
            self.valid.eq(sender.valid & ~self.clear),
            self.busy.eq(sender.busy),
            self.done.eq(sender.sent & ~self.clear),
            self.begins.eq(sender.begins & kept["first"]),
            self.ends.eq(sender.ends & kept["last"]),
        ]
        if self._channel.flags:
            m.d.comb += self.flag.eq(Cat(kept[name] for name in self._channel.flags))
        self._words(m, sender, kept)
        return m

    def _fits(self, m: Module, chosen: Mapping[str, Value], beats: Value, taken: Value) -> Value:
        """Count the beats of a packet, which may be sent in several pieces.  Return whether the
        packet begins or goes on with this piece, and ends where it has to."""
        least, most = (self.length,) * 2 if self.sized else (self.shortest, self.longest)
        sent = Signal(range(max(2, self.longest)), name="beats_sent")
        total = Signal(BEATS + 1, name="beats_with_these")
        m.d.comb += total.eq(Mux(chosen["first"], 0, sent) + beats)
        with m.If(taken):
            m.d.sync += sent.eq(Mux(chosen["last"], 0, total))
        with m.If(self.clear):
            m.d.sync += sent.eq(0)
        if self._sizes:
            with m.If(taken & chosen["last"]):
                m.d.sync += self.packet.eq(total)
            with m.If(self.clear):
                m.d.sync += self.packet.eq(self.longest)
        ends = (total >= least) & (total <= most)
        return (chosen["first"] | sent.any()) & Mux(chosen["last"], ends, total < most)

    def _words(self, m: Module, sender: Sender, kept: dict[str, Signal]) -> None:
        """Elaborate the memories, and select the words of each lane: from its memory, from the
        result, from a bank, or, for a square, from the other operand."""
        words: dict[str, Value] = {}
        for lane in self._channel.lanes:
            name = lane.name
            stored = self._memory(m, name, sender)
            if self.chained:  # result for a and b, result_carry for a_carry and b_carry
                result = getattr(self, f"chain_{RESULT}{name[1:]}")
                stored = Mux(kept[f"{name[0]}_result"], result, stored)
            if self._banked:
                number = kept[f"{name[0]}_bank"]
                stored = Mux(number == 0, stored, getattr(self, f"banked_{name}"))
            if "square" in kept and name[0] == "b":
                stored = Mux(kept["square"], words[f"a{name[1:]}"], stored)
            words[name] = Signal(WORD, name=self._channel.name_for("word", name))
            m.d.comb += words[name].eq(stored)
            m.d.comb += getattr(sender, self._channel.name_for("words", name)).eq(words[name])
            beat = self._channel.name_for("beat", name)
            m.d.comb += getattr(self, beat).eq(getattr(sender, beat))
        if self.chained:
            m.d.comb += self.chain_address.eq(sender.address)

    def _memory(self, m: Module, name: str, sender: Sender) -> Value:
        """Elaborate one window, and return the word that the sender reads from it."""
        memory = WindowMemory(self._channel.words, 1)
        m.submodules[self._channel.name_for("window", name)] = memory
        enable = getattr(self, self._channel.name_for("select", name)) & ~sender.busy
        m.d.comb += [
            memory.write_enable.eq(
                Mux(self.clear, 0b1111, self.strobes & enable.replicate(WORD // 8))
            ),
            memory.write_address.eq(Mux(self.clear, self.clear_address, self.address)),
            memory.write_data.eq(Mux(self.clear, 0, self.data)),
            memory.read0_address.eq(sender.address),
        ]
        read: Value = memory.read0_data
        return read


class ResultWindows(wiring.Component):
    """The windows of the result, which a bus reads, and the receiver that fills them.

    Ports; `...` stands for the names of the windows:

      `read_...`: the word of that window at `address`, a cycle later; 0 while no whole result is
        `held`
      `held`: a whole result is in the windows; `done`: it will be in the next cycle; `beats`: the
        beats that have come
      `take`: the result is no longer needed: the next one may come
      `valid`, `ready`, `ends`, `beat_...`: the stream; `ends` is its last beat
      `chain_...`: the words at `chain_address`, in the next cycle, if results may be operands
        (`chained`)
      `written_...`: with banks, the words that are written to `write_address` in cycles with
        `writes`
      `clear`: zeroes the words at `clear_address`, and all else
    """

    # With banks `written_...` are the words that are being written where `writes`, at
    # `write_address`.

    def __init__(self, regs: RegisterMap):
        self._channel, self.chained = regs.result, regs.chained
        bits, lanes = address_bits(regs.result.words), [lane.name for lane in regs.result.lanes]
        chain = {"chain_address": In(bits)} | {f"chain_{lane}": Out(WORD) for lane in lanes}
        self._banked = regs.banks
        if regs.banks:
            chain |= {"writes": Out(1), "write_address": Out(bits)}
            chain |= {f"written_{lane}": Out(WORD) for lane in lanes}
        super().__init__(
            {
                "address": In(bits),
                **{f"read_{lane}": Out(WORD) for lane in lanes},
                "take": In(1),
                "clear": In(1),
                "clear_address": In(bits),
                "held": Out(1),
                "done": Out(1),
                "beats": Out(BEATS),
                **(chain if self.chained else {}),
                "valid": In(1),
                "ready": Out(1),
                "ends": In(1),
                **{regs.result.name_for("beat", lane): In(regs.result.bits) for lane in lanes},
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        receiver = Receiver(self._channel)
        writes_at = Mux(self.clear, self.clear_address, receiver.write_address)
        m.submodules.receiver = ResetInserter(self.clear)(receiver)
        m.d.comb += [
            receiver.take.eq(self.take),
            receiver.valid.eq(self.valid),
            receiver.ends.eq(self.ends),
            self.ready.eq(receiver.ready & ~self.clear),
            self.held.eq(receiver.held & ~self.clear),
            self.done.eq(receiver.done & ~self.clear),
            self.beats.eq(receiver.beats),
        ]
        if self._banked:
            m.d.comb += [
                self.writes.eq(receiver.write),
                self.write_address.eq(receiver.write_address),
            ]
        for lane in self._channel.lanes:
            name = lane.name
            readers = 1 + self.chained
            words = getattr(receiver, self._channel.name_for("words", name))
            beat = self._channel.name_for("beat", name)
            if self._banked:
                m.d.comb += getattr(self, f"written_{name}").eq(words)
            memory = WindowMemory(self._channel.words, readers)
            m.submodules[self._channel.name_for("window", name)] = memory
            m.d.comb += [
                getattr(receiver, beat).eq(getattr(self, beat)),
                memory.write_enable.eq(Mux(self.clear | receiver.write, 0b1111, 0)),
                memory.write_address.eq(writes_at),
                memory.write_data.eq(Mux(self.clear, 0, words)),
                memory.read0_address.eq(self.address),
                getattr(self, f"read_{name}").eq(Mux(self.held, memory.read0_data, 0)),
            ]
            if self.chained:
                m.d.comb += [
                    memory.read1_address.eq(self.chain_address),
                    getattr(self, f"chain_{name}").eq(memory.read1_data),
                ]
        return m
