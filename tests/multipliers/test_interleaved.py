"""Interleaved multipliers: golden models against integers, even moduli, refusals, cycles, and the
rare steps of the redundant one's end in hardware."""

from __future__ import annotations

import random

import pytest

from modmul.errors import SpecError
from modmul.export.hdl import emit
from modmul.multipliers import Multiplier
from modmul.multipliers.interleaved import Interleaved
from modmul.multipliers.radix2.interleaved_redundant import InterleavedRedundant
from modmul.toolchain.cache import Cache
from modmul.verification import plan
from modmul.verification.judge import judge
from modmul.verification.products import designs
from modmul.verification.protocol import CoreRequest, ModulusRun
from modmul.verification.simulator import compile_simulator

EARLY = {"standard": False, "early": True}
# n, X, Y, M, whose S + C (and last digit) need the subtraction of 8M, with early look-up of 16M
RARE = {
    False: [(10, 304, 461, 513), (16, 4998, 32755, 32769)],
    True: [(10, 480, 285, 513)],
}


def every(width: int) -> list[Multiplier]:
    redundant = [InterleavedRedundant(width=width, early_lookup=early) for early in EARLY.values()]
    return [Interleaved(width=width), *redundant]


@pytest.mark.parametrize("width", [3, 4, 5])
def test_all_operands_and_moduli(width: int) -> None:
    for multiplier in every(width):
        for modulus in range(1 << width - 1, 1 << width):
            multiplier.check_modulus(modulus)
            for a in range(modulus):
                for b in range(modulus):
                    assert multiplier.compute(a, b, modulus) == a * b % modulus


@pytest.mark.parametrize("width", [8, 9, 33, 160, 1024])
def test_random_operands(width: int) -> None:
    rng = random.Random(width)
    for modulus in (1 << width - 1, (1 << width) - 1, rng.getrandbits(width) | 1 << width - 1):
        for _ in range(20):
            a, b = rng.randrange(modulus), rng.randrange(modulus)
            for multiplier in every(width):
                assert multiplier.compute(a, b, modulus) == a * b % modulus


def test_short_moduli() -> None:
    """Interleaved takes any modulus from 3, also an even one, in any width."""
    multiplier = Interleaved(width=8)
    for modulus in range(3, 1 << 8):
        multiplier.check_modulus(modulus)
        assert multiplier.compute(modulus - 1, modulus - 2, modulus) == 2 % modulus
    for modulus in (0, 2, 1 << 8):
        with pytest.raises(SpecError, match="from 3|at most 8"):
            multiplier.check_modulus(modulus)


def test_redundant_refuses_a_modulus_without_its_top_bit() -> None:
    multiplier = InterleavedRedundant(width=8)
    with pytest.raises(SpecError, match="0x7f: must be a number of exactly 8 bits; take width = 7"):
        multiplier.check_modulus(0x7F)
    with pytest.raises(SpecError, match="take width = 9"):
        multiplier.check_modulus(0x100)
    with pytest.raises(SpecError, match="exactly 8 bits$"):
        multiplier.check_modulus(2)
    InterleavedRedundant(width=7).check_modulus(0x7F)


@pytest.mark.parametrize("early", EARLY.values(), ids=EARLY)
def test_constants_of_the_table(early: bool) -> None:
    multiplier = InterleavedRedundant(width=9, early_lookup=early)
    for modulus in range(1 << 8, 1 << 9):
        digit = pow(2, 11 if early else 10, modulus)
        values = [constant.value for constant in multiplier.constants(modulus)]
        words = [digit % modulus, 2 * digit % modulus, 3 * digit % modulus]
        assert values == [*words, modulus, modulus - digit % modulus]
        assert max(values) < 1 << multiplier.modulus_beat


@pytest.mark.parametrize("early", EARLY.values(), ids=EARLY)
@pytest.mark.parametrize(("width", "word"), [(3, 1), (16, 5), (60, 32), (256, 32), (1024, 64)])
def test_cycles_of_the_redundant_one(width: int, word: int, early: bool) -> None:
    """amanor2005's n + 3, the table, the end: 6 and 6 (7) additions of a few bits more than n."""
    multiplier = InterleavedRedundant(width=width, adder_word=word, early_lookup=early)
    terms = {name: term.maximum for name, term in multiplier.cycles().items()}
    assert sum(terms[name] for name in ("load", "start", "loop", "unload")) == width + 3
    addition = -(-(width + (5 if early else 4)) // word) + 1
    assert terms["table"] == 6 * addition
    assert terms["convert"] == (7 if early else 6) * addition
    assert multiplier.latency().maximum == sum(terms.values())


def test_cycles_of_the_plain_one() -> None:
    assert Interleaved(width=128).latency().maximum == 130
    assert Interleaved(width=128).interval().maximum == 129


def last_sum(multiplier: InterleavedRedundant, x: int, y: int, modulus: int) -> int:
    """S + C after the loop, with its last digit where that is late; from the definition alone."""
    n, digits = multiplier.width, [0]
    weight = n + (2 if multiplier.early_lookup else 1)
    s = c = 0
    e = x >> n - 1 & 1 and y
    for i in reversed(range(n)):
        digits.append((s >> n) + (c >> n))
        left, right = 2 * (s % (1 << n)), 2 * (c % (1 << n))
        s, c = left ^ right ^ e, (left & right | left & e | right & e) << 1
        digit = digits[-1] if multiplier.early_lookup else (s >> n) + (c >> n)
        bit = x >> i - 1 & 1 if i else 0
        e = ((digit << weight) + bit * y) % modulus
    return s + c + (digits[-1] << n + 1 if multiplier.early_lookup else 0)


@pytest.mark.parametrize("early", EARLY.values(), ids=EARLY)
@pytest.mark.short("early")
def test_largest_multiple_is_subtracted(early: bool) -> None:
    """Operands for which the end needs its first step, in hardware and in the golden model."""
    for width, x, y, modulus in RARE[early]:
        multiplier = InterleavedRedundant(width=width, early_lookup=early)
        assert last_sum(multiplier, x, y, modulus) >= (16 if early else 8) * modulus
        cores = designs(multiplier, emit(multiplier))
        with compile_simulator(list(cores), Cache()).start() as session:
            products = [(x, y), (y, x), (x, x), (y, y)]
            run = ModulusRun(multiplier.over(modulus), products)
            request = CoreRequest(multiplier, 0, plan.CORE[0], [run], 1)
            verdict = judge(request, session.run(request), 1)
        assert not verdict.mismatches
        assert verdict.products == len(products)


@pytest.mark.parametrize("multiplier", every(256), ids=lambda multiplier: multiplier.title)
def test_values_stay_in_their_registers(multiplier: Multiplier) -> None:
    """Operands at the bounds of the largest and the smallest modulus."""
    for modulus in (1 << 255, (1 << 255) + 1, (1 << 256) - 2, (1 << 256) - 1):
        edges = (0, 1, modulus // 2, modulus - 2, modulus - 1)
        for a in edges:
            for b in edges:
                assert multiplier.compute(a, b, modulus) == a * b % modulus
