"""Bits by weight: the columns of a product before they are summed."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence

from amaranth.hdl import Cat, Module, Signal, Value

from modmul.blocks.carry_save import masked

Columns = list[list[Value]]  # the bits of weight 2^0, of 2^1 ...


def partial_products(m: Module, a: Value, b: Value, name: str) -> Columns:
    """The AND of each bit of a with each bit of b, by weight."""
    columns: Columns = [[] for _ in range(len(a) + len(b) - 1)]
    for j in range(len(b)):
        row = Signal(len(a), name=f"{name}_product{j}")
        m.d.comb += row.eq(masked(a, b[j]))
        for i in range(len(a)):
            columns[i + j].append(row[i])
    return columns


def xor(values: Sequence[Value]) -> Value:
    return functools.reduce(operator.xor, values)


def registered(m: Module, columns: Columns, name: str) -> Columns:
    """The bits one cycle later; bit k of every column is in the register `name`_k."""
    after: Columns = [[] for _ in columns]
    for k in range(max(map(len, columns))):
        places = [place for place, bits in enumerate(columns) if len(bits) > k]
        row = Signal(len(places), name=f"{name}_{k}", reset_less=True)
        m.d.sync += row.eq(Cat(columns[place][k] for place in places))
        for j, place in enumerate(places):
            after[place].append(row[j])
    return after
