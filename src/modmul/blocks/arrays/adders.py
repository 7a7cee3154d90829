"""Carry-propagate adders that finish a product, each a part or made of parts.

`carry-select`: blocks of a few bits that add with carry 0 and with carry 1, as published.
`chain`: one addition, left to the chip: its carry chain, or what synthesis makes of it.
"""

from __future__ import annotations

from collections.abc import Mapping

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from modmul.blocks.arrays.unit_cells import FULL_ADDER, MUX2
from modmul.blocks.carry_propagate import add
from modmul.blocks.part import Part, wire


class ChainAdder(Part):
    """An adder that finishes a product: `sum` is a + b, with the carry out as its highest bit. It
    is one addition of {width} bits, left to the chip's carry chain."""

    def __init__(self, width: int):
        self.width = width
        super().__init__({"a": In(width), "b": In(width), "sum": Out(width + 1)})

    @property
    def module(self) -> str:
        return f"chain_adder_{self.width}"

    @property
    def unit_cells(self) -> Mapping[str, int]:
        return {FULL_ADDER: self.width}

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += self.sum.eq(add(m, self.a, self.b, "total"))
        return m


class SelectBlock(Part):
    """A block of a carry-select adder, of {width} bits: `sum` is a + b + `carry_in`, with the carry
    out as its highest bit. Both sums, without and with a carry, are computed at once, and the carry
    in selects one of them. The first block of an adder has no carry in, and computes one sum."""

    def __init__(self, width: int, first: bool):
        self.width, self.first = width, first
        ports = {"a": In(width), "b": In(width)} | ({} if first else {"carry_in": In(1)})
        super().__init__(ports | {"sum": Out(width + 1)})

    @property
    def module(self) -> str:
        return f"{'first' if self.first else 'select'}_block_{self.width}"

    @property
    def unit_cells(self) -> Mapping[str, int]:
        if self.first:
            return {FULL_ADDER: self.width}
        return {FULL_ADDER: 2 * self.width, MUX2: self.width + 1}

    def elaborate(self, platform: object) -> Module:
        m = Module()
        without = Signal(self.width + 1, name="without_carry")
        m.d.comb += without.eq(self.a + self.b)
        if self.first:
            m.d.comb += self.sum.eq(without)
            return m
        with_carry = Signal(self.width + 1, name="with_carry")
        m.d.comb += with_carry.eq(self.a + self.b + 1)
        m.d.comb += self.sum.eq(Mux(self.carry_in, with_carry, without))
        return m


ADDERS = ("chain", "carry-select")
ADDERS_HELP = (
    "how the final additions are built: chain: on the chip's carry chains; carry-select: of blocks "
    "of a few bits, as published"
)


def finish(m: Module, kind: str, a: Value, b: Value, block: int, name: str) -> Value:
    """A + b with the carry out, by an adder of that kind (see `ADDERS`)."""
    return chain_add(m, a, b, name) if kind == "chain" else select_add(m, a, b, block, name)


def chain_add(m: Module, a: Value, b: Value, name: str) -> Value:
    """A + b with the carry out, one bit wider than the wider operand."""
    return ChainAdder(max(len(a), len(b))).use(m, name, a=a, b=b)["sum"]


def select_add(m: Module, a: Value, b: Value, block: int, name: str) -> Value:
    """A + b with the carry out, by carry-select blocks of up to `block` bits."""
    width = max(len(a), len(b))
    a, b = wire(m, a, f"{name}_a"), wire(m, b, f"{name}_b")
    sums: list[Value] = []
    carry: Value = Const(0, 1)
    for low in range(0, width, block):
        size = min(block, width - low)
        inputs = {"a": a[low : low + size], "b": b[low : low + size]}
        if low:
            inputs["carry_in"] = carry
        part = SelectBlock(size, first=not low)
        total = part.use(m, f"{name}_{low // block}", **inputs)["sum"]
        sums.append(total[:-1])
        carry = total[-1]
    return wire(m, Cat(*sums, carry), f"{name}_sum")
