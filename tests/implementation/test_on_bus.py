"""`implement --bus`: area and clock of the module that `build` delivers on a bus."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from modmul.cli import main
from modmul.implementation.implement import map_module
from modmul.implementation.on_bus import OnBusResult, implement
from modmul.implementation.result import CellsResult, ImplementResult
from modmul.spec import Spec
from modmul.system.build import build
from modmul.toolchain.cache import Cache

SMALL = {"architecture": "interleaved", "width": 8, "target": "ecp5"}
BANKS = {"architecture": "cios", "width": 16, "word": 8, "modulus": 251, "target": "ecp5"}
PROCESSOR = {
    "architecture": "exponentiation",
    "multiplier": "cios",
    "width": 16,
    "word": 8,
    "target": "ecp5",
}


def measured(options: dict[str, Any], bus: str, banks: int = 0, **more: Any) -> OnBusResult:
    result = implement(Spec.from_options(options), bus=bus, banks=banks, **more)
    assert isinstance(result, OnBusResult)
    return result


@pytest.mark.parametrize(
    ("options", "bus", "banks"),
    [
        (SMALL, "native", 0),
        (SMALL, "axi4stream", 0),
        pytest.param(BANKS, "axi4lite", 2, marks=pytest.mark.long),
        pytest.param(PROCESSOR, "apb4", 0, marks=pytest.mark.long),
    ],
    ids=["registers", "streams", "banks", "processor"],
)
def test_it_is_the_area_of_what_is_delivered(
    options: dict[str, Any], bus: str, banks: int, tmp_path: Path
) -> None:
    """And the record says what that is; the one without a bus is as without the option."""
    result = measured(options, bus, banks, route=False)
    whole, without = result.on_bus, result.without_bus
    assert isinstance(whole, ImplementResult) and isinstance(without, ImplementResult)
    spec = Spec.from_options(options)
    figures = msgspec.to_builtins(result)
    record = {**figures["without_bus"], "on_bus": figures["on_bus"]}
    delivered = build(spec, tmp_path, bus=bus, banks=banks, simulate=False, measure=lambda: record)
    assert delivered.top == result.module
    verilog = (tmp_path / f"{delivered.name}.v").read_text()
    mapped = map_module(verilog, delivered.top, spec.design.chip, Cache())
    area = mapped.area
    assert (whole.lut, whole.ff, whole.dsp) == (area.lut, area.ff, area.dsp)
    assert whole.lut > without.lut and whole.ff > without.ff
    keys = {"bus": bus, **({"banks": banks} if banks else {})}
    assert whole.spec == {**spec.options(), **keys} and without.spec == spec.options()
    assert implement(spec, route=False) == without
    sheet = (tmp_path / f"{delivered.name}.md").read_text()
    assert f"on {bus}, measured on LFE5U-85F-8BG756: {whole.lut} LUT, {whole.ff} FF" in sheet


def test_a_file_has_the_bus(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "spec.toml"
    file.write_text('architecture = "interleaved"\nwidth = 8\ntarget = "ecp5"\nbus = "native"\n')
    assert main(["implement", str(file), "--no-route"]) == 0
    assert "interleaved_8_ecp5_native: on native" in " ".join(capsys.readouterr().out.split())
    assert main(["implement", str(file), "--no-route", "--json", "--bus", "axi4stream"]) == 0
    assert json.loads(capsys.readouterr().out)["on_bus"]["spec"]["bus"] == "axi4stream"


@pytest.mark.long
def test_its_clock_is_routed_and_stands_in_the_datasheet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "spec.toml"
    file.write_text('architecture = "interleaved"\nwidth = 8\ntarget = "ecp5"\nbus = "native"\n')
    assert main(["implement", str(file), "--seeds", "1", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["on_bus"]["spec"]["bus"] == "native", "a key of the file"
    clock = said["on_bus"]["fmax_mhz"]["usable"]
    assert clock < said["without_bus"]["fmax_mhz"]["usable"]
    words = ["build", str(file), "--no-check", "--seeds", "1", "-o", str(tmp_path / "out")]
    assert main(words) == 0
    (place,) = (tmp_path / "out").glob("*.json")
    figures = json.loads(place.read_text())["measured"]
    assert figures["on_bus"]["fmax_mhz"]["usable"] == clock
    assert figures["lut"] == said["without_bus"]["lut"] < figures["on_bus"]["lut"]
    sheet = place.with_suffix(".md").read_text()
    assert f"on native, measured on LFE5U-85F-8BG756: {said['on_bus']['lut']} LUT" in sheet
    assert main(["check", str(tmp_path / "out")]) == 0
    capsys.readouterr()
    assert main(["implement", str(place), "--seeds", "1"]) == 0
    assert "on native" in capsys.readouterr().out, "the description has the bus, too"


def test_cells(tmp_path: Path) -> None:
    spec = {"architecture": "interleaved", "width": 8, "target": "cells"}
    result = measured(spec, "wishbone", cache=Cache(tmp_path))
    assert isinstance(result.on_bus, CellsResult) and isinstance(result.without_bus, CellsResult)
    assert result.on_bus.area.value > result.without_bus.area.value
    assert result.on_bus.critical_path is not None and result.on_bus.spec["bus"] == "wishbone"
    assert msgspec.json.decode(msgspec.json.encode(result))["module"] == result.module


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--bus", "pci"], "bus = 'pci': must be one of native, axi4lite"),
        (["--banks", "2"], "banks = 2: must be 0, or with the bus native"),
        (["--bus", "apb4", "--interface", "core"], "interface = core: must be stream with a bus"),
    ],
)
def test_what_cannot_be(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["implement", "--architecture", "interleaved", "--width", "8", *words]) == 2
    assert said in capsys.readouterr().err
