"""Compiles simulators of multipliers: cores and streams, each in a harness with the same ports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from modmul.design import Interface
from modmul.multipliers.contract import Multiplier
from modmul.targets.models import Model
from modmul.toolchain.cache import Cache
from modmul.verification.executable import Driver, Process, compile_executable
from modmul.verification.harness import TOP, harness
from modmul.verification.protocol import CoreOutcome, CoreRequest, Response

DRIVER = Driver("model.h", ("runner.h", "bits.h", "bench.h"), "driver.cpp")


@dataclass(frozen=True)
class CompiledCore:
    """A module of `verilog` with the ports of a bare core or of a stream (contract.py).

    models: of the chip primitives instantiated in it."""

    top: ClassVar[str] = TOP

    multiplier: Multiplier
    verilog: str
    module: str
    interface: Interface
    models: tuple[Model, ...] = ()

    def sources(self) -> list[str]:
        return [
            harness(self.multiplier, self.module, self.interface),
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
