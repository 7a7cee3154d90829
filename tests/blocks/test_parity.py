"""The code of words in memories: hardware and number agree, and what it finds."""

from __future__ import annotations

import itertools

import pytest
from amaranth.hdl import Module, Signal
from amaranth.sim import Simulator

from modmul.blocks.parity import CODE_BITS, coded, coded_number, is_damaged, marked


def even_and_odd(word: int, bits: int) -> tuple[int, int]:
    places = [place for place in range(bits) if word >> place & 1]
    return sum(place % 2 == 0 for place in places) % 2, sum(place % 2 for place in places) % 2


@pytest.mark.parametrize("bits", [5, 6])
def test_a_flipped_bit_and_two_neighbours_are_found(bits: int) -> None:
    m = Module()
    word, whole = Signal(bits), Signal(bits + CODE_BITS)
    made, damaged = Signal(bits + CODE_BITS), Signal()
    m.d.comb += [made.eq(coded(word)), damaged.eq(is_damaged(whole)), word.eq(whole[:bits])]
    size = bits + CODE_BITS

    async def bench(ctx) -> None:  # type: ignore[no-untyped-def]
        for number in range(1 << bits):
            right = coded_number(number, bits)
            assert even_and_odd(right, size) == (0, 0)
            ctx.set(whole, right)
            assert ctx.get(made) == right
            assert not ctx.get(damaged)
            ones = (1 << place for place in range(size))
            neighbours = (3 << place for place in range(size - 1))
            for strike in itertools.chain(ones, neighbours):
                ctx.set(whole, right ^ strike)
                assert ctx.get(damaged)

    simulator = Simulator(m)
    simulator.add_testbench(bench)
    simulator.run()


def test_a_word_is_right_with_its_own_mark_alone_and_zeros_with_none() -> None:
    m = Module()
    word, mark, asked, damaged = Signal(5), Signal(), Signal(), Signal()
    stored, of_zeros = Signal(5 + CODE_BITS), Signal()
    m.d.comb += [
        stored.eq(marked(coded(word), mark)),
        damaged.eq(is_damaged(marked(stored, asked))),
        of_zeros.eq(is_damaged(marked(Signal(5 + CODE_BITS), asked))),
    ]

    async def bench(ctx) -> None:  # type: ignore[no-untyped-def]
        for number, given, wanted in itertools.product(range(32), (0, 1), (0, 1)):
            ctx.set(word, number)
            ctx.set(mark, given)
            ctx.set(asked, wanted)
            assert ctx.get(damaged) == (given != wanted)
            assert ctx.get(of_zeros)

    simulator = Simulator(m)
    simulator.add_testbench(bench)
    simulator.run()
