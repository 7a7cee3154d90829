"""Rows of full adders: ports, behaviour in plain HDL."""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal


class AdderRow:
    """`width` full adders side by side: a + b + c = sum + 2 * carry in each bit.

    a, b, c, sum, carry: plain signals of `width` bits; carry is not shifted.  `place` puts the
    logic into a module of the caller."""

    def __init__(self, width: int, name: str):
        self.width, self.name = width, name
        self.a, self.b = Signal(width, name=f"{name}_a"), Signal(width, name=f"{name}_b")
        self.c = Signal(width, name=f"{name}_c")
        self.sum, self.carry = (Signal(width, name=f"{name}_{out}") for out in ("sum", "carry"))

    def place(self, m: Module) -> None:
        a, b, c = self.a, self.b, self.c
        m.d.comb += [self.sum.eq(a ^ b ^ c), self.carry.eq((a & b) | (a & c) | (b & c))]


class ConfigurableRow:
    """A carry-save row with two modes (kuang2016, section III: configurable carry-save adder).

    full = 1: full adders, a + b + x = sum + 2 * carry.  full = 0: two rows of half adders in
    series, a + b = sum + 2 * carry, so that carries move two places a cycle; x is ignored, and the
    top bits of a and b must not both be set.  Signals as in `AdderRow`; full: 1 bit."""

    def __init__(self, width: int, name: str):
        self.width, self.name = width, name
        self.a, self.b = Signal(width, name=f"{name}_a"), Signal(width, name=f"{name}_b")
        self.x = Signal(width, name=f"{name}_x")
        self.full = Signal(name=f"{name}_full")
        self.sum, self.carry = (Signal(width, name=f"{name}_{out}") for out in ("sum", "carry"))

    def place(self, m: Module) -> None:
        half = Signal(self.width, name=f"{self.name}_half")
        generate = Signal(self.width, name=f"{self.name}_generate")
        third = Signal(self.width, name=f"{self.name}_third")
        m.d.comb += [
            half.eq(self.a ^ self.b),
            generate.eq(self.a & self.b),
            third.eq(Mux(self.full, self.x, Cat(Const(0, 1), generate[:-1]))),
            self.sum.eq(half ^ third),
            self.carry.eq((half & third) | Mux(self.full, generate, 0)),
        ]
