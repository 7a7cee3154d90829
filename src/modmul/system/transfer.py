"""Between windows of words and beats of a stream: a sender, a receiver, and the windows."""

from __future__ import annotations

from typing import ClassVar

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.hdl._dsl import FSM
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from modmul.blocks.part import whole
from modmul.system.channels import WORD, Channel
from modmul.system.registers import BEATS


def address_bits(words: int) -> int:
    """The width of a word's address in a window of this many words."""
    return max(1, (words - 1).bit_length())


def states_of(machine: FSM) -> str:
    """The codes of the states of a machine, for a note."""
    return ", ".join(f"{code} {name}" for name, code in machine.encoding.items())


class WindowMemory(wiring.Component):
    """The memory of one window: {words} words of 32 bits; width of an address: {address}.

    The bytes whose bits in `write_enable` are high are written at the clock edge. The word at an
    address that is read, `read0_address`, is in `read0_data` in the next cycle; so is that of a
    second read port."""

    def __init__(self, words: int, readers: int):
        """readers: number of read ports."""
        self.words, self._readers = max(2, words), readers
        self.address = bits = address_bits(words)
        ports = {
            f"read{reader}_{name}": flow
            for reader in range(readers)
            for name, flow in (("address", In(bits)), ("data", Out(WORD)))
        }
        super().__init__(
            {
                "write_enable": In(WORD // 8),
                "write_address": In(bits),
                "write_data": In(WORD),
                **ports,
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.ram = ram = memory.Memory(shape=WORD, depth=self.words, init=[])
        write = ram.write_port(granularity=8)
        m.d.comb += [
            write.en.eq(self.write_enable),
            write.addr.eq(self.write_address),
            write.data.eq(self.write_data),
        ]
        for reader in range(self._readers):
            read = ram.read_port()
            m.d.comb += [
                read.addr.eq(getattr(self, f"read{reader}_address")),
                getattr(self, f"read{reader}_data").eq(read.data),
            ]
        return m


class Sender(wiring.Component):
    """Sends a packet: takes the words of its windows, and makes beats of {bits} bits of them,
    {step} bits in a cycle. Its windows ({lanes}) are read at the same address, and each gives a
    part of the beat.

    Ports; `...` stands for the names of the windows:

      `go`: begins to send `beats` beats, unless it is `busy`
      `busy`: high from the next cycle on, until the last beat was taken; `sent`: it is taken in
        this cycle
      `address`: of a word; it has to be in `words_...` in the next cycle
      `valid`, `ready`, `begins`, `ends`, `beat_...`: the stream; `begins` and `ends` are the
        first and the last beat of the packet
    """

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "state machine: fetch a word, shift it out, offer each beat that is whole": {
            "transfer_state": "{states}",
            "beats_left": "beats of the packet, with this one",
            "steps_left": "steps until the beat is whole",
            "unused_steps": "steps of the word that are left",
            "is_first": "the beat is the first of the packet",
            "load": "words come from the windows",
            "shift": "a step: {moves} from the word into the beat",
        },
        "words and beats": {
            "word*": "what is left of the word of this window",
            "shifted*": "the beat, filled from the top",
        },
    }

    def __init__(self, channel: Channel):
        self.channel = channel
        self.bits, self.step, self.lanes = channel.bits, channel.step, len(channel.lanes)
        self.moves = "a bit goes" if self.step == 1 else f"{self.step} bits go"
        super().__init__(
            {
                "go": In(1),
                "beats": In(BEATS),
                "busy": Out(1),
                "sent": Out(1),
                "address": Out(address_bits(channel.words)),
                **{channel.name_for("words", lane.name): In(WORD) for lane in channel.lanes},
                "valid": Out(1),
                "ready": In(1),
                "begins": Out(1),
                "ends": Out(1),
                **{
                    channel.name_for("beat", lane.name): Out(channel.bits) for lane in channel.lanes
                },
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        full = WORD // self.step  # steps of a word
        left = Signal(BEATS, name="beats_left")
        steps = Signal(range(self.channel.shifts + 1), name="steps_left")  # of the beat
        unused = Signal(range(full + 1), name="unused_steps")  # of the word
        begins = Signal(name="is_first")
        shift, load = Signal(name="shift"), Signal(name="load")
        m.d.comb += self.busy.eq(~self._states(m, left, steps, unused, begins, shift, load))
        m.d.comb += [self.begins.eq(begins), self.ends.eq(left == 1)]
        for lane in self.channel.lanes:
            self._lane(m, lane.name, load, shift)
        return m

    def _states(
        self,
        m: Module,
        left: Signal,
        steps: Signal,
        unused: Signal,
        begins: Signal,
        shift: Signal,
        load: Signal,
    ) -> Value:
        """Elaborate the state machine: fetch a word, shift it out, offer each beat that is whole.
        Return the signal of the idle state."""
        full = WORD // self.step
        with m.FSM(name="transfer") as state:
            with m.State("idle"), m.If(self.go):
                m.d.sync += [left.eq(self.beats), self.address.eq(0), begins.eq(1)]
                m.d.sync += steps.eq(self.channel.shifts)
                m.next = "fetch"
            with m.State("fetch"):
                m.next = "load"
            with m.State("load"):
                m.d.comb += load.eq(1)
                m.d.sync += [self.address.eq(self.address + 1), unused.eq(full)]
                m.next = "shift"
            with m.State("shift"):
                m.d.comb += shift.eq(1)
                m.d.sync += [unused.eq(unused - 1), steps.eq(steps - 1)]
                with m.If(steps == 1):
                    m.next = "offer"
                with m.Elif(unused == 1):
                    m.next = "load"
            with m.State("offer"):
                m.d.comb += [self.valid.eq(1), self.sent.eq(self.ready & (left == 1))]
                with m.If(self.ready):
                    m.d.sync += [left.eq(left - 1), begins.eq(0), steps.eq(self.channel.shifts)]
                    with m.If(left == 1):
                        m.next = "idle"
                    with m.Elif(unused == 0):
                        m.next = "load"
                    with m.Else():
                        m.next = "shift"
        self.states = states_of(state)
        return state.ongoing("idle")

    def _lane(self, m: Module, name: str, load: Value, shift: Value) -> None:
        """Elaborate the registers of one lane: a word, shifted from the top into a beat."""
        word = Signal(WORD, name=self.channel.name_for("word", name))
        beat = Signal(self.step * self.channel.shifts, name=self.channel.name_for("shifted", name))
        with m.If(load):
            m.d.sync += word.eq(getattr(self, self.channel.name_for("words", name)))
        with m.If(shift):
            m.d.sync += [
                word.eq(word >> self.step),
                beat.eq(Cat(beat[self.step :], word[: self.step])),
            ]
        m.d.comb += getattr(self, self.channel.name_for("beat", name)).eq(beat[: self.bits])


class Receiver(wiring.Component):
    """Receives a packet: makes words of beats of {bits} bits, {step} bits in a cycle, and writes
    them into its windows ({lanes}), which share an address.

    Ports; `...` stands for the names of the windows:

      `valid`, `ready`, `ends`, `beat_...`: the stream; `ends` is the last beat of a packet
      `write`: the words `words_...` are written to `write_address` in this cycle
      `done`: in the next cycle all of the packet is in the windows; then `held` is high until
        `take`
      `beats`: the beats of the packet that have come
    """

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "state machine: shift in each beat; after the last one fill up the word, and hold all": {
            "transfer_state": "{states}",
            "steps_left": "steps until the beat is used up",
            "filled_steps": "steps of the word that are done",
            "complete": "with this step the word is whole",
            "is_last": "the beat is the last of the packet",
            "words_written": "words of the packet that are in the windows",
            "accept": "a beat is taken",
            "shift": "a step: {moves} from the beat into the word",
        },
        "beats and words": {
            "shifted*": "what is left of the beat for this window",
            "word*": "the word, filled from the top",
            "next_word*": "the word after this step",
        },
    }

    def __init__(self, channel: Channel):
        self.channel = channel
        self.bits, self.step, self.lanes = channel.bits, channel.step, len(channel.lanes)
        self.moves = "a bit goes" if self.step == 1 else f"{self.step} bits go"
        super().__init__(
            {
                "take": In(1),
                "held": Out(1),
                "done": Out(1),
                "beats": Out(BEATS),
                "write": Out(1),
                "write_address": Out(address_bits(channel.words)),
                **{channel.name_for("words", lane.name): Out(WORD) for lane in channel.lanes},
                "valid": In(1),
                "ready": Out(1),
                "ends": In(1),
                **{channel.name_for("beat", lane.name): In(channel.bits) for lane in channel.lanes},
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        full = WORD // self.step
        filled = Signal(range(full), name="filled_steps")  # of the word
        accept, shift = Signal(name="accept"), Signal(name="shift")
        complete = Signal(name="complete")
        m.d.comb += complete.eq(filled == full - 1)
        count = Signal(range(self.channel.words + 1), name="words_written")
        self._states(m, accept, shift, complete, count)
        with m.If(shift):
            m.d.sync += filled.eq(filled + 1)
            with m.If(complete):
                m.d.sync += filled.eq(0)
                with m.If(count != self.channel.words):
                    m.d.sync += count.eq(count + 1)
        m.d.comb += [
            self.write.eq(shift & complete & (count != self.channel.words)),
            self.write_address.eq(count),
        ]
        for lane in self.channel.lanes:
            self._lane(m, lane.name, accept, shift)
        return m

    def _states(
        self, m: Module, accept: Signal, shift: Signal, complete: Signal, count: Signal
    ) -> None:
        """Elaborate the state machine: shift in each beat; after the last one fill up the word, and
        hold all."""
        shifts = self.channel.shifts
        steps = Signal(range(shifts + 1), name="steps_left")
        ends = Signal(name="is_last")
        with m.FSM(name="transfer") as state:
            with m.State("wait"):
                m.d.comb += [self.ready.eq(1), accept.eq(self.valid)]
                with m.If(self.valid):
                    m.d.sync += [ends.eq(self.ends), steps.eq(shifts)]
                    m.d.sync += self.beats.eq(self.beats + 1)
                    m.next = "shift"
            with m.State("shift"):
                m.d.comb += shift.eq(1)
                m.d.sync += steps.eq(steps - 1)
                with m.If(steps == 1):
                    with m.If(~ends):
                        m.next = "wait"
                    with m.Elif(complete):
                        m.d.comb += self.done.eq(1)
                        m.next = "held"
                    with m.Else():
                        m.next = "flush"
            with m.State("flush"):
                m.d.comb += shift.eq(1)
                with m.If(complete):
                    m.d.comb += self.done.eq(1)
                    m.next = "held"
            with m.State("held"):
                m.d.comb += self.held.eq(1)
                with m.If(self.take):
                    m.d.sync += [count.eq(0), self.beats.eq(0)]
                    m.next = "wait"
        self.states = states_of(state)

    def _lane(self, m: Module, name: str, accept: Value, shift: Value) -> None:
        """Elaborate the registers of one lane: a beat, shifted from the top into a word."""
        beat = Signal(self.step * self.channel.shifts, name=self.channel.name_for("shifted", name))
        kinds = ("word", "next_word")
        word, following = (Signal(WORD, name=self.channel.name_for(kind, name)) for kind in kinds)
        m.d.comb += [
            following.eq(Cat(word[self.step :], beat[: self.step])),
            getattr(self, self.channel.name_for("words", name)).eq(whole(following)),
        ]
        with m.If(shift):
            m.d.sync += [word.eq(following), beat.eq(beat >> self.step)]
        with m.If(accept):
            m.d.sync += beat.eq(getattr(self, self.channel.name_for("beat", name)))
