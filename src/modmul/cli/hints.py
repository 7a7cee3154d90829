"""Suggestions for the name of a specification that does not exist."""

from __future__ import annotations

import difflib
import os
from itertools import islice
from pathlib import Path

from modmul import designs, targets
from modmul.arithmetic import moduli
from modmul.errors import SpecError, similar
from modmul.spec.files import job_names

_JOINTS = str.maketrans("", "", "-_")  # names are compared without these
_LONGEST = 80  # letters of a word that a hint may repeat
_MOST = 1000  # entries of a folder that are searched


def about(file: Path) -> str:
    """Return a hint to append to a message; empty if no name is similar, or if the file exists."""
    if os.path.isfile(file):
        return ""
    name = file.name if file.parent == Path() else ""
    jobs = similar(name, job_names()) if name else []
    if option := _option(name):
        more = f", or the job {' or '.join(jobs)}" if jobs else ""
        return f"; did you mean {option}{more}?"
    files = _delivered(file) if os.path.isdir(file) else _files(file)
    near = [*map(str, files)] or jobs
    return f"; did you mean {' or '.join(near)}?" if near else ""


def _option(name: str) -> str | None:
    """Return the option that takes this word: --modulus, --architecture or --target."""
    if not 0 < len(name) <= _LONGEST:
        return None
    if name in designs.NAMES:
        return f"--architecture {name}"
    try:
        if targets.canonical(name) in targets.NAMES:
            return f"--target {name}"
    except SpecError:  # the name of a chip, or of several families
        return None
    try:
        moduli.parse(name if not name.startswith("@") else "", None)
    except SpecError:
        return None
    return f"--modulus {name}"


def _delivered(folder: Path) -> list[Path]:
    """Return the description in a directory that `build` wrote."""
    deliveries = sorted(entry for entry in _entries(folder) if entry.suffix == ".json")
    return deliveries if len(deliveries) == 1 else []


def _files(file: Path) -> list[Path]:
    """Return at most two specification files with a similar name."""
    files = [
        entry
        for entry in _entries(file.parent)
        if entry.suffix.lower() == ".toml" and entry.is_file()
    ]
    stems: dict[str, Path] = {}
    for entry in files:
        stems.setdefault(entry.stem.lower().translate(_JOINTS), entry)
    stem = file.name.lower().removesuffix(".toml").translate(_JOINTS)
    near = difflib.get_close_matches(stem, list(stems), n=2, cutoff=0.6)
    return [stems[stem]] if stem in stems else [stems[name] for name in near]


def _entries(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return [folder / entry.name for entry in islice(entries, _MOST)]
    except (OSError, ValueError):
        return []
