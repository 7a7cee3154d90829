"""Scalars, some bits at a time, highest first.

Each has a memory of words and the place of the bit that is read from it; the bits that come next
wait in a window as long as the longest digit.  What was taken is filled up again, a bit a cycle."""

from __future__ import annotations

from typing import ClassVar

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modmul.blocks.countdown import counted_down
from modmul.blocks.memory import SimpleDualPort, bits_of
from modmul.blocks.part import wire
from modmul.processors.engine.hardware.build import EngineBuild
from modmul.processors.engine.hardware.register_ports import chosen

_GROUP = 4  # bits of a word, one of which is selected in the first step
AHEAD = 2  # steps from the place of a bit until the bit is there
SUM_BITS, SUM_TAP = 17, 3  # x^17 + x^3 + 1 is primitive


class Scalars(wiring.Component):
    """The scalar store of the engine: {count} scalars of {beats} words of {word} bits, which
    programs read bit by bit from the highest on, or in digits of up to {window} bits.

    Each scalar has a window of the bits that come next. Bits that were taken are filled up again,
    one in a cycle; after the lowest bit come zeros.

    Ports:

      `write`, `data`: stores a word in the place `place` (0: the lowest) of scalar `write_number`
      `start`: starts scalar `number` at its highest bit, as soon as
        `complete` says that all its words are stored
      `take`: takes the next bit of scalar `number`.  A cycle later `bits` has, in the place of
        this scalar, that bit xor the one taken before, or with `plain` that bit itself
      `take_digit`: takes the next `width` bits; a cycle later they are in `digit`
      `carry_valid`: sets the bit of scalar `carry_number` in `bits` to `carry`
      `clear`: zeroes `bits`, `digit` and the windows, not the words
      `keep`, `compare`, `differs` (if programs take bits twice): with `take`, the check sum of the
        bits that were taken since `start` is kept, or compared with the one that was kept; they
        differ
    """

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "words, read from the highest on": {
            "is_[0-9]": "number names this scalar",
            "word_[0-9]": "place of the word that is read; the top bit: below the lowest word",
            "bit_[0-9]": "place of the bit in it",
            "bit_is_last_[0-9]": "it is bit 0",
            "scalar_[0-9]": "its words",
        },
        "selection of the bit, in three steps": {
            "step_[0-9]": "the window moves up by a bit, and all steps with it",
            "bit_read_[0-9]": "first step: place of the bit, with its word",
            "over_read_[0-9]": "no word is left",
            "taken_[0-9]": "second step: one bit of each group of four",
            "group_[0-9]": "which of these groups",
            "over_taken_[0-9]": "no word was left",
        },
        "window": {
            "window_[0-9]": "the bits that come next, the first one at the top",
            "fresh_[0-9]": "it is filled anew, once the words are complete",
            "missing_[0-9]": "steps until it is full",
            "was_taken_[0-9]": "bits were taken from it in the cycle before",
            "more_[0-9]": "how many, less one",
            "bit_before_[0-9]": "the bit that was taken last",
            "next_bit_[0-9]": "the bit of this scalar in bits, from the clock edge on",
            "bit_in_use": "the one of scalar number",
            "sum_of_bits": "check sum of the bits that were taken",
            "sum_with_bit": "the same with the bit in use",
            "kept_sum": "the one that was kept",
        },
    }

    def __init__(self, build: EngineBuild):
        self.build = build
        self.count, self.beats, self.word = build.scalars, build.beats, build.word
        self.window = max(1, build.digit_bits)
        bits = bits_of(self.count)
        super().__init__(
            {
                "number": In(bits),
                "write": In(1),
                "write_number": In(bits),
                "complete": In(1),
                "place": In(bits_of(build.beats)),
                "data": In(build.word),
                "start": In(1),
                "take": In(1),
                "plain": In(1),
                "take_digit": In(1),
                "width": In(6),
                "clear": In(1),
                "carry": In(1),
                "carry_valid": In(1),
                "carry_number": In(bits),
                "bits": Out(build.scalars),
                "digit": Out(6),
                **({"keep": In(1), "compare": In(1), "differs": Out(1)} if build.repeats else {}),
            }
        )

    def elaborate(self, platform: object) -> Module:
        self.m = m = Module()
        for number in range(self.count):
            addressed = Signal(name=f"is_{number}")
            m.d.comb += addressed.eq(self.number == number)
            window = self._window(number, addressed)
            self._take(number, addressed, window)
        with m.If(self.clear):
            m.d.sync += self.digit.eq(0)
        if self.build.repeats:
            self._compare()
        return m

    def _compare(self) -> None:
        """Elaborate a check sum of the bits that are taken, modulo a primitive polynomial.  A bit
        counts when the next one is taken: so long must it have been right."""
        m = self.m
        sum, kept = Signal(SUM_BITS, name="sum_of_bits"), Signal(SUM_BITS, name="kept_sum")
        bit = wire(m, self.bits.bit_select(self.number, 1), "bit_in_use")
        summed = wire(m, Cat(bit ^ sum[-1], sum[:-1]) ^ (sum[-1] << SUM_TAP), "sum_with_bit")
        with m.If(self.take):
            m.d.sync += sum.eq(summed)
        with m.If(self.take & self.keep):
            m.d.sync += kept.eq(summed)
        with m.If(self.start):
            m.d.sync += [sum.eq(0), self.bits.bit_select(self.number, 1).eq(0)]
        m.d.sync += self.differs.eq(self.take & self.compare & (summed != kept))

    def _window(self, number: int, addressed: Value) -> Signal:
        """The bits that come next."""
        m = self.m

        def named(name: str, bits: int = 1) -> Signal:
            return Signal(bits, name=f"{name}_{number}")

        place, bit = named("word", bits_of(self.beats) + 1), named("bit", bits_of(self.word))
        over = place[-1]  # below the lowest word
        window, first = named("window", self.window), self.window + AHEAD - 1
        missing = named("missing", first.bit_length())
        fresh, step = named("fresh"), named("step")
        word = self._memory(number, place[:-1], step)
        bit_is_last = named("bit_is_last")
        begins, chip = addressed & self.start, self.build.multiplier.chip
        with m.If(step | begins):
            m.d.sync += bit.eq(counted_down(chip, bit, bit_is_last | begins, self.word - 1))
        with m.If(step):
            m.d.sync += [
                step.eq(missing != 0),
                bit_is_last.eq(bit == 1),
                window.eq(Cat(self._bit(word, bit, over, step, number), window)),
            ]
            with m.If(bit_is_last & ~over):
                m.d.sync += place.eq(place - 1)
        taken, more = named("was_taken"), named("more", len(missing))
        digit = self.take_digit if self.build.digit_bits else 0
        m.d.sync += [
            taken.eq(addressed & (self.take | digit)),
            more.eq(Mux(self.take, 0, self.width - 1) if self.build.digit_bits else 0),
        ]
        fills = fresh & self.complete
        with m.If(step | taken | fills):
            loaded = Mux(fills, first, more)
            m.d.sync += missing.eq(counted_down(chip, missing, taken | fills, loaded))
        with m.If(taken):
            m.d.sync += step.eq(1)
        with m.If(fills):
            m.d.sync += [fresh.eq(0), step.eq(1)]
        with m.If(begins):
            m.d.sync += [
                fresh.eq(1),
                step.eq(0),
                place.eq(self.beats - 1),
                bit_is_last.eq(self.word == 1),
            ]
        with m.If(self.clear):
            m.d.sync += [window.eq(0), over.eq(1)]
        return window

    def _bit(self, word: Value, bit: Value, over: Value, step: Value, number: int) -> Value:
        """A bit of the word, or 0 after the last one.  The word is read from memory first,
        then a bit of each group of four is selected, then one of these."""
        m = self.m

        def later(name: str, value: Value) -> Signal:
            register = Signal(len(value), name=f"{name}_{number}", reset_less=True)
            with m.If(step):
                m.d.sync += register.eq(value)
            return register

        bit_read, over_read = later("bit_read", bit), later("over_read", over)
        groups = chosen([word[place::_GROUP] for place in range(_GROUP)], bit_read[:2])
        taken, over_taken = later("taken", groups), later("over_taken", over_read)
        return taken.bit_select(later("group", bit_read[2:]), 1)[0] & ~over_taken

    def _memory(self, number: int, place: Value, step: Value) -> Value:
        """The word at `place`, in a register that changes with `step`."""
        m = self.m
        ram = SimpleDualPort(
            self.build.multiplier.chip,
            self.word,
            self.beats,
            "distributed",
            1,
            f"scalar {number}",
            ("read_enable",),
            in_order=True,
        )
        m.submodules[f"scalar_{number}"] = ram
        m.d.comb += [
            ram.write_enable.eq(self.write & (self.write_number == number)),
            ram.write_address.eq(self.place),
            ram.write_data.eq(self.data),
            ram.read_address.eq(place),
            ram.read_enable.eq(step),
        ]
        return ram.read_data

    def _take(self, number: int, addressed: Value, window: Signal) -> None:
        """Elaborate the bits and the digit that BIT, DIGIT and WRAP set."""
        m = self.m
        before, bit = Signal(name=f"bit_before_{number}"), self.bits[number]
        following = Signal(name=f"next_bit_{number}")
        m.d.comb += following.eq(bit)
        m.d.sync += bit.eq(following)
        with m.If(addressed & self.take):
            last = before & ~self.plain if self.build.plain_bits else before
            m.d.comb += following.eq(window[-1] ^ last)
            m.d.sync += before.eq(window[-1])
        for width in sorted(self.build.digit_widths):
            with m.If(addressed & self.take_digit & (self.width == width)):
                m.d.sync += self.digit.eq(window[self.window - width :])
        with m.If(self.carry_valid & (self.carry_number == number)):
            m.d.comb += following.eq(self.carry)
        with m.If(addressed & self.start):
            m.d.sync += before.eq(0)
        with m.If(self.clear):
            m.d.comb += following.eq(0)
            m.d.sync += before.eq(0)
