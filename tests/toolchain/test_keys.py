"""What a key holds: all that decides the result.

Edits are made in a copy of the package."""

import dataclasses
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import compiled
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
from modmul.toolchain import cxx
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import COMPILER, ROOT, Step
from modmul.verification import verify as module
from modmul.verification.verify import VERDICT, VerifyOptions, verify

GOLDEN = "multipliers/interleaved.py"
ADDRESSES = """
import json, pkgutil, sys
from importlib import import_module
import modmul
from modmul.toolchain.steps import Step
names = ["modmul." + name for name in json.loads(sys.argv[1])]
steps = [value for name in names for value in vars(import_module(name)).values()]
print(json.dumps({step.name: step.address({}) for step in steps if isinstance(step, Step)}))
"""
BY_CONTENT = {
    "cells",
    "engine-schedule",
    "mapped",
    "nextpnr",
    "routable",
    "route",
    "simulator",
    "simulator-driver",
    "testbench",
    "testbench-icarus",
    "verilator-header",
    "verilator-runtime",
}


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package, to be changed."""
    root = tmp_path_factory.mktemp("copy") / ROOT.name
    return shutil.copytree(ROOT, root)  # with its byte code, which an edit makes invalid


def run(*command: object, package: Path = ROOT, cache: Path | None = None) -> str:
    """What a Python program prints that imports this package, or a copy."""
    own = {"PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, *map(str, command)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | own | ({"MODMUL_CACHE": str(cache)} if cache else {}),
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# ---- edits ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def changed_by(package: Path) -> Callable[[str], set[str]]:
    """A function that edits a file, or adds one, and returns the steps whose keys that changes."""
    paths = [path for path in ROOT.rglob("*.py") if " = Step(" in path.read_text()]
    parts = [path.relative_to(ROOT).with_suffix("").parts for path in paths]
    names = json.dumps([".".join(part).removesuffix(".__init__") for part in parts])

    def addresses() -> dict[str, str]:
        found: dict[str, str] = json.loads(run("-c", ADDRESSES, names, package=package))
        return found

    before = addresses()

    def changed(file: str) -> set[str]:
        path = package / file
        text = path.read_bytes() if path.exists() else None
        path.parent.mkdir(exist_ok=True)
        path.write_bytes((text or b"") + b"\n")
        after = addresses()
        path.unlink() if text is None else path.write_bytes(text)
        assert after.keys() == before.keys() > BY_CONTENT
        return {name for name, address in before.items() if after[name] != address}

    return changed


def test_an_edit_anywhere_changes_all_but_what_is_kept_by_content(
    changed_by: Callable[[str], set[str]],
) -> None:
    rest = changed_by(GOLDEN)
    assert {"verify", "point", "timing-proof", "paper-routed", "catalogue"} <= rest
    assert not rest & BY_CONTENT
    for file in ("targets/libraries/rows.v", "targets/ecp5.py", "new.txt"):
        assert changed_by(file) - BY_CONTENT == rest
    assert changed_by("__pycache__/new.pyc") == set()


@pytest.mark.parametrize(
    ("file", "steps"),
    {
        "toolchain/yosys.py": {"cells", "mapped", "routable"},
        "implementation/harness.py": {"routable", "route"},
        "implementation/critical_path.py": {"route"},
        "implementation/buffers.py": {"cells"},
        "targets/libraries/rows.v": {"cells"},
        "toolchain/nextpnr.py": {"nextpnr", "route"},
        "toolchain/verilator.py": {name for name in BY_CONTENT if name[:4] in ("simu", "veri")}
        | {"testbench"},
        "verification/executable.py": {"simulator", "simulator-driver"},
        "processors/engine/search.py": {"engine-schedule"},
    }.items(),
)
def test_what_calls_a_tool_changes_what_is_kept_by_content(
    changed_by: Callable[[str], set[str]], file: str, steps: set[str]
) -> None:
    assert changed_by(file) & BY_CONTENT == steps


PASSES = """
import sys
from importlib import import_module
from pathlib import Path
from modmul.spec import Spec
module = import_module("modmul.verification.verify")
module.shown.trace = lambda *_: None  # another simulator, for the waveform
options = {"architecture": "interleaved", "width": 6, "interface": "core"}
found = module.verify(Spec.from_options(options), products=20, jobs=1, output=Path(sys.argv[1]))
print(found.passed)
"""


def test_no_old_verdict_is_served(package: Path, tmp_path: Path) -> None:
    """The text that is simulated stays the same; the golden model does not, nor, in the long run, a
    declared figure."""
    cache = tmp_path / "cache"
    compiled.put_into(cache)

    def passes() -> bool:
        return run("-c", PASSES, tmp_path, package=package, cache=cache).strip() == "True"

    assert passes()
    file = package / GOLDEN
    text = file.read_text()
    changes = (("return s\n", "return s ^ 1\n"), ("width + 1)", "width + 2)"))
    for old, new in changes if os.environ.get("CONFORMANCE") else changes[:1]:
        assert text.count(old) == 1, old
        file.write_text(text.replace(old, new))
        assert not passes(), new
    file.write_text(text)
    assert passes()


def test_the_verdict_on_a_design_of_another_package_is_not_kept(tmp_path: Path) -> None:
    """Nothing tells when its code changes."""

    class Mine(Interleaved):
        pass

    cache = Cache(tmp_path / "cache")
    compiled.put_into(cache.root)
    for design, kept in ((Mine, False), (Interleaved, True)):
        found = verify(Spec(design(width=6), interface="core"), products=20, jobs=1, cache=cache)
        assert found.passed
        assert ("verify" in {entry.step for entry in cache.entries()}) is kept


# ---- tools and inputs ----------------------------------------------------------------------------


@pytest.fixture
def compiler() -> Iterator[None]:
    yield
    cxx.find.cache_clear()


def test_arguments_of_the_compiler_count(compiler: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def address(command: str) -> str:
        monkeypatch.setenv("CXX", command)
        cxx.find.cache_clear()
        return Step("made", (COMPILER,)).address({})

    plain, defined = address(sys.executable), address(f"{sys.executable} -B")
    assert plain != defined and plain == address(sys.executable)


def test_names_of_the_modules_that_are_simulated_count() -> None:
    spec = Spec.from_options({"architecture": "interleaved", "width": 6})
    text = hdl.emit(spec.multiplier)
    core = dataclasses.replace(text, modules={**text.modules, "core": text.stream})
    others = (core, dataclasses.replace(text, modules={**text.modules, "stream": "x"}))
    keys = [module._key(spec, written, VerifyOptions(10)) for written in (text, *others)]
    assert len({VERDICT.address(key) for key in keys}) == 3


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


def test_the_list_of_everything_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MODMUL_CACHE", str(tmp_path))
    listed = catalogue.list_designs()
    monkeypatch.setattr(catalogue, "_looked_up", lambda: pytest.fail("looked up again"))
    assert catalogue.list_designs() == listed
