"""The multiply-accumulate slice of chips whose hard multipliers have no adder behind them."""

from typing import ClassVar

from amaranth.hdl import Module

from modmul.targets.primitives import HardMultiplier, MacSlice


class FabricMac(MacSlice):
    """A multiply-accumulate slice: {operation}. The multiplier is a hard block; the adder and the
    register of p are in fabric."""

    # The class of the multiplier, whose last register is M.
    block: ClassVar[type[HardMultiplier]]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        config = self.config
        multiplier = self.block(config.registers, "product")
        product = multiplier.place(m, self.a, self.b, self.a_enable, self.a_clear)
        self.accumulate(m, product)
        return m
