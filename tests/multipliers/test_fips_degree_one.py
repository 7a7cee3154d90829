"""The smallest polynomial, x + 1: GF(2)[x] modulo it has two elements."""

from __future__ import annotations

import itertools

import pytest

from modmul.arithmetic import moduli
from modmul.errors import SpecError
from modmul.export.constants import constants
from modmul.export.hdl import emit
from modmul.multipliers.fips import Fips
from modmul.operation import Mode
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.verification import plan
from modmul.verification.judge import judge
from modmul.verification.products import designs
from modmul.verification.protocol import CoreRequest, ModulusRun
from modmul.verification.simulator import compile_simulator

X_PLUS_1 = 0b11


def test_it_can_be_given() -> None:
    spec = Spec.from_options({"architecture": "fips", "modulus": "x+1", "word": 4})
    assert spec.modulus == moduli.Modulus(None, X_PLUS_1, field="binary")
    assert spec.mode == Mode(field="binary", words=1) and spec.options()["modulus"] == "x+1"
    assert [word.value for word in constants(spec).words][1] == "0x3"
    assert spec.multiplier.moduli.endswith("1 <= m <= 1")
    for wrong in ("x^0", "x^1"):
        with pytest.raises(SpecError, match="degree|constant term"):
            moduli.parse(wrong)


@pytest.mark.long
def test_all_products_of_all_lengths() -> None:
    """All pairs of operands, as products and squares, at every length, among other moduli."""
    multiplier = Fips(width=16, word=4, multipliers=2)
    (core, _) = designs(multiplier, emit(multiplier))
    pairs = list(itertools.product((0, 1), repeat=2))
    runs = []
    kinds = (("multiply", "square"), ("square", "multiply"))
    for words, (operation, against) in itertools.product(range(1, 5), kinds):
        setting = multiplier.over(X_PLUS_1, "binary", words)
        runs.append(ModulusRun(setting, list(pairs), operations=[operation] * 4))
        other = multiplier.over((1 << 4 * words) - 1, "binary")
        assert other.mode.words == words
        runs.append(ModulusRun(other, list(pairs), operations=[against] * 4))
    request = CoreRequest(multiplier, 0, plan.CORE[0], runs, 1)
    with compile_simulator([core], Cache()).start() as session:
        verdict = judge(request, session.run(request), 1)
    assert not verdict.mismatches and verdict.products == verdict.golden == 4 * len(runs)
