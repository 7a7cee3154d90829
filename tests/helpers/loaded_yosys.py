"""Yosys in a process that stays: to load it takes longer than most of the scripts of the tests.

Each script runs in a copy of a process that has loaded Yosys and done nothing else, so it finds
the state that it would find in a process of its own.  A script that fails, or may take only so
long, is run by the package as always."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from modmul.toolchain import yosys
from modmul.toolchain.child import timed

as_always = yosys.run

_PROGRAM = """
import ctypes, json, os, sys
from pyosys import libyosys

def run(folder, script, log, environment):
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.chdir(folder)
    os.environ.update(environment)
    design = libyosys.Design()
    for command in script.splitlines():
        if command.strip() and not command.lstrip().startswith("#"):
            libyosys.run_pass(command.strip(), design)
    ctypes.CDLL(None).fflush(None)

for line in sys.stdin:
    child = os.fork()
    if child == 0:
        code = 1
        try:
            run(*json.loads(line))
            code = 0
        finally:
            os._exit(code)
    print(os.waitpid(child, 0)[1], flush=True)
"""


class LoadedYosys:
    """Runs scripts, one at a time; use it as a context manager."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        file, name = tempfile.mkstemp(prefix="modmul-yosys-")
        os.close(file)
        self._log = Path(name)
        self._process: subprocess.Popen[str] | None = None

    def run(self, script: str, workdir: Path, timeout: float | None = None) -> str:
        """As `modmul.toolchain.yosys.run`."""
        if timeout is None:
            with self._lock, timed("yosys"):
                if self._ended(script, workdir) == "0\n":
                    return self._log.read_text(errors="replace")
        return as_always(script, workdir, timeout)

    def _ended(self, script: str, workdir: Path) -> str:
        """Run a script; return the line with its status."""
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _PROGRAM],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env=os.environ | {"PYTHONHASHSEED": "0"},
            )
        process, asked = self._process, (str(workdir.absolute()), script, str(self._log))
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(json.dumps([*asked, dict(os.environ)]) + "\n")
            process.stdin.flush()
            return process.stdout.readline()
        except BrokenPipeError:
            return ""
        except BaseException:  # its answer would be taken for that to the next script
            self.end()
            raise

    def end(self) -> None:
        if self._process is not None:
            self._process.kill()
            with contextlib.suppress(BrokenPipeError), self._process:
                pass
            self._process = None

    def __enter__(self) -> LoadedYosys:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        self._log.unlink(missing_ok=True)
