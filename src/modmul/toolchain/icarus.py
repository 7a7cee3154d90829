"""Icarus Verilog, where it is installed: a second simulator for emitted files."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from modmul.errors import Inconclusive, ToolFailed, ToolMissing

_LOG_LINES = 30


def installed() -> bool:
    """Whether iverilog and vvp are there."""
    return all(shutil.which(name) for name in ("iverilog", "vvp"))


def simulate(
    sources: Sequence[Path],
    top: str,
    timeout: float | None = None,
    arguments: Sequence[str] = (),
) -> str:
    """Compile `sources` as Verilog-2005, run the module `top` until $finish; what it printed.

    arguments: for the running design (+trace).  timeout: seconds for the simulation.
    ToolMissing, ToolFailed; Inconclusive when time is up."""
    if not installed():
        raise ToolMissing("Icarus Verilog not found: install iverilog with the system")
    with tempfile.TemporaryDirectory(prefix="modmul-") as folder:
        program = str(Path(folder) / "program")
        files = [str(source.resolve()) for source in sources]
        _run(["iverilog", "-g2005", "-s", top, "-o", program, *files], None)
        return _run(["vvp", "-n", program, *arguments], timeout)


def _run(command: list[str], timeout: float | None) -> str:
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=timeout,
        )
    except subprocess.TimeoutExpired:
        raise Inconclusive(f"{command[0]} did not finish within {timeout:g} s") from None
    if done.returncode != 0:
        log = "\n".join(done.stdout.splitlines()[-_LOG_LINES:])
        raise ToolFailed(f"{command[0]} ended with {done.returncode}:\n{log}")
    return done.stdout
