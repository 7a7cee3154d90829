"""Between words of the registers and a multiplier that takes whole numbers.

The words of both operands are gathered, then handed over as one beat; a result is sent in words.
Both take as many cycles as there are words, and go on while the multiplier works."""

from __future__ import annotations

from typing import ClassVar

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from modmul.blocks.gather import Gather
from modmul.blocks.memory import bits_of
from modmul.multipliers.signature import core_signature
from modmul.processors.engine.hardware.build import EngineBuild


class Converter(wiring.Component):
    """Converts between the beats of registers, {beats} words of {word} bits a number, and a
    multiplier that takes and gives a number as one beat.

    The words of a number are gathered, and the number is offered to the multiplier in the cycle
    after its last word came. If a modulus has several numbers, all are gathered before the first
    one is offered, as the multiplier takes them without gaps. A result leaves in words, the lowest
    first, from the cycle after it came. No stream is ever paused: the program offers words only
    when converter and multiplier are free.

    Ports:

      `operand`, `modulus`, `result`: streams of words, on the side of the registers
      `core_operand`, `core_modulus`, `core_result`: streams of numbers, on the side of the
        multiplier
    """

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "operands, gathered": {
            "operand_place": "number of the next word",
            "operand_a": "words of a number; the one that came last is at the top",
            "operand_b": "words of a number; the one that came last is at the top",
            "operand_there": "both operands are whole",
            "square": "the product is a square",
        },
        "numbers of a modulus, gathered": {
            "modulus_place": "number of the next word",
            "modulus_data": "words of a number; the one that came last is at the top",
            "modulus_there": "a number is whole",
            "modulus_number": "which number of the modulus it is, or comes next",
            "source_payload_first": "it is the first one",
            "source_payload_last": "it is the last one",
        },
        "a result, sent in words": {
            "result_words": "words that have not left; the one that leaves is at the bottom",
            "result_place": "number of the word that leaves",
            "sending": "a word leaves",
            "result_payload_first": "it is the lowest one",
        },
    }

    def __init__(self, build: EngineBuild):
        self.beats, self.word, self.build = build.beats, build.word, build
        multiplier = build.multiplier

        def words(*names: str, always_ready: bool = False) -> stream.Signature:
            layout = data.StructLayout({"first": 1, "last": 1, **dict.fromkeys(names, build.word)})
            return stream.Signature(layout, always_ready=always_ready)

        core = core_signature(multiplier).members
        squares = ("square",) if multiplier.squares else ()
        self.squares = bool(squares)
        operand = data.StructLayout(
            {"first": 1, "last": 1, "a": build.word, "b": build.word, **dict.fromkeys(squares, 1)}
        )
        super().__init__(
            {
                "operand": In(stream.Signature(operand)),
                "modulus": In(words("data")),
                "result": Out(words("data", always_ready=True)),
                "core_operand": core["operand"].flip(),
                "core_modulus": core["modulus"].flip(),
                "core_result": core["result"].flip(),
            }
        )

    def elaborate(self, platform: object) -> Module:
        self.m = m = Module()
        for name, fields in (("operand", ("a", "b")), ("modulus", ("data",))):
            outer = getattr(self, name)
            inner = self._modulus() if name == "modulus" else self.core_operand
            arrived = Signal(name=f"{name}_there")
            m.d.sync += arrived.eq(outer.valid & self._last(outer, name))
            m.d.comb += [inner.valid.eq(arrived), outer.ready.eq(1)]
            first, last = self._ends(arrived) if name == "modulus" else (Const(1), Const(1))
            m.d.comb += [inner.p.first.eq(first), inner.p.last.eq(last)]
            for field in fields:
                gathered = self._gathered(outer.valid, outer.p[field], f"{name}_{field}")
                m.d.comb += inner.p[field].eq(gathered)
        if self.squares:
            square = Signal(name="square")
            m.d.sync += square.eq(self.operand.p.square)
            m.d.comb += self.core_operand.p.square.eq(square)
        self._send()
        return m

    def _last(self, outer: stream.Interface, name: str) -> Value:
        """Whether this word is the last one of a number; a modulus has several numbers."""
        place = Signal(bits_of(self.beats), name=f"{name}_place")
        last = place == self.beats - 1
        with self.m.If(outer.valid):
            self.m.d.sync += place.eq(place + 1)
            with self.m.If(last):
                self.m.d.sync += place.eq(0)
        return last

    @property
    def _several(self) -> int:
        """The number of numbers of a modulus, if they and their words are several; else 0."""
        count = self.build.for_multiplier // self.beats
        return count if min(count, self.beats) > 1 else 0

    def _modulus(self) -> stream.Interface:
        """The stream for the numbers of a modulus, which the core takes in consecutive
        cycles."""
        if not self._several:
            return self.core_modulus
        gather = Gather(self.core_modulus.p.shape(), beats=self._several, packets=1)
        self.m.submodules.gather = gather
        wiring.connect(self.m, gather.sink, wiring.flipped(self.core_modulus))
        return gather.source

    def _ends(self, arrived: Value) -> tuple[Value, Value]:
        """Whether the number that is there is the first, and whether it is the last, of a
        modulus."""
        count = self.build.for_multiplier // self.beats
        number = Signal(bits_of(count), name="modulus_number")
        last = number == count - 1
        with self.m.If(arrived):
            self.m.d.sync += number.eq(Mux(last, 0, number + 1))
        return number == 0, last

    def _gathered(self, valid: Value, word: Value, name: str) -> Signal:
        """The words that came, the last one at the top."""
        number = Signal(self.word * self.beats, name=name, reset_less=True)
        with self.m.If(valid):
            self.m.d.sync += number.eq(Cat(number, word)[self.word :])
        return number

    def _send(self) -> None:
        m, inner, outer = self.m, self.core_result, self.result
        number = Signal(self.word * self.beats, name="result_words", reset_less=True)
        place, busy = Signal(bits_of(self.beats), name="result_place"), Signal(name="sending")
        last = place == self.beats - 1
        with m.If(busy):
            m.d.sync += [number.eq(number >> self.word), place.eq(place + 1)]
            with m.If(last):
                m.d.sync += busy.eq(0)
        with m.If(inner.valid):
            m.d.sync += [number.eq(inner.p.data), place.eq(0), busy.eq(1)]
        m.d.comb += [
            outer.valid.eq(busy),
            outer.p.data.eq(number[: self.word]),
            outer.p.first.eq(place == 0),
            outer.p.last.eq(last),
        ]
