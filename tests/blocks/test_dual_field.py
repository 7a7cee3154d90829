"""The dual-field multiplier and adder against their golden functions, cycle by cycle."""

from __future__ import annotations

import dataclasses
import itertools
import random
from typing import Any

import pytest
from amaranth.hdl import Elaboratable, Module, Signal
from amaranth.sim import Simulator, SimulatorContext

from modmul import targets
from modmul.arithmetic import binary
from modmul.blocks.dual_field import DualFieldMultiplier, dual_add
from modmul.blocks.dual_field.blocks import cuts
from modmul.blocks.dual_field.pipeline import LogicStep, cut, delay_of, slowest, within
from modmul.blocks.dual_field.plan import Level, plan
from modmul.targets import Target
from modmul.targets.rows import AdderRow

Inputs = tuple[int, int, int, int]  # a, b, double, ride


def chip(name: str) -> Target:
    """A target whose rows of adders are plain HDL: Amaranth cannot simulate a library's cells."""
    return dataclasses.replace(targets.find(name), adder_cells=AdderRow)


def dual_field_product(a: int, b: int, field: int, double: int = 0, ride: int = 0) -> int:
    """The output p of `DualFieldMultiplier` for its inputs, all of them at least 0.

    field 0: a * b, twice that if double; ride is ignored.  field 1: the carry-less product, 0 if
    double (the characteristic is 2), plus the carry-less square of ride."""
    if not field:
        return a * b << double
    return (0 if double else binary.multiply(a, b)) ^ binary.square(ride)


def outputs(
    multiplier: DualFieldMultiplier, stages: int, given: list[Inputs], field: int
) -> list[int]:
    """One product in every cycle; p exactly `stages` cycles after each."""
    products: list[int] = []

    async def drive(context: SimulatorContext) -> None:
        if multiplier.chooses:
            context.set(multiplier.binary_field, field)
        for cycle in range(len(given) + stages):
            a, b, double, ride = given[min(cycle, len(given) - 1)]
            context.set(multiplier.a, a)
            context.set(multiplier.b, b)
            if multiplier.doubles:
                context.set(multiplier.double, double)
            if multiplier.riding:
                context.set(multiplier.ride, ride)
            if cycle >= stages:
                products.append(context.get(multiplier.p))
            await context.tick()

    simulator = Simulator(multiplier)
    simulator.add_clock(1e-6)
    simulator.add_testbench(drive)
    simulator.run()
    return products


def check(multiplier: DualFieldMultiplier, stages: int, given: list[Inputs]) -> None:
    for field in [0] * multiplier.prime + [1] * multiplier.binary:
        wanted = [
            dual_field_product(a, b, field, double, ride if multiplier.riding else 0)
            for a, b, double, ride in given
        ]
        assert outputs(multiplier, stages, given, field) == wanted


