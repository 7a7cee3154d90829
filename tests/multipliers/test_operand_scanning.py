"""Operand scanning: declared cycles beside what is printed of such designs, what is
refused."""

from __future__ import annotations

from typing import Any

import pytest

from modmul.errors import SpecError
from modmul.multipliers.cios import Cios
from modmul.multipliers.fios import Fios
from modmul.papers.transcribed import transcribed

ROWS = {row["ref"]: row for row in transcribed("gallin2019")["literature"]}


def test_no_slower_than_what_is_printed() -> None:
    """256 bits, words of 17, print from operands in memory to a result in memory."""
    assert Cios(width=256).latency().maximum < ROWS["MAS1"]["latency_cc"] == 583
    one = Fios(width=256, dsp_registers=2)
    assert one.interval().maximum < ROWS["MAS2"]["latency_cc"] == 312 < one.latency().maximum
    assert one.interval().maximum == 16 * (16 + 3)


@pytest.mark.parametrize(
    ("kind", "options", "said"),
    [
        (Cios, {"word": 19, "target": "ecp5"}, "word = 19: .* at most 18 on ecp5"),
        (Fios, {"width": 8, "word": 10}, "at least two words; word must be at most 9"),
        (Cios, {"target": "xcve"}, "target = xcve: has no DSP blocks"),
    ],
)
def test_refused(kind: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        kind(**options)
