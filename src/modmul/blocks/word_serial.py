"""Long additions a word at a time on one short adder (kuang2016: CPA_FC).

The operands stay where they are: a ring of one-hot selects picks their words, registers catch
these, and one cycle later the adder sends the word of the sum to its place.  So nothing is put in
front of the registers that hold the operands, and only the adder itself can become the critical
path.  Of many words the choice would be a longer one: it is made in two cycles, `in_two_steps`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from amaranth.hdl import Cat, Const, Module, Signal, Value

from modmul.arithmetic.words import ceil_div
from modmul.blocks import one_hot
from modmul.targets.description import Target

FEW_WORDS = 8  # a choice among at most so many words takes one cycle on every chip
GROUP = 8  # words that one step chooses from: two levels of look-up tables with four inputs


def in_two_steps(chip: Target, bits: int, word: int) -> bool:
    """Whether words of operands of `bits` bits are picked in two cycles: so it is for long operands
    on chips where the wires of such a wide choice are slower than everything else."""
    return chip.slow_wires and ceil_div(bits, word) > FEW_WORDS


def serial_cycles(bits: int, word: int, two_steps: bool = False) -> int:
    """The cycles of one addition: the words of the sum, and one or two to fetch the
    first."""
    return ceil_div(bits, word) + (2 if two_steps else 1)


class WordAdder:
    """One addition of `bits` bits, `word` bits a cycle, begun by `begin` and `serial_cycles` long.

    begin: 1 bit, high in the cycle before the first one.  left, right: words of the operands,
    driven by the caller, who takes them from `word_in_turn`; carry_in: the carry into the first
    word.
    two_steps: picked words come a cycle later, from registers. Outputs: total, `word` bits, the
    word of the sum; carry, the carry out of it; first and final: high in the cycles in which the
    first and the last word have to be at left and right."""

    NOTES: ClassVar[dict[str, str]] = {
        "adder_read": "one-hot: the number of the word that is fetched",
        "adder_left_reg": "word of the left operand",
        "adder_right_reg": "word of the right operand",
        "adder_carry_reg": "carry out of the words before",
        "adder_total_sum": "sum of both words and the carry, with its own carry on top",
        "adder_total": "word of the sum",
        "adder_carry": "carry out of these words",
    }

    def __init__(
        self,
        m: Module,
        begin: Value,
        bits: int,
        word: int,
        *,
        two_steps: bool = False,
    ):
        self.m, self.word, self.two_steps = m, word, two_steps
        self.words = ceil_div(bits, word)
        self.left = Signal(word, name="adder_left")
        self.right = Signal(word, name="adder_right")
        self.carry_in = Signal(name="adder_carry_in")
        self.read = Signal(self.words, name="adder_read")
        self.first, self.final = self.read[0], self.read[-1]
        if two_steps:
            self.first = Signal(name="adder_first")
            self.final = Signal(name="adder_final")
            m.d.sync += [self.first.eq(self.read[0]), self.final.eq(self.read[-1])]
        left_reg = Signal(word, name="adder_left_reg", reset_less=True)
        right_reg = Signal(word, name="adder_right_reg", reset_less=True)
        carry_reg = Signal(name="adder_carry_reg", reset_less=True)
        self.carry = Signal(name="adder_carry")
        self.total = Signal(word, name="adder_total")
        m.d.comb += Cat(self.total, self.carry).eq(left_reg + right_reg + carry_reg)
        m.d.sync += [
            self.read.eq(Cat(begin, self.read[:-1])),
            left_reg.eq(self.left),
            right_reg.eq(self.right),
            carry_reg.eq(self.carry),
        ]
        with m.If(self.first):
            m.d.sync += carry_reg.eq(self.carry_in)

    def word_in_turn(self, value: Value, name: str, ring: Signal | None = None) -> Signal:
        """Return the word of `value` whose turn it is; 0 in other cycles and beyond its top.

        ring: selects for some of the additions, from `ring`; default: for all."""
        terms = self.terms(value, ring)
        picked = Signal(self.word, name=name)
        chosen = self.any_of(terms, name) if self.two_steps else one_hot.any_of(terms)
        self.m.d.comb += picked.eq(chosen)
        return picked

    def terms(self, value: Value, ring: Signal | None = None) -> list[Value]:
        """Return the words of `value`, each 0 when it is not its turn; see `word_in_turn`."""
        read = self.read if ring is None else ring
        return [
            _word(value, j, self.word) & read[j].replicate(self.word)
            for j in range(ceil_div(len(value), self.word))
        ]

    def any_of(self, terms: Sequence[Value], name: str) -> Value:
        """The OR of the terms in two steps, with registers behind groups of them."""
        count = ceil_div(len(terms), GROUP)
        size = ceil_div(len(terms), count)
        groups = []
        for j in range(0, len(terms), size):
            group = Signal(self.word, name=f"{name}_{j // size}", reset_less=True)
            self.m.d.sync += group.eq(one_hot.any_of(terms[j : j + size]))
            groups.append(group)
        return one_hot.any_of(groups)

    def ring(self, begin: Value, name: str) -> Signal:
        """Selects of words for those additions only that `begin` begins."""
        ring = Signal(self.words, name=name)
        self.m.d.sync += ring.eq(Cat(begin, ring[:-1]))
        return ring

    @property
    def bits(self) -> int:
        """The bits of a register that receives the whole sum through `shifted`."""
        return self.words * self.word

    def shifted(self, register: Signal) -> Value:
        """`register`, of `bits` bits, moved down by a word, with the word of the sum on top:
        what it must load in every cycle of the addition."""
        return Cat(register[self.word :], self.total)


def _word(value: Value, index: int, word: int) -> Value:
    part = value[index * word : (index + 1) * word]
    return Cat(part, Const(0, word - len(part))) if len(part) < word else part
