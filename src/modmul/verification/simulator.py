"""Compiles simulators of multipliers: cores and streams, each in a harness with the same ports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from modmul.design import Interface
from modmul.export.pins import USUAL, Pins
from modmul.export.ports import ENABLE, ports
from modmul.multipliers.contract import Multiplier
from modmul.targets.models import Model
from modmul.toolchain.cache import Cache
from modmul.verification.executable import Driver, Process, compile_executable
from modmul.verification.protocol import CoreOutcome, CoreRequest, Response

_TOP = "modmul_harness"
DRIVER = Driver("model.h", ("runner.h", "bits.h", "bench.h"), "driver.cpp")


@dataclass(frozen=True)
class CompiledCore:
    """A module of `verilog` with the ports of a bare core or of a stream (contract.py).

    models: of the chip primitives instantiated in it.  pins: of clock and reset."""

    top: ClassVar[str] = _TOP

    multiplier: Multiplier
    verilog: str
    module: str
    interface: Interface
    models: tuple[Model, ...] = ()
    pins: Pins = USUAL

    def sources(self) -> list[str]:
        return [
            _harness(self.multiplier, self.module, self.interface, self.pins),
            self.verilog,
            *(model.text for model in self.models),
        ]

    def maker(self, prefix: str) -> list[str]:
        return [f"std::unique_ptr<Model>(new VerilatedDesign<{prefix}>(context))"]


@dataclass(frozen=True)
class Simulator:
    """An executable that simulates `designs`, each by its position.

    arguments: plusargs that the designs read with $value$plusargs."""

    path: Path
    designs: tuple[CompiledCore, ...]
    arguments: tuple[str, ...] = ()

    def start(self, *, seed: int = 1, waveform: Path | None = None) -> Session:
        """Start it.  seed: of undefined power-up values.  waveform: the VCD file to write, for a
        simulator compiled with `trace`; it is complete when the session is closed."""
        return Session(self, seed, waveform)


def compile_simulator(
    designs: Sequence[CompiledCore], cache: Cache, *, trace: bool = False
) -> Simulator:
    """Compile a simulator, which takes seconds, or find it in the cache.  Raises ToolMissing,
    ToolFailed."""
    return Simulator(compile_executable(DRIVER, designs, cache, trace=trace), tuple(designs))


class Session(Process):
    """A running simulator.  Use it as a context manager, in one thread at a time."""

    def __init__(self, simulator: Simulator, seed: int, waveform: Path | None):
        self.simulator = simulator
        super().__init__(simulator.path, seed, waveform, simulator.arguments)

    def run(self, request: CoreRequest) -> CoreOutcome:
        """Raises ToolFailed if the simulator ends instead."""
        return self.ask(request.encode(), lambda answer: Response.read(answer, request))


def _harness(multiplier: Multiplier, module: str, interface: Interface, pins: Pins) -> str:
    """The Verilog of module _TOP, which holds one instance, `dut`, of `module`.  It has the same
    ports for every design, so that one driver serves all, and a clock enable for those that have
    one.  Inputs that the design does not have are left open; outputs that it does not have are
    constant."""
    present = {port.name for port in ports(multiplier, interface, pins)}
    every = [*_ports(multiplier), *([(ENABLE, "input", 1)] if ENABLE in present else [])]
    declared = [
        f"  {direction} {f'[{width - 1}:0] ' if width > 1 else ''}{name}"
        for name, direction, width in every
    ]
    connected = [f"    .{name}({name})" for name, _, _ in every if name in present]
    constant = [
        f"  assign {name} = {int(name.endswith('_ready'))};"
        for name, direction, _ in _ports(multiplier)
        if direction == "output" and name not in present
    ]
    lines = [
        f"module {_TOP} (",
        ",\n".join(declared),
        ");",
        *constant,
        f"  {module} dut (",
        ",\n".join(connected),
        "  );",
        "endmodule",
        "",
    ]
    return "\n".join(lines)


def _ports(multiplier: Multiplier) -> list[tuple[str, str, int]]:
    """Return (name, direction, bits) of every port."""
    beat, result = multiplier.beat, multiplier.result_beat
    return [
        ("clk", "input", 1),
        ("rst", "input", 1),
        ("modulus_valid", "input", 1),
        ("modulus_ready", "output", 1),
        ("modulus_first", "input", 1),
        ("modulus_last", "input", 1),
        ("modulus_data", "input", multiplier.modulus_beat),
        ("operand_valid", "input", 1),
        ("operand_ready", "output", 1),
        ("operand_first", "input", 1),
        ("operand_last", "input", 1),
        ("operand_a", "input", beat),
        ("operand_b", "input", beat),
        ("operand_a_carry", "input", beat),
        ("operand_b_carry", "input", beat),
        ("operand_square", "input", 1),
        ("operand_add", "input", 1),
        ("operand_subtract", "input", 1),
        ("result_valid", "output", 1),
        ("result_ready", "input", 1),
        ("result_first", "output", 1),
        ("result_last", "output", 1),
        ("result_data", "output", result),
        ("result_carry", "output", result),
        ("result_fault", "output", 1),
    ]
