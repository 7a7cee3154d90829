"""N and N' of an FPMM: constants, or loaded in a slot of their own.

`n_prime` is -1/N modulo a word; `words` gives the stream of the words of N."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, Value

from modmul.arithmetic.words import is_power_of_two, to_words
from modmul.blocks.delay import delay
from modmul.blocks.memory import SimpleDualPort
from modmul.blocks.part import wire
from modmul.multipliers.fpmm.parameters import FpmmParameters
from modmul.multipliers.fpmm.slots import Slots
from modmul.multipliers.fpmm.timeline import Timeline

ALL = slice(None)


class FixedModulus:
    """The only modulus, as constants."""

    def __init__(self, m: Module, p: FpmmParameters, timeline: Timeline, modulus: int):
        self.m, self.timeline, self.word_bits = m, timeline, p.word_bits
        word = 1 << p.word_bits
        self.n_prime: Value = Const(-pow(modulus, -1, word) % word, p.word_bits)
        self.values = to_words(modulus, p.word_bits, p.words)

    def words(self, time: int, bits: slice = ALL, name: str = "n_word") -> Value:
        """The same stream as `LoadedModulus.words`, chosen by the phase of the slot."""
        m, tl, w = self.m, self.timeline, self.word_bits
        chosen: Value = Const(0, len(Const(0, w)[bits]))
        for j, word in enumerate(self.values):
            part = Const(word, w)[bits]
            chosen = chosen | (part & tl.word(j, time - 1).replicate(len(part)))
        register = Signal(len(chosen), name=name, reset_less=True)
        m.d.sync += register.eq(chosen)
        return register


class LoadedModulus:
    """Loads N' in the last phase of a slot, then n_0 .. n_(s-1) in the phases of the next slot; if
    they are paired, both side by side in the latter.  modulus: the modulus stream of the core."""

    def __init__(
        self, m: Module, p: FpmmParameters, timeline: Timeline, slots: Slots, modulus: Any
    ):
        self.m, self.parameters, self.timeline = m, p, timeline
        tl, inputs, paired = (
            timeline,
            p.schedule.input_registers,
            p.modulus_paired,
        )
        first = tl.start(0 if paired else -1)
        may_load = wire(m, first & ~slots.modulus_continues, "may_load_modulus")
        m.d.comb += [
            slots.load_modulus.eq(may_load & modulus.valid),
            modulus.ready.eq(may_load | slots.modulus_continues),
        ]
        m.d.sync += slots.drop_products.eq(slots.load_modulus)
        with m.If(tl.word(p.words - 1, 0)):
            m.d.sync += slots.modulus_continues.eq(0)
        with m.If(slots.load_modulus):
            m.d.sync += slots.modulus_continues.eq(1)
        self.n_prime: Value = Signal(p.word_bits, name="n_prime", reset_less=True)
        self.word = delay(m, modulus.p.data, inputs, "modulus_data")
        write = delay(m, slots.modulus_continues, inputs, "modulus_continues")
        begins = delay(m, slots.load_modulus, inputs, "load_modulus")
        above = self.word
        if paired:
            write, above = write | begins, self.word[p.word_bits :]
        self.write = tl.in_words(write, p.words, inputs)
        self.write_index = self._index(inputs, "n_write_index")
        with m.If(begins):
            m.d.sync += self.n_prime.eq(above)

    def words(self, time: int, bits: slice = ALL, name: str = "n_word") -> Value:
        """The stream of n_j (of some bits of it), named `name`, with word 0 at `time`."""
        m, p = self.m, self.parameters
        words = self.word[: p.word_bits][bits]
        if p.modulus_in_ring:
            return self._ring(words, time, name)
        holds = "the modulus" if len(words) == p.word_bits else "bits of the modulus"
        pauses = p.theta != p.words
        controls = ("read_clear",) if pauses else ()
        memory = SimpleDualPort(
            p.chip,
            len(words),
            p.words,
            "distributed",
            1,
            holds,
            controls,
            in_order=True,
        )
        m.submodules[f"memory_{name.removesuffix('_word')}"] = memory
        m.d.comb += [
            memory.write_enable.eq(self.write),
            memory.write_address.eq(self.write_index),
            memory.write_data.eq(words),
            memory.read_address.eq(self._index(time - 1, f"{name.removesuffix('_word')}_index")),
        ]
        if pauses:
            words_come = self.timeline.in_words(Const(1, 1), p.words, time - 1)
            m.d.comb += memory.read_clear.eq(~words_come)
        return wire(m, memory.read_data, name)

    def _index(self, time: int, name: str) -> Signal:
        """A counter of the word at `time`, 0 .. theta - 1."""
        theta = self.parameters.theta
        index = Signal(range(theta), name=name, init=-time % theta)
        if is_power_of_two(theta):
            self.m.d.sync += index.eq(index + 1)
        else:
            self.m.d.sync += index.eq(Mux(self.timeline.start(time - 1), 0, index + 1))
        return index

    def _ring(self, words: Value, time: int, name: str) -> Value:
        """Words that go round in a slot's length of registers, word 0 visible at `time`.

        If the slot is longer than the words, zeros go round behind them."""
        m, p = self.m, self.parameters
        inputs, stem = p.schedule.input_registers, name.removesuffix("_word")
        ring = [
            Signal(len(words), name=f"{stem}_ring_{k}", reset_less=True) for k in range(p.theta)
        ]
        comes = Mux(self.write, words, ring[-1])
        if p.theta > p.words:
            comes = Mux(self.timeline.in_words(Const(1, 1), p.words, inputs), comes, 0)
        for stage, before in zip(ring, [comes, *ring], strict=False):
            m.d.sync += stage.eq(before)
        return wire(m, ring[(time - inputs - 1) % p.theta], name)
