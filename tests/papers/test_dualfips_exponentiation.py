"""dualfips: clocks of small exponentiations, counted in simulation."""

import dataclasses

import pytest

from modmul.multipliers.fips import Fips
from modmul.operation import Mode
from modmul.papers.dualfips import exponentiation
from modmul.papers.dualfips.designs import clocks
from modmul.toolchain.cache import Cache


@pytest.mark.long
def test_loops_of_exponentiations(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a processor with words of 4 bits, which is compiled sooner."""
    small = dataclasses.replace(
        exponentiation.processor(exponentiation.L_R, 32), multiplier=Fips(width=20, word=4), beat=4
    )
    monkeypatch.setattr(exponentiation, "processor", lambda *_: small)
    bits = (8, 20)
    loops = exponentiation._simulate(exponentiation.L_R, bits, Cache())
    for n, loop in zip(bits, loops, strict=True):
        mode = Mode(words=n // 4)
        power = dataclasses.replace(mode, operation="exponentiate", length=n)
        terms = small.cycles(power, ones=n // 2)
        assert loop.total == sum(term.maximum for term in terms.values())
        product, square = clocks(small.multiplier, mode), clocks(small.multiplier, mode.square())
        assert loop.clocks == terms["loop"].maximum > n * square + n // 2 * product
