"""Compiles Verilog designs and one driver into an executable simulator, and runs it.

A driver is C++ of this package that is the same for all designs, and compiled once.  Several
designs go into one executable because most of a compilation is reading Verilator's headers.
Executables are cached by content.  A simulator runs in a process of its own, so that its crash is
an error here."""

from __future__ import annotations

import contextlib
import hashlib
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from types import TracebackType
from typing import IO, Protocol, Self, TypeVar

from modmul.errors import ToolFailed
from modmul.toolchain import child, cxx, scratch, verilator
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import COMPILER, Step

_TOOLS, _CALLERS = (COMPILER, "verilator"), (__name__, cxx.__name__, verilator.__name__)
SIMULATOR = Step("simulator", _TOOLS, _CALLERS)
DRIVER = Step("simulator-driver", _TOOLS, _CALLERS)
_EXECUTABLE = "simulator"
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Driver:
    """The C++ files of a driver.  model: the header for designs; it declares `modmul::Model`,
    `makers` and `designs`.  headers: included by `main`.  main: the file with the main program,
    compiled once."""

    model: str
    headers: tuple[str, ...]
    main: str

    def texts(self) -> dict[str, str]:
        """The text of every file, by its name."""
        return {name: _resource(name) for name in (self.model, *self.headers, self.main)}


class Compilable(Protocol):
    """A design that can be compiled into an executable."""

    @property
    def top(self) -> str: ...

    def sources(self) -> list[str]:
        """The texts that Verilator reads."""
        ...

    def maker(self, prefix: str) -> list[str]:
        """C++ that creates the `Model` of the verilated class `prefix` in `context`: the
        last line is an expression, and the lines before it stand at namespace level."""
        ...


def compile_executable(
    driver: Driver, designs: Sequence[Compilable], cache: Cache, *, trace: bool
) -> Path:
    """Compile a simulator, which takes seconds, or find it in the cache.  Raises ToolMissing,
    ToolFailed."""
    sources, tops = [design.sources() for design in designs], [design.top for design in designs]
    makers = [design.maker(f"Design{index}") for index, design in enumerate(designs)]
    texts = driver.texts()
    key = {
        "driver": _digest(list(texts.values())),
        "designs": [_digest(source) for source in sources],
        "tops": tops,
        "makers": _digest([line for lines in makers for line in lines]),
        "trace": trace,
    }

    def make(folder: Path) -> None:
        with scratch.folder() as work:
            units = _verilated(work, driver, sources, tops, makers, trace)
            flags = [*verilator.flags(trace), *verilator.header(cache, trace), "-I", str(work)]
            flags += [item for i in range(len(sources)) for item in ("-I", f"{work}/design{i}")]
            objects = cxx.compile_objects(units, work, flags)
            objects += [driver_object(driver, cache, trace), *verilator.runtime(cache, trace)]
            cxx.link(objects, folder / _EXECUTABLE)

    return cache.folder(SIMULATOR, key, make) / _EXECUTABLE


def _verilated(
    work: Path,
    driver: Driver,
    sources: list[list[str]],
    tops: list[str],
    makers: list[list[str]],
    trace: bool,
) -> list[Path]:
    """Verilate every design by itself, and write a few C++ files that include all of them."""
    for name, text in driver.texts().items():
        (work / name).write_text(text)
    units: list[list[str]] = [[] for _ in range(_units(len(sources)))]
    for index, (top, texts) in enumerate(zip(tops, sources, strict=True)):
        folder = work / f"design{index}"
        folder.mkdir()
        files = [folder / f"source{position}.v" for position in range(len(texts))]
        for file, text in zip(files, texts, strict=True):
            file.write_text(text)
        generated = verilator.verilate(files, top, f"Design{index}", folder, trace=trace)
        units[index % len(units)] += _unit(index, generated, makers[index])
    units[0] += _table(len(sources))
    paths = []
    for position, lines in enumerate(units):
        paths.append(work / f"unit{position}.cpp")
        paths[-1].write_text("\n".join([f'#include "{driver.model}"', *lines, ""]))
    return paths


def _units(designs: int) -> int:
    """The number of C++ files for so many designs; the files are compiled side by side."""
    return min(2, designs)


