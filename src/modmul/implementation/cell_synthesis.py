"""Synthesis onto the cells of a library: Verilog in, netlist of its cells out (Yosys JSON)."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import NamedTuple

from modmul.implementation import buffers, genlib, mapping
from modmul.targets import Target, libraries
from modmul.targets.libraries import liberty, roles
from modmul.targets.libraries.library import Library
from modmul.targets.libraries.roles import Roles
from modmul.toolchain import yosys
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import Step

CELLS = Step(
    "cells",
    ("numpy", "pyosys"),
    (__name__, *(module.__name__ for module in (buffers, genlib, libraries, mapping, yosys))),
)
NETLIST = "netlist.json"


class LoadedLibrary(NamedTuple):
    """A library that was read.  asked: the name or path that the spec gives.  text: the content of
    its file."""

    asked: str
    text: bytes
    library: Library
    roles: Roles

    @property
    def digest(self) -> str:
        """The SHA-256 of its file."""
        return hashlib.sha256(self.text).hexdigest()


def open_library(name: str) -> LoadedLibrary:
    """Read the library of this name or path, and find out what its cells do.  Raises SpecError if
    it has not the cells that are needed."""
    path = libraries.locate(name)
    library = liberty.read(path)
    return LoadedLibrary(name, path.read_bytes(), library, roles.recognise(library))


def mapped(verilog: str, top: str, target: Target, loaded: LoadedLibrary, cache: Cache) -> Path:
    """The cached folder with NETLIST, which is module `top` in the cells of a library."""
    key = {
        "verilog": hashlib.sha256(verilog.encode()).hexdigest(),
        "script": mapping.script(target, top, loaded.roles),
        "library": loaded.digest,
    }
    return cache.folder(CELLS, key, lambda folder: synthesise(verilog, top, target, loaded, folder))


def synthesise(verilog: str, top: str, target: Target, loaded: LoadedLibrary, folder: Path) -> None:
    """Map `top` alone, flat, and write NETLIST into `folder`; with buffers if delays depend on
    loads."""
    (folder / "core.v").write_text(verilog)
    (folder / mapping.LIBRARY_FILE).write_bytes(loaded.text)
    for name, text in mapping.inputs(loaded.roles).items():
        (folder / name).write_bytes(text)
    script = mapping.script(target, top, loaded.roles)
    yosys.run(f"{script}\nselect {top}\nwrite_json -selected {NETLIST}", folder)
    if not loaded.library.constant:
        netlist = json.loads((folder / NETLIST).read_text())
        buffers.insert(netlist["modules"][top], loaded.library, loaded.roles)
        (folder / NETLIST).write_text(json.dumps(netlist))
    (folder / mapping.LIBRARY_FILE).unlink()
