"""Explores a space of specifications: measures its points, here or on a cluster, and writes one
record for each.

Its names are imported when the first of them is used: the help of a verb needs none."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from modmul.exploration.budget import Budget
    from modmul.exploration.explore import explore
    from modmul.exploration.outcome import Outcome
    from modmul.exploration.record import Record
    from modmul.exploration.space import Space, read_space
    from modmul.exploration.store import read

__all__ = ["Budget", "Outcome", "Record", "Space", "explore", "read", "read_space"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from modmul.exploration.budget import Budget
    from modmul.exploration.outcome import Outcome
    from modmul.exploration.record import Record
    from modmul.exploration.space import Space, read_space
    from modmul.exploration.store import read

    names = (Budget, Outcome, Record, Space, read, read_space)
    return next(each for each in names if each.__name__ == name)


class _Package(ModuleType):
    """`explore` is the function here, though a module has its name, too."""

    @property
    def explore(self) -> Callable[..., Any]:
        from modmul.exploration.explore import explore

        return explore

    @explore.setter
    def explore(self, module: ModuleType) -> None:
        """Python gives a package each module that is imported from it."""


sys.modules[__name__].__class__ = _Package
