"""The circuit of `exponentiation`: two numbers X0 and X1, the multipliers, and the control.

The control (control.py) acts on what the multipliers say, ready and the beats of results, and on
public lengths; bits of the exponent choose operands and targets only (and, from left to right,
whether there is a product)."""

from __future__ import annotations

from typing import ClassVar

from amaranth.hdl import Cat, Const, Module, Mux, Value
from amaranth.lib import wiring

from modmul.processors.exponentiation.bits import ExponentBits
from modmul.processors.exponentiation.check import ResultCheck
from modmul.processors.exponentiation.constants import LoadedConstants
from modmul.processors.exponentiation.control import Control
from modmul.processors.exponentiation.datapath import ExponentiationDatapath
from modmul.processors.exponentiation.facts import ExponentiationFacts
from modmul.processors.exponentiation.reduction import FinalSubtraction
from modmul.processors.exponentiation.storage import StoredNumber
from modmul.processors.exponentiation.units import Unit


class Core(wiring.Component):
    """A processor for modular exponentiation, base^exponent mod N (multipliers: {units}).

    It keeps two numbers {kept}: X0, which begins as 1, and X1, which begins as the base, both in
    the Montgomery domain if the multiplier has one. Then, for each bit of the exponent, from the
    highest on:

      {loop}

    In the end X0 leaves the domain, and N is subtracted as often as it has to be.

    A modulus is taken before a command if both are offered, and no command is taken before a
    modulus. After a command the base is taken from the stream `operand`, and words of the exponent
    as they are needed.

    States of the control, by their codes in control_state:

    {states}"""

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "streams, behind gates that cut or fill packets": {
            "sink_valid": "a beat of a modulus is offered",
            "modulus_gate_sink_ready": "a beat of a modulus can be taken",
            "command_gate_sink_valid": "a command is offered",
            "sink_ready": "a command can be taken",
            "operand_gate_sink_valid": "a word of the base is offered",
            "operand_gate_sink_ready": "a word of the base can be taken",
            "*sink_data": "a beat behind a gate",
            "*sink_bits": "the bits of the exponent that the command behind its gate asks for",
            "*_gate": "",
        },
        "control": Control.NOTES,
        "bits of the exponent, from the highest on": ExponentBits.NOTES,
        "constants of the modulus": LoadedConstants.NOTES,
        "X0 and X1": StoredNumber.NOTES,
        "multipliers, and where their results go": Unit.NOTES,
        "passes that reduce the power": FinalSubtraction.NOTES,
        "check of the power": ResultCheck.NOTES,
    }

    def __init__(self, facts: ExponentiationFacts, signature: wiring.Signature):
        self.facts = facts
        # for the text above the module
        self.loop = "X0 <- X0*X0, then X0 <- X0*X1 if the bit is 1"
        if facts.is_ladder:
            self.loop = "bit 0: X1 <- X0*X1, X0 <- X0*X0;  bit 1: X0 <- X0*X1, X1 <- X1*X1"
        self.kept = "in memories of words" if facts.in_words else "in shift registers"
        super().__init__(signature)

    def elaborate(self, platform: object) -> Module:
        self.m = m = Module()
        self.path = ExponentiationDatapath(m, self.facts, self)
        self.control = Control(self.path)
        self.states = self.control.states
        self._products()
        self._inputs()
        self._result()
        return m

    # ---- the multipliers ------------------------------------------------------------------------

    def _products(self) -> None:
        """Connect operands and moduli of the multipliers, which all take a beat in the same
        cycle."""
        m, control = self.m, self.control
        for place, unit in enumerate(self.path.units):
            others = [other.core for other in self.path.units if other is not unit]
            operand, modulus = unit.core.operand, unit.core.modulus
            together = control.side_by_side if others else Const(0, 1)
            offered = control.offering if place == 0 else control.side_by_side
            ready = Cat(other.operand.ready for other in others).all() | ~together
            m.d.comb += [
                operand.valid.eq(offered & ready),
                operand.p.first.eq(self.path.index == 0),
                operand.p.last.eq(control.last_beat),
                unit.start.eq(operand.valid & operand.ready & operand.p.first),
                modulus.valid.eq(
                    control.handing & Cat(other.modulus.ready for other in others).all()
                ),
                modulus.p.first.eq(self.path.index == 0),
                modulus.p.last.eq(control.last_constant),
                modulus.p.data.eq(self.path.constants.for_core),
            ]
            self._operand(place, operand)
        if control.check is not None:
            squares = self.path.units[-1].start
            m.d.comb += control.check.used.eq(squares & (control.side_by_side | control.squaring))
        first = self.path.units[0].core
        m.d.comb += [
            control.taken.eq(first.operand.valid & first.operand.ready),
            control.handed.eq(first.modulus.valid & first.modulus.ready),
        ]

    def _operand(self, place: int, operand: Value) -> None:
        """Select X0*X1 or a square.  The time does not depend on which it is."""
        m, control = self.m, self.control
        x0, x1 = self.path.numbers
        squares = self.facts.multiplier.squares
        if place == 1:
            square, of_x1 = Const(1, 1), self.path.bit
        else:
            square = control.squaring
            of_x1 = self.path.bit & self.facts.is_ladder
        if squares:
            m.d.comb += operand.p.square.eq(square)
        alone = len(self.path.units) == 2 and place == 0  # it makes no squares
        for vector, suffix in enumerate(("", "_carry")[: len(x0.operand)]):
            operand0, operand1 = x0.operand[vector], x1.operand[vector]
            a = operand0 if alone else Mux(square & of_x1, operand1, operand0)
            b = operand1 if alone or squares else Mux(square & ~of_x1, operand0, operand1)
            m.d.comb += [operand.p[f"a{suffix}"].eq(a), operand.p[f"b{suffix}"].eq(b)]

    # ---- the streams ----------------------------------------------------------------------------

    def _inputs(self) -> None:
        m, bits, inputs = self.m, self.path.bits, self.path.inputs
        check = self.control.check
        m.d.comb += [
            bits.length.eq(inputs["command"].p.bits),
            bits.word.eq(inputs["exponent"].p.data),
            bits.word_valid.eq(inputs["exponent"].valid),
            inputs["exponent"].ready.eq(
                bits.word_ready if check is None else bits.word_ready | check.rest_of_exponent
            ),
            self.path.constants.stored.eq(inputs["modulus"].p.data),
        ]

    def _result(self) -> None:
        m, reduction = self.m, self.path.reduction
        word = self.path.numbers[0].word[0] if reduction is None else reduction.held()
        check, constants = self.control.check, self.path.constants
        if check is not None:
            word = Mux(check.good & ~constants.flawed, constants.before, 0)
            m.d.comb += [
                constants.unload.eq(self.control.unloading),
                self.result.valid.eq((constants.unloaded & check.begun) | check.telling),
                self.result.p.data.eq(Mux(check.telling, ~check.good, word)),
                self.result.p.first.eq(constants.unloaded & (self.path.index == 0)),
                self.result.p.last.eq(check.telling),
            ]
            return
        m.d.comb += [
            self.result.valid.eq(self.control.unloading),
            self.result.p.data.eq(word),
            self.result.p.first.eq(self.path.index == 0),
            self.result.p.last.eq(self.path.index == self.path.last_word),
        ]
