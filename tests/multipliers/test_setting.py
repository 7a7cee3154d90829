"""A multiplier under a modulus: what it answers, and what it refuses."""

from __future__ import annotations

import dataclasses

import pytest

from modmul.errors import SpecError
from modmul.multipliers import find
from modmul.multipliers.fips import Fips
from modmul.multipliers.fpmm import Fpmm
from modmul.multipliers.interleaved import Interleaved
from modmul.multipliers.setting import Setting, least
from modmul.operation import Mode
from modmul.spec import Spec

FIPS = Fips(width=64, word=8)
POLYNOMIAL = 0b100101


def test_the_fewest_words_that_do_or_as_many_as_asked() -> None:
    few, more = FIPS.over(0x1F3), FIPS.over(0x1F3, words=5)
    assert (few.mode, more.mode) == (Mode(words=2), Mode(words=5))
    assert (few.montgomery_factor, more.montgomery_factor) == (1 << 16, 1 << 40)
    assert (few.beats, more.beats) == (2, 5)
    assert (len(few.loads), len(more.loads)) == (1 + 2 + 1, 1 + 5 + 1)
    assert more.latency().maximum == FIPS.latency(Mode(words=5)).maximum > few.latency().maximum
    for setting in (few, more):
        a, b = 0x1F2, 0x155
        assert setting.compute(a, b) * setting.montgomery_factor % 0x1F3 == a * b % 0x1F3


def test_field_and_operation() -> None:
    binary = FIPS.over(POLYNOMIAL, "binary")
    assert (binary.field, binary.mode) == ("binary", Mode(field="binary", words=1))
    assert binary.operand_bound == binary.result_bound == 32
    assert binary.of("square") == Mode("square", "binary", 1)
    assert binary.latency("square") == FIPS.latency(binary.of("square"))
    assert binary.interval("square") == FIPS.interval(binary.of("square"))
    assert binary.cycles("square") == FIPS.cycles(binary.of("square"))
    assert FIPS.over(POLYNOMIAL).operand_bound == POLYNOMIAL


def test_a_multiplier_without_choices() -> None:
    setting = Interleaved(width=8).over(200)
    assert (setting.mode, setting.montgomery_factor, setting.beats) == (Mode(), 1, 1)
    assert (setting.compute(150, 199), setting.loads) == (150 * 199 % 200, [200])
    assert setting.latency_of(1, 2) == setting.latency().maximum == 10
    plain = find("array-mux")(width=8).over(0)
    assert (plain.montgomery_factor, plain.constants, plain.compute(255, 255)) == (None, (), 65025)


def test_equal_settings_are_one() -> None:
    few = FIPS.over(5)
    assert few == Setting(FIPS, 5, Mode(words=1)) == Setting(FIPS, 5, few.of("square"))
    assert len({FIPS.over(5), FIPS.over(5, words=1), FIPS.over(5, words=2)}) == 2
    assert Setting(FIPS, 5) == FIPS.over(5, words=8)  # no choice made: all words
    with pytest.raises(dataclasses.FrozenInstanceError):
        FIPS.over(5).modulus = 7  # type: ignore[misc]


@pytest.mark.parametrize("mode", FIPS.modes, ids=lambda mode: mode.name)
def test_the_least_modulus_of_a_mode(mode: Mode) -> None:
    setting = least(FIPS, mode)
    assert setting.modulus == 3 and setting.beats == FIPS.beats_in(mode) == mode.words
    assert FIPS.taken_in(mode).least == 3


@pytest.mark.parametrize(
    ("multiplier", "arguments", "key", "says"),
    [
        (FIPS, (0x1F3, "prime", 1), "words", "words = 1: must be 2 or more for a modulus of 9 b"),
        (FIPS, (5, "prime", 9), "words", "takes 1 to 8"),
        (FIPS, (5, "prime", 0), "words", "words = 0"),
        (FIPS, (4,), "modulus", "an odd number"),
        (FIPS, (1 << 64 | 1,), "modulus", "has 65 bits; width = 64"),
        (FIPS, (2, "binary"), "modulus", "a polynomial with constant term 1"),
        (Fips(width=64, field="binary"), (5,), "field", "computes in a binary field"),
        (Fpmm(width=16), (5, "prime", 2), "words", "always has all words in use"),
        (Fpmm(width=16), (5, "binary"), "field", "computes in a prime field"),
        (find("array-mux")(width=8), (5,), "modulus", "there is no modulus"),
    ],
)
def test_refusals(multiplier: Fips, arguments: tuple[int], key: str, says: str) -> None:
    with pytest.raises(SpecError, match=says) as caught:
        multiplier.over(*arguments)
    assert caught.value.key == key


def test_of_a_spec() -> None:
    spec = Spec.from_options({"architecture": "fips", "modulus": "b163", "width": 256, "word": 32})
    assert spec.setting == spec.multiplier.over(spec.modulus.value, "binary")  # type: ignore[union-attr]
    assert spec.setting is not None and spec.mode == spec.setting.mode
    assert Spec.from_options({"width": 64}).setting is None
    processor = Spec.from_options({"architecture": "exponentiation", "modulus": "p192"})
    assert processor.setting is not None
    assert processor.setting.multiplier == processor.processor.multiplier
