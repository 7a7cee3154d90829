"""What all radix-2 multipliers have in common: one product at a time, operands and result in one
beat."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from amaranth.hdl import Cat, Const, Module, Signal, Value

from modmul.arithmetic.words import ceil_div
from modmul.blocks.sequencer import PhaseSequencer
from modmul.multipliers.contract import Constant, Multiplier, Operand
from modmul.multipliers.core import BareCore
from modmul.multipliers.facts import words_of_modulus
from modmul.multipliers.ranges import Bound, OperandRange, largest_product
from modmul.operation import Cycles, Mode
from modmul.parameters import parameter

ADDER_WORD = 32
ADDER_WORD_HELP = (
    "bits that are added in a cycle when the carry-save result is converted to a binary number"
)


class LoopResult(NamedTuple):
    """The result of a golden model.  value: the product (a pair if carry-save).  phases: the clock
    cycles of each term of `cycles`."""

    value: Operand
    phases: dict[str, int]


@dataclass(frozen=True, kw_only=True)
class Radix2(Multiplier):
    """Base class: bit-parallel, one product at a time; the next is loaded while a result leaves."""

    width: int = parameter(128, "bits of the modulus", minimum=3, maximum=4096)

    radix = 2
    beats = 1
    adder_word = ADDER_WORD  # a parameter of the architectures with such an adder

    @property
    def core_title(self) -> str:
        adder = f"-w{self.adder_word}" if self.adder_word != ADDER_WORD else ""
        return f"{super().core_title}{adder}{self.chip.title_end}"

    @property
    def modulus_beat(self) -> int:
        return self.width

    def constants(self, modulus: int) -> list[Constant]:
        return words_of_modulus("modulus", [modulus], self.width)

    def interval(self, mode: Mode = Mode()) -> Cycles:
        """One less than the latency: operands are taken in the cycle in which a result leaves."""
        latency = self.latency(mode)
        return Cycles(latency.minimum - 1, latency.mean - 1, latency.maximum - 1)

    @classmethod
    def examples(cls) -> list[Multiplier]:
        return [cls(width=width) for width in (3, 5, 8, 9, 33)]


@dataclass(frozen=True, kw_only=True)
class Reduced(Radix2):
    """Base class of multipliers whose operands and results are below the modulus.

    In Montgomery multipliers, operands of k bits keep S below b + N, so that it needs k + 1 bits,
    and S - N below a*b/R, which is below 2^k.  So any a and b give a right result; it is below N if
    S < 2N."""

    operand_limit = result_limit = Bound(1)

    @property
    def beat(self) -> int:
        return self.width

    def operand_range(self, modulus: int) -> OperandRange:
        top = 1 << self.beat
        return OperandRange(top, top, largest_product(self.montgomery_factor, modulus))


@dataclass(frozen=True, kw_only=True)
class Timed(Radix2):
    """Base class of multipliers whose cycles depend on the operands; the golden model returns the
    result and the cycles."""

    @abc.abstractmethod
    def run(self, a: Any, b: Any, modulus: int) -> LoopResult:
        """The bit-exact result and the exact cycles (golden model)."""

    def compute(self, a: Any, b: Any, modulus: int) -> Any:
        return self.run(a, b, modulus).value

    def latency_of(self, a: Operand, b: Operand, modulus: int) -> int:
        return sum(self.run(a, b, modulus).phases.values())


@dataclass(frozen=True, kw_only=True)
class Unreduced(Timed):
    """Base class of multipliers whose k + 2 iterations need no final subtraction (kuang2016,
    section II): with operands below 2N, results are below 2N.

    Operands may be any numbers of k + 1 bits: in the loop S is below b + N, for which the rows have
    room, and after it below a*b/R + N, which fits k + 1 bits."""

    @property
    def montgomery_factor(self) -> int:
        return 1 << (self.width + 2)

    @property
    def operand_limit(self) -> Bound:
        return Bound(2)

    @property
    def result_limit(self) -> Bound:
        return Bound(2)

    @property
    def beat(self) -> int:
        return self.width + 1

    def operand_range(self, modulus: int) -> OperandRange:
        top = 1 << self.beat
        return OperandRange(top, top, largest_product(self.montgomery_factor, modulus))


def serial_flip_flops(bits: int, word: int, rings: int) -> int:
    """A forecast of flip-flops: the result of a word-serial adder in whole words, two words
    in front of the adder, and `rings` rings of selects."""
    words = ceil_div(bits, word)
    return words * word + 2 * word + rings * words


def control(**phases: str) -> dict[str, dict[str, str]]:
    """The notes on handshake and sequencer.  phases: what happens in them, by the names of
    their signals."""
    return {
        "control: one product at a time, in phases of a fixed order": {
            "idle": "no phase: operands or a modulus can be taken",
            **phases,
            "in_*": "the product is in this phase",
            "cycles_left": "of the phase, less 2: its sign bit is set in the last cycle",
            "done": "the result is on the port",
            "load": "operands are taken",
            "last_of_*": "the last cycle of this phase",
            "reloading": "more beats of a modulus follow",
            "result_first": "",
            "result_last": "",
        },
    }


class BitSerialCore(BareCore):
    """Base class of the cores: handshake, modulus register and sequencer.

    A core implements `datapath`, and `phases` where its cycles depend on the operands."""

    NOTES: ClassVar[dict[str, dict[str, str]]] = control()
    PORT_NOTES: ClassVar[dict[str, str]] = {
        "operand_valid": "the source offers a beat; not together with a modulus, nor before one",
        "result_valid": "the result is there in this cycle only: no back-pressure",
    }

    def phases(self) -> Mapping[str, int | None]:
        """The phases of the sequencer; by default the constant terms but load and unload."""
        terms = self.parameters.cycles()
        return {
            name: term.minimum if term.minimum == term.maximum else None
            for name, term in terms.items()
            if name not in ("load", "unload")
        }

    def elaborate(self, platform: object) -> Module:
        m = Module()
        self.load = Signal(name="load")
        self.reloading = Signal(name="reloading")  # a modulus of several beats has begun
        control = PhaseSequencer(m, self.load, self.phases())
        m.d.comb += [
            self.load.eq(self.operand.ready & self.operand.valid),
            self.operand.ready.eq(control.idle & ~self.reloading),
            self.modulus.ready.eq(control.idle),
            self.result.valid.eq(control.done),
            self.result.p.first.eq(1),
            self.result.p.last.eq(1),
        ]
        self.datapath(m, control)
        return m

    def modulus_register(self, m: Module, zeros: int = 0) -> Value:
        """The modulus, loaded from its stream (one beat).  The `zeros` lowest bits, which
        are always 0, have no registers."""
        bits = self.parameters.modulus_beat - zeros
        modulus = Signal(bits, name="modulus_reg", reset_less=True)
        with m.If(self.modulus.valid & self.modulus.ready):
            m.d.sync += modulus.eq(self.modulus.p.data[zeros:])
        return Cat(Const(0, zeros), modulus) if zeros else modulus

    def held(self, m: Module, value: Any, name: str) -> Signal:
        """A register with an operand, which is kept until the next operand is loaded."""
        register = Signal(len(value), name=name, reset_less=True)
        with m.If(self.load):
            m.d.sync += register.eq(value)
        return register

    @abc.abstractmethod
    def datapath(self, m: Module, control: PhaseSequencer) -> None:
        """Place registers and logic between the operands and `result.p.data`."""
