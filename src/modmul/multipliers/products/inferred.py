"""The product that synthesis makes of `*`: today's yardstick.

dsp: hard multipliers, in tiles whose sums go to fabric or to their post-adders, as the tool has it.
Else, and on chips without them, look-up tables and carry chains: the product bears the attribute
use_dsp = "no", which Vivado knows, and which `implement` obeys on every target.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from amaranth.hdl import Module, Value
from amaranth.lib.wiring import In, Out

from modmul.arithmetic.words import ceil_div
from modmul.blocks.dual_field.blocks import available
from modmul.blocks.part import Part
from modmul.errors import SpecError
from modmul.forecast import Logic, fabric
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.products.family import Array, PlainProduct
from modmul.parameters import BOTH, parameter

# Blocks into which Yosys moves the registers of operands and the sums of tiles.
_PACKED = ("DSP48E1", "DSP48A1")
LONG, MINUTES = 128, 5  # processor time of Yosys for an ECP5: 13 s at 32 bits, 66 s at 64, 278 s


@dataclass(frozen=True, kw_only=True)
class Inferred(PlainProduct):
    """Parameters: width, registers at the ends, hard multipliers or none."""

    dsp: bool | None = parameter(
        None, "use hard multipliers (default: if the chip has them)", choices=BOTH
    )

    name = "inferred"
    summary = "plain product: what synthesis makes of `*`, with hard multipliers or without"
    radix = 2

    def check(self) -> None:
        super().check()
        if self.dsp and not available(self.chip):
            message = f"dsp = true: {self.target} has no hard multipliers"
            raise SpecError("dsp", True, "false", message)

    @property
    def hard(self) -> bool:
        """Whether synthesis may use hard multipliers."""
        return available(self.chip) if self.dsp is None else self.dsp

    @property
    def core_title(self) -> str:
        return super().core_title + ("-dsp" if self.hard else "")

    @property
    def notes(self) -> tuple[str, ...]:
        if self.hard or self.width < LONG:
            return super().notes
        return (
            *super().notes,
            f"Synthesis of the whole product at once takes long: Yosys {MINUTES} minutes for an "
            f"ECP5 at {LONG} bits, four to five times as long at twice as many.",
        )

    def compute(self, a: int, b: int, modulus: int = 0) -> int:
        product = 0
        for i in range(self.width):
            product += a << i if b >> i & 1 else 0
        return product

    def logic(self) -> Logic:
        """Hard: tiles as Yosys cuts them, and the additions behind them; soft: a tree like Dadda's.

        Yosys cuts slices of the block's narrower width; the last may have the wider one.

        Calibrated from 8 to 128 bits: LUTs within 11 %, flip-flops 1 %, clock 15 %."""
        chip, k, dsp = fabric(self.chip), self.width, self.chip.dsp
        if not self.hard or dsp is None:
            lut = chip.by_lut_inputs(2.77 * k - 2, 2.28 * k - 3) * k
            levels = chip.by_lut_inputs(3, 2.25) * math.log2(k) - chip.by_lut_inputs(2.8, 2.2)
            return Logic(lut, 0, levels=levels, carry=1.3 * k, broadcast=False)
        if dsp.cell is None:
            return Logic(2, 0, levels=1, dsp=1)
        across, other = ceil_div(k, dsp.narrow), 1 + ceil_div(max(0, k - dsp.wide), dsp.narrow)
        inside = dsp.cell in _PACKED
        lut = 2 + (1.4 if inside else 3.5) * (across - 1) * k
        saved = (4 * k if across == 1 else 2 * k) if inside and self.registers else 0
        levels = 1.3 if across == 1 else 2.6 * across
        if not inside:
            levels = 5.9 + 3 * math.log2(across)
        carry = 1.5 * k if across > 1 and not inside else 0
        return Logic(lut, -saved, levels=levels, carry=carry, dsp=across * other, broadcast=False)

    @classmethod
    def examples(cls) -> list[Multiplier]:
        return [*super().examples(), cls(width=5, dsp=False)]

    def array(self) -> Array:
        return InferredArray(self)


class InferredArray(Array):
    """A single `*`."""

    def datapath(self, m: Module) -> Value:
        if self.parameters.hard:
            return self.a * self.b
        return SoftMultiplier(self.width).use(m, "multiplier", x=self.a, y=self.b)["product"]


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
