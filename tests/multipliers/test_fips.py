"""The FIPS multiplier: clock counts of dualfips, and what its users may not ask for."""

from __future__ import annotations

from typing import Any

import pytest

from modmul.arithmetic import binary, moduli
from modmul.errors import SpecError
from modmul.implementation.implement import implement
from modmul.multipliers.fips import Fips
from modmul.multipliers.fips.schedule import Kind, Schedule
from modmul.operation import Mode
from modmul.spec import Spec

SINGLE = {"lookahead": 0, "bypass": True}
PAIRED = {"multipliers": 2, "lookahead": 0, "bypass": True}
BALANCED = {"multipliers": 2}


def counted(operation: str, field: str = "prime", *, width: int = 1024, **given: Any) -> int:
    """What the paper counts: operands in memory, without the final subtraction."""
    multiplier = Fips(width=width, **given)
    mode = Mode(operation=operation, field=field, words=multiplier.most_words)  # type: ignore[arg-type]
    return multiplier.cycles(mode)["multiplication"].maximum


@pytest.mark.parametrize(
    ("given", "multiply", "square"),
    [
        (SINGLE, 2084, 1588),
        ({"lookahead": 0}, 2116, 1620),
        ({}, 2084, 1588),
        (BALANCED | {"bypass": True}, 1044, 796),
        (BALANCED, 1044, 797),
        (BALANCED | {"bypass": True, "lookahead": 1}, 1044, 797),
        (PAIRED, 1092, 1061),
        (PAIRED | {"bypass": False}, 1124, 1093),
    ],
)
def test_clocks_at_1024_bits(given: dict[str, Any], multiply: int, square: int) -> None:
    assert counted("multiply", **given) == multiply
    assert counted("square", **given) == square


# Table 1 gives nanoseconds of 2 ns clocks, without the 4 clocks of overhead; words: (printed times)
TABLE_1 = {
    4: (72, 60),
    8: (272, 216),
    16: (1056, 816),
    24: (2352, 1800),
    32: (4160, 3168),
    40: (6480, 4920),
    48: (9312, 7056),
    56: (12656, 9576),
    64: (16512, 12480),
}


@pytest.mark.parametrize("words", TABLE_1)
def test_table_1(words: int) -> None:
    multiply, square = TABLE_1[words]
    assert 2 * (counted("multiply", width=32 * words, **SINGLE) - 4) == multiply
    assert 2 * (counted("square", width=32 * words, **SINGLE) - 4) == square


@pytest.mark.parametrize("words", range(1, 129))
def test_closed_forms_of_one_multiplier(words: int) -> None:
    schedule = Schedule(1, 0, True, 1)
    products: dict[Kind, int] = {
        "multiply": 2 * words**2 + words,
        "square": (3 * words**2 + 3 * words) // 2,
        "skip": words**2 + 2 * words,
        "spread": words**2 + words + 1,
    }
    for kind, count in products.items():
        assert schedule.totals(words, kind).bundles == count


@pytest.mark.parametrize(
    ("m", "multiply", "squares", "balanced"),
    [
        (163, 82, (67, 52, 47), (43, 36, 29)),
        (233, 140, (112, 84, 77), (72, 58, 45)),
        (283, 175, (139, 103, 95), (90, 72, 54)),
        (571, 670, (517, 364, 347), (337, 261, 185)),
    ],
)
def test_clocks_in_binary_fields(
    m: int, multiply: int, squares: tuple[int, ...], balanced: tuple[int, int, int]
) -> None:
    width = m + 1
    assert counted("multiply", "binary", width=width, **SINGLE) == multiply
    for kind, square in zip(("zero", "skip", "spread"), squares, strict=True):
        given = SINGLE | {"binary_square": kind}
        assert counted("square", "binary", width=width, **given) == square
    two = BALANCED | {"bypass": True}
    assert counted("multiply", "binary", width=width, **two) == balanced[0]
    for kind, square in zip(("zero", "skip"), balanced[1:], strict=True):
        given = two | {"binary_square": kind}
        assert counted("square", "binary", width=width, **given) == square


# Multiplier slots that no product fills: multiply, square in GF(p), square in GF(2^m) without its
# doubled products (dualfips, section 5.3, completed by counting).
IDLE = {
    (1, 1, True): (0, 0, 0),
    (1, 1, False): (0, 0, 1),
    (1, 2, True): (0, 0, 0),
    (1, 2, False): (0, 0, 0),
    (2, 1, True): (0, 1, 2),
    (2, 1, False): (2, 3, 6),
    (2, 2, True): (0, 0, 1),
    (2, 2, False): (0, 1, 4),
}


