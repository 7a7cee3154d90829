"""`protection = full` of processors whose programs do not check all results: two copies."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from modmul.spec import Spec
from modmul.toolchain.work import Work
from modmul.verification import faults
from modmul.verification.verify import verify

FULL = {"protection": "full"}
POINTS = FULL | {"architecture": "curve", "multiplier": "fpmm", "schemes": "none"}
MONTGOMERY = POINTS | {"curve": "toy16-montgomery", "forms": "montgomery"}
WEIERSTRASS = POINTS | {"curve": "toy16", "forms": "weierstrass"}
DOUBLED: list[dict[str, Any]] = [
    MONTGOMERY | {"powers": True},
    WEIERSTRASS | {"batch": 2},
    WEIERSTRASS | {"blinding": 8},
    FULL | {"architecture": "kummer", "multiplier": "fpmm", "curve": "toy16-kummer"},
    FULL | {"architecture": "binary-curve", "multiplier": "fips", "curve": "toy17-binary"},
]


@pytest.mark.parametrize("options", DOUBLED)
def test_only_what_has_no_check_is_doubled(options: dict[str, Any]) -> None:
    design = Spec.from_options(options).processor
    assert design.copies == 2
    assert "until a reset" in design.notes[-1]
    assert Spec.from_options(options | {"protection": "none"}).processor.copies == 1
    assert Spec.from_options(MONTGOMERY).processor.copies == 1


@pytest.mark.parametrize(
    "options", [DOUBLED[0], *(pytest.param(each, marks=pytest.mark.long) for each in DOUBLED[1:])]
)
def test_flips_give_nothing_wrong(options: dict[str, Any]) -> None:
    spec = Spec.from_options(options)
    assert verify(spec, products=4).passed
    result = faults.inject(spec, 400, ["flip"], 1, Work())
    counts = sum((Counter(row.counts) for row in result.effects), Counter())
    assert counts["silent"] + counts["released"] == 0, result.cases
    assert counts["refused"] > 20
