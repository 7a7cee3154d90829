"""The netlist after synthesis computes what the Verilog does."""

from __future__ import annotations

import pytest

from modmul.spec import Spec
from modmul.targets.libraries import NAMED
from modmul.toolchain.cache import Cache
from modmul.verification.verify import verify

SMALL = {"architecture": "fpmm", "width": 30, "word": 12, "tile": "6x6"}  # compiled in seconds
SPECS = [
    {"architecture": "interleaved", "width": 12, "target": "ecp5"},
    {**SMALL, "target": "xc7"},
    *(
        {"architecture": "scs-mm-1", "width": 8, "target": "cells", "library": library}
        for library in ("normalised", "osu018")
    ),
]


LONG: list[dict[str, object]] = [
    {**SMALL, "target": "ecp5"},
    {"architecture": "montgomery-lookahead", "width": 12, "target": "xc4v"},
    {**SMALL, "target": "xc2vp"},
    {"architecture": "interleaved-redundant", "width": 8, "target": "xcve"},  # RAM of LUTs
    *(
        {"architecture": "scs-mm-new", "width": 8, "target": "cells", "library": library}
        for library in ("normalised", "osu018")
    ),
]


@pytest.mark.parametrize(
    "options",
    [*SPECS, *(pytest.param(options, marks=pytest.mark.long) for options in LONG)],
    ids=lambda options: "-".join(map(str, options.values())),
)
@pytest.mark.short("interleaved-12-ecp5")
def test_a_netlist_is_right(options: dict[str, object]) -> None:
    if options.get("library") == "osu018" and not NAMED["osu018"].path.is_file():
        pytest.skip("qflow-tech-osu018 is not installed")
    spec = Spec.from_options(options)
    result = verify(spec, products=1000, netlist=True, cache=Cache())
    assert result.netlist and result.passed, result.failure
    latency = spec.multiplier.latency()
    low, high = result.latency.measured or (0, 0)
    assert latency.minimum <= low <= high <= latency.maximum
    if spec.multiplier.timing == "constant":
        assert low == high == latency.maximum
