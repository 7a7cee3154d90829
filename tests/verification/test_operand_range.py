"""`verify` drives operands to the ends of their ranges, and moduli in more words than they need."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from instances import core_alone
from modmul.arithmetic.moduli import Field
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.fips import Fips
from modmul.multipliers.fpmm import Fpmm
from modmul.multipliers.interleaved import Interleaved
from modmul.multipliers.radix2.montgomery_lookahead import MontgomeryLookahead
from modmul.multipliers.ranges import OperandRange
from modmul.toolchain.cache import Cache
from modmul.verification import plan
from modmul.verification.judge import judge
from modmul.verification.reduce import reduce
from modmul.verification.simulator import CompiledCore, Session, compile_simulator


class GreedyFpmm(Fpmm):
    """Any b."""

    def operand_range(self, modulus: int) -> OperandRange:
        r = super().operand_range(modulus)
        return r._replace(b_below=r.a_below)


class GreedyFips(Fips):
    """Any b, without a subtraction."""

    def operand_range(self, modulus: int) -> OperandRange:
        r = super().operand_range(modulus)
        return r._replace(b_below=r.a_below)


class GreedyInterleaved(Interleaved):
    """Any b."""

    def operand_range(self, modulus: int) -> OperandRange:
        return OperandRange(1 << self.width, 1 << self.width)


class GreedyLookahead(MontgomeryLookahead):
    """One bit more in b."""

    def operand_range(self, modulus: int) -> OperandRange:
        r = super().operand_range(modulus)
        return r._replace(b_below=2 * r.b_below)


class LargeProducts(MontgomeryLookahead):
    """Results said to be in their bound, whatever a*b is."""

    def operand_range(self, modulus: int) -> OperandRange:
        return super().operand_range(modulus)._replace(product_at_most=None)


GREEDY: list[Multiplier] = [
    GreedyFpmm(width=9, word=4, tile="2x2"),
    GreedyFips(width=9, word=4, subtraction=False),
    GreedyInterleaved(width=9),
    GreedyLookahead(width=9, stream_word=4),
    LargeProducts(width=9, stream_word=8),
]
LONG = Fips(width=24, word=4)
OWN: list[tuple[int, Field]] = [(0x1F3, "prime"), (0b1000010001, "binary")]


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    cores = []
    for multiplier in (*GREEDY, LONG):
        written = core_alone(multiplier)
        text, top = written.verilog, written.core
        cores.append(CompiledCore(multiplier, text, top, "core", written.models))
    with compile_simulator(cores, Cache()).start() as running:
        yield running


@pytest.mark.parametrize("number", range(len(GREEDY)), ids=lambda i: type(GREEDY[i]).__name__)
@pytest.mark.parametrize("part", ["edges", "random"])
def test_a_range_that_is_too_wide_is_found(number: int, part: str, session: Session) -> None:
    """In edges and in random products, and reduced to one of them."""
    multiplier = GREEDY[number]
    for index in range(20):
        task = plan.CoreTask(index, number, plan.CORE[0], part, 500, 1)
        request = plan.request(multiplier, None, 1, task)
        verdict = judge(request, session.run(request))
        if verdict.mismatches:
            break
    assert verdict.mismatches
    least, again = reduce(
        request, verdict, lambda candidate: judge(candidate, session.run(candidate))
    )
    assert again.mismatches and sum(len(run.products) for run in least.runs) <= 2
    own, setting = type(multiplier).__mro__[1], least.runs[0].setting
    true = own.operand_range(setting.chosen, setting.modulus)  # type: ignore[attr-defined]
    factors = [
        (a, a if operation == "square" else b)
        for run in least.runs
        for (a, b), operation in zip(run.products, run.asked, strict=True)
    ]
    most = true.product_at_most
    assert any(b >= true.b_below or (most is not None and a * b > most) for a, b in factors)


@pytest.mark.parametrize("own", OWN, ids=lambda own: own[1])
@pytest.mark.parametrize("part", ["edges", "random"])
def test_the_modulus_of_a_spec_in_more_words_than_it_needs(
    own: tuple[int, Field], part: str, session: Session
) -> None:
    setting, seen = LONG.over(*own), set()
    for index in range(1 if part == "edges" else 8):
        task = plan.CoreTask(index, len(GREEDY), plan.CORE[0], part, 300, 1)
        request = plan.request(LONG, setting, 3, task)
        verdict = judge(request, session.run(request))
        assert not verdict.mismatches and verdict.golden == verdict.products
        runs = [run for run in request.runs if run.setting.modulus == own[0]]
        seen |= {run.setting.mode.words for run in runs if run.setting.field == own[1]}
        assert all(run.products for run in runs)
    assert setting.mode.words == 3 and ({3, 4, 6} if part == "edges" else {3}) <= seen
    assert len(seen) >= 3
