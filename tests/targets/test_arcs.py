"""Timing arcs: every cell has them, and those of xc7 are what Yosys' models say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import resources

import pytest

from modmul import targets
from modmul.targets import Target
from modmul.targets.arcs import Arc

WITH_ARCS = pytest.mark.parametrize(
    "target",
    [entry for entry in targets.REGISTRY.values() if entry.arcs],
    ids=lambda target: target.name,
)
XC7 = targets.find("xc7")
PIN, PS = r"(\w+(?:\[\d\])?)", r"([\d+ ]+)"


def arcs(target: Target, cell: str, **parameters: str) -> tuple[Arc, ...]:
    assert target.arcs is not None
    return target.arcs.of({"type": cell, "parameters": parameters}).arcs


@WITH_ARCS
def test_every_cell_that_is_counted_has_arcs(target: Target) -> None:
    assert target.arcs is not None
    assert set(target.arcs.cells) == set(target.cells)
    for name in target.cells:
        of_cell = arcs(target, name)
        assert of_cell and all(arc.start or arc.end for arc in of_cell)
        through = [arc.ns for arc in of_cell if arc.start and arc.end]
        assert bool(target.arcs.delays) == (min(through, default=1.0) > 0) or not through, name
    with pytest.raises(ValueError, match="MYSTERY"):
        arcs(target, "MYSTERY")


@WITH_ARCS
def test_delays_where_nothing_routes(target: Target) -> None:
    assert target.arcs is not None
    untold = ("xc5v", "xc6s", "xcup", "xcve", "xc2vp")  # no source of their delays can be read
    assert (target.arcs.delays is None) == (target.router is not None or target.name in untold)


def written(module: str) -> Iterator[tuple[str | None, str | None, int]]:
    """Start, end and ps of the arcs in one Verilog model; None for the clock."""
    for start, end, ps in re.findall(rf"\({PIN} +[*=]> {PIN}\) *= *{PS};", module):
        yield start, end, added(ps)
    for end, ps in re.findall(rf"edge \w+ => \({PIN} :[^)]*\)\) *= *{PS};", module):
        yield None, end, added(ps)
    for start, ps in re.findall(rf"\$setup\({PIN} *,[^,]*, *{PS}\);", module):
        yield start, None, added(ps)


def added(ps: str) -> int:
    return sum(map(int, ps.split("+")))


@pytest.fixture(scope="module")
def models() -> dict[str, str]:
    text = resources.files("pyosys").joinpath("share/xilinx/cells_sim.v").read_text()
    text = re.sub(r"//.*|/\*.*?\*/", "", text)
    return dict(re.findall(r"^module (\w+)\b(.*?)^endmodule", text, flags=re.M | re.S))


def test_verified_delays_of_xc7_are_those_of_the_models(models: dict[str, str]) -> None:
    compared = 0
    for name in XC7.cells:
        if name == "DSP48E1":
            continue
        said = {(start, end): ps for start, end, ps in written(models[name])}
        for registers in ({}, {"DOA_REG": "1", "DOB_REG": "1"}):
            for arc in arcs(XC7, name, **registers):
                if not arc.verified:
                    continue
                compared += 1
                ps = round(1000 * arc.ns)
                if name.startswith("RAMB") and arc.start is None:  # its models have both
                    assert f"{arc.end} : " in models[name] and f"= {ps};" in models[name]
                    assert (ps == 882) == bool(registers)
                else:
                    assert said[arc.start, arc.end] == ps, (name, arc)
    assert compared > 500


@pytest.mark.parametrize("registers", range(32))
def test_dsp_arcs_follow_its_registers(models: dict[str, str], registers: int) -> None:
    """Paths start at the last register, end at the first, and go through where there is none."""
    chosen = {f"{register}REG": f"{registers >> k & 1:032b}" for k, register in enumerate("ABCMP")}
    a, b, c, m, p = (registers >> k & 1 for k in range(5))
    paths = arcs(XC7, "DSP48E1", **chosen)
    text = models["DSP48E1"]
    for arc in paths:
        assert not arc.verified or re.search(rf"\b{round(1000 * arc.ns)}\b", text), arc
    ends = {arc.start for arc in paths if arc.end is None}
    through = {arc.start for arc in paths if arc.start and arc.end}
    for pin, stops in (("A", a or m or p), ("B", b or m or p), ("C", c or p), ("PCIN", p)):
        assert (pin in ends) == bool(stops) and (pin in through) == (not stops), pin
    begins = [arc.end for arc in paths if arc.start is None]
    assert begins == (["P", "PCOUT"] if registers else [])


def test_multipliers_of_ecp5_begin_and_end_paths_at_their_registers() -> None:
    ecp5 = targets.find("ecp5")
    plain = arcs(ecp5, "MULT18X18D")
    assert sum(arc.start == "A3" and arc.end is not None for arc in plain) == 36
    assert not any(arc.start is None for arc in plain)
    held = arcs(ecp5, "MULT18X18D", REG_INPUTA_CLK="CLK0")
    assert Arc("A3", None) in held and Arc("B3", "P7") in held and Arc(None, "P7") in held
    output = arcs(ecp5, "MULT18X18D", REG_OUTPUT_CLK="CLK0")
    assert Arc("A3", None) in output and Arc("B3", None) in output
    assert not any(arc.start and arc.end for arc in output)
