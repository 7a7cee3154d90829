"""Which files of this program have a say in what one of its modules makes: its *closure*.

The module, and every module of the package that it imports, directly or not, inside functions too;
what stands under TYPE_CHECKING is never run.  All of it is found in the text, nothing is executed.
Beyond that:

- Importing modmul.a.b runs a/__init__, so its text counts.  Its imports do not: no module changes
  another one when it is imported.  Of modmul/__init__ not even the text does, for it only has the
  version and lazy names: whoever wants the version imports it.
- `from a import name`, where a/__init__ has the name from elsewhere, leads there, and only there.
- A registry names all designs, and one design is no matter of the others.  So its text counts, its
  imports do not: whoever comes by one has to name the designs that a result is about.
- What keeps results, and asks for versions (KEEPERS), has no say in them.
- With a module count the data files that it reads (DATA), unless no figure comes from them (shipped
  spaces, templates of pages and datasheets), or what was read is in the key itself.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import re
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT.name
REGISTRIES = (f"{PACKAGE}.multipliers", f"{PACKAGE}.processors")
KEEPERS = tuple(f"{PACKAGE}.toolchain.{name}" for name in ("cache", "sources", "steps", "versions"))
# By the module that reads them, patterns of files below the package.
DATA = {
    f"{PACKAGE}.export.hdl": ("targets/models/*.v",),
    f"{PACKAGE}.implementation.mapping": ("targets/libraries/*.v",),
    f"{PACKAGE}.papers.transcribed": ("papers/figures/*.toml",),
    f"{PACKAGE}.verification.executable": ("verification/*.h", "verification/*.cpp"),
}
# Import statements alone are parsed: whole files would take ten times as long.
_TYPES_ONLY = re.compile(r"^if TYPE_CHECKING:\n(?:[ \t]+.*\n|\n)*", re.MULTILINE)
_IMPORT = re.compile(
    rf"^[ \t]*(from {PACKAGE}\b[\w.]* import (?:\([^)]*\)|.*)|import {PACKAGE}\b.*)", re.MULTILINE
)


class Closure(NamedTuple):
    """files: their paths below the package, sorted; a module from elsewhere by its name.
    digest: of these and their contents, the same wherever they are.
    registries: that were come by."""

    files: tuple[str, ...]
    digest: str
    registries: tuple[str, ...]


class _Import(NamedTuple):
    """`from module import name as bound`; name None: `import module`."""

    module: str
    name: str | None
    bound: str


class _Module(NamedTuple):
    """A source file as it was when it was first asked for."""

    label: str
    content: bytes
    imports: tuple[_Import, ...]
    is_package: bool


def closure(*modules: str) -> Closure:
    """Of modules (dotted names) together, as their files were when first asked for.

    ValueError for one that has no source file."""
    return _closure(tuple(sorted(set(modules))))


@functools.cache
def _closure(modules: tuple[str, ...]) -> Closure:
    followed: set[str] = set()
    passed: set[str] = set()
    due = set(modules)
    while due:
        name = due.pop()
        followed.add(name)
        more, packages = _onwards(name)
        passed |= packages
        due |= more - followed
    read = [_known(name) for name in followed | passed]
    files = {module.label: module.content for module in read}
    for name in followed & DATA.keys():
        files |= _data(name)
    digest = hashlib.sha256()
    for label in sorted(files):
        digest.update(f"{label} {len(files[label])} ".encode())
        digest.update(files[label])
    registries = tuple(name for name in REGISTRIES if name in followed)
    return Closure(tuple(sorted(files)), digest.hexdigest(), registries)


@functools.cache
def _onwards(name: str) -> tuple[set[str], set[str]]:
    """What the imports of a module lead to, and packages of which the text alone counts."""
    passed = set(_packages_of(name))
    imports = () if name in REGISTRIES else _known(name).imports
    return {_leads_to(one, passed) for one in imports}.difference(KEEPERS), passed


def _leads_to(one: _Import, passed: set[str]) -> str:
    """The module that an import is about; packages that only pass a name on are added to
    `passed`."""
    if one.name is None:
        return one.module
    if _module(f"{one.module}.{one.name}"):
        return f"{one.module}.{one.name}"
    module = _known(one.module)
    for own in module.imports if module.is_package else ():
        if own.bound == one.name:
            passed.update((one.module, *_packages_of(one.module)))
            return _leads_to(own, passed)
    return one.module


def _packages_of(name: str) -> list[str]:
    """The packages, below this one, that are imported before a module of it."""
    parts = name.split(".")
    own = range(2, len(parts)) if parts[0] == PACKAGE else ()
    return [".".join(parts[:count]) for count in own]


def _known(name: str) -> _Module:
    module = _module(name)
    if module is None:
        raise ValueError(f"module {name}: has no source file, so nothing of it can be kept")
    return module


@functools.cache
def _module(name: str) -> _Module | None:
    """A module of this package or, if it is loaded, another one; None if there is no such file."""
    room, *parts = name.split(".")
    if room == PACKAGE:
        folder = ROOT.joinpath(*parts)
        paths = [folder / "__init__.py", folder.with_suffix(".py")]
    else:
        paths = [Path(str(getattr(sys.modules.get(name), "__file__", None)))]
    for path in paths:
        if path.is_file():
            label = path.relative_to(ROOT).as_posix() if room == PACKAGE else name
            content = path.read_bytes()
            return _Module(label, content, _imports(content.decode()), path.stem == "__init__")
    return None


def _imports(text: str) -> tuple[_Import, ...]:
    found = []
    statements = _IMPORT.findall(_TYPES_ONLY.sub("", text))
    for node in ast.parse("\n".join(statements)).body:
        if isinstance(node, ast.ImportFrom):
            module = str(node.module)
            found += [_Import(module, one.name, one.asname or one.name) for one in node.names]
        elif isinstance(node, ast.Import):
            found += [_Import(one.name, None, one.asname or one.name) for one in node.names]
    return tuple(found)


@functools.cache
def _data(module: str) -> dict[str, bytes]:
    """The data files that a module reads."""
    paths = (path for pattern in DATA[module] for path in ROOT.glob(pattern))
    return {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in paths}
