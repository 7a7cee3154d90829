"""The parallel-prefix adder that finishes a product on cells, as a part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from amaranth.hdl import Module
from amaranth.lib.wiring import In, Out

from modmul.blocks.arrays.unit_cells import GATE, XOR
from modmul.blocks.dual_field import final_adder
from modmul.blocks.part import Part
from modmul.targets import Target


class PrefixAdder(Part):
    """The adder that finishes a product: `sum` is a + b without the carry out, `width` bits each.
    On a library of cells it is Sklansky's parallel-prefix network."""

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "carries: level n looks at the bits from i down to the nearest multiple of 2^n": {
            "network_g0": "bit i of a and b makes a carry",
            "network_p0": "bit i of a and b passes a carry on",
            "network_g*": "bit i: the bits of level n make a carry out of bit i",
            "network_p*": "bit i: the bits of level n pass a carry on",
        },
    }

    def __init__(self, chip: Target, width: int):
        self.chip, self.width = chip, width
        super().__init__({"a": In(width), "b": In(width), "sum": Out(width)})

    @property
    def module(self) -> str:
        return f"prefix_adder_{self.width}"

    @property
    def unit_cells(self) -> Mapping[str, int]:
        levels = range((self.width - 1).bit_length())
        nodes = sum(i >> level & 1 for level in levels for i in range(self.width))
        return {XOR: 2 * self.width - 1, GATE: self.width + 3 * nodes}

    def elaborate(self, platform: object) -> Module:
        m = Module()
        at_once = [0] * len(final_adder.steps(self.chip, self.width))
        m.d.comb += self.sum.eq(final_adder.add(m, self.chip, self.a, self.b, at_once, "network"))
        return m
