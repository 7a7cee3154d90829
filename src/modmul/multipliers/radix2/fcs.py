"""What the multipliers have in common whose operands and results stay in carry-save form (FCS).

A number is a pair of words of `beat` bits whose sum it is; results go back as operands without any
addition of full length.  With form "binary" the same datapath takes a number as the pair (number,
0), and a word-serial adder makes the result binary; it comes to stand in the register of A.
Source: kuang2016, section II.
"""

from __future__ import annotations

import abc
from dataclasses import dataclass
from typing import Any, ClassVar

from amaranth.hdl import Const, Module, Signal, Value

from modmul.blocks.barrel import BarrelAdder
from modmul.blocks.carry_save import Pair, masked
from modmul.blocks.sequencer import PhaseSequencer
from modmul.blocks.word_serial import WordAdder, serial_cycles
from modmul.errors import SpecError
from modmul.forecast import Logic
from modmul.multipliers.contract import Form, Multiplier
from modmul.multipliers.radix2.family import (
    ADDER_WORD,
    ADDER_WORD_HELP,
    BitSerialCore,
    LoopResult,
    Unreduced,
    serial_flip_flops,
)
from modmul.operation import Cycles, Mode
from modmul.parameters import parameter

_FORM_HELP = (
    "form of operands and results: carry-save: pairs of numbers; binary: numbers, to which an "
    "adder converts the result word by word"
)


@dataclass(frozen=True, kw_only=True)
class Fcs(Unreduced):
    """Base class.  An architecture defines its loop, and as `accumulate` its golden model."""

    form: str = parameter("carry-save", _FORM_HELP, choices=("carry-save", "binary"))
    adder_word: int = parameter(
        ADDER_WORD, f"{ADDER_WORD_HELP}, with form binary", minimum=1, maximum=4096
    )

    def check(self) -> None:
        if not self.converts and self.adder_word != ADDER_WORD:
            raise SpecError(
                "adder-word",
                self.adder_word,
                str(ADDER_WORD),
                f"adder-word = {self.adder_word}: there is no adder in form carry-save; "
                "leave it out, or choose form = binary",
            )

    @property
    def core_title(self) -> str:
        return f"{super().core_title}{'-binary' if self.converts else ''}"

    @property
    def converts(self) -> bool:
        """Whether the result is converted to binary."""
        return self.form == "binary"

    @property
    def operand_form(self) -> Form:  # type: ignore[override]
        return "binary" if self.converts else "carry-save"

    @property
    def result_form(self) -> Form:  # type: ignore[override]
        return self.operand_form

    @abc.abstractmethod
    def steps(self) -> dict[str, Cycles]:
        """The terms of `cycles` between load and the carry-save result; one is "loop"."""

    def cycles(self, mode: Mode = Mode()) -> dict[str, Cycles]:
        terms = {"load": Cycles.constant(1), **self.steps()}
        if self.converts:
            count = serial_cycles(self.result_beat, self.adder_word)
            terms["convert"] = Cycles.constant(count)
        return terms | {"unload": Cycles.constant(1)}

    @abc.abstractmethod
    def accumulate(
        self, a: tuple[int, int], b: tuple[int, int], modulus: int
    ) -> tuple[int, int, int]:
        """Both words of the loop's result, and the cycles that it takes (golden model)."""

    def conversion(self) -> Logic:
        """The forecast of what form binary adds: the adder and the choice of words, less the
        second words of A and B."""
        if not self.converts:
            return Logic(0, 0, levels=0)
        k, word = self.width, self.adder_word
        ff = serial_flip_flops(k + 1, word, rings=1) - 3 * k
        picks = 1.4 if 2 * word < k else -1.9  # with two words there is hardly a choice
        return Logic(picks * k + 1.3 * word, ff, levels=0)

    def run(self, a: Any, b: Any, modulus: int) -> LoopResult:
        if self.converts:
            a, b = (a, 0), (b, 0)
        ss, sc, loop = self.accumulate(a, b, modulus)
        phases = {name: term.minimum for name, term in self.cycles().items()} | {"loop": loop}
        return LoopResult(ss + sc if self.converts else (ss, sc), phases)

    @classmethod
    def examples(cls) -> list[Multiplier]:
        return [
            *(cls(width=width) for width in (3, 5, 8, 9, 33)),
            cls(width=4, form="binary", adder_word=2),
            cls(width=9, form="binary", adder_word=10),
            cls(width=33, form="binary"),
        ]


