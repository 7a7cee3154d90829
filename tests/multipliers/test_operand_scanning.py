"""Operand scanning: plans of slots, declared cycles beside what is printed of such designs, what is
refused."""

from __future__ import annotations

from typing import Any

import pytest

from modmul.errors import SpecError
from modmul.export.operands import edge_values
from modmul.multipliers.cios import Cios
from modmul.multipliers.fios import Fios
from modmul.multipliers.fios_array import FiosArray
from modmul.multipliers.fios_array.plan import HEAD, HELD, HOLD, QUOTIENT, STREAMED, TOP, plan
from modmul.multipliers.operand_scanning import StepByStep
from modmul.multipliers.oracle import contradicted
from modmul.operation import Mode
from modmul.papers.transcribed import transcribed
from modmul.verification import stimuli

ROWS = {row["ref"]: row for row in transcribed("gallin2019")["literature"]}


def test_no_slower_than_what_is_printed() -> None:
    """256 bits, words of 17, print from operands in memory to a result in memory."""
    assert Cios(width=256).latency().maximum < ROWS["MAS1"]["latency_cc"] == 583
    fios = Fios(width=256, dsp_registers=2)
    assert fios.interval().maximum < ROWS["MAS2"]["latency_cc"] == 312 < fios.latency().maximum
    assert fios.interval().maximum == 16 * (16 + 3)


@pytest.mark.parametrize("kind", [Cios, Fios])
@pytest.mark.parametrize("width", [2, 5, 33])
def test_sums(kind: type[StepByStep], width: int) -> None:
    """Below 2N, as operands are, for operands at all edges; by the oracle."""
    multiplier = kind(width=width, adder=True)
    assert multiplier.operations == ("multiply", "add", "subtract")
    for modulus in stimuli.edge_moduli(multiplier, Mode()):
        setting = multiplier.over(modulus)
        values = edge_values(setting)
        pairs = [(a, b) for a in values for b in values]
        for operation in multiplier.operations:
            results = [setting.computed(operation, a, b) for a, b in pairs]
            assert not contradicted(setting, pairs, results, [operation] * len(pairs))
            if operation != "multiply":
                distinct = set(results)
                assert max(distinct) < 2 * modulus and {0, 2 * modulus - 1} <= distinct
            wrong = [results[0] + 1, *results[1:]]
            assert contradicted(setting, pairs, wrong, [operation] * len(pairs)) == [0]


def test_what_sums_take() -> None:
    """Operands of products may be longer; those of sums are below the bound."""
    setting = Cios(width=33, adder=True).over((1 << 33) - 9)
    bound = setting.operand_bound
    assert setting.takes(bound, 1) and not setting.takes(bound, 1, "add")
    assert setting.takes(bound - 1, bound - 1, "add") and setting.takes(0, bound - 1, "subtract")


def test_cycles_of_sums() -> None:
    """As the docstrings count them: passes of s words, a word of 0 each, and what is behind."""
    cios = Cios(width=256, adder=True)
    assert cios.latency() == Cios(width=256).latency()
    assert [cios.interval(mode).maximum for mode in cios.modes] == [560, 61, 39]
    assert [cios.latency(mode).maximum for mode in cios.modes] == [566, 66, 44]
    fios = Fios(width=256, dsp_registers=2, adder=True)
    assert [fios.interval(mode).maximum for mode in fios.modes] == [304, 42, 42]
    assert [fios.latency(mode).maximum for mode in fios.modes] == [313, 48, 48]


@pytest.mark.parametrize(
    ("width", "words", "published"), [(128, 8, 21), (256, 16, 37), (512, 31, 67)]
)
def test_array_is_two_clocks_quicker_than_the_published_one(
    width: int, words: int, published: int
) -> None:
    array = FiosArray(width=width)
    assert array.words == array.count == words
    assert array.cycles_per_product() == published - 2 == 2 * words + 3


@pytest.mark.parametrize("latency", [2, 3, 4])
def test_every_product_has_its_slot(latency: int) -> None:
    for words in range(2, 34):
        for elements in sorted({1, 2, (words + 1) // 2, words}):
            schedule = plan(words, elements, latency)
            kinds = [slot.kind for slot in schedule.slots]
            assert kinds.count(HEAD) == kinds.count(QUOTIENT) == kinds.count(TOP) == 1
            chain = [
                (slot.kind, slot.word) for slot in schedule.slots if slot.kind in (STREAMED, HELD)
            ]
            assert chain == [(kind, j) for j in range(words) for kind in (STREAMED, HELD)]
            places = [schedule.at(kind, j) for j in range(words) for kind in (STREAMED, HELD)]
            assert all(
                right == left + 1 for left, right in zip(places[::2], places[1::2], strict=True)
            )
            for place, slot in enumerate(schedule.slots):
                between = place > 0 and kinds[place - 1] in (HEAD, QUOTIENT)
                assert slot.late == (between and slot.kind in (STREAMED, TOP))
                assert not slot.late or kinds[place - 2] in (HELD, HOLD)
            assert len(schedule.offsets) == elements and max(schedule.offsets) <= schedule.period
            if schedule.rounds > 1:
                assert sum(schedule.offsets) == schedule.passing * schedule.period


def test_folding_keeps_elements_busy() -> None:
    """Half the elements make half the products, and no more clocks than that."""
    full, half = FiosArray(width=256), FiosArray(width=256, elements=8)
    assert half.cycles_per_product() == 2 * full.cycles_per_product()
    assert half.slots > 1 and half.cycles_for(half.slots + 1) > half.interval().maximum


@pytest.mark.parametrize(
    ("kind", "options", "said"),
    [
        (Cios, {"word": 19, "target": "ecp5"}, "word = 19: .* at most 18 on ecp5"),
        (Fios, {"width": 8, "word": 10}, "at least two words; word must be at most 9"),
        (Cios, {"target": "xcve"}, "target = xcve: has no DSP blocks"),
        (FiosArray, {"elements": 9}, "elements = 9: must be at most 8"),
        (FiosArray, {"target": "xc7", "word": 16}, "word = 16: .* must be 17"),
        (FiosArray, {"target": "xc6s"}, "target = xc6s: .* not shifted"),
        (FiosArray, {"target": "xc4v"}, "target = xc4v: .* one port C"),
    ],
)
def test_refused(kind: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        kind(**options)
