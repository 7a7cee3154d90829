"""Files into a directory of the user's: all complete or none, and nobody else's overwritten."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from modmul.errors import SpecError


def sha(text: str) -> str:
    """SHA-256 of a text as it is written."""
    return hashlib.sha256(text.encode()).hexdigest()


def put(texts: Mapping[str, str], folder: Path) -> list[Path]:
    """Write the files, whose names may have a folder, below `folder`; their paths."""
    for file, text in texts.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text, encoding="utf-8", newline="\n")
    return [folder / file for file in texts]


def check_places(texts: Mapping[str, str], directory: Path) -> None:
    """SpecError where something stands in `directory` that is neither the same text nor a file of
    an earlier delivery: one that a description there names with its digest."""
    known = _delivered(directory)
    for file, text in texts.items():
        place = directory / file
        if place.parent.exists() and not place.parent.is_dir():
            _refuse(place.parent, "is not a directory")
        if place.exists() or place.is_symlink():
            if not place.is_file() or place.is_symlink():
                _refuse(place, "is no plain file")
            if _digest(place) not in {sha(text), *known.get(file, ())}:
                _refuse(place, "is not what modmul wrote there")


def deliver(texts: Mapping[str, str], directory: Path) -> None:
    """Write all files, complete, under temporary names beside their places; then rename them.

    What the descriptions that are replaced name besides goes away, if it is as it was and no other
    description names it.  SpecError as `check_places`."""
    directory.mkdir(parents=True, exist_ok=True)
    check_places(texts, directory)
    outdated = _outdated(texts, directory)
    with tempfile.TemporaryDirectory(prefix=".modmul-", dir=directory) as folder:
        put(texts, Path(folder))
        for parent in {(directory / file).parent for file in texts}:
            parent.mkdir(exist_ok=True)
        for file in texts:
            os.replace(Path(folder) / file, directory / file)
    for place in outdated:
        place.unlink()


def _outdated(texts: Mapping[str, str], directory: Path) -> list[Path]:
    others = [_named(place) for place in directory.glob("*.json") if place.name not in texts]
    kept = {*texts, *(file for files in others for file in files)}
    before = [_named(directory / file) for file in texts if file.endswith(".json")]
    return [
        directory / file
        for files in before
        for file, digest in files.items()
        if file not in kept and ".." not in Path(file).parts and _digest(directory / file) == digest
    ]


def _digest(place: Path) -> str | None:
    return hashlib.sha256(place.read_bytes()).hexdigest() if place.is_file() else None


def _delivered(directory: Path) -> dict[str, set[str]]:
    """The digests of files that the descriptions in `directory` name; and of these themselves."""
    found: dict[str, set[str]] = {}
    for place in directory.glob("*.json"):
        for file, digest in _named(place).items():
            found.setdefault(file, set()).add(digest)
    return found


def _named(place: Path) -> dict[str, str]:
    """The digests in a description, with its own; none where it is not one of ours."""
    try:
        description = json.loads(place.read_bytes())
        files = {str(file): str(entry["sha256"]) for file, entry in description["files"].items()}
        own = {place.name: _digest(place) or ""} if "modmul" in description else {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
    return files | own


def _refuse(place: Path, why: str) -> None:
    message = f"output: {place} {why}: move it away, or name another directory"
    raise SpecError("output", str(place), "a directory without other files of these names", message)
