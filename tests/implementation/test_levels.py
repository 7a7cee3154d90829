"""LUTs in series and the estimate by hand, against another way of counting, and of a real adder."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from modmul import targets
from modmul.errors import ToolFailed
from modmul.implementation import synthesis
from modmul.implementation.levels import Paths
from modmul.implementation.result import LABEL, Estimate, PathLevels

Cell = tuple[str, dict[str, Any]]
NET = {"xc4v": 0.436, "xc7": 0.5}


class NetlistBuilder:
    """A flat netlist in the making; nets are numbers from 2."""

    def __init__(self, target: str, inputs: dict[str, list[int]], outputs: dict[str, list[int]]):
        self.target = targets.find(target)
        ports = [(item, "input") for item in inputs.items()] + [
            (item, "output") for item in outputs.items()
        ]
        self.ports = {
            name: {"direction": direction, "bits": bits} for (name, bits), direction in ports
        }
        self.cells: dict[str, dict[str, Any]] = {}
        self.names: dict[str, dict[str, Any]] = {}

    def cell(self, kind: str, **pins: int | str | list[int]) -> None:
        bits = {pin: bit if isinstance(bit, list) else [bit] for pin, bit in pins.items()}
        outputs = ("O", "Q", "Z", "CO", "COUT", "S0", "S1", "DOA")
        directions = {pin: "output" if pin in outputs else "input" for pin in pins}
        name = f"cell{len(self.cells)}"
        self.cells[name] = {
            "type": kind,
            "hide_name": 1,
            "connections": bits,
            "parameters": {},
            "port_directions": directions,
        }

    def name(self, **nets: int) -> None:
        self.names |= {name: {"hide_name": 0, "bits": [net]} for name, net in nets.items()}

    @property
    def paths(self) -> Paths:
        module = {"ports": self.ports, "cells": self.cells, "netnames": self.names}
        assert self.target.arcs is not None
        return Paths(module, self.target.arcs)

    def both(self) -> tuple[PathLevels, Estimate]:
        deepest, slowest = self.paths.deepest(), self.paths.slowest()
        assert deepest is not None and slowest is not None
        return deepest, slowest


def test_three_luts_between_registers() -> None:
    netlist = NetlistBuilder("xc4v", {"clk": [2]}, {})
    netlist.cell("FDRE", C=2, D=6, CE="1", R="0", Q=3)
    netlist.cell("LUT2", I0=3, I1="1", O=4)
    netlist.cell("LUT4", I0=4, I1=3, I2="0", I3="0", O=5)
    netlist.cell("LUT1", I0=5, O=6)
    netlist.name(state=3)
    deepest, slowest = netlist.both()
    assert deepest == slowest.path == PathLevels("state", "state", 3, 0, 0, 0)
    cells = 0.272 + 3 * 0.147 + 0.017  # the last LUT is in the slice of the register
    assert (slowest.cells_ns, slowest.nets) == (round(cells, 3), 3)
    assert slowest.delay_ns == round(cells + 3 * NET["xc4v"], 3)
    assert slowest.label == LABEL == "estimate, not routed"
    assert slowest.cells == {"FDRE": 1, "LUT1": 1, "LUT2": 1, "LUT4": 1}
    assert slowest.verified and slowest.speed_grade == "12"


def test_an_enable_is_an_end_and_its_setup_is_not_verified() -> None:
    netlist = NetlistBuilder("xc4v", {"clk": [2], "a": [7]}, {"q": [3]})
    netlist.cell("LUT1", I0=7, O=4)
    netlist.cell("FDRE", C=2, D="1", CE=4, R="0", Q=3)
    deepest, slowest = netlist.both()
    assert (deepest.start, deepest.end, deepest.lut_levels) == ("a", "cell1", 1)
    assert slowest.nets == 2 and not slowest.verified


def adder(target: str, bits: int, select: str = "LUT2") -> NetlistBuilder:
    """Registers a, b and sum around carry cells; nets of a from 100, of sum from 300."""
    netlist = NetlistBuilder(target, {"clk": [2]}, {})
    for k in range(bits):
        netlist.cell("FDRE", C=2, D="0", CE="1", R="0", Q=100 + k)
        netlist.cell("FDRE", C=2, D=300 + k, CE="1", R="0", Q=200 + k)
        if select == "LUT2":
            netlist.cell("LUT2", I0=100 + k, I1="1", O=400 + k)
        netlist.name(**{f"a[{k}]": 100 + k, f"sum[{k}]": 200 + k})
    first = 400 if select == "LUT2" else 100
    s = [first + k for k in range(bits)]
    if target == "xc4v":
        for k in range(bits):
            carry: int | str = 500 + k if k else "0"
            netlist.cell("XORCY", CI=carry, LI=s[k], O=300 + k)
            netlist.cell("MUXCY", CI=carry, DI="0", S=s[k], O=501 + k)
    else:
        for k in range(0, bits, 4):
            netlist.cell(
                "CARRY4",
                CI=500 + k if k else "0",
                CYINIT="0",
                S=s[k : k + 4],
                DI=["0"] * 4,
                O=[300 + k + i for i in range(4)],
                CO=[501 + k + i for i in range(4)],
            )
    return netlist


def test_a_carry_chain_is_one_level() -> None:
    deepest, slowest = adder("xc4v", 8).both()
    wanted = PathLevels("a[0]", "sum[7]", 1, 1, 8, 0)
    assert deepest == slowest.path == wanted
    cells = 0.272 + 0.147 + 0.278 + 6 * 0.034 + 0.273 + 0.017
    assert (slowest.cells_ns, slowest.nets) == (round(cells, 3), 1)
    assert slowest.cells == {"FDRE": 2, "LUT2": 1, "MUXCY": 7, "XORCY": 1}
    deepest, slowest = adder("xc7", 8).both()
    assert deepest == wanted and slowest.path.lut_levels == 1
    # in the models S[1] is slower to CO[3] than S[0], and CI slower to O[1] than to O[3]
    assert slowest.path == PathLevels("a[1]", "sum[5]", 1, 1, 3 + 2, 0)
    assert slowest.cells_ns == round(0.303 + 0.238 + 0.528 + 0.334, 3)


def test_a_chain_entered_over_a_net_is_a_level_of_its_own() -> None:
    """A register drives the select: its LUT only passes it on, and is counted with the chain."""
    for target in ("xc4v", "xc7"):
        deepest, slowest = adder(target, 4, select="register").both()
        assert (deepest.lut_levels, deepest.carry_chains, deepest.carry_bits) == (1, 1, 4)
        assert slowest.nets == 1
    chained = NetlistBuilder("xc7", {"a": [2], "b": [3]}, {"y": [5]})
    chained.cell("CARRY4", CYINIT=2, CI="0", S=["0"] * 4, DI=["0"] * 4, CO=[10, 11, 12, 13])
    chained.cell("CARRY4", CYINIT="0", CI=13, S=["0"] * 4, DI=["0"] * 4, CO=[20, 21, 22, 23])
    chained.cell(
        "CARRY4", CYINIT="0", CI=21, S=["0"] * 4, DI=["0", 23, "0", "0"], CO=[30, 31, 5, 33]
    )
    deepest, slowest = chained.both()
    assert (deepest.lut_levels, deepest.carry_chains, deepest.carry_bits) == (2, 2, 8 + 2)
    assert slowest.delay_ns == round(0.5 + 0.580 + 0.114 + 0.5 + 0.520, 3)


def test_wide_multiplexers_are_counted_apart() -> None:
    netlist = NetlistBuilder("xc7", {"a": [2], "s": [3]}, {"y": [9]})
    netlist.cell("LUT6", **{f"I{k}": 2 if k == 5 else "0" for k in range(6)}, O=4)
    netlist.cell("MUXF7", I0=4, I1="0", S=3, O=5)
    netlist.cell("MUXF8", I0="0", I1=5, S=3, O=9)
    deepest, slowest = netlist.both()
    assert deepest == PathLevels("a", "y", 1, 0, 0, 2)
    assert slowest.path == deepest and slowest.nets == 1
    assert slowest.delay_ns == round(0.5 + 0.127 + 0.217 + 0.094, 3)


def test_reading_distributed_ram_is_a_level_and_writing_ends_a_path() -> None:
    netlist = NetlistBuilder(
        "xc7", {"clk": [2], "at": list(range(10, 15)), "d": [20, 21]}, {"q": [30]}
    )
    netlist.cell("LUT1", I0=20, O=22)
    netlist.cell("RAM32M", WCLK=2, WE="1", ADDRA=[10, 11, 12, 13, 14], DIA=[22, 21], DOA=[40, 41])
    netlist.cell("LUT1", I0=41, O=30)
    deepest, slowest = netlist.both()
    assert deepest.lut_levels == 2 and deepest.end == "q"
    assert slowest.delay_ns == round(1.188 + 0.5 + 0.127, 3)  # from the clock edge of a write


def test_no_path_and_no_delays() -> None:
    empty = NetlistBuilder("xc7", {"clk": [2]}, {"q": [3]})
    empty.cell("FDRE", C=2, D="0", CE="1", R="0", Q=4)
    assert empty.paths.deepest() is None and empty.paths.slowest() is None
    lattice = NetlistBuilder("ecp5", {"a": [2], "b": [3]}, {"s": [4, 5]})
    lattice.cell("CCU2C", A0=2, A1=3, B0="0", B1="0", CIN="0", COUT=6, S0=4, S1=7)
    lattice.cell("CCU2C", A0="0", A1="0", B0="0", B1="0", CIN=6, S1=8)
    lattice.cell("LUT4", A=8, B=7, C="0", D="0", Z=5)
    assert lattice.paths.deepest() == PathLevels("a", "s[1]", 2, 1, 4, 0)
    assert lattice.paths.slowest() is None


def test_loops_and_unknown_cells_are_errors() -> None:
    netlist = NetlistBuilder("xc7", {"a": [2]}, {"y": [5]})
    netlist.cell("LUT2", I0=2, I1=5, O=4)
    netlist.cell("LUT1", I0=4, O=5)
    netlist.cell("LUT1", I0=5, O=6)
    netlist.name(back=4, forth=5)
    with pytest.raises(ToolFailed, match="loop without a register: (back -> forth -> back|forth)"):
        _ = netlist.paths
    strange = NetlistBuilder("xc7", {"a": [2]}, {"y": [3]})
    strange.cell("ORCY", I=2, O=3)
    with pytest.raises(ValueError, match="ORCY"):
        _ = strange.paths


def test_thousands_of_cells_in_series() -> None:
    netlist = NetlistBuilder("xc4v", {"a": [2]}, {"y": [5_002]})
    for k in range(5_000):
        netlist.cell("LUT1", I0=2 + k, O=3 + k)
    deepest, slowest = netlist.both()
    assert deepest.lut_levels == 5_000
    assert slowest.delay_ns == round(5_000 * (0.147 + NET["xc4v"]), 3)


@pytest.mark.parametrize("seed", range(5))
def test_against_counting_along_a_random_netlist(seed: int) -> None:
    """Nets in the order in which they are driven: each as late as its latest input and its LUT."""
    chance, count = random.Random(seed), 400
    netlist = NetlistBuilder("xc7", {"a": [2, 3, 4]}, {"y": list(range(5, count))})
    depth, late = {2: 0, 3: 0, 4: 0}, {2: 0.0, 3: 0.0, 4: 0.0}
    slow = {1: (127,), 2: (238, 127), 3: (407, 238, 127)}
    for net in range(5, count):
        inputs = [chance.choice(list(depth)) for _ in range(chance.randint(1, 3))]
        netlist.cell(
            f"LUT{len(inputs)}", **{f"I{k}": source for k, source in enumerate(inputs)}, O=net
        )
        depth[net] = 1 + max(depth[source] for source in inputs)
        delays = slow[len(inputs)]
        late[net] = max(late[source] + 0.5 + delays[k] / 1000 for k, source in enumerate(inputs))
    deepest, slowest = netlist.both()
    assert deepest.lut_levels == max(depth.values())
    assert slowest.delay_ns == pytest.approx(max(late.values()), abs=0.001)


ADDER = """
module top(input clk, input [15:0] x, y, output reg [16:0] sum);
  reg [15:0] a, b;
  always @(posedge clk) begin
    a <= x;
    b <= y;
    sum <= a + b;
  end
endmodule
"""


@pytest.mark.long  # seconds of synthesis; the same figures by hand, above
def test_a_real_adder(tmp_path: Path) -> None:
    target = targets.find("xc4v")
    module = synthesis.synthesise(ADDER, "top", target, tmp_path)["modules"]["top"]
    assert target.arcs is not None
    paths = Paths(module, target.arcs)
    deepest, slowest = paths.deepest(), paths.slowest()
    assert deepest is not None and slowest is not None
    assert (deepest.lut_levels, deepest.carry_chains, deepest.carry_bits) == (1, 1, 17)
    assert slowest.path.carry_bits == 17 and deepest.end == slowest.path.end == "sum[16]"
    cells = 0.272 + 0.147 + 0.278 + 15 * 0.034 + 0.273 + 0.017
    assert slowest.delay_ns == round(cells + NET["xc4v"], 3)
