"""The multiply-accumulate slice of chips whose hard multipliers have no adder behind them."""

from typing import ClassVar

from amaranth.hdl import Module

from modmul.targets.primitives import MacSlice, Multiplier


class FabricMac(MacSlice):
    """A hard multiplier (its last register is M) and the adder and P register behind it in fabric.

    block: the multiplier."""

    block: ClassVar[type[Multiplier]]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        config = self.config
        product = self.block(config.a_width, config.b_width, config.registers, "block")
        product.place(m)
        m.d.comb += [
            product.a.eq(self.a),
            product.b.eq(self.b),
            product.a_enable.eq(self.a_enable),
            product.a_clear.eq(self.a_clear),
        ]
        self.accumulate(m, product.p)
        return m
