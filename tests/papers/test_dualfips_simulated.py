"""dualfips: clocks of a small circuit, counted in simulation."""

import pytest

from modmul.arithmetic import moduli
from modmul.errors import CheckFailed
from modmul.multipliers.fips import Fips
from modmul.operation import Cycles, Mode
from modmul.papers.dualfips.designs import clocks, left_out, modes
from modmul.papers.simulated import Stimulus, simulate_loads
from modmul.toolchain.cache import Cache

SMALL = Fips(width=24, word=4, lookahead=0, bypass=True)


def test_clocks_of_products_and_squares_in_both_fields() -> None:
    loads = [Stimulus(mode) for s in (2, 5) for mode in modes(s, "prime", "binary")]
    loads += [Stimulus(mode, moduli.parse("x^10+x^3+1").value) for mode in modes(3, "binary")]
    schedules = simulate_loads(SMALL, loads, Cache())
    for load, schedule in zip(loads, schedules, strict=True):
        s = load.mode.words or 0
        products = {
            ("multiply", "prime"): 2 * s * s + s,
            ("multiply", "binary"): 2 * s * s + s,
            ("square", "prime"): (3 * s * s + 3 * s) // 2,
            ("square", "binary"): s * s + 2 * s,
        }[load.mode.operation, load.mode.field]
        counted = schedule.latency - left_out(SMALL, load.mode)
        assert counted == clocks(SMALL, load.mode) == products + 4
        assert schedule.latency == counted + 2 + 1 + s + 2  # load, subtraction, unload
        assert schedule.interval == products + 2


def test_other_clocks_than_declared_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Fips, "interval", lambda self, mode=Mode(): Cycles.constant(15))
    loads = [Stimulus(mode) for mode in modes(4, "prime")]
    with pytest.raises(CheckFailed, match="interval"):
        simulate_loads(SMALL, loads, Cache())
