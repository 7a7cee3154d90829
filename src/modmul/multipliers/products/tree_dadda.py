"""Dadda's tree: all partial products at once, full adders in levels, a fast adder at the end.

Levels bring every column down to ... 42, 28, 19, 13, 9, 6, 4, 3, 2 bits, by as few adders as do;
the depth grows with log k, not with k as that of an array.  Two numbers are left: on FPGAs a carry
chain adds them, on cells a parallel-prefix network (Sklansky).
Cost: k^2 gates, k^2 - 4k + 3 full and k - 1 half adders, and the adder of 2k - 2 bits.
Source: Dadda, Some schemes for parallel multipliers, 1965; today's yardstick beside the arrays of
alkhaleel2006.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from amaranth.hdl import Cat, Module, Value
from amaranth.lib.wiring import In, Out
from numpy.typing import NDArray

from modmul.blocks.arrays.adders import chain_add
from modmul.blocks.arrays.dadda import reduced_product, tree
from modmul.blocks.arrays.unit_cells import GATE, XOR
from modmul.blocks.dual_field import final_adder
from modmul.blocks.part import Part
from modmul.forecast import Logic, fabric
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.products.family import Array, PlainProduct
from modmul.targets import Target


class _Taken(NamedTuple):
    """`dadda.tree` as arrays of numbers of bits; -1 where an adder or a column has no further bit.

    levels: the three bits of each adder.  one, other: the two bits of each column at the end."""

    levels: tuple[NDArray[np.int64], ...]
    one: NDArray[np.int64]
    other: NDArray[np.int64]


@functools.lru_cache(maxsize=8)
def _taken(width: int) -> _Taken:
    levels, columns = tree(width)
    adders = ([(*bits, -1)[:3] for bits in itertools.chain(*rows)] for rows in levels)
    one, other = np.array([(*bits, -1, -1)[:2] for bits in columns], np.int64).T
    return _Taken(tuple(np.array(level, np.int64) for level in adders), one, other)


@dataclass(frozen=True, kw_only=True)
class TreeDadda(PlainProduct):
    """Parameters: width, registers at the ends."""

    name = "tree-dadda"
    summary = "plain product: Dadda's tree of full adders, a fast adder at the end"
    radix = 2

    def compute(self, a: int, b: int, modulus: int = 0) -> int:
        k = self.width
        levels, one, other = _taken(k)
        bits = np.zeros(k * k + 2 * sum(map(len, levels)) + 1, np.uint8)  # the last one stays 0
        x, y = (np.array([v >> i & 1 for i in range(k)], np.uint8) for v in (a, b))
        bits[: k * k] = np.outer(x, y).ravel()
        start = k * k
        for taken in levels:
            total = bits[taken].sum(axis=1, dtype=np.uint8)
            end = start + 2 * len(total)
            bits[start:end:2], bits[start + 1 : end : 2] = total & 1, total >> 1
            start = end
        rows = (np.packbits(bits[row], bitorder="little").tobytes() for row in (one, other))
        return sum(int.from_bytes(row, "little") for row in rows)

    def logic(self) -> Logic:
        """A full adder for most partial products; the levels grow with log k.

        Calibrated from 8 to 64 bits: LUTs within 1 %, flip-flops 1 %, clock 21 %."""
        chip, k = fabric(self.chip), self.width
        return Logic(
            lut=chip.by_lut_inputs(3 * k - 8, 2 * k - 4) * k + 9,
            ff=0,
            levels=chip.by_lut_inputs(3.2, 1.85) * math.log2(k) - chip.by_lut_inputs(4, 0.5),
            carry=1.1 * k,
            broadcast=False,
        )

    @classmethod
    def examples(cls) -> list[Multiplier]:
        return [*super().examples(), cls(width=7, target="cells")]

    def array(self) -> Array:
        return DaddaTree(self)


class DaddaTree(Array):
    """level_0 and the further levels, then `final`."""

    @property
    def notes(self) -> dict[str, dict[str, str]]:
        return {
            "levels of full and half adders; the last one leaves two bits of each weight": {
                "level_*_sum": "of each adder in it, of the weight of the bits that it adds",
                "level_*_carry": "of each adder in it, of twice that weight",
                "level_*_products": "partial products that no level adds; bit 0 is bit 0 of x*y",
                "level_*": "",
                "final_adder_sum": "x*y without bit 0",
                "final_adder": "",
            },
        }

    def datapath(self, m: Module) -> Value:
        low, first, other = reduced_product(m, self.chip, self.a, self.b)
        if self.chip.carry_chains:
            return Cat(low, chain_add(m, first, other, "final_adder"))
        adder = PrefixAdder(self.chip, 2 * self.width - len(low))
        return Cat(low, adder.use(m, "final_adder", a=first, b=other)["sum"])


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
