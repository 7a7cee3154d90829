"""Calls GHDL, if it is installed: it analyses and simulates emitted VHDL."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from modmul.errors import ToolMissing
from modmul.toolchain import child, scratch

STANDARDS = ("93", "08")
_LAST_RESORT = 3600.0  # seconds; callers limit the work of a simulation, not its time
_MISSING = "GHDL not found: install ghdl with the system"


def installed() -> bool:
    return shutil.which("ghdl") is not None


def version() -> str | None:
    """Return the version; None if it is not installed."""
    if not installed():
        return None
    match = re.match(r"GHDL (\S+)", _run(["--version"], None))
    return match[1] if match else "unknown"


def identity() -> str:
    """Return the digest of the program and what it prints about its version.  Raises
    ToolMissing."""
    path = shutil.which("ghdl")
    if path is None:
        raise ToolMissing(_MISSING)
    return f"{hashlib.sha256(Path(path).read_bytes()).hexdigest()} {_run(['--version'], None)}"


def analyse(sources: Sequence[Path], standard: str, folder: Path) -> None:
    """Analyse files, in order, into a library in `folder`.  standard: of `STANDARDS`.  Raises
    ToolFailed, which names the first mistakes, and ToolMissing."""
    files = [str(source.resolve()) for source in sources]
    _run(["-a", f"--std={standard}", *files], folder)


def simulate(
    sources: Sequence[Path],
    top: str,
    generics: Mapping[str, object] = MappingProxyType({}),
    standard: str = STANDARDS[0],
) -> str:
    """Analyse and elaborate files, run the entity `top` until nothing happens any more, and return
    its output.  Raises ToolFailed, ToolMissing."""
    with scratch.folder() as folder:
        analyse(sources, standard, folder)
        _run(["-e", f"--std={standard}", top], folder)
        values = [f"-g{name}={value}" for name, value in generics.items()]
        # numeric_std warns of every unknown value, which registers have before the reset
        return _run(["-r", f"--std={standard}", top, *values, "--ieee-asserts=disable"], folder)


def _run(arguments: list[str], folder: Path | None) -> str:
    if not installed():
        raise ToolMissing(_MISSING)
    where = {"cwd": folder, "folder": folder}
    return child.call("ghdl", ["ghdl", *arguments], first=True, timeout=_LAST_RESORT, **where)
