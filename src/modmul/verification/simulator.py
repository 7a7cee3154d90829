"""Compiled simulators: Verilog designs, one driver, one executable; and a running one of them.

The driver (model.h, bench.h, driver.cpp) is the same for all designs and compiled once; several
designs go into one executable because most of a compile is Verilator's header.  Executables are
cached by content.
A simulator runs in a process of its own, so that a crash in it is an error here."""

from __future__ import annotations

import hashlib
import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from types import TracebackType

from modmul.errors import ToolFailed
from modmul.export.ports import Interface
from modmul.multipliers.contract import Multiplier
from modmul.toolchain import cxx, verilator
from modmul.toolchain.cache import Cache
from modmul.verification.harness import TOP, harness
from modmul.verification.protocol import Outcome, Request, Response

_DRIVER = ("model.h", "bench.h", "driver.cpp")
_EXECUTABLE = "simulator"
_UNITS = 2  # C++ files, compiled side by side


@dataclass(frozen=True)
class Design:
    """A module of `verilog` with the ports of a bare core or of a stream (contract.py).

    models: Verilog files of the chip primitives instantiated in it."""

    multiplier: Multiplier
    verilog: str
    module: str
    interface: Interface
    models: tuple[Path, ...] = ()

    def sources(self) -> list[str]:
        """The texts that Verilator reads."""
        texts = [_with_includes(model) for model in self.models]
        return [harness(self.multiplier, self.module, self.interface), self.verilog, *texts]


@dataclass(frozen=True)
class Simulator:
    """An executable that simulates `designs`, each by its position."""

    path: Path
    designs: tuple[Design, ...]

    def start(self, *, seed: int = 1, waveform: Path | None = None) -> Session:
        """Run it.  seed: of undefined power-up values.  waveform: VCD file to write, for a
        simulator compiled with `trace`; it is complete when the session is closed."""
        return Session(self, seed, waveform)


def compile_simulator(designs: Sequence[Design], cache: Cache, *, trace: bool = False) -> Simulator:
    """Compile (or find in the cache) a simulator; seconds.  ToolMissing, ToolFailed."""
    sources = [design.sources() for design in designs]
    driver = {name: _resource(name) for name in _DRIVER}
    key = {
        "driver": _digest(list(driver.values())),
        "designs": [_digest(texts) for texts in sources],
        "trace": trace,
        **_tools(),
    }

    def make(folder: Path) -> None:
        with tempfile.TemporaryDirectory(prefix="modmul-") as work:
            _build(Path(work), sources, driver, cache, trace, folder / _EXECUTABLE)

    folder = cache.folder("simulator", key, make)
    return Simulator(folder / _EXECUTABLE, tuple(designs))


def _build(
    work: Path,
    sources: list[list[str]],
    driver: dict[str, str],
    cache: Cache,
    trace: bool,
    target: Path,
) -> None:
    """Verilate every design by itself, then compile them in a few units."""
    for name, text in driver.items():
        (work / name).write_text(text)
    units: list[list[str]] = [[] for _ in range(min(_UNITS, len(sources)))]
    for index, texts in enumerate(sources):
        folder = work / f"design{index}"
        folder.mkdir()
        files = [folder / f"source{position}.v" for position in range(len(texts))]
        for file, text in zip(files, texts, strict=True):
            file.write_text(text)
        generated = verilator.verilate(files, TOP, f"Design{index}", folder, trace=trace)
        units[index % len(units)] += _unit(index, generated)
    units[0] += _table(len(sources))
    names = []
    for position, lines in enumerate(units):
        names.append(work / f"unit{position}.cpp")
        names[-1].write_text("\n".join(['#include "model.h"', *lines, ""]))
    flags = [*verilator.flags(trace), "-I", str(work)]
    flags += [item for i in range(len(sources)) for item in ("-I", str(work / f"design{i}"))]
    objects = cxx.compile_objects(names, work, flags)
    cxx.link([*objects, _main(driver, cache, trace), *verilator.runtime(cache, trace)], target)


def _main(driver: dict[str, str], cache: Cache, trace: bool) -> Path:
    """The object of driver.cpp, which no design changes."""

    def make(folder: Path) -> None:
        with tempfile.TemporaryDirectory(prefix="modmul-") as work:
            for name, text in driver.items():
                (Path(work) / name).write_text(text)
            flags = [*verilator.flags(trace), "-I", work]
            cxx.compile_objects([Path(work) / "driver.cpp"], folder, flags)

    key = {"driver": _digest(list(driver.values())), "trace": trace, **_tools()}
    return cache.folder("simulator-driver", key, make) / "driver.o"


def _tools() -> dict[str, object]:
    return {
        "verilator": verilator.version(),
        "compiler": cxx.find().version,
        "flags": list(verilator.OPTIMISE),
    }


def _unit(index: int, generated: list[Path]) -> list[str]:
    """C++ of one design: all that Verilator wrote, and the function that makes its model."""
    return [
        "#undef VL_PCH_INCLUDED",
        *(f'#include "{file.parent.name}/{file.name}"' for file in generated),
        "namespace modmul {",
        f"std::unique_ptr<Model> make{index}(VerilatedContext* context) {{",
        f"    return std::make_unique<VerilatedDesign<Design{index}>>(context);",
        "}",
        "}",
    ]


def _table(count: int) -> list[str]:
    """C++ of the list of designs."""
    makers = [f"make{index}" for index in range(count)]
    return [
        "namespace modmul {",
        *(f"std::unique_ptr<Model> {maker}(VerilatedContext* context);" for maker in makers),
        f"const Maker makers[] = {{{', '.join(makers)}}};",
        f"const size_t designs = {count};",
        "}",
    ]


class Session:
    """A running simulator.  Use it as a context manager; one thread at a time."""

    def __init__(self, simulator: Simulator, seed: int, waveform: Path | None):
        self.simulator = simulator
        self._errors = tempfile.TemporaryFile()
        command = [str(simulator.path), str(seed)]
        command += [str(waveform)] if waveform else []
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors
        )

    def run(self, request: Request) -> Outcome:
        """Simulate one request.  ToolFailed if the simulator ends instead."""
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(request.encode())
            self._process.stdin.flush()
            response = Response.read(self._process.stdout, request)
        except (BrokenPipeError, EOFError):
            self._process.kill()
            code = self._process.wait()
            self._errors.seek(0)
            log = self._errors.read().decode(errors="replace")[-2000:]
            raise ToolFailed(f"the simulator ended with {code}\n{log}") from None
        return response

    def kill(self) -> None:
        """End the process at once; a waveform may be cut."""
        self._process.kill()
        self.close()

    def close(self) -> None:
        """End the process; a waveform is then complete."""
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            self._process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._errors.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.kill()


def _with_includes(path: Path) -> str:
    """A Verilog file with the files that it includes from its own folder in their places."""
    text = path.read_text(encoding="utf-8")
    return re.sub(
        r'^\s*`include "([^"]+)"', lambda found: _with_includes(path.parent / found[1]), text,
        flags=re.MULTILINE,
    )  # fmt: skip


def _resource(name: str) -> str:
    return (resources.files("modmul.verification") / name).read_text(encoding="utf-8")


def _digest(texts: list[str]) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()
