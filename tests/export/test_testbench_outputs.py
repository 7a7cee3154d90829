"""Faults of one output, or of one figure, of a small core: the delivered testbench fails."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from modmul.errors import CheckFailed
from modmul.export import check, hdl, vectors
from modmul.export import testbench as writer
from modmul.spec import Spec
from modmul.toolchain import icarus

pytestmark = pytest.mark.skipif(not icarus.installed(), reason="Icarus Verilog is not installed")

FAULTS = {
    "a wrong bit": (r"assign result_data = (.*);", r"assign result_data = (\1) ^ 1;"),
    "last is missing": (r"assign result_last = (.*);", r"assign result_last = 1'b0;"),
    "first is missing": (r"assign result_first = (.*);", r"assign result_first = 1'b0;"),
    "never a result": (r"assign result_valid = (.*);", r"assign result_valid = 1'b0;"),
    "always a result": (r"assign result_valid = (.*);", r"assign result_valid = 1'b1;"),
    "unknown": (r"assign result_valid = (.*);", r"assign result_valid = (\1) & 1'bx;"),
    "never ready": (r"assign operand_ready = (.*);", r"assign operand_ready = 1'b0;"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_testbench_fails(fault: str, tmp_path: Path) -> None:
    _spoil(*FAULTS[fault], tmp_path)


TIMING_FAULTS = {
    "late by a cycle": ("LATENCY_MIN = 10", "LATENCY_MIN = 11"),
    "early by a cycle": ("LATENCY_MAX = 10", "LATENCY_MAX = 9"),
    "interval": ("INTERVAL = 9", "INTERVAL = 8"),
}


@pytest.mark.parametrize("fault", TIMING_FAULTS)
def test_the_testbench_measures(fault: str, tmp_path: Path) -> None:
    """Another figure declared than the hardware has."""
    sources = _sources(tmp_path)
    old, new = TIMING_FAULTS[fault]
    text = sources[1].read_text()
    assert old in text
    sources[1].write_text(text.replace(old, new))
    with pytest.raises(CheckFailed, match="latency|interval"):
        in_icarus(sources)


SPEC = Spec.from_options({"architecture": "interleaved", "width": 8, "interface": "core"})


def _sources(folder: Path) -> list[Path]:
    emitted = hdl.emit(SPEC.multiplier)
    sources = [folder / "x.v", folder / "x_tb.v"]
    sources[0].write_text(emitted.verilog)
    sources[1].write_text(writer.testbench(SPEC, emitted, "x", vectors.plan(SPEC), "x.f"))
    return sources


def in_icarus(sources: list[Path]) -> str:
    count = len(vectors.plan(SPEC).products)
    return check.verdict(icarus.simulate(sources, "x_tb"), "Icarus Verilog", count)


def test_without_a_fault_the_testbench_passes(tmp_path: Path) -> None:
    assert in_icarus(_sources(tmp_path)).startswith("PASS")


def _spoil(pattern: str, by: str, folder: Path) -> None:
    """Put a layer between the testbench and the core that spoils one output."""
    sources = _sources(folder)
    text = sources[1].read_text()
    port = re.search(r"assign (\w+) =", pattern)
    assert port is not None
    inner = f"inner_{port[1]}"
    width = r"\[\d+:0\] " if "data" in port[1] else ""
    declared = re.search(rf"  wire ({width}){port[1]};", text)
    assert declared is not None
    statement = re.sub(pattern, by, f"assign {port[1]} = {inner};")
    text = text.replace(
        declared[0], f"  wire {declared[1]}{inner};\n{declared[0]}\n  {statement}"
    ).replace(f".{port[1]}({port[1]})", f".{port[1]}({inner})")
    sources[1].write_text(text)
    with pytest.raises(CheckFailed, match="FAIL|should be|is x"):
        in_icarus(sources)
