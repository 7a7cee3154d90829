"""Runs Yosys from the pyosys wheel: each script in a process of its own.

An error inside a pass ends the whole Python process and the log goes to standard output; so every
script runs in a child whose output is captured.
"""

from __future__ import annotations

import sys
from pathlib import Path

from modmul.toolchain import child
from modmul.toolchain.versions import version

_RUNNER = """
import sys
from pyosys import libyosys

design = libyosys.Design()
for line in open(sys.argv[1], encoding="utf-8"):
    command = line.strip()
    if command and not command.startswith("#"):
        libyosys.run_pass(command, design)
"""
_SCRIPT = "modmul.ys"


def run(script: str, workdir: Path, timeout: float | None = None) -> str:
    """Run `script`, one command a line (# begins a comment), and return Yosys' log.

    script: its file names are relative to `workdir`, where the script itself is written as
    modmul.ys.  timeout: seconds; None for no limit.  Raises ToolFailed with the end of the log if
    Yosys fails or runs out of time, ToolMissing if pyosys is not installed, and NoRoom."""
    version("pyosys")  # it is installed
    (workdir / _SCRIPT).write_text(script, encoding="utf-8")
    command = [sys.executable, "-P", "-c", _RUNNER, _SCRIPT]
    environment = {"PYTHONHASHSEED": "0"}
    return child.call("yosys", command, cwd=workdir, env=environment, timeout=timeout)
