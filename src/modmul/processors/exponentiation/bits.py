"""The bits of an exponent, highest first, from words that come as they are needed."""

from __future__ import annotations

from typing import ClassVar

from amaranth.hdl import Cat, Module, Mux, Signal, Value


class ExponentBits:
    """Gives the bits of an exponent of `length` bits.  Its words come most significant first; the
    first one contains only the highest bits, at its lower end.

    Driven by the caller: begin (take `length`; in a cycle in which no bits are left), word_valid
    and word (a word is offered), take (the bit that is offered has been used).
    Outputs: word_ready; valid and bit (the next bit, from registers); ended (no bit is left).  The
    next word is fetched while bits of this one wait, three cycles before it is needed."""

    NOTES: ClassVar[dict[str, str]] = {
        "exponent_begin": "a command is taken, and with it the length of an exponent",
        "exponent_word_valid": "a word of the exponent is offered",
        "exponent_word_ready": "the next word of the exponent can be taken",
        "exponent_word_held": "exponent_word_reg has bits that are left",
        "exponent_word_reg": "word whose bits come next, from the highest on",
        "exponent_bits_left": "bits that have not come into exponent_bit yet",
        "exponent_index_rest": "",
        "exponent_index": "place in the word of the bit that comes into exponent_bit",
        "exponent_bit_part": "the word from exponent_index on",
        "exponent_fill": "the next bit comes into exponent_bit",
        "exponent_bit": "the next bit of the exponent",
        "exponent_bit_valid": "exponent_bit is there, and has not been used",
        "exponent_take": "exponent_bit is used",
        "exponent_ended": "no bit of the exponent is left",
        "exponent_bits_unused": "bits that no product has used yet, modulo twice the bits of a "
        "word",
        "exponent_parity": "parities at even and odd places: of bits that came and that were used",
        "parity_come": "parities of the word that comes",
        "parity_gone": "parities of the bit that is used",
    }

    def __init__(self, m: Module, length_bits: int, word_bits: int):
        self.m = m
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

    def agrees(self, used: Value, bit: Value, port: Value) -> Value:
        """Whether the bits that were used are those that came: as many of them, of the same
        parity at even and at odd places.  used, bit: `bit` is used by a product in this cycle.
        port: the word before its gate; where the gate gives 0 instead, there is a fault anyway.

        The number is counted modulo 2 * `word_bits`; another multiple takes another number of
        words."""
        m, word_bits = self.m, len(self.word)
        left = Signal(word_bits.bit_length(), name="exponent_bits_unused")
        parity = Signal(2, name="exponent_parity")
        come, gone = (Signal.like(parity, name=f"parity_{kind}") for kind in ("come", "gone"))
        with m.If(self.word_ready & self.word_valid):
            m.d.comb += come.eq(Cat(port[place::2].xor() for place in range(2)))
        with m.If(used):
            m.d.comb += gone.eq(Mux(left[0], bit, bit << 1))
            m.d.sync += left.eq(left - 1)
        m.d.sync += parity.eq(parity ^ come ^ gone)
        with m.If(self.begin):
            m.d.sync += [left.eq(self.length), parity.eq(0)]
        return ~Cat(left, parity, ~self.ended).any()


def _bit(word: Value, index: Value) -> Value:
    return word.bit_select(index, 1)
