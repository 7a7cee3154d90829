"""Figures kept under a key that is known before anything is emitted.

The steps below keep their results by the emitted text, and to emit a wide design takes seconds.  So
the figures that the tables need are kept, too, by options: all that has a say in the text or in the
figures is in the key of every step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import Step

T = TypeVar("T")
K = TypeVar("K")


class OnlyKept(Cache):
    """The cache of the steps where nothing is to be measured: figures in it are read, others are
    missing.  Every step that takes a tool goes through `kept`, or asks `may_make`; one that does
    not, and would compile or keep something, is a fault."""

    def put(self, step: Step, key: Mapping[str, Any], record: Mapping[str, Any]) -> None:
        raise AssertionError(f"{step.name} was made, where figures are only read")

    def folder(self, step: Step, key: Mapping[str, Any], make: Callable[[Path], None]) -> Path:
        raise AssertionError(f"{step.name} is to be made, where figures are only read")


def may_make(cache: Cache) -> bool:
    """Whether figures that the cache has not may be made."""
    return not isinstance(cache, OnlyKept)


def kept(
    cache: Cache,
    step: Step,
    key: Mapping[str, Any],
    kind: type[T],
    make: Callable[[], T],
) -> T | None:
    """What `make`, in the module of the step, gave for this key, of type `kind` (a record of plain
    values).  None only where nothing may be made (`OnlyKept`)."""
    old = found(cache, step, key, kind)
    if old is not None or not may_make(cache):
        return old
    made = make()
    cache.put(step, key, {"value": msgspec.to_builtins(made)})
    return made


def found(cache: Cache, step: Step, key: Mapping[str, Any], kind: type[T]) -> T | None:
    """What is kept for this key, None if nothing is."""
    old = cache.get(step, key)
    return None if old is None else msgspec.convert(old["value"], kind)


def known(keys: Iterable[K], figures: Iterable[T | None]) -> dict[K, T]:
    """By key, without those that are missing."""
    pairs = zip(keys, figures, strict=True)
    return {key: figure for key, figure in pairs if figure is not None}
