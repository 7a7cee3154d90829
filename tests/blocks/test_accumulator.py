"""The accumulator's passes against Python's integers, for words that divide the width or do not."""

from __future__ import annotations

import random
from typing import Any

import pytest
from amaranth.hdl import Elaboratable, Module, Signal
from amaranth.sim import Simulator

from modmul.blocks.accumulator import Accumulator, Term
from modmul.blocks.sequencer import PhaseSequencer
from modmul.blocks.word_serial import serial_cycles

BITS = 11
PASSES = ("first", "minus", "twice", "maybe")


class FourPasses(Elaboratable):
    """v = a + b; v = v - c; v = 2 * v - c; then v + c if v is negative."""

    def __init__(self, word: int):
        self.word = word
        self.start = Signal()
        self.a, self.b, self.c = Signal(8), Signal(7), Signal(8)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        self.control = PhaseSequencer(
            m, self.start, dict.fromkeys(PASSES, serial_cycles(BITS, self.word))
        )
        active = self.control.active
        self.sums = sums = Accumulator(m, self.control, PASSES, BITS, self.word)
        m.d.comb += [
            sums.keep.eq(active["minus"] | active["maybe"]),
            sums.double.eq(active["twice"]),
            sums.subtract.eq(active["minus"] | active["twice"]),
            sums.enable.eq(~active["maybe"] | sums.negative),
        ]
        sums.operands(
            left={"a": Term(self.a, ("first",))},
            right={"b": Term(self.b, ("first",)), "c": Term(self.c, PASSES[1:])},
        )
        return m


@pytest.mark.parametrize("word", [1, 3, 4, 11, 32])
def test_passes(word: int) -> None:
    design = FourPasses(word)
    simulator = Simulator(design)
    simulator.add_clock(1e-6)
    rng = random.Random(word)
    signs = set()

    async def bench(ctx: Any) -> None:
        for _ in range(30):
            a, b, c = rng.getrandbits(8), rng.getrandbits(7), rng.getrandbits(8)
            for signal, value in ((design.a, a), (design.b, b), (design.c, c), (design.start, 1)):
                ctx.set(signal, value)
            await ctx.tick()
            ctx.set(design.start, 0)
            await ctx.tick().repeat(len(PASSES) * serial_cycles(BITS, word))
            assert ctx.get(design.control.done)
            wanted = 2 * (a + b - c) - c
            signs.add(wanted < 0)
            wanted += c if wanted < 0 else 0
            assert ctx.get(design.sums.value) == wanted % (1 << len(design.sums.value))

    simulator.add_testbench(bench)
    simulator.run()
    assert signs == {False, True}
