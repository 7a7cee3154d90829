"""Long additions a word at a time on one short adder (kuang2016: CPA_FC).

The operands stay where they are: a ring of one-hot selects picks their words, registers catch
these, and one cycle later the adder sends the word of the sum to its place.  So nothing is put in
front of the registers that hold the operands, and only the adder itself can become the critical
path."""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Signal, Value

from modmul.arithmetic.words import ceil_div
from modmul.blocks import one_hot


def serial_cycles(bits: int, word: int) -> int:
    """Cycles of one addition: the words of the sum, and one to fetch the first."""
    return ceil_div(bits, word) + 1


class WordAdder:
    """One addition of `bits` bits, `word` bits a cycle, begun by `begin` and `serial_cycles` long.

    begin: 1 bit, high in the cycle before its first one.  left, right: words of the operands,
    chosen with `pick`, driven by the caller; carry_in: of the first word.
    Outputs: total, `word` bits, the word of the sum; carry, the carry out of it."""

    def __init__(self, m: Module, begin: Value, bits: int, word: int, name: str = "adder"):
        self.m, self.word, self.name = m, word, name
        self.words = ceil_div(bits, word)
        self.left = Signal(word, name=f"{name}_left")
        self.right = Signal(word, name=f"{name}_right")
        self.carry_in = Signal(name=f"{name}_carry_in")
        self.read = Signal(self.words, name=f"{name}_read")
        left_reg = Signal(word, name=f"{name}_left_reg", reset_less=True)
        right_reg = Signal(word, name=f"{name}_right_reg", reset_less=True)
        carry_reg = Signal(name=f"{name}_carry_reg", reset_less=True)
        self.carry = Signal(name=f"{name}_carry")
        self.total = Signal(word, name=f"{name}_total")
        m.d.comb += Cat(self.total, self.carry).eq(left_reg + right_reg + carry_reg)
        m.d.sync += [
            self.read.eq(Cat(begin, self.read[:-1])),
            left_reg.eq(self.left),
            right_reg.eq(self.right),
            carry_reg.eq(self.carry),
        ]
        with m.If(self.read[0]):
            m.d.sync += carry_reg.eq(self.carry_in)

    def pick(self, value: Value, name: str, ring: Signal | None = None) -> Signal:
        """The word of `value` whose turn it is; 0 in other cycles and beyond its top.

        ring: the selects of some of the additions, from `ring`; default: of all."""
        read = self.read if ring is None else ring
        picked = Signal(self.word, name=name)
        terms = [
            _word(value, j, self.word) & read[j].replicate(self.word)
            for j in range(ceil_div(len(value), self.word))
        ]
        self.m.d.comb += picked.eq(one_hot.any_of(terms))
        return picked

    def ring(self, begin: Value, name: str) -> Signal:
        """The selects of words, in the additions that `begin` begins only."""
        ring = Signal(self.words, name=name)
        self.m.d.sync += ring.eq(Cat(begin, ring[:-1]))
        return ring

    @property
    def bits(self) -> int:
        """Bits of a register that receives the whole sum through `shifted`."""
        return self.words * self.word

    def shifted(self, register: Signal) -> Value:
        """`register`, of `bits` bits, moved down by a word, the word of the sum on top: what it
        must load in every cycle of the addition."""
        return Cat(register[self.word :], self.total)


def _word(value: Value, index: int, word: int) -> Value:
    part = value[index * word : (index + 1) * word]
    return Cat(part, Const(0, word - len(part))) if len(part) < word else part
