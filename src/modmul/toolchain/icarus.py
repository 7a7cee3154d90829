"""Calls Icarus Verilog, if it is installed: a second simulator for emitted files."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from modmul.errors import ToolMissing
from modmul.toolchain import child, scratch

_PROGRAMS = ("iverilog", "vvp")
_MISSING = "Icarus Verilog not found: install iverilog with the system"
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
    match = re.search(r"version (\S+)", identity()["iverilog"])
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


Simulate = Callable[[Sequence[str]], IcarusRun]  # takes plusargs of the running design (+trace)


@contextmanager
def compiled(sources: Sequence[Path], top: str) -> Iterator[Simulate]:
    """Compile `sources` as Verilog-2005; yield a function that runs the module `top` until $finish.

    Both raise ToolFailed.  Raises ToolMissing."""
    if not installed():
        raise ToolMissing(_MISSING)
    with scratch.folder() as folder:
        program = str(folder / "program")
        files = [str(source.resolve()) for source in sources]
        _run(["iverilog", "-g2005", "-s", top, "-o", program, *files], folder)
        yield lambda arguments: _events(_run(["vvp", "-v", "-n", program, *arguments], folder))


def _events(log: str) -> IcarusRun:
    """Separate the output of a design from what `vvp -v` says about the run."""
    before, _, after = log.partition(_AFTER)
    printed = [line for line in before.splitlines() if not _VERBOSE.match(line)]
    counts = {kind: int(count) for count, kind in _EVENTS.findall(after)}
    return IcarusRun("\n".join(printed), sum(counts.values()) if len(counts) == _KINDS else None)


def simulate(sources: Sequence[Path], top: str, arguments: Sequence[str] = ()) -> str:
    """Compile `sources` as Verilog-2005, run the module `top` until $finish and return its output.

    arguments: plusargs of the running design (+trace).  Raises ToolMissing, ToolFailed."""
    with compiled(sources, top) as run:
        return run(arguments).output


def _run(command: list[str], folder: Path | None = None) -> str:
    return child.call(command[0], command, folder=folder, timeout=_LAST_RESORT)
