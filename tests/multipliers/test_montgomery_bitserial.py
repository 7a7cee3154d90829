"""Bit-serial Montgomery multipliers of amanor2005: golden models, cycles, refusals."""

from __future__ import annotations

import random

import pytest

from modmul.arithmetic.words import ceil_div, from_words
from modmul.errors import SpecError
from modmul.implementation.implement import implement_chip
from modmul.implementation.result import ImplementResult
from modmul.multipliers import Multiplier
from modmul.multipliers.radix2.montgomery_1csa import Montgomery1Csa
from modmul.multipliers.radix2.montgomery_2csa import Montgomery2Csa
from modmul.multipliers.radix2.montgomery_radix2 import MontgomeryRadix2
from modmul.spec import Spec

ALL: tuple[type[Multiplier], ...] = (MontgomeryRadix2, Montgomery2Csa, Montgomery1Csa)
architectures = pytest.mark.parametrize(
    "architecture", ALL, ids=lambda architecture: architecture.name
)


def expect(multiplier: Multiplier, a: int, b: int, modulus: int) -> None:
    inverse = pow(1 << multiplier.width, -1, modulus)
    assert multiplier.compute(a, b, modulus) == a * b * inverse % modulus


@architectures
@pytest.mark.parametrize("width", [3, 4, 5])
def test_all_operands_and_moduli(architecture: type[Multiplier], width: int) -> None:
    multiplier = architecture(width=width)
    for modulus in range(3, 1 << width, 2):
        for a in range(modulus):
            for b in range(modulus):
                expect(multiplier, a, b, modulus)


@architectures
@pytest.mark.parametrize("width", [8, 9, 33, 160, 1024])
def test_random_operands(architecture: type[Multiplier], width: int) -> None:
    multiplier, rng = architecture(width=width), random.Random(width)
    for modulus in (3, (1 << width) - 1, 1 << width - 1 | 1, rng.getrandbits(width) | 1):
        for _ in range(20):
            expect(multiplier, rng.randrange(modulus), rng.randrange(modulus), modulus)
        expect(multiplier, modulus - 1, modulus - 1, modulus)


@architectures
def test_even_and_wide_moduli_are_refused(architecture: type[Multiplier]) -> None:
    for modulus, message in ((10, "odd number from 3"), (1, "odd number from 3"), (257, "9 bits")):
        with pytest.raises(SpecError, match=message):
            architecture(width=8).check_modulus(modulus)


@pytest.mark.parametrize("width", [3, 32, 256, 1024])
def test_cycles_with_carry_propagate_adders(width: int) -> None:
    """kuang2016's k + 2 from one product to the next; amanor2005's n + 3 with the result."""
    multiplier = MontgomeryRadix2(width=width)
    assert multiplier.interval().maximum == width + 2
    assert multiplier.latency().maximum == width + 3


@pytest.mark.parametrize(("width", "word"), [(3, 1), (31, 32), (32, 32), (256, 32), (1024, 64)])
def test_cycles_with_carry_save_adders(width: int, word: int) -> None:
    """One less than amanor2005's n + 3, and what it leaves out: the table, and the end."""
    addition = -(-(width + 1) // word) + 1
    two_rows = Montgomery2Csa(width=width, adder_word=word)
    assert {name: term.maximum for name, term in two_rows.cycles().items()} == {
        "load": 1,
        "loop": width,
        "convert": 3 * addition,
        "unload": 1,
    }
    one_row = Montgomery1Csa(width=width, adder_word=word)
    assert {name: term.maximum for name, term in one_row.cycles().items()} == {
        "load": 1,
        "table": addition + 2,
        "loop": width,
        "convert": 4 * addition,
        "unload": 1,
    }


@pytest.mark.parametrize(("width", "word"), [(3, 1), (31, 32), (32, 32), (33, 8), (64, 65)])
def test_words_of_a_modulus_fill_the_table(width: int, word: int) -> None:
    """As many as the sums of n + 1 bits have, each no longer than the modulus."""
    multiplier, modulus = Montgomery1Csa(width=width, adder_word=word), (1 << width) - 1
    beats = [constant.value for constant in multiplier.constants(modulus)]
    assert len(beats) == multiplier.pass_cycles - 1
    assert multiplier.modulus_beat == min(word, width) and max(beats) < 1 << multiplier.modulus_beat
    assert from_words(beats, multiplier.modulus_beat) == modulus


def mapped(multiplier: Multiplier) -> ImplementResult:
    """The bare core, mapped onto its chip."""
    return implement_chip(Spec(multiplier, interface="core"), route=False)


@pytest.mark.parametrize(
    ("target", "cell", "bits"),
    [
        pytest.param("xc4v", "RAM16X1S", 1, marks=pytest.mark.long),
        pytest.param("xc7", "RAM32M", 8, marks=pytest.mark.long),
        ("ecp5", "TRELLIS_DPR16X4", 4),
    ],
)
def test_the_table_is_distributed_ram(target: str, cell: str, bits: int) -> None:
    """n + 1 columns: one LUT of four inputs for each, or half a LUT of six, since one address is
    enough for writing and reading.  Long registers are X, S, C and P alone."""
    width, word = 40, 8
    result = mapped(Montgomery1Csa(width=width, adder_word=word, target=target))
    assert result.cells[cell] == ceil_div(width + 1, bits)
    long, of_adder, control = 3 * width + word * ceil_div(width + 1, word), 2 * word, 40
    assert long < result.ff < long + of_adder + control


@pytest.mark.long
@pytest.mark.parametrize("target", ["xc4v", "xc7", "ecp5"])
def test_one_row_is_smaller_than_two(target: str) -> None:
    """What amanor2005 says; and a table in registers gives much of it away."""
    one_row, registers, two_rows = (
        mapped(Montgomery1Csa(width=80, adder_word=16, target=target)),
        mapped(Montgomery1Csa(width=80, adder_word=16, target=target, table="registers")),
        mapped(Montgomery2Csa(width=80, adder_word=16, target=target)),
    )
    assert one_row.lut < registers.lut and one_row.lut < two_rows.lut
    assert one_row.ff < 0.75 * min(registers.ff, two_rows.ff)
