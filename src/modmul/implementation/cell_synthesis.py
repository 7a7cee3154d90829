"""Synthesis onto the cells of a library: Verilog in, netlist of its cells out (Yosys JSON)."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import NamedTuple

from modmul.implementation import buffers, genlib, synthesis
from modmul.targets import Target, libraries
from modmul.targets.libraries import liberty, roles
from modmul.targets.libraries.library import Library
from modmul.targets.libraries.roles import Role, Roles
from modmul.toolchain import yosys
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import Step

_LIBRARY_FILE = "library.lib"
_ABC = "strash; &get -n; &dch -f; &nf; &put"
CELLS = Step(
    "cells",
    ("numpy", "pyosys"),
    (__name__, *(module.__name__ for module in (buffers, genlib, libraries, yosys))),
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
        "script": _script(target, top, loaded.roles),
        "library": loaded.digest,
    }
    return cache.folder(CELLS, key, lambda folder: synthesise(verilog, top, target, loaded, folder))


def synthesise(verilog: str, top: str, target: Target, loaded: LoadedLibrary, folder: Path) -> None:
    """Map `top` alone, flat, and write NETLIST into `folder`; with buffers if delays depend on
    loads."""
    (folder / "core.v").write_text(verilog)
    (folder / _LIBRARY_FILE).write_bytes(loaded.text)
    for name, text in _inputs(loaded.roles).items():
        (folder / name).write_bytes(text)
    script = _script(target, top, loaded.roles)
    yosys.run(f"{script}\nselect {top}\nwrite_json -selected {NETLIST}", folder)
    if not loaded.library.constant:
        netlist = json.loads((folder / NETLIST).read_text())
        buffers.insert(netlist["modules"][top], loaded.library, loaded.roles)
        (folder / NETLIST).write_text(json.dumps(netlist))
    (folder / _LIBRARY_FILE).unlink()


def _script(target: Target, top: str, roles: Roles) -> str:
    """The Yosys commands that read core.v and map module `top` onto the cells of a library.

    Their folder must contain core.v, _LIBRARY_FILE, and the files of `_inputs`.

    Rows of adders are mapped to adder cells first and are not changed any more (so modules need not
    be kept apart); flip-flops are next; ABC maps the logic between them and sees neither.  ABC gets
    every gate with one delay for each input: the constant of the library, or the value of its
    tables at a typical slope and load."""
    define = "-D CONFIGURABLE_CELL " if roles.configurable else ""
    coarse = synthesis.script(target, top)
    reduce = "techmap -map constants.v\ntechmap\nopt_expr\nopt_clean\n" * 3
    return f"""
read_verilog core.v
hierarchy -top {top}
setattr -mod -unset keep_hierarchy
read_verilog {define}rows.v
read_liberty -lib -ignore_miss_func -ignore_miss_dir -ignore_buses {_LIBRARY_FILE}
{coarse}
{reduce}
opt -nodffe -nosdff
setundef -zero
techmap -map cells.v
techmap
abc -genlib gates.genlib -script +{_ABC.replace(" ", ",").replace(";,", ";")}
setundef -zero
opt_clean
setattr -unset keep_hierarchy
flatten
opt_clean
"""


def _inputs(roles: Roles) -> dict[str, bytes]:
    """The files that the script reads, by name, besides the design and the library."""
    folder = Path(libraries.__file__).parent
    fixed = {name: (folder / name).read_bytes() for name in ("rows.v", "constants.v")}
    return fixed | {
        "cells.v": _cell_map(roles).encode(),
        "gates.genlib": genlib.genlib(roles).encode(),
    }


def _cell_map(roles: Roles) -> str:
    """Verilog for techmap that maps each adder and flip-flop to a cell."""
    parts = [
        _mapped("modmul_full_adder", {}, roles.full_adder),
        _mapped("$_DFF_P_", {"d": "D", "clock": "C", "q": "Q"}, roles.flip_flop),
    ]
    if roles.configurable:
        names = {"generate": "generate_out"}
        parts.append(_mapped("modmul_configurable", names, roles.configurable))
    if roles.half_adder:
        parts.append(_mapped("modmul_half_adder", {}, roles.half_adder))
    else:
        parts.append(
            '(* techmap_celltype = "modmul_half_adder" *)\n'
            "module modmul_half_adder_gates(input a, b, output sum, carry);\n"
            "  assign sum = a ^ b;\n  assign carry = a & b;\nendmodule\n"
        )
    return "\n".join(parts)


def _mapped(kind: str, names: dict[str, str], role: Role) -> str:
    """One module of a techmap file.  names: the names of ports that differ from the
    role's."""
    ports = []
    for port, pin in role.pins.items():
        output = role.cell.pins[pin].direction == "output"
        ports.append(f"{'output' if output else 'input'} {names.get(port, port)}")
    pins = [f".\\{pin} ({names.get(port, port)})" for port, pin in role.pins.items()]
    pins += [f".\\{pin} (1'b{value})" for pin, value in role.ties.items()]
    return (
        f'(* techmap_celltype = "{kind}" *)\n'
        f"module \\{kind}_cell ({', '.join(ports)});\n"
        f"  \\{role.cell.name} _TECHMAP_REPLACE_ ({', '.join(pins)});\nendmodule\n"
    )
