"""No bit of a net has two drivers in an emitted text, as Yosys reads it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from modmul import multipliers, processors
from modmul.design import Design
from modmul.errors import SpecError
from modmul.export.hdl import emit
from modmul.export.verilog import rtlil
from modmul.spec import Spec
from modmul.system import buses, text
from modmul.system.packets import longest
from modmul.system.register_map import register_map
from modmul.targets.models import Model
from modmul.toolchain import yosys


def driven_twice(verilog: str, top: str, models: Sequence[Model], folder: Path) -> set[str]:
    """The nets of which a bit has two drivers, below the module `top`."""
    (folder / "text.v").write_text(verilog)
    (folder / "library.v").write_text("".join(model.text for model in models))
    script = [
        "read_verilog -lib library.v",
        "read_verilog text.v",
        f"hierarchy -check -top {top}",
        "proc -noopt",
    ]
    yosys.run("\n".join([*script, "write_rtlil text.il"]), folder)
    # Without what the reader does not know: defaults of parameters, memories, and integers.
    unknown = re.compile(r"^  (?:parameter|memory) .*\n|(?<= )signed ", re.MULTILINE)
    modules = rtlil.read(unknown.sub("", (folder / "text.il").read_text()))
    by_name = {module.name: module for module in modules}
    return {
        f"{name}.{net}"
        for name, module in by_name.items()
        if "blackbox" not in module.attributes
        for (net, _), count in Counter(_drivers(module, by_name)).items()
        if count > 1
    }


def _drivers(
    module: rtlil.RtlilModule, modules: dict[str, rtlil.RtlilModule]
) -> Iterator[tuple[str, int]]:
    """The bits that inputs, assignments and cells drive, each as often as it is driven."""
    driven = [
        (rtlil.Chunk(wire.name, 0, wire.width),)
        for wire in module.wires.values()
        if wire.direction == "input"
    ]
    driven += [left for left, _ in module.connections]
    for cell in module.cells:
        outputs = {"Y", "Q", *(["DATA"] if cell.kind.startswith("$memrd") else [])}
        if cell.kind in modules:
            ports = modules[cell.kind].wires.values()
            outputs = {port.name[1:] for port in ports if port.direction == "output"}
        driven += [signal for pin, signal in cell.pins.items() if pin in outputs]
    for signal in driven:
        for chunk in signal:
            for bit in range(chunk.low, chunk.low + chunk.width):
                if chunk.wire is not None:
                    yield chunk.wire, bit


@pytest.mark.parametrize(
    "line",
    [
        "assign y[1] = a;",
        "always @(posedge clk) r <= a;",
        "part two (.o(w), .i(a));",
        "assign clk = a;",
    ],
)
def test_a_second_driver_is_found(line: str, tmp_path: Path) -> None:
    body = (
        "wire w; reg r; assign y = {w, a};\n  always @(posedge clk) r <= w;\n"
        "  part one (.o(w), .i(r));"
    )
    part = "module part(output o, input i);\n  assign o = i;\nendmodule\n"
    for lines, twice in ((body, False), (f"{body}\n  {line}", True)):
        verilog = f"module top(input clk, a, output [1:0] y);\n  {lines}\nendmodule\n{part}"
        assert bool(driven_twice(verilog, "top", (), tmp_path)) is twice


def exponentiations() -> Iterator[Design]:
    for name in multipliers.NAMES:
        options = {"architecture": "exponentiation", "multiplier": name, "width": 32}
        try:
            yield Spec.from_options({**options, "allow_leaks": True}).design
        except SpecError:
            continue


def designs() -> Iterator[Design]:
    for entry in multipliers.REGISTRY.values():
        yield entry.examples()[0]
    yield from exponentiations()
    for name in processors.NAMES:
        yield processors.find(name).examples()[0]


QUICK = ("fpmm", "three-pass", "exponentiation-ladder1-montgomery-radix2")
ALL = [
    pytest.param(design, marks=() if design.title.startswith(QUICK) else pytest.mark.long)
    for design in designs()
]


@pytest.mark.parametrize("design", ALL, ids=lambda design: design.title)
def test_no_net_of_a_design_has_two_drivers(design: Design, tmp_path: Path) -> None:
    emitted = emit(design)
    top, verilog = emitted.stream, emitted.verilog
    assert driven_twice(verilog, top, emitted.models, tmp_path) == set()


@pytest.mark.parametrize("bus", buses.REGISTERED)
@pytest.mark.short("axi4lite")
def test_no_net_of_registers_has_two_drivers(bus: str, tmp_path: Path) -> None:
    for options, banks in (
        ({"architecture": "exponentiation", "multiplier": "montgomery-radix2", "width": 32}, 0),
        ({"architecture": "fips", "width": 16, "word": 4}, 2),
    ):
        spec = Spec.from_options(options)
        emitted = emit(spec.design)
        registers = register_map(spec.design, longest(spec), banks)
        top, verilog = text.on_bus(spec.design, emitted, registers, bus)
        whole = emitted.verilog + verilog
        assert driven_twice(whole, top, emitted.models, tmp_path) == set()
