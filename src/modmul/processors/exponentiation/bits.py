"""The bits of an exponent, highest first, from words that come as they are needed."""

from __future__ import annotations

from amaranth.hdl import Module, Signal, Value


class ExponentBits:
    """Gives the bits of an exponent of `length` bits.  Its words come most significant first; the
    first one contains only the highest bits, at its lower end.

    Driven by the caller: begin (take `length`; in a cycle in which no bits are left), word_valid
    and word (a word is offered), take (the bit that is offered has been used).
    Outputs: word_ready; valid and bit (the next bit, from registers); ended (no bit is left).  The
    next word is fetched while bits of this one wait, three cycles before it is needed."""

    def __init__(self, m: Module, length_bits: int, word_bits: int):
        if word_bits & (word_bits - 1):
            raise ValueError("words of an exponent have 2^n bits")
        self.begin = Signal(name="exponent_begin")
        self.length = Signal(length_bits, name="exponent_length")
        self.word_valid = Signal(name="exponent_word_valid")
        self.word = Signal(word_bits, name="exponent_word")
        self.word_ready = Signal(name="exponent_word_ready")
        self.take = Signal(name="exponent_take")
        self.valid = Signal(name="exponent_bit_valid")
        self.bit = Signal(name="exponent_bit", reset_less=True)
        self.ended = Signal(name="exponent_ended")
        left = Signal(length_bits, name="exponent_bits_left")
        held = Signal(word_bits, name="exponent_word_reg", reset_less=True)
        holds = Signal(name="exponent_word_held")
        fill = Signal(name="exponent_fill")
        index = Signal((word_bits - 1).bit_length(), name="exponent_index")
        any_left = left.any()
        m.d.comb += [
            index.eq(left - 1),
            fill.eq(holds & any_left & (~self.valid | self.take)),
            self.word_ready.eq(~holds & any_left),
            self.ended.eq(~any_left & ~self.valid),
        ]
        with m.If(self.take):
            m.d.sync += self.valid.eq(0)
        with m.If(fill):
            m.d.sync += [self.valid.eq(1), self.bit.eq(_bit(held, index)), left.eq(left - 1)]
            with m.If(index == 0):
                m.d.sync += holds.eq(0)
        with m.If(self.word_ready & self.word_valid):
            m.d.sync += [held.eq(self.word), holds.eq(1)]
        with m.If(self.begin):
            m.d.sync += left.eq(self.length)


def _bit(word: Value, index: Value) -> Value:
    return word.bit_select(index, 1)