@pytest.mark.parametrize("setting", IDLE)
def test_idle_slots_with_lookahead(setting: tuple[int, int, bool]) -> None:
    multipliers, lookahead, bypass = setting
    schedule = Schedule(multipliers, lookahead, bypass, 1)
    for words in (6, 7, 9, 16, 33, 64):
        counts = (2 * words**2 + words, (3 * words**2 + 3 * words) // 2, words**2 + 2 * words)
        kinds: tuple[Kind, ...] = ("multiply", "square", "skip")
        for kind, products, idle in zip(kinds, counts, IDLE[setting], strict=True):
            assert schedule.totals(words, kind).bundles == -(-(products + idle) // multipliers)


def test_pipelined_word_products_cost_next_to_nothing() -> None:
    """Three clocks a word product, and three clocks more for 1024 bits than one: two for the
    longer way through, one idle."""
    assert counted("multiply", lookahead=2, stages=3) == counted("multiply", **SINGLE) + 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "stages = 4 with lookahead = 2 has by forecast 1.9 times the clock and 1.04 times"),
        ({"multipliers": 2}, "stages = 3 has by forecast 1.6 times the clock"),
        ({"stages": 5, "lookahead": 2}, ""),
        ({"target": "generic"}, ""),
    ],
)
def test_advice_where_another_clock_is_far_better(options: dict[str, Any], said: str) -> None:
    """By forecast: none where the choice is good, nor on a chip without forecasts of the clock."""
    advice = Fips(**{"width": 256, "target": "ecp5", **options}).advice
    assert advice.startswith(said) and bool(advice) == bool(said)


def test_as_printed_the_square_in_gf_2m_is_wrong() -> None:
    """2*a[j]*a[k] as a shift by one, which multiplies by x: not the square."""
    modulus, a = moduli.find("b163").value, 3 << 40 | 1
    words = [a >> 32 * i & 0xFFFFFFFF for i in range(6)]
    shifted = 0
    for j, x in enumerate(words):
        for k, y in enumerate(words):
            if j <= k:
                shifted ^= binary.multiply(x, y) << (j < k) << 32 * (j + k)
    assert binary.remainder(shifted, modulus) != binary.remainder(binary.square(a), modulus)


# ---- what it takes -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bits", "field", "subtraction", "words"),
    [
        (256, "prime", True, 8),
        (257, "prime", True, 9),
        (256, "prime", False, 9),
        (254, "prime", False, 8),
        (164, "binary", True, 6),
        (193, "binary", True, 7),
        (192, "binary", False, 6),
    ],
)
def test_words_for_a_modulus(bits: int, field: str, subtraction: bool, words: int) -> None:
    multiplier = Fips(width=512, subtraction=subtraction)
    modulus = 1 << (bits - 1) | 1
    assert multiplier.over(modulus, field).mode.words == words  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"width": 64, "binary-square": "spread", "multipliers": 2, "lookahead": 0}, "spread"),
        ({"width": 64, "dsp": True, "target": "cells"}, "no hard multipliers"),
        ({"width": 64, "word": 12}, "word = 12"),
        ({"modulus": "b163", "field": "prime"}, "b163.* with field = prime takes numbers"),
        ({"modulus": "p256", "field": "binary"}, "p256.* with field = binary takes polynomials"),
        ({"width": 64, "field": "prime", "binary-square": "zero"}, "no squares in GF"),
        ({"width": 64, "squares": False, "binary-square": "zero"}, "no squares in GF"),
        ({"width": 64, "field": "binary", "dsp": True}, "no integer products"),
        ({"modulus": 1 << 200, "width": 256}, "odd"),
        ({"modulus": "b233", "width": 64}, "at most 64"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        Spec.from_options({"architecture": "fips", **options})


@pytest.mark.long
def test_area_on_xc7_is_below_the_published() -> None:
    """Table 2: 2557 LUTs at 1024 bits, one multiplier, no DSP."""
    spec = Spec.from_options(
        {"architecture": "fips", "width": 1024, "target": "xc7", "interface": "core"}
    )
    result = implement(spec)
    assert result.dsp == 0
    assert result.lut < 2557