def driver_object(driver: Driver, cache: Cache, trace: bool = False) -> Path:
    """The object of the driver, which does not depend on designs."""
    texts = driver.texts()

    def make(folder: Path) -> None:
        with scratch.folder() as work:
            for name, text in texts.items():
                (work / name).write_text(text)
            flags = [*verilator.flags(trace), *verilator.header(cache, trace), "-I", str(work)]
            cxx.compile_objects([work / driver.main], folder, flags)

    key = {"driver": _digest(list(texts.values())), "trace": trace}
    return cache.folder(DRIVER, key, make) / f"{Path(driver.main).stem}.o"


def _unit(index: int, generated: list[Path], maker: list[str]) -> list[str]:
    """The C++ of one design: the files that Verilator wrote, and the function that creates
    its model."""
    *before, expression = maker
    return [
        "#undef VL_PCH_INCLUDED",
        *(line for file in generated for line in _included(file)),
        "namespace modmul {",
        *before,
        f"std::unique_ptr<Model> make{index}(VerilatedContext* context) {{",
        f"    return {expression};",
        "}",
        "}",
    ]


def _included(file: Path) -> list[str]:
    """C++ that includes a file of Verilator.  Files with code that runs once or only calls
    other code are not optimised, which saves a third of the compilation time."""
    line = f'#include "{file.parent.name}/{file.name}"'
    if "__" in file.stem and not file.stem.endswith("Slow"):
        return [line]
    return [
        "#pragma GCC push_options",
        '#pragma GCC optimize ("O0")',
        line,
        "#pragma GCC pop_options",
    ]


def _table(count: int) -> list[str]:
    """The C++ list of the designs."""
    makers = [f"make{index}" for index in range(count)]
    return [
        "namespace modmul {",
        *(f"std::unique_ptr<Model> {maker}(VerilatedContext* context);" for maker in makers),
        f"const Maker makers[] = {{{', '.join(makers)}}};",
        f"const size_t designs = {count};",
        "}",
    ]


# Seconds in which a simulator has to end by itself, usually and if its waveform's disk is full.
_TO_FINISH, _TO_NOTICE = 60.0, 5.0


class Process:
    """A running simulator.  Use it as a context manager, in one thread at a time.

    seed: of undefined power-up values.  waveform: the VCD file to write, if compiled with `trace`;
    it is complete when the process is closed.  arguments: plusargs for the designs (+name=1)."""

    def __init__(
        self, executable: Path, seed: int, waveform: Path | None, arguments: Sequence[str] = ()
    ):
        self._errors, self._waveform = tempfile.TemporaryFile(), waveform
        command = [str(executable), str(seed), str(waveform or ""), *arguments]
        self._process = child.Tool(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors
        )

    def ask(self, question: bytes, read: Callable[[IO[bytes]], Answer]) -> Answer:
        """Send a question and read the answer.  Raises ToolFailed if the simulator ends instead."""
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            with child.timed("simulation"):
                self._process.stdin.write(question)
                self._process.stdin.flush()
                return read(self._process.stdout)
        except (BrokenPipeError, EOFError):
            raise self._failure(self._wait()) from None  # it may still be printing the reason

    def _failure(self, code: int) -> Exception:
        self._errors.seek(0)
        log = self._errors.read().decode(errors="replace")[-2000:]
        if self._waveform is not None and (self._full or scratch.reports_full(log)):
            return scratch.no_room(self._waveform.parent)
        return ToolFailed(f"the simulator ended with {code}\n{log}")

    @property
    def _full(self) -> bool:
        return self._waveform is not None and scratch.is_full(self._waveform.parent)

    def kill(self) -> None:
        """End the process at once; a waveform may be truncated."""
        self._process.kill()
        self._wait()
        self._errors.close()

    def close(self) -> None:
        """End the process; a waveform is then complete.  Raises ToolFailed or NoRoom if not."""
        code = self._wait()
        with self._errors:
            if self._waveform is not None and code != 0:
                raise self._failure(code)

    def _wait(self) -> int:
        assert self._process.stdin is not None and self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            # a simulator whose waveform's disk is full never ends
            self._process.wait(timeout=_TO_NOTICE if self._full else _TO_FINISH)
        self._process.kill()
        self._process.stdout.close()
        return int(self._process.returncode)

    def __enter__(self) -> Self:
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


def _resource(name: str) -> str:
    return (resources.files("modmul.verification") / name).read_text(encoding="utf-8")


def _digest(texts: list[str]) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def exactly(stream: IO[bytes], count: int) -> bytes:
    """Raises EOFError if the stream ends before."""
    octets = stream.read(count)
    if len(octets) != count:
        raise EOFError
    return octets
