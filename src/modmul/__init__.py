"""modmul: modular multipliers and processors, generated, verified and measured.

The verbs of the command line are functions here (`list` is `list_designs`); a specification is a
`Spec`.  Each is imported when it is first used, so that `import modmul` is quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from modmul.version import __version__ as __version__

if TYPE_CHECKING:
    from modmul.catalogue import describe, list_designs, schema
    from modmul.errors import ModmulError, SpecError
    from modmul.exploration.database import query
    from modmul.exploration.explore import explore
    from modmul.exploration.recommend import recommend
    from modmul.exploration.space import read_space
    from modmul.export.constants import constants
    from modmul.implementation.on_bus import implement
    from modmul.papers import papers
    from modmul.spec import Spec
    from modmul.system.build import build
    from modmul.system.check import check
    from modmul.toolchain.cache import Cache
    from modmul.toolchain.versions import tools
    from modmul.verification.simulation import simulate
    from modmul.verification.verify import verify

__all__ = [
    "Cache",
    "ModmulError",
    "Spec",
    "SpecError",
    "build",
    "check",
    "constants",
    "describe",
    "explore",
    "implement",
    "list_designs",
    "papers",
    "query",
    "read_space",
    "recommend",
    "schema",
    "simulate",
    "tools",
    "verify",
]
_MODULES = {
    "Cache": "modmul.toolchain.cache",
    "ModmulError": "modmul.errors",
    "Spec": "modmul.spec",
    "SpecError": "modmul.errors",
    "build": "modmul.system.build",
    "check": "modmul.system.check",
    "constants": "modmul.export.constants",
    "describe": "modmul.catalogue",
    "explore": "modmul.exploration.explore",
    "implement": "modmul.implementation.on_bus",
    "list_designs": "modmul.catalogue",
    "papers": "modmul.papers",
    "query": "modmul.exploration.database",
    "read_space": "modmul.exploration.space",
    "recommend": "modmul.exploration.recommend",
    "schema": "modmul.catalogue",
    "simulate": "modmul.verification.simulation",
    "tools": "modmul.toolchain.versions",
    "verify": "modmul.verification.verify",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(_MODULES[name])
    if name == "papers":  # the package of that name, which can be called
        return module
    return getattr(module, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
