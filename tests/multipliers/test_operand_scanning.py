"""Operand scanning: plans of slots, declared cycles beside what is printed of such designs, what is
refused."""

from __future__ import annotations

from typing import Any

import pytest

from modmul.errors import SpecError
from modmul.multipliers.cios import Cios
from modmul.multipliers.fios import Fios
from modmul.multipliers.fios_array import FiosArray
from modmul.multipliers.fios_array.plan import HEAD, HELD, HOLD, QUOTIENT, STREAMED, TOP, plan
from modmul.papers.transcribed import transcribed

ROWS = {row["ref"]: row for row in transcribed("gallin2019")["literature"]}


def test_no_slower_than_what_is_printed() -> None:
    """256 bits, words of 17, print from operands in memory to a result in memory."""
    assert Cios(width=256).latency().maximum < ROWS["MAS1"]["latency_cc"] == 583
    one = Fios(width=256, dsp_registers=2)
    assert one.interval().maximum < ROWS["MAS2"]["latency_cc"] == 312 < one.latency().maximum
    assert one.interval().maximum == 16 * (16 + 3)


@pytest.mark.parametrize(
    ("width", "words", "published"), [(128, 8, 21), (256, 16, 37), (512, 31, 67)]
)
def test_array_is_two_clocks_quicker_than_the_published_one(
    width: int, words: int, published: int
) -> None:
    one = FiosArray(width=width)
    assert one.words == one.count == words
    assert one.cycles_per_product() == published - 2 == 2 * words + 3


@pytest.mark.parametrize("latency", [2, 3, 4])
def test_every_product_has_its_slot(latency: int) -> None:
    for words in range(2, 34):
        for elements in sorted({1, 2, (words + 1) // 2, words}):
            found = plan(words, elements, latency)
            kinds = [one.kind for one in found.slots]
            assert kinds.count(HEAD) == kinds.count(QUOTIENT) == kinds.count(TOP) == 1
            chain = [(one.kind, one.word) for one in found.slots if one.kind in (STREAMED, HELD)]
            assert chain == [(kind, j) for j in range(words) for kind in (STREAMED, HELD)]
            places = [found.at(kind, j) for j in range(words) for kind in (STREAMED, HELD)]
            assert all(
                right == left + 1 for left, right in zip(places[::2], places[1::2], strict=True)
            )
            for place, one in enumerate(found.slots):
                between = place > 0 and kinds[place - 1] in (HEAD, QUOTIENT)
                assert one.late == (between and one.kind in (STREAMED, TOP))
                assert not one.late or kinds[place - 2] in (HELD, HOLD)
            assert len(found.offsets) == elements and max(found.offsets) <= found.period
            if found.rounds > 1:
                assert sum(found.offsets) == found.passing * found.period


def test_folding_keeps_elements_busy() -> None:
    """Half the elements make half the products, and no more clocks than that."""
    whole, half = FiosArray(width=256), FiosArray(width=256, elements=8)
    assert half.cycles_per_product() == 2 * whole.cycles_per_product()
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
