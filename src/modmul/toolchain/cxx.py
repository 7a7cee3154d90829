"""Finds and runs the C++ compiler: $CXX, else g++ or clang++ if installed, else that of the zig
wheel.

When zig links for the first time on a machine it builds its C++ library, which takes a minute or
two; a line on standard error says so."""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import shlex
import shutil
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from modmul.errors import ToolMissing
from modmul.toolchain import child

_VERSION_LIMIT = 120.0  # seconds: zig unpacks itself first


@dataclass(frozen=True)
class Compiler:
    """A C++ compiler.  command: how it is started.  version: the first line that it prints about
    itself, and the arguments of the command."""

    command: tuple[str, ...]
    version: str

    @property
    def is_zig(self) -> bool:
        return "ziglang" in self.command

    @property
    def is_gcc(self) -> bool:
        """Whether it is GCC, judged by its version, such as `g++-12 (Debian 12.2.0) 12.2.0`; clang
        prints `clang version 14`."""
        return bool(re.match(r"\S*[gc]\+\+\S* \(", self.version)) and not self.is_zig


@functools.cache
def find() -> Compiler:
    """Return the C++ compiler to use.  Raises ToolMissing if there is none."""
    named = os.environ.get("CXX")
    if named:
        return _compiler(tuple(shlex.split(named)))
    for name in ("g++", "clang++"):
        if shutil.which(name):
            return _compiler((name,))
    if importlib.util.find_spec("ziglang"):
        return _compiler((sys.executable, "-m", "ziglang", "c++"))
    raise ToolMissing(
        "no C++ compiler found: install g++ or clang++, or the Python package ziglang, "
        "or name one in the environment variable CXX"
    )


def _compiler(command: tuple[str, ...]) -> Compiler:
    try:
        code, output = child.run([*command, "--version"], timeout=_VERSION_LIMIT, errors=False)
    except (OSError, child.TimedOut) as error:
        raise ToolMissing(f"C++ compiler {shlex.join(command)} does not start: {error}") from None
    if code != 0:
        raise ToolMissing(f"C++ compiler {shlex.join(command)} does not answer to --version")
    line = (output.splitlines() or ["unknown"])[0]
    return Compiler(command, " ".join((line, *command[1:])))


def compile_objects(sources: Sequence[Path], folder: Path, flags: Sequence[str]) -> list[Path]:
    """Compile every source to `folder`/<stem>.o, two at a time; return the objects.  Raises
    ToolFailed with the log, and NoRoom.  If one compilation fails, or on Ctrl-C, the others are
    ended."""
    compiler = find()
    stop = threading.Event()

    def compile_source(source: Path) -> Path:
        target = folder / f"{source.stem}.o"
        extra = ["-fno-sanitize=all"] if compiler.is_zig else []
        command = [*compiler.command, *flags, *extra, "-c", str(source), "-o", str(target)]
        child.call("c++", command, first=True, folder=folder, stop=stop)
        return target

    with ThreadPoolExecutor(max_workers=2) as pool:
        try:
            return list(pool.map(compile_source, sources))
        except BaseException:
            stop.set()
            raise


def precompile(header: Path, flags: Sequence[str]) -> None:
    """Compile a header for GCC, which then uses the compiled form and reads it much faster."""
    target = header.with_name(f"{header.name}.gch")
    command = [*find().command, *flags, "-x", "c++-header", str(header), "-o", str(target)]
    child.call("c++", command, first=True, folder=header.parent)


def link(objects: Sequence[Path], target: Path) -> None:
    """Link objects and the thread library to the executable `target`."""
    compiler, files = find(), [*map(str, objects), "-lpthread"]
    command = [*compiler.command, *files, "-o", str(target)]
    if compiler.is_zig and compiler.command[-1] == "c++":
        # zig's C++ library without optimisation is built in 64 s of processor time in place of 101;
        # what simulators do with it takes no time.
        command = [*compiler.command[:-1], "build-exe", "-lc++", "--debug-rt", *files]
        command += [f"-femit-bin={target}"]
    _announce_first_zig(compiler)
    child.call("c++", command, first=True, folder=target.parent)


@functools.cache
def _announce_first_zig(compiler: Compiler) -> None:
    if not compiler.is_zig:
        return
    home = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    cache = Path(os.environ.get("ZIG_GLOBAL_CACHE_DIR", home / "zig"))
    if not any(cache.glob("o/*/libc++.a")):
        print("zig builds its C++ library: a minute or two, once", file=sys.stderr)
