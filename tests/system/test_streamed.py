"""Designs of every form with AXI4-Stream: their own testbench through it, and faults in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bus_systems import FORMS, spec_of, system_of_form
from modmul.errors import CheckFailed
from modmul.export import check
from modmul.export.addition import Bench
from modmul.export.contents import Contents
from modmul.system import on_bus
from modmul.system.buses import axi4stream
from modmul.toolchain.cache import Cache


def run(form: str, folder: Path, fault: tuple[str, str] | None = None) -> None:
    """CheckFailed where the testbench does not pass on the text, with a fault in one place."""
    contents = Contents.of(system_of_form(form).spec, "x", bus="axi4stream")
    emitted, stands = contents.emitted, on_bus.streamed(contents)
    verilog = stands.addition.verilog
    if fault is not None:
        verilog, count = re.subn(*fault, verilog, flags=re.M)
        assert count == 1
    (bench,) = stands.addition.benches
    assert isinstance(bench, Bench)
    (folder / "design.v").write_text(emitted.simulated + verilog)
    (folder / "bench.v").write_text(stands.addition.files[bench.sources[-1]])
    sources = [folder / "design.v", folder / "bench.v"]
    output = check._compile_and_run(sources, f"{bench.top}_check", folder, Cache())
    check.verdict(output, "Verilator", bench.tried, bench.what)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.short("words")
def test_every_form(form: str, tmp_path: Path) -> None:
    run(form, tmp_path)


@pytest.mark.parametrize(
    "fault",
    [
        (
            r"\.operand_valid\(s_axis_operand_tvalid\)",
            ".operand_valid(s_axis_operand_tvalid & s_axis_operand_tready & m_axis_result_tready)",
        ),
        (r"\.result_ready\(m_axis_result_tready\)", ".result_ready(1'b1)"),
        (r"\.operand_b\(s_axis_operand_tdata\[15:8\]\)", ".operand_b(s_axis_operand_tdata[14:7])"),
        (r"\.result_last\(m_axis_result_tlast\)", ".result_last()"),
        (r"\.modulus_valid\(s_axis_modulus_tvalid\)", ".modulus_valid(s_axis_modulus_tlast)"),
    ],
    ids=["dropped valid", "ready ignored", "another byte", "another end", "valid and last swapped"],
)
@pytest.mark.short("ready ignored")
def test_injected_faults_are_found(fault: tuple[str, str], tmp_path: Path) -> None:
    with pytest.raises(CheckFailed):
        run("words", tmp_path, fault)


def test_members_stand_in_whole_bytes() -> None:
    design = spec_of(FORMS["modes"])[0].design
    operand = next(stream for stream in design.streams if stream.name == "operand")
    assert axi4stream.places(operand) == {"a": (0, 4), "b": (8, 4), "square": (16, 1)}
    assert axi4stream.data_bits(operand) == 24
