"""What the control acts on: two numbers, the multipliers, constants, exponent, and counters."""

from __future__ import annotations

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib import wiring

from modmul.blocks.packet_gate import first_beats, gated
from modmul.processors.exponentiation.bits import ExponentBits
from modmul.processors.exponentiation.constants import LoadedConstants
from modmul.processors.exponentiation.facts import ExponentiationFacts
from modmul.processors.exponentiation.reduction import FinalSubtraction
from modmul.processors.exponentiation.storage import InMemory, InRegister, StoredNumber
from modmul.processors.exponentiation.units import Unit, route


class ExponentiationDatapath:
    """The numbers, multipliers and counters of an exponentiation.

    index: the only counter, of words, constants or operand beats.  last_word: the index of a
    number's last word.  binary: whether the modulus is a polynomial.  choice: the beats of a
    modulus that say so.  bit: the present bit of the exponent.  units: the multipliers.  numbers:
    X0 and X1; if they are in memories, words are stored at `store_index`.  reduction: None if
    nothing has to be reduced.  ports: the component with the streams.  inputs: its input streams
    behind gates; fills: a 0 is taken from one that no packet had.  idle: no beat of a modulus or an
    operation is to come."""

    def __init__(self, m: Module, facts: ExponentiationFacts, ports: wiring.Component):
        self.m, self.facts, self.ports = m, facts, ports
        self.idle = Signal(name="idle")
        gates = {
            name: gated(m, getattr(ports, name), name, self.idle, facts.checked)
            for name in ("modulus", "operand", "exponent")
        }
        self.inputs = {name: gate.sink for name, gate in gates.items()}
        self.inputs["command"] = first_beats(m, ports.command, "command")
        self.fills = {name: gate.fills for name, gate in gates.items()}
        self.in_words = facts.in_words
        self.index = Signal(range(max(facts.words + 1, facts.core_constants)), name="index")
        self.last_word: Value = Const(facts.words - 1, range(facts.words))
        self.binary: Value = Const(0, 1)
        chosen = facts.multiplier.mode_header_beats
        self.choice = Signal(facts.word * chosen, name="choice", reset_less=True)
        if chosen:
            self.binary = self.choice[0]
            self.last_word = self.choice[1 : 1 + (facts.words - 1).bit_length()]
        self.bit = Signal(name="present_bit")
        words = facts.words if self.in_words else None
        self.units = [
            Unit(m, facts.multiplier, f"multiplier_{u}", words) for u in range(facts.units)
        ]
        self.numbers = self._numbers()
        route(m, self.units, self.numbers)
        gather = None if self.in_words else self.numbers[0]
        self.constants = LoadedConstants(m, facts, gather, self.index)
        self.bits = ExponentBits(m, facts.longest_exponent.bit_length(), facts.exponent_word)
        self.reduction = None
        if facts.passes:
            self.reduction = FinalSubtraction(
                m, self.numbers, facts.halvings, facts.subtractions, facts.word
            )

    def _numbers(self) -> list[StoredNumber]:
        m, p = self.m, self.facts
        pair = p.multiplier.operand_form == "carry-save"
        used = self._used()
        names = ("x0", "x1")
        if not self.in_words:
            beat = p.multiplier.beat
            return [InRegister(m, name, p.word, p.words, beat, pair, used) for name in names]
        chip = p.multiplier.chip
        # In a reduction words are stored a cycle after others were read.
        self.store_index = Signal.like(self.index, name="store_index")
        indices = self.index, self.store_index
        return [InMemory(m, chip, name, p.word, p.words, pair, indices, used) for name in names]

    def _used(self) -> Value | None:
        """Which bits of the word at `index` an operand can have; None: all, or no check."""
        p = self.facts
        of_last = p.operand_bits - p.word * (p.words - 1)
        if not p.checked or of_last >= p.word:
            return None
        above = (1 << p.word) - (1 << max(0, of_last))
        used = Signal(p.word, name="used_bits")
        self.m.d.comb += used.eq(~Mux(self.index == self.last_word, above, 0))
        return used
