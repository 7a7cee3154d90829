"""Writes files into a directory of the user: all of them or none, and never over files from
elsewhere."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from modmul import inputs
from modmul.arithmetic.notation import shortened
from modmul.errors import SpecError
from modmul.toolchain import scratch
from modmul.toolchain.files import replace
from modmul.version import __version__

# Lists all files of a delivery, with old and new digests, while they are put in place.  If that is
# interrupted, they are still known as modmul's, and the next delivery replaces them.
_UNFINISHED = ".modmul-unfinished.json"


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def sealed(description: Mapping[str, Any]) -> str:
    """A description as text, with the digest of the rest as its last entry."""
    digest = sha(_plain(description))
    return _plain({**description, "sha256": digest})


def put(texts: Mapping[str, str], folder: Path) -> list[Path]:
    """Write the files, whose names may have a folder, below `folder`; return their paths."""
    for file, text in texts.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text, encoding="utf-8", newline="\n")
    return [folder / file for file in texts]


def check_places(texts: Mapping[str, str | None], directory: Path) -> None:
    """Raise SpecError if `directory` has a file under one of these names that is neither the same
    text nor a file of an earlier delivery, which is one that a description there names with its
    digest.  texts: None for a text that is not known yet."""
    known = _delivered(directory)
    for file, text in {_UNFINISHED: None, **texts}.items():
        place = directory / file
        for parent in (directory / above for above in Path(file).parents[:-1]):
            if parent.is_symlink():
                _refuse(parent, "is a symbolic link")
            if parent.exists() and not parent.is_dir():
                _refuse(parent, "is not a directory")
        if place.exists() or place.is_symlink():
            if not place.is_file() or place.is_symlink():
                _refuse(place, "is no plain file")
            if _digest(place) not in {text and sha(text), *known.get(file, ())}:
                _refuse(place, "is not what modmul wrote there")


def check_own(directory: Path, options: Mapping[str, Any]) -> None:
    """Raise SpecError if a directory that the user has not named contains files but no delivery, or
    the delivery of a specification with other options."""
    if not directory.is_dir() or not any(directory.iterdir()):
        return
    description = directory / f"{directory.name}.json"
    why = None if _delivered(directory) else "exists and was not created by modmul"
    if description.name in _named(description):
        before = {"bus": None, **json.loads(description.read_bytes()).get("spec", {})}
        differing = [key for key, value in options.items() if before.get(key, value) != value]
        if differing:
            key = differing[0]
            why = f"was built with another {key}, {shortened(str(before[key]))}"
    if why is not None:
        allowed = "a directory named with --output"
        message = f"output: {directory} {why}; choose a directory with -o DIR"
        raise SpecError("output", str(directory), allowed, message)


def deliver(texts: Mapping[str, str], directory: Path) -> None:
    """Write all files, complete, under temporary names beside their places; then rename them.

    Files that only the replaced descriptions name are removed, if they are unchanged.  A delivery
    that was interrupted can be repeated, with these files or others.  Raises SpecError as
    `check_places` does."""
    directory.mkdir(parents=True, exist_ok=True)
    check_places(texts, directory)
    outdated = _outdated(texts, directory)
    others = _unfinished(texts, directory) - {*texts, *outdated}
    journal = _journal(texts, [*texts, *outdated, *others], directory)
    with scratch.folder(directory) as folder:
        try:
            put({**texts, _UNFINISHED: journal}, folder)
        except OSError as error:  # of a full disk, which does not say where
            raise OSError(error.errno, error.strerror, str(directory)) from None
        for parent in {(directory / file).parent for file in texts}:
            parent.mkdir(exist_ok=True)
        for file in (_UNFINISHED, *texts):
            replace(folder / file, directory / file)
    for file in outdated if others else (*outdated, _UNFINISHED):
        (directory / file).unlink()


def _unfinished(texts: Mapping[str, str], directory: Path) -> set[str]:
    """The files of an interrupted delivery whose present contents only its journal names."""
    staying = _delivered(directory, {*texts, _UNFINISHED})
    digests = {file: _digest(directory / file) for file in _named(directory / _UNFINISHED)}
    return {
        file
        for file, digest in digests.items()
        if digest and file != _UNFINISHED and digest not in staying.get(file, ())
    }


def _journal(texts: Mapping[str, str], every: list[str], directory: Path) -> str:
    """The content of `_UNFINISHED`: the digests that `every` file may have from now on."""
    known = _delivered(directory)
    files = {file: {"sha256": sha(text)} for file, text in texts.items()}
    before = {file: sorted(known[file]) for file in every if file in known}
    return sealed({"modmul": __version__, "files": files, "before": before})


def _outdated(texts: Mapping[str, str], directory: Path) -> list[str]:
    """The unchanged files that replaced descriptions name and no remaining one does."""
    ours = {*texts, _UNFINISHED}
    ours_all = ours.union(_delivered(directory, ours))
    before = [_named(directory / file) for file in sorted(ours) if file.endswith(".json")]
    return [
        file
        for file in sorted(set().union(*before) - ours_all)
        if any(_digest(directory / file) in files.get(file, ()) for files in before)
    ]


def _digest(place: Path) -> str | None:
    return hashlib.sha256(place.read_bytes()).hexdigest() if place.is_file() else None


def _delivered(directory: Path, but: Collection[str] = ()) -> dict[str, set[str]]:
    """The digests of the files that the descriptions in `directory` name, and of these
    themselves.  but: descriptions to leave out."""
    delivered: dict[str, set[str]] = {}
    for place in (place for place in directory.glob("*.json") if place.name not in but):
        for file, digests in _named(place).items():
            delivered.setdefault(file, set()).update(digests)
    return delivered


def _named(place: Path) -> dict[str, set[str]]:
    """The digests in a description, of files beside and below it, with its own.

    Empty if it is not as modmul wrote it: another file, or edited since."""
    try:
        description = described(place)
        files = {file: {entry["sha256"]} for file, entry in description["files"].items()}
        for file, digests in description.get("before", {}).items():
            files.setdefault(file, set()).update(digests)
        files = {file: digests for file, digests in files.items() if _inside(file, place.parent)}
        return files | {place.name: {sha(sealed(description))}}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}


class Changed(ValueError):
    """A description that was edited since modmul wrote it."""


def described(place: Path) -> dict[str, Any]:
    """A description without its own digest.  Raises ValueError if it is not as modmul wrote
    it: another file, or `Changed`."""
    if not place.is_file():  # a FIFO would never be read to its end
        raise ValueError("is no plain file")
    text = inputs.read(place)
    description: dict[str, Any] = inputs.from_json(text)
    match description:
        case {"modmul": str(), "files": dict(files)} if all(map(_is_entry, files.values())):
            pass
        case _:
            raise ValueError("is no description that modmul wrote")
    if sealed({key: value for key, value in description.items() if key != "sha256"}) != text:
        raise Changed("was changed: its digest is not the one in its last line")
    del description["sha256"]
    return description


def differing(place: Path, description: Mapping[str, Any]) -> dict[str, str]:
    """The files that are not those of their description, and how they differ."""
    digests = {file: _digest(place.parent / file) for file in description["files"]}
    return {
        file: f"is not the file that {place.name} describes" if digest else "is missing"
        for file, digest in digests.items()
        if digest != description["files"][file]["sha256"]
    }


def check_beside(place: Path) -> None:
    """Raise SpecError if Verilog stands beside a description and is not what it describes.  A
    description alone is a specification like others."""
    try:
        files = inputs.from_json(inputs.read(place)).get("files", {})
        texts = [file for file in files if file.endswith(".v") and (place.parent / file).is_file()]
    except (ValueError, AttributeError, TypeError):  # the specification is refused later
        return
    try:
        differing_files = differing(place, described(place)) if texts else {}
        wrong = [f"{file} {differing_files[file]}" for file in texts if file in differing_files]
    except ValueError as error:
        wrong = [f"{place.name} {error}"]
    if wrong:
        allowed = "a description beside the files that it describes, or alone"
        message = f"{place}: {wrong[0]}: `modmul check` shows all differences"
        raise SpecError(None, str(place), allowed, message)


def _is_entry(entry: object) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("sha256"), str)


def _inside(file: str, directory: Path) -> bool:
    """Whether this is the relative name of a place in `directory`, on a path without links."""
    real = os.path.realpath(directory)
    place = os.path.realpath(directory / file)
    return not os.path.isabs(file) and place == os.path.join(real, file)


def _plain(description: Mapping[str, Any]) -> str:
    return json.dumps(description, indent=2) + "\n"


def _refuse(place: Path, why: str) -> None:
    message = f"output: {place} {why}: move it away, or name another directory"
    raise SpecError("output", str(place), "a directory without other files of these names", message)
