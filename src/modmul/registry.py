"""Registries: objects that are found by name, each imported at its first use."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from modmul.errors import refusal

T = TypeVar("T")


class Registry(Mapping[str, T]):
    """A read-only mapping from names to objects, each loaded at its first use.  names: in the order
    in which they are listed.  load: imports the object of a name."""

    def __init__(self, names: tuple[str, ...], load: Callable[[str], T]):
        self._names, self._load = names, functools.cache(load)

    def __getitem__(self, name: str) -> T:
        if name not in self._names:
            raise KeyError(name)
        return self._load(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def find(self, key: str, name: str) -> T:
        """The object of that name; raise SpecError about this key of a spec if there is
        none."""
        if not isinstance(name, str) or name not in self:
            raise refusal(key, name, f"one of {', '.join(self)}", names=self)
        return self[name]


def of_modules(package: str, places: Mapping[str, tuple[str, str]]) -> Registry[Any]:
    """A registry of classes or other objects that modules have.  places: for each name, the
    module below the package, and the name there."""

    def imported(name: str) -> Any:
        module, there = places[name]
        return getattr(importlib.import_module(f"{package}.{module}"), there)

    return Registry(tuple(places), imported)
