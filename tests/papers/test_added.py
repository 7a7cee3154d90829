"""What docs/adding-a-paper.md promises: printed figures and one module, and a paper is there."""

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from modmul.literature import Reference
from modmul.multipliers import Multiplier
from modmul.papers import definition, simulated
from modmul.papers.agreement import of_paper
from modmul.papers.needs import Measuring, ReadOnlyCache
from modmul.papers.records import Paper
from modmul.toolchain.cache import Cache
from modmul.verification.observed import ProductSchedule

PAGE = Path(__file__).parents[2] / "docs" / "adding-a-paper.md"
REFERENCE = Reference("example2026", "A title", ("A. One",), "A journal 1, 2026")


def block(language: str) -> str:
    (text,) = re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
    return str(text)


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> definition.Definition[Any]:
    """The module of the page, on the figures of the page."""
    figures = tomllib.loads(block("toml figures"))
    monkeypatch.setattr(
        definition, "transcribed", lambda key: {figures["meta"]["key"]: figures}[key]
    )
    monkeypatch.setattr(definition, "REFERENCES", {REFERENCE.key: REFERENCE})
    names: dict[str, Any] = {}
    exec(compile(block("python"), str(PAGE), "exec"), names)
    return names["PAPER"]  # type: ignore[no-any-return]


def simulated_all(designs: Sequence[Multiplier], count: int, cache: Cache) -> list[ProductSchedule]:
    """One product each, as long as the designs declare; the real one takes a compile."""
    spans = [(design, design.latency().maximum) for design in designs]
    return [ProductSchedule(design.title, 1, [(1, 1)], [(last, last)]) for design, last in spans]


def cycles(paper: Paper) -> list[Any]:
    return [row[1] for row in paper.tables[0].rows]


def test_the_example_is_a_paper(
    example: definition.Definition[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """First read alone, then measured: 64 bits are as printed, 128 bits differ, with the remark."""
    monkeypatch.setattr(simulated, "simulate_all", simulated_all)
    read = example.paper(Measuring(cache=ReadOnlyCache(tmp_path)))
    assert [(cell.published, cell.computed, cell.measured) for cell in cycles(read)] == [
        (66, 66, None),
        (132, 130, None),
    ]
    measured = example.paper(Measuring(jobs=1, cache=Cache(tmp_path)))
    assert [cell.measured for cell in cycles(measured)] == [66, 130]
    again = example.paper(Measuring(cache=ReadOnlyCache(tmp_path)))
    assert cycles(again) == cycles(measured)
    (difference,) = of_paper(measured, "").differences
    assert (difference.row, difference.published, difference.measured) == ("128", 132, 130)
    assert difference.reason is not None and difference.reason.startswith("printed k + 4")
    assert measured.source == "A. One, A journal 1, 2026"
