"""Sums and differences of several long numbers, one after the other on one short adder.

A pass adds to or subtracts from a register, a word a cycle.  In a pass the register moves down by a
word every cycle: its own words leave at the bottom, towards the adder, and those of the result come
in at the top.  So it needs neither a multiplexer nor selects of words, and no second register: a
difference that came out negative is made good by another pass."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, NamedTuple

from amaranth.hdl import Cat, Const, Module, Signal, Value

from modmul.blocks.sequencer import PhaseSequencer
from modmul.blocks.word_serial import WordAdder


class Term(NamedTuple):
    """An operand `value`, and the passes in which it is added."""

    value: Value
    passes: tuple[str, ...]


class Accumulator:
    """A register `value`, at least `bits` bits in two's complement, and passes
    value <- left + right.

    passes: phases of `control`, each `serial_cycles(bits, word, two_steps)` cycles long. cleared: a
    reset makes value 0.  two_steps: see `WordAdder`.

    The caller drives, for whole passes: keep (the left operand is value), double (it is 2 * value),
    subtract (the right operand is subtracted) and enable (if low, the right operand is 0).  The
    caller may load `value` between passes.  It names the other operands once, with `operands`, or
    drives left and right of `adder`.

    Outputs: begins and last are high in the first and in the last cycle of a pass; first, in the
    cycle in which the first word of value leaves (until then, value is the result of the pass
    before); negative is the sign of the last result, and valid during the pass that follows it."""

    NOTES: ClassVar[dict[str, str]] = {
        "accumulator": "P; in a pass its words leave at the bottom, and new ones enter at the top",
        "passing": "P moves down by a word",
        "adder_read_part": "a pass begins in the next cycle",
        "last_word": "the last cycle of a pass: adder_total is the highest word of P",
        "negative": "the result of the pass before is negative",
        "adder_left": "word of the left operand: of P, or what is in its place",
        "adder_right": "word of the right operand, as it is added",
        **WordAdder.NOTES,
        "keep_value": "P is the left operand",
        "bit_below": "top bit of the word of P before, for 2*P",
        "subtract": "the right operand is subtracted: inverted, with a carry into its lowest word",
        "enable": "the right operand is added or subtracted; else 0 is",
    }

    def __init__(
        self,
        m: Module,
        control: PhaseSequencer,
        passes: tuple[str, ...],
        bits: int,
        word: int,
        *,
        cleared: bool = False,
        two_steps: bool = False,
    ) -> None:
        self.m, self.control = m, control
        begin = self._begin(passes)
        self.adder = adder = WordAdder(m, begin, bits, word, two_steps=two_steps)
        self.value = Signal(adder.bits, name="accumulator", reset_less=not cleared)
        self.keep = Signal(name="keep_value")
        self.double = Signal(name="double_value")
        self.subtract = Signal(name="subtract")
        self.enable = Signal(init=1, name="enable")
        self.negative = Signal(name="negative", reset_less=True)
        self.begins, self.first = adder.read[0], adder.first
        self.last = Signal(name="last_word")
        m.d.comb += adder.carry_in.eq(self.subtract)
        m.d.sync += self.last.eq(adder.final)
        with m.If(self._moves(passes)):
            m.d.sync += self.value.eq(adder.shifted(self.value))
        with m.If(self.last):
            m.d.sync += self.negative.eq(adder.total[-1])

    def during(self, name: str, *passes: str) -> Signal:
        """A flip-flop that is high in these passes."""
        flag = Signal(name=name)
        self.m.d.sync += flag.eq(self._begin(passes) | (flag & ~self.last))
        return flag

    def _moves(self, passes: tuple[str, ...]) -> Signal:
        """Whether value shifts: in whole passes, from the cycle in which its first word leaves."""
        if not self.adder.two_steps:
            return self.during("passing", *passes)
        moves = Signal(name="passing")
        self.m.d.sync += moves.eq(self.begins | (moves & ~self.last))
        return moves

    def operands(self, left: dict[str, Term], right: dict[str, Term]) -> None:
        """Choose by name what is added in which pass, besides value (if `keep` or `double` is
        high)."""
        word = self.adder.word
        picked = self._picked(right, "right") & self.enable.replicate(word)
        self.m.d.comb += [
            self.adder.left.eq(self._picked(left, "left") | self._own_word()),
            self.adder.right.eq(picked ^ self.subtract.replicate(word)),
        ]

    def _own_word(self) -> Value:
        """The word of value, or of 2 * value, that leaves at the bottom."""
        m, word = self.m, self.adder.word
        below = Signal(name="bit_below", reset_less=True)  # the top bit of the word before
        m.d.sync += below.eq(self.value[word - 1])
        doubled = Cat(below & ~self.first, self.value[: word - 1])
        kept = self.value[:word] & self.keep.replicate(word)
        return kept | (doubled & self.double.replicate(word))

    def _picked(self, terms: dict[str, Term], side: str) -> Value:
        adder = self.adder
        total: Value = Const(0, adder.word)
        words: list[Value] = []
        for name, term in terms.items():
            ring = adder.ring(self._begin(term.passes), f"{name}_read")
            if adder.two_steps:
                words += adder.terms(term.value, ring)
            else:
                total = total | adder.word_in_turn(term.value, f"{name}_word", ring)
        return adder.any_of(words, f"{side}_word") if words else total

    def _begin(self, passes: Iterable[str]) -> Value:
        return Cat(self.control.enters[name] for name in passes).any()
