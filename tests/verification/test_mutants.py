"""Faults injected into the emitted Verilog: the delivered testbench catches what `verify` catches.

`make mutation` asks about every architecture, and about more faults."""

from __future__ import annotations

from typing import Any

import pytest
from benchmarks import mutation_score
from benchmarks.mutants import MODES

from modmul.spec import Spec
from modmul.toolchain.cache import Cache

STUCK = MODES[:3]
# What was missed by testbenches of at most 256 products: a modulus between two loads of the spec's
# own, operands whose vectors have ones in the same places, a rare carry, an adapter that is full; a
# result that is taken in the very cycle in which the next one enters the queue; operands that
# do not wait for a modulus that is offered at the same time; a queue of moduli that takes too many.
CASES: dict[str, tuple[dict[str, Any], int, dict[str, Any]]] = {
    "the digits of fips": (
        {"architecture": "fips", "width": 64},
        120,
        {"net": "^lane_0_right", "modes": STUCK},
    ),
    "another modulus": ({"architecture": "interleaved", "modulus": 65521}, 30, {}),
    "carry-save operands": ({"architecture": "fcs-mm-2", "width": 32}, 16, {}),
    "carry-save operands of few bits": ({"architecture": "fcs-mm-2", "width": 8}, 10, {}),
    "a full queue of moduli": (
        {"architecture": "montgomery-1csa", "width": 32},
        30,
        {"net": "w_rdy|w_port_en"},
    ),
    "a full adapter": (
        {"architecture": "three-pass", "width": 8},
        24,
        {"net": "results_owed|level"},
    ),
    "rows of several widths": (
        {"architecture": "three-pass", "width": 12, "interface": "core"},
        24,
        {"net": "chosen"},
    ),
}
LONG = {
    "the digits of fips",
    "another modulus",
    "carry-save operands",
    "a full adapter",
    "a full queue of moduli",
    "rows of several widths",
}


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=pytest.mark.long) if case in LONG else case for case in CASES]
)
@pytest.mark.long
def test_the_testbench_catches_what_verify_catches(case: str) -> None:
    options, count, chosen = CASES[case]
    score = mutation_score.score(Spec.from_options(options), count, Cache(), products=300, **chosen)
    assert score.missed == () and score.broken == ()
    assert len(score.mutants) > count // 2 and score.by_testbench > 0.7 * len(score.mutants)
    if case == "the digits of fips":
        assert score.by_testbench == len(score.mutants) == count
