"""Options of clock and reset: the same design but for its pins, in every file of a delivery."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from equal import equal
from modmul import check
from modmul.cli import main
from modmul.errors import SpecError
from modmul.export import hdl, ports
from modmul.export.ports import Port
from modmul.spec import Spec
from modmul.system import buses
from modmul.system.build import build, pins_of
from modmul.system.packets import longest
from modmul.system.register_map import register_map
from modmul.system.text import bus_ports, on_bus
from modmul.toolchain import icarus

SPEC = Spec.from_options({"architecture": "interleaved", "modulus": 251})
PROCESSOR = Spec.from_options(
    {"architecture": "exponentiation", "multiplier": "interleaved", "width": 8}
)
LOW: dict[str, Any] = {"reset_active": "low"}


def module(spec: Spec, bus: str | None, **options: Any) -> tuple[str, str, tuple[Port, ...]]:
    """Text, name and ports of the outermost module."""
    pins = pins_of(bus, **options)
    if bus is None:
        emitted = hdl.emit(spec.design, f"x{pins.suffix}", pins=pins)
        return emitted.verilog, emitted.stream, ports.ports(spec.design, "stream", pins)
    regs = register_map(spec.design, longest(spec))
    emitted = hdl.emit(spec.design, f"x{pins.suffix}")
    name, text = on_bus(spec.design, emitted, regs, bus, pins=pins)
    return f"{emitted.verilog}\n{text}", name, bus_ports(regs, bus, pins)


@pytest.mark.parametrize("bus", [None, pytest.param("native", marks=pytest.mark.long)])
def test_a_low_reset_is_the_same_circuit(bus: str | None, tmp_path: Path) -> None:
    usual, other = module(SPEC, bus), module(SPEC, bus, **LOW)
    assert equal(usual, other, {"rst_n": "!rst"}, tmp_path)
    assert not equal(usual, other, {"rst_n": "rst"}, tmp_path)


@pytest.fixture(scope="module")
def low(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("low")
    build(SPEC, folder, **LOW)
    return folder


def test_a_low_reset_stands_in_every_file(low: Path) -> None:
    """None of them speaks of `rst`, but for the wire of the testbench."""
    name = "interleaved_8_reset_low"
    description = json.loads((low / f"{name}.json").read_text())
    assert description["reset"] == {"port": "rst_n", "level": "low"}
    assert description["ports"]["stream"][1]["name"] == "rst_n"
    assert description["ports"]["core"][1]["name"] == "rst"  # inside
    passed = {simulator for simulator, verdict in description["simulated"].items() if verdict}
    assert {"verilator"} | ({"icarus"} if icarus.installed() else set()) <= passed
    for file in ("md", "sdc", "xdc", "lpf", "ucf"):
        text = (low / f"{name}.{file}").read_text()
        assert re.search(r"\brst_n\b", text) and not re.search(r"\brst\b", text), file
    modules = re.findall(r"^module (\w+)", (low / f"{name}.v").read_text(), re.M)
    assert modules and all(module.startswith(name) for module in modules)


def test_check_makes_it_again(low: Path) -> None:
    assert check(low).passed


@pytest.mark.parametrize(
    ("bus", "simulated"),
    [("native", False), *(pytest.param(bus, True, marks=pytest.mark.long)
                          for bus in ("native", "wishbone"))],
)  # fmt: skip
def test_a_low_reset_on_a_bus(bus: str, simulated: bool, tmp_path: Path) -> None:
    packages = ["fusesoc", "ipxact", "vivado", "quartus", "litex", "amaranth"]
    result = build(SPEC, tmp_path, bus=bus, packages=packages, simulate=simulated, **LOW)
    assert result.name == f"interleaved_8_{bus}_reset_low"
    assert all(verdict or not icarus.installed() for verdict in result.checked.values())
    description = json.loads((tmp_path / f"{result.name}.json").read_text())
    told = description["bus"]
    assert (told["reset"], told["reset_level"]) == ("rst_n", "low")
    assert description["reset"]["port"] == "rst"  # of the module with streams, inside
    assert "i_rst_n=~ResetSignal()" in (tmp_path / f"{result.name}_litex.py").read_text()
    assert "i_rst_n=~ResetSignal()" in (tmp_path / f"{result.name}_amaranth.py").read_text()
    assert "ACTIVE_LOW" in (tmp_path / f"{result.name}_vivado.tcl").read_text()
    assert "rst_n reset_n Input" in (tmp_path / f"{result.name}_hw.tcl").read_text()
    assert check(tmp_path).passed


@pytest.mark.long
def test_a_low_reset_of_a_processor(tmp_path: Path) -> None:
    result = build(PROCESSOR, tmp_path, **LOW)
    assert all(result.checked.values()) and check(tmp_path).passed


@pytest.mark.parametrize("bus", buses.ACTIVE_LOW)
def test_resets_that_are_low_by_a_standard_stay(bus: str) -> None:
    assert pins_of(bus, "low") == pins_of(bus)
    with pytest.raises(SpecError, match=f"must be low: the standard of {bus}"):
        pins_of(bus, "high")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--reset-active", "lo"], "reset-active = 'lo': must be one of high, low"),
        (["--reset-active", "low", "--interface", "core"], "interface = core: must be stream with"),
    ],
)
def test_what_cannot_be_is_refused(
    words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["build", "--architecture", "interleaved", "--width", "8", "-o", str(tmp_path / "x")]
    assert main([*command, *words]) == 2
    assert said in capsys.readouterr().err


def test_keys_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "spec.toml"
    file.write_text('architecture = "interleaved"\nwidth = 8\nreset-active = "low"\n')
    assert main(["build", str(file), "--no-check", "-o", str(tmp_path / "x")]) == 0
    assert (tmp_path / "x" / "interleaved_8_reset_low.v").is_file()
