"""Things that are found by name, each imported when it is first asked for."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

T = TypeVar("T")


class Registry(Mapping[str, T]):
    """names: in the order in which they are listed.  load: imports the one of that name."""

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
