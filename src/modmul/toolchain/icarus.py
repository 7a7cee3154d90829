"""Calls Icarus Verilog, if it is installed: a second simulator for emitted files."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from modmul.errors import ToolFailed, ToolMissing
from modmul.toolchain import child, scratch

_PROGRAMS = ("iverilog", "vvp")
_MISSING = "Icarus Verilog not found: install iverilog with the system"
_LOG_LINES = 30
_LAST_RESORT = 3600.0  # seconds; callers limit the work of a simulation, not its time
# The lines that `vvp -v` adds to the output of the design, and the line that follows that output.
_VERBOSE = re.compile(r"^(?: \.\.\..*|Compiling VVP.*|Compile cleanup.*|Running \.\.\.| {16}.*)$")
_AFTER = " ...execute Postsim callbacks"
_EVENTS = re.compile(r"^ +(\d+) (thread schedule|assign|other) events", re.MULTILINE)
_KINDS = 3  # the kinds of events that vvp counts


def installed() -> bool:
    """Whether iverilog and vvp are installed."""
    return all(shutil.which(name) for name in _PROGRAMS)


def version() -> str | None:
    """Return the version of the compiler; None if it is not installed."""
    if not installed():
        return None
    match = re.search(r"version (\S+)", _run(["iverilog", "-V"]))
    return match[1] if match else "unknown"


def identity() -> dict[str, str]:
    """Return, by program, the digest of the file and what it prints about the versions of its
    parts.  Raises ToolMissing."""
    parts = {}
    for name in _PROGRAMS:
        path = shutil.which(name)
        if path is None:
            raise ToolMissing(_MISSING)
        digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()
        parts[name] = f"{digest} {_run([path, '-V'])}"
    return parts


class IcarusRun(NamedTuple):
    """The output of a simulation and its number of events, which is the same in every run.

    events: None if this version of vvp does not print it."""

    output: str
    events: int | None


@dataclass(frozen=True)
class IcarusProgram:
    """A compiled design."""

    path: Path

    def run(self, arguments: Sequence[str] = ()) -> IcarusRun:
        """Simulate until $finish.  arguments: plusargs of the running design (+trace).  Raises
        ToolFailed."""
        log = _run(["vvp", "-v", "-n", str(self.path), *arguments], self.path.parent)
        before, _, after = log.partition(_AFTER)
        printed = [line for line in before.splitlines() if not _VERBOSE.match(line)]
        counts = {kind: int(count) for count, kind in _EVENTS.findall(after)}
        return IcarusRun(
            "\n".join(printed), sum(counts.values()) if len(counts) == _KINDS else None
        )


@contextmanager
def compiled(sources: Sequence[Path], top: str) -> Iterator[IcarusProgram]:
    """Compile `sources` as Verilog-2005 with the top module `top`, and yield the program.  Raises
    ToolMissing, ToolFailed."""
    if not installed():
        raise ToolMissing(_MISSING)
    with scratch.folder() as folder:
        program = folder / "program"
        files = [str(source.resolve()) for source in sources]
        _run(["iverilog", "-g2005", "-s", top, "-o", str(program), *files], folder)
        yield IcarusProgram(program)


def simulate(sources: Sequence[Path], top: str, arguments: Sequence[str] = ()) -> str:
    """Compile `sources` as Verilog-2005, run the module `top` until $finish and return its output.

    arguments: plusargs of the running design (+trace).  Raises ToolMissing, ToolFailed."""
    with compiled(sources, top) as program:
        return program.run(arguments).output


def _run(command: list[str], folder: Path | None = None) -> str:
    try:
        code, output = child.run(command, folder=folder, timeout=_LAST_RESORT)
    except child.TimedOut:
        raise ToolFailed(f"{command[0]} did not finish within {_LAST_RESORT:g} s") from None
    if code != 0:
        log = "\n".join(output.splitlines()[-_LOG_LINES:])
        raise ToolFailed(f"{command[0]} ended with {code}:\n{log}")
    return output
