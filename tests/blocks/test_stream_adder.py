"""The pipelined word adder against Python's integers."""

from __future__ import annotations

import random

import pytest
from amaranth.hdl import Elaboratable, Module, Signal
from amaranth.sim import Simulator, SimulatorContext

from modmul.blocks.stream_adder import StreamAdder


class StreamAdderBench(Elaboratable):
    def __init__(self, word: int, **options: bool):
        self.word, self.options = word, options
        self.left, self.right = Signal(word), Signal(word)
        self.first, self.total = Signal(), Signal(word)
        self.latency = 3 if options["registered"] else 2

    def elaborate(self, platform: object) -> Module:
        m = Module()
        adder = StreamAdder(m, self.left, self.right, self.first, **self.options)
        assert adder.latency == self.latency
        m.d.comb += self.total.eq(adder.total)
        return m


def words_of(bench: StreamAdderBench, numbers: list[tuple[list[int], list[int]]]) -> list[int]:
    """The words that come out for pairs of numbers given as words, one after the other."""
    given = [
        (left, right, position == 0)
        for lefts, rights in numbers
        for position, (left, right) in enumerate(zip(lefts, rights, strict=True))
    ]
    words: list[int] = []

    async def drive(context: SimulatorContext) -> None:
        for cycle in range(len(given) + bench.latency):
            left, right, first = given[cycle] if cycle < len(given) else (0, 0, False)
            context.set(bench.left, left)
            context.set(bench.right, right)
            context.set(bench.first, first)
            if cycle >= bench.latency:
                words.append(context.get(bench.total))
            await context.tick()

    simulator = Simulator(bench)
    simulator.add_clock(1e-6)
    simulator.add_testbench(drive)
    simulator.run()
    return words


@pytest.mark.parametrize("prefix", [False, True])
@pytest.mark.parametrize("registered", [False, True])
@pytest.mark.parametrize("word", [2, 3, 4, 7, 16, 33])
def test_sums_of_long_numbers(word: int, registered: bool, prefix: bool) -> None:
    rng, count = random.Random(word), 5
    mask = (1 << word) - 1
    values = [(rng.getrandbits(word * count), rng.getrandbits(word * count)) for _ in range(20)]
    values += [((1 << word * count) - 1, 1), (0, 0), ((1 << word * count) - 1,) * 2]

    def words(value: int) -> list[int]:
        return [value >> word * j & mask for j in range(count)]

    bench = StreamAdderBench(word, registered=registered, prefix=prefix)
    sums = words_of(bench, [(words(a), words(b)) for a, b in values])
    assert sums == [word for a, b in values for word in words(a + b)]


@pytest.mark.parametrize("prefix", [False, True])
@pytest.mark.parametrize("word", [4, 5, 16])
def test_words_of_a_drifting_pair(word: int, prefix: bool) -> None:
    rng, count = random.Random(word), 6
    mask, bits = (1 << word) - 1, word * count - 1
    numbers, wanted = [], []
    for _ in range(30):
        total, carry = rng.getrandbits(bits), rng.getrandbits(bits - 1) << 1
        value, lefts, rights = total + carry, [], []
        for j in range(count):
            lefts.append(total >> (word - 1) * j & mask)
            rights.append(carry >> (word - 1) * j & mask)
            total, carry = total >> 1, carry >> 1  # one half-adder step and a shift
            total, carry = total ^ carry, (total & carry) << 1
        numbers.append((lefts, rights))
        wanted += [value >> word * j & mask for j in range(count)]
    bench = StreamAdderBench(word, registered=False, prefix=prefix, drifting=True)
    assert words_of(bench, numbers) == wanted
