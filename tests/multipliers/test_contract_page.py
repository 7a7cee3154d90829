"""The tables of contracts 1 and 4 have every question, and no other."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

from modmul.design import Design
from modmul.multipliers import Multiplier
from modmul.multipliers.facts import MultiplierFacts
from modmul.multipliers.setting import Setting
from modmul.processors.contract import Processor

_OF_MULTIPLIERS = {"width", "target", "protection"}  # parameters that processors pass on
PAGE = Path(__file__).parents[2] / "docs" / "contracts.md"


def asked(title: str) -> set[str]:
    """Names in the first column of the table below a title."""
    text = PAGE.read_text().partition(f"### {title}\n")[2].partition("\n#")[0]
    rows = [line.split(" | ")[0] for line in text.splitlines() if line.startswith("| `")]
    return {name for row in rows for name in re.findall(r"`(\w+)", row)}


def public(contract: type[Any]) -> set[str]:
    """What the class itself has, fields among it."""
    return {
        name for name in {*vars(contract), *inspect.get_annotations(contract)} if name[0] != "_"
    }


@pytest.mark.parametrize("contract", [Design, Setting], ids=lambda contract: contract.__name__)
def test_a_table_has_every_question(contract: type[Any]) -> None:
    known = public(contract) | (_OF_MULTIPLIERS if contract is Design else set())
    assert asked(contract.__name__) == known


def test_the_table_of_multipliers_has_what_designs_have_not() -> None:
    known = public(Multiplier) | public(MultiplierFacts)
    assert asked("Multiplier") == known - asked("Design")


def test_the_table_of_processors_has_what_designs_have_not() -> None:
    """And some questions of designs again, to which processors give more."""
    own = public(Processor) - public(Design) - _OF_MULTIPLIERS
    assert own <= asked("Processor") <= own | asked("Design")