class FcsCore(BitSerialCore):
    """Base class of the cores: operand registers, accumulator, way out."""

    parameters: Fcs

    OPERANDS: ClassVar[dict[str, dict[str, str]]] = {
        "operands and modulus": {
            "modulus_reg": "N",
            "b_reg": "{vector_of}B",
            "b_carry_reg": "carry vector of B",
            **BarrelAdder.NOTES,
        },
    }
    CONVERT: ClassVar[dict[str, dict[str, str]]] = {
        "convert: SS + SC, {adder_word} bits a cycle": {
            "ss_word": "word of SS, on its way to adder_left_reg",
            "sc_word": "word of SC, on its way to adder_right_reg",
            **WordAdder.NOTES,
            "adder_total": "word of the sum, which enters a_reg at the top",
        },
    }

    @property
    def vector_of(self) -> str:
        """What a register of an operand holds, for the notes."""
        return "" if self.parameters.converts else "sum vector of "

    def scanned(self, m: Module, control: PhaseSequencer, **options: Any) -> list[Value]:
        """The next bit of A, and the one after it.  options: of `BarrelAdder`."""
        operand, parameters = self.operand.p, self.parameters
        if not parameters.converts:
            words = (operand.a, operand.a_carry)
            return BarrelAdder(m, control.idle, words, **options).bits
        bits, word = parameters.result_beat, parameters.adder_word
        self.adder = adder = WordAdder(m, control.last["loop"], bits, word)
        barrel = BarrelAdder(m, control.idle, (operand.a,), size=adder.bits, **options)
        (register,) = barrel.registers
        with m.If(control.active["convert"]):
            m.d.sync += register.eq(adder.shifted(register))
        # The sum enters at the top of the register, which may be above its own highest bit.
        lowest = len(register) - adder.bits
        m.d.comb += self.result.p.data.eq(register[lowest : lowest + bits])
        return barrel.bits

    def added(self, m: Module) -> Pair:
        """The registers of B."""
        operand = self.operand.p
        b = self.held(m, operand.b, "b_reg")
        if self.parameters.converts:
            return Pair(b, Const(0, len(b)))
        return Pair(b, self.held(m, operand.b_carry, "b_carry_reg"))

    def keep(
        self, m: Module, control: PhaseSequencer, next_values: list[tuple[Signal, Value]]
    ) -> None:
        """Load the accumulator with its next value in every cycle; in binary form it stays while
        its words are fetched."""
        loads = [register.eq(value) for register, value in next_values]
        if self.parameters.converts:
            with m.If(~control.active["convert"]):
                m.d.sync += loads
        else:
            m.d.sync += loads

    def from_zero(self, m: Module, control: PhaseSequencer, ss: Signal, sc: Signal) -> Pair:
        """The accumulator as the rows see it: 0 in the first cycle of a product.

        The gates are here and not in front of the registers, because the bit of A is later."""
        started = Signal(name="started")
        m.d.sync += started.eq(~control.idle)
        return Pair(masked(ss, started), masked(sc, started))

    def unload(self, m: Module, total: Pair) -> None:
        """Output the sum, as it is or through the adder.

        Registers may have bits above those of a result; these bits are 0."""
        bits = self.parameters.result_beat
        ss, sc = total.sum[:bits], total.carry[:bits]
        if self.parameters.converts:
            m.d.comb += [
                self.adder.left.eq(self.adder.word_in_turn(ss, "ss_word")),
                self.adder.right.eq(self.adder.word_in_turn(sc, "sc_word")),
            ]
        else:
            m.d.comb += [self.result.p.data.eq(ss), self.result.p.carry.eq(sc)]
