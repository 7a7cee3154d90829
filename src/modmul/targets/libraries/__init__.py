"""Cell libraries: which there are by name, what a Liberty file says, which of its cells do what."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from modmul.errors import SpecError, quoted

DEFAULT = "normalised"
_QFLOW = Path("/usr/share/qflow/tech")  # where Debian's packages install libraries


@dataclass(frozen=True)
class NamedLibrary:
    """A library with a name.  package: its Debian package; None: it is a part of this program."""

    name: str
    path: Path
    package: str | None
    summary: str


NAMED = {
    library.name: library
    for library in (
        NamedLibrary(
            DEFAULT,
            Path(__file__).parent / "normalised.lib",
            None,
            "areas and delays in units of the full adder (kuang2016, Table II)",
        ),
        NamedLibrary(
            "osu018",
            _QFLOW / "osu018" / "osu018_stdcells.lib",
            "qflow-tech-osu018",
            "Oklahoma State University, TSMC 0.18 um",
        ),
        NamedLibrary(
            "osu035",
            _QFLOW / "osu035" / "osu035_stdcells.lib",
            "qflow-tech-osu035",
            "Oklahoma State University, AMI 0.35 um",
        ),
        NamedLibrary(
            "osu050",
            _QFLOW / "osu050" / "osu05_stdcells.lib",
            "qflow-tech-osu050",
            "Oklahoma State University, AMI 0.5 um",
        ),
    )
}
ALLOWED = f"one of {', '.join(NAMED)}, or the path of a Liberty file"


def resolve_relative(library: str, folder: Path) -> str:
    """A library that is named in a file in `folder`: a name as it is, a relative path from
    that folder."""
    return library if library in NAMED else os.path.normpath(folder / library)


def locate(library: str) -> Path:
    """The Liberty file of a name or path.  Raises SpecError if there is none."""
    if library in NAMED:
        named = NAMED[library]
        if named.path.is_file():
            return named.path
        installed = ", ".join(library.name for library in NAMED.values() if library.path.is_file())
        allowed = f"one that is installed ({installed}), or the path of a Liberty file"
        raise SpecError(
            "library",
            library,
            allowed,
            f"library = {quoted(library)}: {named.path} is not there; Debian's package "
            f"{named.package} installs it; else {allowed}",
        )
    path = Path(library)
    if os.path.isfile(path):  # False, and no error, also for an impossible name of a file
        return path
    if os.path.isdir(path):
        reason = "is a directory"
    elif path.suffix or len(path.parts) > 1:
        reason = "no such file"
    else:
        reason = "no such library"
    message = f"library = {quoted(library)}: {reason}: must be {ALLOWED}"
    raise SpecError("library", library, ALLOWED, message)
