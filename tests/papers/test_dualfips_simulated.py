"""dualfips: clocks counted in simulation, of a small circuit and of small exponentiations."""

import pytest

from modmul.arithmetic import moduli
from modmul.errors import CheckFailed
from modmul.multipliers.contract import Cycles, Mode
from modmul.multipliers.fips import Fips
from modmul.papers.dualfips import exponentiation, simulated
from modmul.papers.dualfips.designs import Load, Subject, clocks, modes
from modmul.toolchain.cache import Cache

SMALL = Fips(width=48, word=8, lookahead=0, bypass=True)


def test_clocks_of_products_and_squares_in_both_fields() -> None:
    loads = [Load(mode) for s in (2, 6) for mode in modes(s, "prime", "binary")]
    loads += [Load(mode, moduli.parse("x^20+x^3+1").value) for mode in modes(3, "binary")]
    found = simulated.simulate(Subject(SMALL, loads), Cache())
    for load, one in zip(loads, found, strict=True):
        s = load.mode.words or 0
        products = {
            ("multiply", "prime"): 2 * s * s + s,
            ("multiply", "binary"): 2 * s * s + s,
            ("square", "prime"): (3 * s * s + 3 * s) // 2,
            ("square", "binary"): s * s + 2 * s,
        }[load.mode.operation, load.mode.field]
        assert one.clocks == clocks(SMALL, load.mode) == products + 4
        assert one.latency == one.clocks + 1 + 1 + s + 2  # load, subtraction, unload
        assert one.interval == products + 1


def test_other_clocks_than_declared_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Fips, "interval", lambda self, mode=Mode(): Cycles.constant(15))
    loads = [Load(mode) for mode in modes(4, "prime")]
    with pytest.raises(CheckFailed, match="interval"):
        simulated._simulate(Subject(SMALL, loads), Cache())


def test_loops_of_exponentiations() -> None:
    bits = (8, 40)
    found = exponentiation.simulate(exponentiation.L_R, bits, Cache())
    processor = exponentiation.processor(exponentiation.L_R, max(bits))
    for n, loop in zip(bits, found, strict=True):
        mode = Mode(words=-(-n // 32))
        terms = processor.cycles(n, ones=n // 2, mode=mode)
        assert loop.clocks == terms["loop"].maximum > exponentiation.formula("L_R", n)
        assert loop.total == sum(term.maximum for term in terms.values())