def edges(word: int, rng: random.Random, random_ones: int) -> list[Inputs]:
    """Pairs of edge operands and random ones; double and ride at random."""
    top, ones = 1 << word - 1, (1 << word) - 1
    pairs = list(itertools.product((0, 1, top, ones, ones // 3), repeat=2))
    pairs += [(rng.getrandbits(word), rng.getrandbits(word)) for _ in range(random_ones)]
    rng.shuffle(pairs)
    return [(a, b, rng.getrandbits(1), rng.getrandbits(word)) for a, b in pairs]


@pytest.mark.parametrize("word", [2, 4])
@pytest.mark.parametrize(
    "target, stages, options",
    [
        ("generic", 1, {"riding": True}),
        ("generic", 4, {}),
        ("cells", 2, {"riding": True}),
        ("generic", 2, {"dsp": True}),
    ],
)
def test_all_operands(target: str, word: int, stages: int, options: dict[str, Any]) -> None:
    words, rng = range(1 << word), random.Random(word)
    given = [
        (*operands, rng.getrandbits(word)) for operands in itertools.product(words, words, (0, 1))
    ]
    rng.shuffle(given)
    check(DualFieldMultiplier(chip(target), word, stages, **options), stages, given)


@pytest.mark.parametrize(
    "target, stages, options",
    [
        ("xc7", 2, {"riding": True}),
        ("xc7", 3, {"prime": False, "riding": True}),
        ("cells", 4, {"binary": False}),
        ("generic", 5, {"dsp": True}),
    ],
)
def test_words_of_eight_bits(target: str, stages: int, options: dict[str, Any]) -> None:
    multiplier = DualFieldMultiplier(chip(target), 8, stages, **options)
    check(multiplier, stages, edges(8, random.Random(stages), 40))


def test_golden_function() -> None:
    rng = random.Random(1)
    for _ in range(100):
        a, b, c = (rng.getrandbits(40) for _ in range(3))
        naive = 0
        for i in range(40):
            naive ^= a << i if b >> i & 1 else 0
        square = int("0".join(f"{c:b}"), 2)
        assert dual_field_product(a, b, 1) == naive
        assert dual_field_product(a, b, 1, ride=c) == naive ^ square
        assert dual_field_product(a, b, 1, double=1, ride=c) == square
        assert dual_field_product(a, b, 0, double=1, ride=c) == 2 * a * b


@pytest.mark.parametrize("word", [2, 4, 8, 16, 32, 64])
def test_adders_of_the_trees(word: int) -> None:
    """The dual-field tree: (w - 1)(w - 2) full, w - 1 half adders; w - 1 full more than Dadda."""
    heights = [min(c + 1, 2 * word - 1 - c) for c in range(2 * word - 1)] + [0]
    both, prime = plan(heights, pure=True), plan(heights, pure=False)

    def sizes(levels: list[Level]) -> list[int]:
        return [adder.size for level in levels for adder in level.adders]

    assert sizes(both).count(3) == (word - 1) * (word - 2)
    assert sizes(both).count(2) == word - 1
    assert {column for level in both for column in level.tapped} == set(range(2 * word - 1))
    if word > 2:
        assert sizes(prime).count(3) == (word - 1) * (word - 3)
        assert sizes(prime).count(2) == word - 1
    assert word != 32 or (len(both), len(prime)) == (11, 8)


def test_cuts_of_a_pipeline_are_the_best() -> None:
    rng = random.Random(5)
    for _ in range(40):
        steps = [LogicStep(rng.choice((0.4, 1.0, 1.3)), rng.choice((0.0, 1.28))) for _ in range(7)]
        stages, last = rng.randint(1, 4), 1.0
        assigned = cut(steps, stages, last)
        assert assigned == sorted(assigned) and assigned[0] >= 0 and assigned[-1] < stages
        every = itertools.combinations_with_replacement(range(stages), len(steps))
        best = min(longest(steps, list(times), stages, last) for times in every)
        assert longest(steps, assigned, stages, last) == pytest.approx(best)
        assert slowest(steps, stages, last) == pytest.approx(best)
        loose = within(steps, stages, last, best + 3)
        assert loose is None or longest(steps, loose, stages, last) <= best + 3
        assert within(steps, stages, last, best - 0.01) is None


def longest(steps: list[LogicStep], times: list[int], stages: int, last: float) -> float:
    delays = [
        delay_of([s for s, t in zip(steps, times, strict=True) if t == k]) for k in range(stages)
    ]
    delays[-1] += last
    return max(delays)


def test_tiles_are_even_and_fit() -> None:
    assert cuts(32, 24) == [0, 16, 32]
    assert cuts(64, 17) == [0, 16, 32, 48, 64]
    assert cuts(16, 17) == [0, 16]


@pytest.mark.parametrize(
    "target, word, stages, options",
    [
        ("generic", 8, 1, {"prime": False, "binary": False}),
        ("generic", 1, 1, {}),
        ("generic", 8, 0, {}),
        ("cells", 8, 1, {"dsp": True}),
    ],
)
def test_refusals(target: str, word: int, stages: int, options: dict[str, Any]) -> None:
    class RefusedMultiplier(DualFieldMultiplier):
        _MustUse__silence = True  # it is never used, of which Amaranth would warn

    with pytest.raises(ValueError, match="field|at least|no hard multipliers"):
        RefusedMultiplier(targets.find(target), word, stages, **options)


class AdderBench(Elaboratable):
    def __init__(self, x: int, y: int, width: int | None):
        self.x, self.y, self.field = Signal(x), Signal(y), Signal()
        self.width, self.total = width, Signal(max(x, y) if width is None else width)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        total = dual_add(m, self.x, self.y, self.field, "total", self.width)
        assert len(total) == len(self.total)
        m.d.comb += self.total.eq(total)
        return m


@pytest.mark.parametrize("x, y, width", [(3, 3, None), (3, 3, 4), (4, 2, None), (2, 4, 5)])
def test_dual_adder(x: int, y: int, width: int | None) -> None:
    bench = AdderBench(x, y, width)
    mask = (1 << len(bench.total)) - 1

    async def drive(context: SimulatorContext) -> None:
        for a, b in itertools.product(range(1 << x), range(1 << y)):
            context.set(bench.x, a)
            context.set(bench.y, b)
            for field, wanted in enumerate((a + b & mask, a ^ b)):
                context.set(bench.field, field)
                assert context.get(bench.total) == wanted

    simulator = Simulator(bench)
    simulator.add_testbench(drive)
    simulator.run()
