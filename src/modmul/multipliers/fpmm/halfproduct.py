"""Products of halves of words, each on one hard multiplier: one module for all of them."""

from __future__ import annotations

from amaranth.hdl import Module
from amaranth.lib.wiring import In, Out

from modmul.blocks.part import Part
from modmul.targets import Target

_STAGES = {
    3: "Three cycles: input registers, a register behind the multiplier, output register",
    2: "Two cycles: input registers and output register",
}


class HalfProduct(Part):
    """The product p = a * b of {bits} x {bits} bits, unsigned, on one hard multiplier ({cell}).

    {stages}. The input register of a is loaded where a_enable is high and zeroed where a_clear is
    high; that of b is loaded in every cycle{b_too}. So a stays while a_enable is low, and new
    values of b go by. There is no other reset than a_clear. Pins of the block that stay open are
    not used."""

    kept = False

    def __init__(self, target: Target, bits: int, registers: int, clears_b: bool = False):
        """clears_b: a_clear zeroes the input register of b, too."""
        assert target.dsp is not None
        self._clears_b, self.b_too = clears_b, ", or zeroed by a_clear, too" if clears_b else ""
        self._target, self.bits, self._registers = target, bits, registers
        self.cell, self.stages = str(target.dsp.cell), _STAGES[registers]
        loads = {"a_enable": In(1), "a_clear": In(1)}
        super().__init__({"clk": In(1), "a": In(bits), **loads, "b": In(bits), "p": Out(2 * bits)})

    @property
    def module(self) -> str:
        return f"mult_{self.bits}x{self.bits}"

    def elaborate(self, platform: object) -> Module:
        m = Module()
        self.clocked(m)
        multiplier = self._target.multiplier(self._registers, "product", self._clears_b)
        product = multiplier.place(m, self.a, self.b, self.a_enable, self.a_clear)
        m.d.comb += self.p.eq(product)
        return m
