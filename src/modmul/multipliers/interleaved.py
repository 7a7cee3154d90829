"""Bit-serial interleaved multiplication, a*b mod N: the smallest example of an architecture.

S <- 2*S + a_i*b, most significant bit of a first, then at most two conditional subtractions of N.
With a, b < N: S < N before each step, 2*S + b < 3*N in between, S < N after it.
Cost: three adders of n + 2 bits; n cycles a product.  Source: amanor2005, section 2.
"""

from dataclasses import dataclass

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring

from modmul.multipliers.contract import (
    Constant,
    Cycles,
    Mode,
    Multiplier,
    core_signature,
)


@dataclass(frozen=True, kw_only=True)
class Interleaved(Multiplier):
    """Parameters: only the width."""

    name = "interleaved"
    summary = "bit-serial interleaved multiplication: shift, add, subtract"
    sources = ("amanor2005",)
    radix = 2
    montgomery_factor = 1
    beats = 1
    reload = "waits"

    @property
    def beat(self) -> int:
        return self.width

    def operand_bound(self, modulus: int) -> int:
        return modulus

    def result_bound(self, modulus: int) -> int:
        return modulus

    def constants(self, modulus: int) -> list[Constant]:
        return [Constant("modulus", modulus)]

    def cycles(self, mode: Mode = Mode()) -> dict[str, Cycles]:
        return {
            "load": Cycles.constant(1),
            "loop": Cycles.constant(self.width),
            "unload": Cycles.constant(1),
        }

    def interval(self, mode: Mode = Mode()) -> Cycles:
        return Cycles.constant(self.width + 1)

    def compute(self, a: int, b: int, modulus: int) -> int:
        s = 0
        for i in reversed(range(self.width)):
            s = 2 * s + (a >> i & 1) * b
            s -= modulus if s >= modulus else 0
            s -= modulus if s >= modulus else 0
        return s

    def create(self) -> "Core":
        return Core(self)


class Core(wiring.Component):
    """One bit of a in each cycle; ready again when the last bit is done."""

    def __init__(self, parameters: Interleaved):
        self.parameters = parameters
        super().__init__(core_signature(parameters))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        n = self.parameters.width
        modulus, a, b, total = Signal(n), Signal(n), Signal(n), Signal(n)
        left, done = Signal(range(n + 1)), Signal()
        shifted, once, twice = Signal(n + 2), Signal(n + 2), Signal(n + 2)
        m.d.comb += [
            shifted.eq((total << 1) + Mux(a[-1], b, 0)),
            once.eq(Mux(shifted >= modulus, shifted - modulus, shifted)),
            twice.eq(Mux(once >= modulus, once - modulus, once)),
            self.operand.ready.eq(left == 0),
            self.modulus.ready.eq(left == 0),
            self.result.valid.eq(done),
            self.result.p.first.eq(1),
            self.result.p.last.eq(1),
            self.result.p.data.eq(total),
        ]
        m.d.sync += done.eq(left == 1)
        with m.If(left != 0):
            m.d.sync += [left.eq(left - 1), a.eq(a << 1), total.eq(twice)]
        with m.Elif(self.operand.valid):
            m.d.sync += [left.eq(n), a.eq(self.operand.p.a), b.eq(self.operand.p.b), total.eq(0)]
        with m.If(self.modulus.valid & self.modulus.ready):
            m.d.sync += modulus.eq(self.modulus.p.data)
        return m
