"""Additions and subtractions in pieces against Python's, at and around the borders of pieces."""

from __future__ import annotations

import random
from typing import Any

import pytest
from amaranth.hdl import Elaboratable, Module, Signal
from amaranth.sim import Simulator

from modmul.blocks import carry_propagate

PIECES = (1, 3, 8, 64)


class Both(Elaboratable):
    """A sum with carry in and a difference, of operands of two widths."""

    def __init__(self, left: int, right: int):
        self.a, self.b, self.carry = Signal(left), Signal(right), Signal()

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        self.sum = carry_propagate.add(m, self.a, self.b, "sum", carry=self.carry)
        self.difference = carry_propagate.subtract(m, self.a, self.b, "difference")
        return m


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize(("left", "right"), [(1, 1), (8, 8), (9, 5), (4, 11), (25, 24)])
def test_sum_and_difference(
    piece: int, left: int, right: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(carry_propagate, "PIECE", piece)
    design = Both(left, right)
    simulator = Simulator(design)
    rng = random.Random(1)
    edges = [(0, 0), (0, 1), (2**left - 1, 1), (2**left - 1, 2**right - 1), (0, 2**right - 1)]
    drawn = [(rng.getrandbits(left), rng.getrandbits(right)) for _ in range(50)]
    wide = (1 << max(left, right) + 1) - 1

    async def bench(ctx: Any) -> None:
        for a, b in edges + drawn:
            for carry in (0, 1):
                ctx.set(design.a, a)
                ctx.set(design.b, b)
                ctx.set(design.carry, carry)
                assert ctx.get(design.sum) == a + b + carry
                assert ctx.get(design.difference) == (a - b) & wide

    simulator.add_testbench(bench)
    simulator.run()
