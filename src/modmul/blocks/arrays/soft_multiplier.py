"""The product that synthesis makes of `*` without hard multipliers, as a part."""

from __future__ import annotations

from amaranth.hdl import Module
from amaranth.lib.wiring import In, Out

from modmul.blocks.part import Part


class SoftMultiplier(Part):
    """The product x * y of two numbers of `width` bits, made of look-up tables. `product` has the
    attribute use_dsp = "no"; it is on a port because no step of synthesis drops it there."""

    def __init__(self, width: int):
        self.width = width
        super().__init__({"x": In(width), "y": In(width), "product": Out(2 * width)})
        self.product.attrs["use_dsp"] = "no"

    @property
    def module(self) -> str:
        return f"soft_multiplier_{self.width}"

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += self.product.eq(self.x * self.y)
        return m
