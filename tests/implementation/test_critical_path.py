"""nextpnr's report told in the signal names of the design."""

from typing import Any

import pytest

from modmul.errors import ToolFailed
from modmul.implementation import critical_path
from modmul.implementation.critical_path import Named


def step(kind: str, delay: float, start: str, end: str, port: str = "Q") -> dict[str, Any]:
    return {
        "type": kind,
        "delay": delay,
        "from": {"cell": start, "port": port},
        "to": {"cell": end, "port": port},
    }


def path(*steps: dict[str, Any], start: str = "posedge clk") -> dict[str, Any]:
    return {"from": start, "to": "posedge clk", "path": list(steps)}


NAMES = {
    "ff_a": Named("TRELLIS_FF", "a[3]"),
    "carry": Named("CCU2C", None),
    "ff_b": Named("TRELLIS_FF", "sum[9]"),
}
SLOW = path(
    step("clk-to-q", 0.5, "ff_a", "ff_a"),
    step("routing", 1.0, "ff_a", "carry$CCU2_COMB0"),
    step("logic", 0.4, "carry$CCU2_COMB0", "carry$CCU2_COMB0"),
    step("routing", 0.0, "carry$CCU2_COMB0", "carry$CCU2_COMB1"),
    step("logic", 0.1, "carry$CCU2_COMB1", "carry$CCU2_COMB1"),
    step("routing", 0.0, "carry$CCU2_COMB1", "$nextpnr_CCU2C_5$CCU2_COMB0"),
    step("logic", 0.3, "$nextpnr_CCU2C_5$CCU2_COMB0", "$nextpnr_CCU2C_5$CCU2_COMB0"),
    step("routing", 0.2, "$nextpnr_CCU2C_5$CCU2_COMB0", "ff_b"),
    step("setup", 0.0, "ff_b", "ff_b"),
)


def test_slowest_clocked_path_with_carry_chains_as_one() -> None:
    quick = path(step("clk-to-q", 0.5, "ff_b", "ff_b"), step("setup", 0.0, "ff_a", "ff_a"))
    pad = path(step("routing", 99.0, "pad", "ff_a"), start="<async>")
    parsed = critical_path.read({"critical_paths": [quick, pad, SLOW]}, NAMES, seed=3)
    assert (parsed.start, parsed.end, parsed.seed) == ("a[3]", "sum[9]", 3)
    assert (parsed.ns, parsed.wire_ns) == (2.5, 1.2)
    chain = [(s.cell, s.signal, s.wire_ns, s.cell_ns) for s in parsed.stages]
    assert chain == [
        ("TRELLIS_FF", "a[3]", 0.0, 0.5),
        ("2 x CCU2C", None, 1.0, 0.8),
        ("TRELLIS_FF", "sum[9]", 0.2, 0.0),
    ]


def test_no_clocked_path_is_an_error() -> None:
    with pytest.raises(ToolFailed):
        critical_path.read({"critical_paths": []}, {}, seed=1)


def test_names_prefer_the_core_and_its_outermost_signals() -> None:
    cells = {
        "$auto$1": {
            "type": "TRELLIS_FF",
            "hide_name": 1,
            "connections": {"Q": [7], "DI": [8]},
            "port_directions": {"Q": "output", "DI": "input"},
        },
        "core.unit.block": {"type": "MULT18X18D", "connections": {}, "port_directions": {}},
    }
    nets = {
        "feed": {"bits": [7]},
        "core.unit.z": {"bits": [6, 7]},
        "core.total": {"bits": [5, 6, 7]},
        "core.hidden": {"bits": [7], "hide_name": 1},
    }
    netlist = {"modules": {"harness": {"cells": cells, "netnames": nets}}}
    assert critical_path.cell_names(netlist) == {
        "$auto$1": Named("TRELLIS_FF", "total[2]"),
        "core.unit.block": Named("MULT18X18D", "unit.block"),
    }
