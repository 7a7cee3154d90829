"""Bit-serial interleaved multiplication, a*b mod N: the smallest example of an architecture.

S <- 2*S + a_i*b, most significant bit of a first, then at most two subtractions of N.
With a, b < N: S < N before each step, 2*S + b < 3*N in between, S < N after it.  N may be even.
S - N and S - 2*N are made at the same time, and the last that is not negative is kept; so a step
waits for one carry chain, which the others follow bit by bit, not for three in turn.
Cost: three adders of n + 2 bits, a three-way multiplexer; n cycles a product, and one each to load
and to unload.  amanor2005's n + 3 have another one, to start, in which there is nothing to do.
Source: amanor2005, Algorithm 1.
"""

from dataclasses import dataclass
from typing import ClassVar

from amaranth.hdl import Cat, Const, Module, Mux, Signal

from modmul.blocks.carry_propagate import add, subtract
from modmul.forecast import Forecast, fabric
from modmul.multipliers.contract import Constant, Multiplier
from modmul.multipliers.core import BareCore, core_of
from modmul.multipliers.facts import words_of_modulus
from modmul.multipliers.ranges import Bound, OperandRange
from modmul.operation import Cycles, Mode, constant_cycles


@dataclass(frozen=True, kw_only=True)
class Interleaved(Multiplier):
    """The only parameter is the width."""

    name = "interleaved"
    summary = "bit-serial interleaved multiplication: shift, add, subtract"
    sources = ("amanor2005",)
    radix = 2
    montgomery_factor = 1
    even_moduli = True
    beats = 1
    operand_limit = result_limit = Bound(1)

    @property
    def core_title(self) -> str:
        return f"{super().core_title}{self.chip.title_end}"

    @property
    def beat(self) -> int:
        return self.width

    def operand_range(self, modulus: int) -> OperandRange:
        """a is used bit by bit: it may be any number."""
        return OperandRange(1 << self.width, modulus)

    def constants(self, modulus: int) -> list[Constant]:
        return words_of_modulus("modulus", [modulus], self.width)

    def cycles(self, mode: Mode = Mode()) -> dict[str, Cycles]:
        return constant_cycles({"load": 1, "loop": self.width, "unload": 1})

    def interval(self, mode: Mode = Mode()) -> Cycles:
        return Cycles.constant(self.width + 1)

    def compute(self, a: int, b: int, modulus: int) -> int:
        s = 0
        for i in reversed(range(self.width)):
            s = 2 * s + (a >> i & 1) * b
            s -= modulus if s >= modulus else 0
            s -= modulus if s >= modulus else 0
        return s

    def core_forecast(self) -> Forecast:
        """Three adders, the three-way multiplexer, four registers of k bits.

        Calibrated from 32 to 256 bits: LUTs within 1 %, flip-flops 1 %, clock 1 %."""
        chip, k = fabric(self.chip), self.width
        return chip.forecast(
            lut=chip.by_lut_inputs(7, 6.05) * k + 20,
            ff=4 * k + k.bit_length() + 2,
            levels=chip.by_lut_inputs(5, 4.1),
            carry=k + 3,
        )


@core_of(Interleaved)
class Core(BareCore):
    """{theory}

    The core takes one bit of a in each cycle, and is ready for the next product when the last bit
    has been used.

    Here n = {width}."""

    parameters: Interleaved

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "one bit of a in each cycle, highest first": {
            "modulus": "N, loaded at run time",
            "a": "a; its top bit is that of this cycle",
            "b": "the second operand",
            "left": "bits of a that are left",
            "done": "total is the result",
            "total": "below N",
            "total_0": "2*total + b, or 2*total: below 3*N",
            "total_1": "total_0 - N; its top bit: negative",
            "total_2": "total_0 - 2*N; its top bit: negative",
        },
    }

    def elaborate(self, platform: object) -> Module:
        m = Module()
        n = self.parameters.width
        modulus = Signal(n, reset_less=True)
        a = Signal(n, reset_less=True)
        b = Signal(n, reset_less=True)
        total = Signal(n, reset_less=True)
        left = Signal(range(n + 1))
        done = Signal()

        zero = Const(0, 1)
        total_0 = add(m, Cat(zero, total), Mux(a[-1], b, 0), "total_0")
        total_1 = subtract(m, total_0, modulus, "total_1")
        total_2 = subtract(m, total_0, Cat(zero, modulus), "total_2")
        m.d.comb += [
            self.operand.ready.eq(left == 0),
            self.modulus.ready.eq(left == 0),
            self.result.valid.eq(done),
            self.result.p.first.eq(1),
            self.result.p.last.eq(1),
            self.result.p.data.eq(total),
        ]
        m.d.sync += done.eq(left == 1)
        with m.If(left != 0):
            m.d.sync += left.eq(left - 1)
            m.d.sync += a.eq(Cat(zero, a))
            m.d.sync += total.eq(Mux(total_1[-1], total_0, Mux(total_2[-1], total_1, total_2)))
        with m.Elif(self.operand.valid):
            m.d.sync += left.eq(n)
            m.d.sync += a.eq(self.operand.p.a)
            m.d.sync += b.eq(self.operand.p.b)
            m.d.sync += total.eq(0)
        with m.If(self.modulus.valid & self.modulus.ready):
            m.d.sync += modulus.eq(self.modulus.p.data)
        return m
