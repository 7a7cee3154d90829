"""The netlist after synthesis computes what the Verilog does."""

from __future__ import annotations

import pytest

from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.verification.verify import verify

pytestmark = pytest.mark.timeout(900)  # synthesis and C++, on a machine that may be busy

SMALL = {"architecture": "fpmm", "width": 30, "word": 12, "tile": "6x6"}  # compiled in seconds
SPECS = [
    {"architecture": "interleaved", "width": 12, "target": "ecp5"},
    {**SMALL, "target": "ecp5"},
    {**SMALL, "target": "xc7"},
]


@pytest.mark.parametrize("options", SPECS, ids=lambda one: "-".join(map(str, one.values())))
def test_a_netlist_is_right(options: dict[str, object]) -> None:
    spec = Spec.from_options(options)
    result = verify(spec, products=1000, netlist=True, cache=Cache())
    assert result.netlist and result.passed, result.failure
    latency = spec.multiplier.latency().maximum
    assert result.latency.measured == (latency, latency)
