"""The circuit of `exponentiation`: two numbers X0 and X1, the multipliers, and the control.

The control (control.py) acts on what the multipliers say, ready and the beats of results, and on
public lengths; bits of the exponent choose operands and targets only (and, from left to right,
whether there is a product)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring

from modmul.processors.contract import signature
from modmul.processors.exponentiation.bits import ExponentBits
from modmul.processors.exponentiation.constants import Constants
from modmul.processors.exponentiation.control import Control
from modmul.processors.exponentiation.reduction import Reduction
from modmul.processors.exponentiation.storage import InMemory, InRegister, Number
from modmul.processors.exponentiation.units import Unit, route

if TYPE_CHECKING:
    from modmul.processors.exponentiation import Exponentiation


class Core(wiring.Component):
    """The processor; streams as in `processors.contract.signature`."""

    def __init__(self, processor: Exponentiation):
        self.processor = processor
        super().__init__(signature(processor))

    def elaborate(self, platform: object) -> Module:
        self.m = m = Module()
        p = self.processor
        self.in_words = p.in_words
        # One counter of words, constants or operand beats, for whatever is going on.
        self.index = Signal(range(max(p.words + 1, p.core_constants)), name="index")
        self.last_word: Value = Const(p.words - 1, range(p.words))
        self.binary: Value = Const(0, 1)
        chosen = p.multiplier.choice_beats
        self.choice = Signal(p.word * chosen, name="choice", reset_less=True)
        if chosen:
            self.binary = self.choice[0]
            self.last_word = self.choice[1 : 1 + (p.words - 1).bit_length()]
        self.bit = Signal(name="present_bit")
        words = p.words if self.in_words else None
        self.units = [Unit(m, p.multiplier, f"multiplier_{u}", words) for u in range(p.units)]
        self.numbers = self._numbers()
        route(m, self.units, self.numbers)
        gather = None if self.in_words else self.numbers[0]
        self.constants = Constants(m, p, gather, self.index)
        self.bits = ExponentBits(m, p.longest_exponent.bit_length(), p.exponent_word)
        self.reduction = None
        if p.passes:
            self.reduction = Reduction(m, self.numbers, p.subtractions, p.word)
        self.control = Control(self)
        self._products()
        self._inputs()
        self._result()
        return m

    def _numbers(self) -> list[Number]:
        m, p = self.m, self.processor
        pair = p.multiplier.operand_form == "carry-save"
        names = ("x0", "x1")
        if not self.in_words:
            beat = p.multiplier.beat
            return [InRegister(m, name, p.word, p.words, beat, pair) for name in names]
        chip = p.multiplier.chip
        # In a reduction words are stored a cycle after others were read.
        self.store_index = Signal.like(self.index, name="store_index")
        indices = self.index, self.store_index
        return [InMemory(m, chip, name, p.word, p.words, pair, *indices) for name in names]

    # ---- the multipliers ------------------------------------------------------------------------

    def _products(self) -> None:
        """Operands and moduli of the multipliers; all of them take a beat in the same cycle."""
        m, control = self.m, self.control
        for place, unit in enumerate(self.units):
            others = [other.core for other in self.units if other is not unit]
            operand, modulus = unit.core.operand, unit.core.modulus
            together = control.side_by_side if others else Const(0, 1)
            wanted = control.offering if place == 0 else control.side_by_side
            ready = Cat(other.operand.ready for other in others).all() | ~together
            m.d.comb += [
                operand.valid.eq(wanted & ready),
                operand.p.first.eq(self.index == 0),
                operand.p.last.eq(control.last_beat),
                unit.start.eq(operand.valid & operand.ready & operand.p.first),
                modulus.valid.eq(
                    control.handing & Cat(other.modulus.ready for other in others).all()
                ),
                modulus.p.first.eq(self.index == 0),
                modulus.p.last.eq(control.last_constant),
                modulus.p.data.eq(self.constants.for_core),
            ]
            self._operand(place, operand)
        first = self.units[0].core
        m.d.comb += [
            control.taken.eq(first.operand.valid & first.operand.ready),
            control.handed.eq(first.modulus.valid & first.modulus.ready),
        ]

    def _operand(self, place: int, operand: Value) -> None:
        """X0*X1 or a square; which it is, is never told by when."""
        m, control = self.m, self.control
        x0, x1 = self.numbers
        squares = self.processor.multiplier.squares
        if place == 1:
            square, of_x1 = Const(1, 1), self.bit
        else:
            square = control.squaring
            of_x1 = self.bit & self.processor.is_ladder
        if squares:
            m.d.comb += operand.p.square.eq(square)
        alone = len(self.units) == 2 and place == 0  # it makes no squares
        for vector, suffix in enumerate(("", "_carry")[: len(x0.operand)]):
            zero, one = x0.operand[vector], x1.operand[vector]
            a = zero if alone else Mux(square & of_x1, one, zero)
            b = one if alone or squares else Mux(square & ~of_x1, zero, one)
            m.d.comb += [operand.p[f"a{suffix}"].eq(a), operand.p[f"b{suffix}"].eq(b)]

    # ---- the streams ----------------------------------------------------------------------------

    def _inputs(self) -> None:
        m, bits = self.m, self.bits
        m.d.comb += [
            bits.length.eq(self.command.p.bits),
            bits.word.eq(self.exponent.p.data),
            bits.word_valid.eq(self.exponent.valid),
            self.exponent.ready.eq(bits.word_ready),
            self.constants.stored.eq(self.modulus.p.data),
        ]

    def _result(self) -> None:
        m, reduction = self.m, self.reduction
        word = self.numbers[0].word[0] if reduction is None else reduction.held()
        m.d.comb += [
            self.result.valid.eq(self.control.unloading),
            self.result.p.data.eq(word),
            self.result.p.first.eq(self.index == 0),
            self.result.p.last.eq(self.index == self.last_word),
        ]
