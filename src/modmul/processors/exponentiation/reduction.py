"""From a power below c*N, or a carry-save pair, to the residue: passes over the words of X0 and X1.

A pass writes left + right into the number that does not hold the power, and then that one is said
to hold it or not: for a subtraction, if it did not borrow.  All passes are made, whatever comes
out; what is chosen is where the next pass, or the result, reads."""

from __future__ import annotations

from typing import ClassVar

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from modmul.processors.exponentiation.storage import StoredNumber


class FinalSubtraction:
    """Reduces a power, in passes of `words` + 1 cycles each.  If the power is a pair, the first
    pass adds it up; then there is one for each j from `halvings` - 1 to 0, which subtracts 2^j*N,
    and, if there are more `subtractions`, one more for N.

    Driven by the caller: active, first, last (the cycle of a pass; words of the result come from
    the second cycle on), word_of_modulus (the next word of N, in the first `words` cycles), keep
    (no subtraction counts), begin (before the first pass: number `holds` holds the power).
    Outputs: total (the word that is stored), left (the word of the power that was read a cycle
    before), holder (the number that holds the power), ended (this
    is the last pass), below (since `begin` the pass for one N more than needed was made, and it
    borrowed: the power is below N)."""

    NOTES: ClassVar[dict[str, str]] = {
        "reduce_begin": "before the passes, holder becomes reduce_holds",
        "reduce_holds": "0 is X0, 1 is X1",
        "holder": "the number that holds the power: 0 is X0, 1 is X1",
        "passes_done": "passes that are over",
        "reduced": "this pass is the last one",
        "below_modulus": "the last pass was one from its beginning, and its difference is negative",
        "reduce_active": "a cycle of a pass",
        "reduce_first": "the first cycle of a pass",
        "reduce_last": "the last cycle of a pass",
        "modulus_word": "word of N in REDUCE, else 0",
        "modulus_word_enable": "in REDUCE",
        "modulus_below": "the highest bits of the word before, for 2^j*N",
        "modulus_lower": "likewise, but 0 below the lowest word",
        "reduce_left_next": "word of the power",
        "reduce_left": "word of the power, which was read a cycle before",
        "reduce_right": "word that is added: of 2^j*N, inverted, or of the carry vector",
        "reduce_carry": "carry into the word; into the lowest one 1, to subtract",
        "reduced_word_sum": "sum of both and the carry, with its own carry on top",
        "reduced_word": "word of the sum, stored in the number that does not hold the power",
        "reduce_carry_out": "1 in the last cycle: the difference is not negative, so that it is "
        "the power",
    }

    def __init__(
        self,
        m: Module,
        numbers: list[StoredNumber],
        halvings: int,
        subtractions: int,
        word: int,
    ):
        pair = len(numbers[0].word) > 1
        self.m, self.numbers, self.word, self.pair = m, numbers, word, pair
        self.halvings, self.subtractions = halvings, subtractions
        self.passes = pair + subtractions
        self.active, self.first, self.last, self.keep, self.begin, self.holds = (
            Signal(name=f"reduce_{name}")
            for name in ("active", "first", "last", "keep", "begin", "holds")
        )
        self.word_of_modulus = Signal(word, name="modulus_word")
        self.total = Signal(word, name="reduced_word")
        self.left = Signal(word, name="reduce_left", reset_less=True)
        self.holder = Signal(name="holder")
        self.ended = Signal(name="reduced")
        self.below = Signal(name="below_modulus")
        self.done = Signal(range(self.passes), name="passes_done")
        self.adding = self.done == 0 if pair else Const(0, 1)
        m.d.comb += self.ended.eq(self.done == self.passes - 1)
        with m.If(self.active & self.last):
            m.d.sync += self.done.eq(Mux(self.ended, 0, self.done + 1))
        self._add()

    def held(self) -> Value:
        """The word of the power that is read."""
        return Mux(self.holder, self.numbers[1].word[0], self.numbers[0].word[0])

    def _add(self) -> None:
        m, word = self.m, self.word
        right = Signal(word, name="reduce_right", reset_less=True)
        carry = Signal(name="reduce_carry", reset_less=True)
        leaving = Signal(name="reduce_carry_out")
        subtrahend = ~self._multiple() if self.subtractions else Const(0, word)
        if self.pair:
            subtrahend = Mux(self.adding, self.numbers[0].word[1], subtrahend)
        m.d.comb += Cat(self.total, leaving).eq(self.left + right + carry)
        m.d.sync += [self.left.eq(self.held()), right.eq(subtrahend), carry.eq(leaving)]
        with m.If(self.first):
            m.d.sync += carry.eq(~self.adding)
        moves = self.adding | (leaving & ~self.keep)
        with m.If(self.active & self.last):
            m.d.sync += self.holder.eq(self.holder ^ moves)
        with m.If(self.begin):
            m.d.sync += self.holder.eq(self.holds)
        if self.subtractions > self.halvings:
            with m.If(self.active & self.first):
                m.d.sync += self.below.eq(self.ended)
            with m.If(self.active & self.last):
                m.d.sync += self.below.eq(self.below & ~moves)
            with m.If(self.begin):
                m.d.sync += self.below.eq(0)

    def _multiple(self) -> Value:
        """The word of 2^j*N, whose lowest j bits are of the words of N before."""
        m, word = self.m, self.word
        if self.halvings <= 1:
            return self.word_of_modulus
        below = Signal(self.halvings - 1, name="modulus_below", reset_less=True)
        lower = Signal.like(below, name="modulus_lower")
        bits = Cat(lower, self.word_of_modulus)
        m.d.comb += lower.eq(Mux(self.first, 0, below))
        m.d.sync += below.eq(bits[word:])
        # The highest multiple comes first, in a pair's second pass.
        highest = self.pair + self.halvings - 1
        shift = Mux(self.done > highest, highest, self.done)
        return (Cat(Const(0, int(self.pair)), bits) >> shift)[:word]
