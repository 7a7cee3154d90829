"""OpenSTA, where it is installed: a second opinion on the longest path of a netlist of cells."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import NamedTuple

from modmul.errors import ToolFailed, ToolMissing
from modmul.toolchain import child

_SCRIPT = "opensta.tcl"
_LOG_LINES = 30
_PERIOD = 1.0  # only the length is wanted; a large one would cost digits: it reckons in floats
_STAGE = re.compile(r"^\s+([\d.]+)\s+[\d.]+ [v^] (\S+)/(\S+) \((\S+)\)$", re.MULTILINE)


class LongestPath(NamedTuple):
    """The longest path from register to register.  value: setup included, in the library's unit.

    stages: cell type and delay; the first is the flip-flop at which it begins."""

    value: float
    setup: float
    stages: tuple[tuple[str, float], ...]


def installed() -> bool:
    return shutil.which("sta") is not None


def longest_path(
    folder: Path,
    library: str,
    netlist: str,
    top: str,
    clock: str = "clk",
    timeout: float | None = None,
) -> LongestPath:
    """Time the Verilog file `netlist` with the Liberty file `library`, both in `folder`.

    top: its module.  clock: port of the ideal clock.  Inputs and outputs have no constraint.
    ToolMissing; ToolFailed, also when `timeout` (seconds) is up."""
    if not installed():
        raise ToolMissing("OpenSTA not found: install opensta with the system")
    (folder / _SCRIPT).write_text(
        f"""read_liberty {library}
read_verilog {netlist}
link_design {top}
create_clock -name clock -period {_PERIOD:g} [get_ports {clock}]
report_checks -path_delay max -digits 6 \
-from [all_registers -clock_pins] -to [all_registers -data_pins]
exit
"""
    )
    try:
        code, output = child.run(
            ["sta", "-no_splash", "-exit", _SCRIPT], cwd=folder, timeout=timeout
        )
    except child.TimedOut:
        raise ToolFailed(f"sta did not finish within {timeout:g} s") from None
    if code != 0 or "Error:" in output:
        log = "\n".join(output.splitlines()[-_LOG_LINES:])
        raise ToolFailed(f"sta ended with {code}:\n{log}")
    return _read(output)


def _read(report: str) -> LongestPath:
    arrival = re.search(r"^\s+([\d.]+)\s+data arrival time$", report, re.MULTILINE)
    setup = re.search(r"^\s+(-?[\d.]+)\s+-?[\d.]+\s+library setup time$", report, re.MULTILINE)
    if arrival is None or setup is None:
        raise ToolFailed(f"sta reports no path from register to register:\n{report[-2000:]}")
    # The first is the clock pin of the first flip-flop, the last the data pin of the last.
    stages = [(kind, float(delay)) for delay, _, _, kind in _STAGE.findall(report)]
    delay = -float(setup[1])
    return LongestPath(float(arrival[1]) + delay, delay, tuple(stages[1:-1]))
