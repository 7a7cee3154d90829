"""The product that synthesis makes of `*`: today's yardstick.

dsp: hard multipliers, in tiles whose sums go to fabric or to their post-adders, as the tool has it.
Else, and on chips without them, look-up tables and carry chains: the product bears the attribute
use_dsp = "no", which Vivado knows, and which `implement` obeys on every target.
"""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Module, Value

from modmul.blocks.arrays.soft_multiplier import SoftMultiplier
from modmul.blocks.dual_field.blocks import available
from modmul.errors import SpecError
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.products.family import Array, PlainProduct
from modmul.parameters import BOTH, parameter

LONG, MINUTES = 128, 5  # processor time of Yosys for an ECP5: 13 s at 32 bits, 66 s at 64, 278 s


@dataclass(frozen=True, kw_only=True)
class Inferred(PlainProduct):
    """Parameters: width, registers at the ends, hard multipliers or none."""

    dsp: bool | None = parameter(
        None, "hard multipliers; default: where the chip has them", choices=BOTH
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
        """Whether synthesis may take hard multipliers."""
        return available(self.chip) if self.dsp is None else self.dsp

    @property
    def title(self) -> str:
        return super().title + ("-dsp" if self.hard else "")

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

    @classmethod
    def examples(cls) -> list[Multiplier]:
        return [*super().examples(), cls(width=5, dsp=False)]

    def array(self) -> Array:
        return InferredArray(self)


class InferredArray(Array):
    """One `*`."""

    def datapath(self, m: Module) -> Value:
        if self.parameters.hard:
            return self.a * self.b
        return SoftMultiplier(self.width).use(m, "multiplier", x=self.a, y=self.b)["product"]
