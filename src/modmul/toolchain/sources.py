"""Finds the files of this program that decide the results of one of its modules: its *closure*.

The closure is the module with all modules of the package that it imports, directly or indirectly,
also inside functions, but not under TYPE_CHECKING.  It is found in the text; nothing is executed.
Special cases:

- Importing modmul.a.b runs a/__init__, so its text counts.  Its imports do not, since no module
  changes another one by being imported.  modmul/__init__ has only lazy names and does not count.
- `from a import name`, where a/__init__ has the name from another module, leads only to that one.
- A registry names all designs, and a result is about few of them.  So the text of a registry
  counts, but its imports do not: a step has to name the designs that its result is about.
- Modules that keep results and ask for versions (KEEPERS) do not decide results.
- The data files that a module reads (DATA) count with it, unless no figure comes from them (shipped
  spaces, templates of pages and datasheets), or their contents are in the key itself.

This process runs the files as they were when it read them: see `obstacle`.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import itertools
import os
import re
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import resolve_name
from pathlib import Path
from typing import NamedTuple

from modmul.version import BEGAN

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT.name
REGISTRIES = (f"{PACKAGE}.multipliers", f"{PACKAGE}.processors")
KEEPERS = tuple(f"{PACKAGE}.toolchain.{name}" for name in ("cache", "sources", "steps", "versions"))
# For each module that reads data files, the patterns of these files below the package.
DATA = {
    f"{PACKAGE}.arithmetic.curves": ("arithmetic/curves.toml",),
    f"{PACKAGE}.export.hdl": ("targets/models/*.v",),
    f"{PACKAGE}.implementation.mapping": ("targets/libraries/*.v",),
    f"{PACKAGE}.papers.transcribed": ("papers/figures/*.toml",),
    f"{PACKAGE}.processors.engine.instructions": ("processors/engine/isa.toml",),
    f"{PACKAGE}.processors.engine.library": ("processors/engine/programs/*.txt",),
    f"{PACKAGE}.processors.engine.stored": ("processors/engine/schedules.json",),
    f"{PACKAGE}.verification.executable": ("verification/*.h", "verification/*.cpp"),
}
# Comments and strings, which are skipped, and the line ends after which a statement may begin.
_CUT = re.compile(
    rb"""
    \#[^\n]*
    | \"{3} [^"\\]* (?: (?: \\. | "(?!"") ) [^"\\]* )* \"{3}
    | '{3} [^'\\]* (?: (?: \\. | '(?!'') ) [^'\\]* )* '{3}
    | " [^"\\\n]* (?: \\. [^"\\\n]* )* "
    | ' [^'\\\n]* (?: \\. [^'\\\n]* )* '
    | (?P<end>\n) (?=[^\s\#)\]}])
    """,
    re.DOTALL | re.VERBOSE,
)
_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")  # fields with nested statements
_TICK = 0.01  # seconds: the system gives files the time of its last timer interrupt
_BEGAN = BEGAN - _TICK
_PARSING = threading.Lock()  # Python 3.11 confuses the depths of two threads that parse at once


class Unreadable(ValueError):
    """A module without a source file, or with one that cannot be parsed."""


class Closure(NamedTuple):
    """The files that decide results, with their digest.  files: their paths below the package,
    sorted; a module of another package by its name.  digest: of the names and contents, the same
    wherever the files are.  registries: those that were reached.  paths: where the files are."""

    files: tuple[str, ...]
    digest: str
    registries: tuple[str, ...]
    paths: tuple[Path, ...]


class _Import(NamedTuple):
    """The statement `from module import name as bound`; with name None, `import module`."""

    module: str
    name: str | None
    bound: str


class _Module(NamedTuple):
    """A source file as it was when it was first asked for."""

    label: str
    path: Path
    content: bytes
    imports: tuple[_Import, ...]
    is_package: bool


def closure(*modules: str) -> Closure:
    """Return the common closure of modules (dotted names), with their files as first read.

    Raises Unreadable for a module without a readable source."""
    return _closure(tuple(sorted(set(modules))))


@functools.cache
def everything() -> Closure:
    """Return all files of the package, also those that nothing imports; quicker than a closure."""
    files = {}
    for folder, inner, names in os.walk(ROOT):
        inner[:] = [name for name in inner if name != "__pycache__"]
        below = os.path.relpath(folder, ROOT)
        for name in names:
            path = Path(folder, name)
            files[f"{below}/{name}"] = path, path.read_bytes()
    return _of_files(files)


def obstacle(*modules: str) -> str | None:
    """Say why results of these modules can be neither kept nor read here; None if they can.

    If a file was edited after this process had begun to import the package, the process may run an
    older version of it.  The change time that is compared (ctime) is set by the system, not by
    programs."""
    try:
        return changed(closure(*modules).paths)
    except Unreadable as error:
        return str(error)


def changed(paths: Sequence[Path]) -> str | None:
    """Name one of these files that was changed while it was in use; None if none was."""
    return next((f"{path} was changed while it was in use" for path in paths if _late(path)), None)


def _late(path: Path) -> bool:
    try:
        return path.stat().st_ctime > _BEGAN
    except OSError:
        return True


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
    files = {module.label: (module.path, module.content) for module in read}
    for name in followed & DATA.keys():
        files |= _data(name)
    registries = tuple(name for name in REGISTRIES if name in followed)
    return _of_files(files, registries)


def _of_files(files: Mapping[str, tuple[Path, bytes]], registries: tuple[str, ...] = ()) -> Closure:
    """Return the closure that consists of these files.  files: path and content by label."""
    labels = sorted(files)
    digest = hashlib.sha256()
    for label in labels:
        content = files[label][1]
        digest.update(f"{label} {len(content)} ".encode())
        digest.update(content)
    paths = tuple(files[label][0] for label in labels)
    return Closure(tuple(labels), digest.hexdigest(), registries, paths)


@functools.cache
def _onwards(name: str) -> tuple[set[str], set[str]]:
    """Return the modules that the imports of a module lead to, and the packages whose text alone
    counts."""
    passed = set(_packages_of(name))
    imports = () if name in REGISTRIES else _known(name).imports
    return {_leads_to(imported, passed) for imported in imports}.difference(KEEPERS), passed


def _leads_to(imported: _Import, passed: set[str]) -> str:
    """Return the module that an import leads to; add packages that only pass a name on to
    `passed`."""
    if imported.name is None:
        return imported.module
    if _module(f"{imported.module}.{imported.name}"):
        return f"{imported.module}.{imported.name}"
    module = _known(imported.module)
    for own in module.imports if module.is_package else ():
        if own.bound == imported.name:
            passed.update((imported.module, *_packages_of(imported.module)))
            return _leads_to(own, passed)
    return imported.module


def _packages_of(name: str) -> list[str]:
    """Return the packages below this one that Python imports before this module."""
    parts = name.split(".")
    own = range(2, len(parts)) if parts[0] == PACKAGE else ()
    return [".".join(parts[:count]) for count in own]


def _known(name: str) -> _Module:
    module = _module(name)
    if module is None:
        raise Unreadable(f"module {name} has no source file")
    return module


@functools.cache
def _module(name: str) -> _Module | None:
    """Read a module of this package or, if it is loaded, of another one; None if it has no file."""
    own = name.split(".")[0] == PACKAGE
    for path in _places(name) if own else _elsewhere(name):
        if path.is_file():
            label = path.relative_to(ROOT).as_posix() if own else name
            content, is_package = path.read_bytes(), path.stem == "__init__"
            try:
                body = _importing(content) if own else _parsed(content)
            except (SyntaxError, ValueError) as error:
                raise Unreadable(f"module {name} cannot be parsed ({error})") from None
            package = name if is_package else name.rpartition(".")[0]
            return _Module(label, path, content, tuple(_imports(body, package)), is_package)
    return None


def _places(name: str) -> list[Path]:
    """Return the paths at which the file of a module of this package may be."""
    folder = ROOT.joinpath(*name.split(".")[1:])
    return [folder / "__init__.py", folder.with_suffix(".py")]


def _elsewhere(name: str) -> list[Path]:
    """Return the file of a module of another package; empty for code typed at a prompt."""
    file = getattr(sys.modules.get(name), "__file__", None)
    typed = name == "__main__" and hasattr(sys, "ps1")
    return [Path(file)] if file and not typed else []


def _importing(content: bytes) -> list[ast.stmt]:
    """Parse only the statements of a module that contain the word `import`; parsing the whole
    module takes seven times as long."""
    begins = [0, *(cut.end() for cut in _CUT.finditer(content) if cut["end"]), len(content)]
    statements = (content[begin:end] for begin, end in itertools.pairwise(begins))
    try:
        return _parsed(b"\n".join(text for text in statements if b"import" in text))
    except SyntaxError:  # an `else` that begins no statement: its `if` is needed
        return _parsed(content)


def _parsed(content: bytes) -> list[ast.stmt]:
    with _PARSING:
        return ast.parse(content).body


def _imports(body: Sequence[ast.AST], package: str) -> Iterator[_Import]:
    """Yield the imports of modules of this package.  package: the one that contains these
    statements."""
    for node in _imported(body):
        if isinstance(node, ast.Import):
            imports = [_Import(item.name, None, item.asname or item.name) for item in node.names]
        elif node.level and package.split(".")[0] != PACKAGE:
            continue  # a relative import within another package
        else:
            module = resolve_name("." * node.level + (node.module or ""), package)
            imports = [_Import(module, item.name, item.asname or item.name) for item in node.names]
        yield from (imported for imported in imports if imported.module.split(".")[0] == PACKAGE)


def _imported(body: Sequence[ast.AST]) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the import statements that may be executed."""
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
            continue
        test = getattr(node, "test", None)
        never = "TYPE_CHECKING" in (getattr(test, "id", None), getattr(test, "attr", None))
        for field in ("orelse",) if never else _BODIES:
            yield from _imported(getattr(node, field, ()))


@functools.cache
def _data(module: str) -> dict[str, tuple[Path, bytes]]:
    """Return the path and content of the data files that a module reads, by label."""
    paths = [path for pattern in DATA[module] for path in ROOT.glob(pattern)]
    return {path.relative_to(ROOT).as_posix(): (path, path.read_bytes()) for path in paths}
