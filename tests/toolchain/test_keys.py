"""What a key holds: every file that has a say in the result, and no other; every tool.

Three ways round: a copy of the package in which each file is edited in turn; results that are
really made, with a look at which functions run; and hardware that is broken in the copy."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import compiled
from keys_of_a_copy import addressed, declared
from modmul.toolchain import sources
from modmul.toolchain.sources import PACKAGE, ROOT, closure

TESTS = Path(__file__).parents[1]
VERIFY = {"verify", "verify of fpmm", "verify of scs-mm-2", "verify of three-pass"}
POWERS = "verify of exponentiation"
POINTS = {"point of cells", "point of ecp5"}
SIMULATED = {"paper-simulated", "paper-cycles", "schedule"}
# By file: addresses that it must change, and some that it must not.
MATTERS: dict[str, tuple[set[str], set[str]]] = {
    "multipliers/interleaved.py": ({"verify", *POINTS, *SIMULATED}, {"verify of fpmm", "power"}),
    "multipliers/contract.py": ({*VERIFY, *POINTS, "paper-counted"}, {"mapped", "route"}),
    "multipliers/radix2/words.py": ({"verify of scs-mm-2"}, {"verify", *POINTS}),
    "multipliers/products/folding.py": ({"verify of three-pass"}, {"verify", *POINTS}),
    "multipliers/fpmm/quotient.py": ({"verify of fpmm"}, {"verify", *POINTS}),
    "multipliers/oracle.py": ({*VERIFY, *POINTS, *SIMULATED}, {"mapped", "route"}),
    "processors/exponentiation/golden.py": ({"power", POWERS}, VERIFY),
    "arithmetic/oracle.py": ({*VERIFY, *POINTS, "power"}, {"mapped", "route", "schedule"}),
    "arithmetic/binary_congruence.py": ({*VERIFY, *POINTS, *SIMULATED}, {"mapped", "route"}),
    "arithmetic/congruence.py": ({*VERIFY, *POINTS, *SIMULATED}, {"mapped", "route"}),
    "verification/judge.py": ({*VERIFY, *POINTS, "schedule"}, {"mapped", "route"}),
    "verification/processors/judge.py": (
        {"paper-exponentiations", "power", *VERIFY},
        {"mapped", "route"},
    ),
    "verification/processors/plan.py": (
        {*VERIFY, POWERS},
        {"paper-exponentiations", "power", "schedule"},
    ),
    "verification/plan.py": (VERIFY, {"paper-exponentiations", "power", "schedule"}),
    "verification/bench.h": ({*VERIFY, *POINTS, "simulator"}, {"mapped", "route"}),
    "targets/models/adder_rows.v": ({*VERIFY, *POINTS}, {"mapped", "route"}),
    "targets/libraries/rows.v": ({"cells", "paper-cells", *POINTS}, {"mapped", "route"}),
    "targets/libraries/normalised.lib": ({"point of cells"}, {"point of ecp5", *VERIFY}),
    "targets/ecp5.py": ({"mapped", *POINTS}, {"route", "simulator"}),
    "targets/families.py": ({*VERIFY, *POINTS}, {"mapped", "route"}),
    "export/hdl.py": ({*VERIFY, *POINTS, *SIMULATED}, {"mapped", "route", "simulator"}),
    "export/check.py": ({"testbench", "testbench-icarus"}, {*VERIFY, *POINTS}),
    "implementation/synthesis.py": ({"mapped", "routable", *POINTS}, {"route"}),
    "implementation/buffers.py": ({"cells", *POINTS}, {"mapped", "route"}),
    "implementation/timing.py": ({"paper-cells", *POINTS}, {"cells", "mapped", "route"}),
    "implementation/critical_path.py": ({"route", "paper-routed", *POINTS}, {"mapped", *VERIFY}),
    "implementation/place_and_route.py": ({"route", "paper-routed", *POINTS}, {"mapped", *VERIFY}),
    "implementation/levels.py": ({"paper-counted", *POINTS}, {"mapped", "route", *VERIFY}),
    "exploration/measure.py": (POINTS, {*VERIFY, "mapped", "route"}),
    "papers/simulated.py": ({"paper-simulated"}, {*VERIFY, *POINTS}),
    "papers/kuang2016/cycles.py": ({"paper-cycles"}, {*VERIFY, *POINTS}),
    "literature.py": ({*VERIFY, *POINTS, *SIMULATED}, {"mapped", "route"}),
    "spec/__init__.py": ({*VERIFY, *POINTS}, {"mapped", "route", "simulator"}),
    "timing_proof/rules.py": ({"timing-proof", *POINTS}, VERIFY),
    "timing_proof/first_beats.py": ({"timing-proof", *POINTS}, VERIFY),
    "toolchain/yosys.py": ({"mapped", "routable", "cells", "timing-proof"}, {"route"}),
    "toolchain/nextpnr.py": ({"route", "nextpnr"}, {"mapped", "simulator"}),
}
# What only shows, asks or delivers.
NO_MATTER = (
    "cli/",
    "reporting/",
    "catalogue/",
    "export/blocks.py",
    "export/bounds.py",
    "export/build.py",
    "export/datasheet.py",
    "export/description.py",
    "export/first_page.py",
    "export/templates/",
    "exploration/database.py",
    "exploration/explore.py",
    "exploration/order.py",
    "exploration/recommend.py",
    "exploration/search.py",
    "exploration/spaces/",
    "exploration/store.py",
    "papers/agreement.py",
    "papers/figures/",
    "papers/gallin2019/tables.py",
    "papers/kuang2016/analysis.py",
    "papers/pictures.py",
    "papers/text.py",
    "toolchain/cache.py",
)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package, to be changed."""
    root = tmp_path_factory.mktemp("copy") / PACKAGE
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


# ---- every file, edited --------------------------------------------------------------------------


@pytest.fixture(
    scope="module",
    params=[(*MATTERS, ",".join(NO_MATTER)), pytest.param((), marks=pytest.mark.long)],
    ids=["some", "every"],
)
def edits(package: Path, request: pytest.FixtureRequest) -> SimpleNamespace:
    """names: of all addresses.  changed: those that an edit of a file changes, by file; of those
    that the lists above name, or of every file."""
    data = json.loads(run(TESTS / "keys_of_a_copy.py", *request.param, package=package))
    assert len(data["changed"]) > (100 if request.param else 300)
    return SimpleNamespace(**data)


def test_files_that_matter_change_what_they_matter_to(edits: SimpleNamespace) -> None:
    for file, (must, must_not) in MATTERS.items():
        changed = set(edits.changed[file])
        assert must <= changed, f"{file}: {must - changed}"
        assert not must_not & changed, f"{file}: {must_not & changed}"


def test_what_only_shows_changes_no_key(edits: SimpleNamespace) -> None:
    for start in NO_MATTER:
        files = [file for file in edits.changed if file.startswith(start)]
        assert files, start
        assert {file: edits.changed[file] for file in files} == {file: [] for file in files}


def test_every_file_of_a_closure_changes_the_key_and_no_other_does(edits: SimpleNamespace) -> None:
    assert len(edits.names) == len(addressed()) + len(POINTS)
    for name, step in addressed().items():
        changed = {file for file, names in edits.changed.items() if name in names}
        named = set(closure(step.module, *step.designs).files) & edits.changed.keys()
        assert changed == named, name


# ---- results that are made -----------------------------------------------------------------------


@pytest.mark.long  # every import is seen by default, too: test_sources.py
@pytest.mark.parametrize("papers", [False, True])
def test_all_that_runs_for_a_result_is_in_its_key(papers: bool, tmp_path: Path) -> None:
    """A record, a verdict, netlists, a seed, figures of papers: whatever was called or opened.

    Left are those whose text, or tool, would take too long here: the chips that `paper-fit` fills,
    output of a testbench, what Verilator and nextpnr need once on a machine, and the search of
    schedules, which is arithmetic."""
    compiled.put_into(tmp_path, driver=False)
    data = json.loads(run(TESTS / "calls_of_steps.py", tmp_path, *["papers"] * papers))
    left = {
        "paper-fit",
        "testbench",
        "testbench-icarus",
        "verilator-runtime",
        "verilator-header",
        "nextpnr",
        "engine-schedule",
    }
    if not papers:
        left |= {step.name for step in declared() if step.name.startswith("paper-")}
    assert {step.split()[0] for step in data} | left == {step.name for step in declared()}
    keepers = {
        f"{name.removeprefix(f'{PACKAGE}.').replace('.', '/')}.py" for name in sources.KEEPERS
    }
    for step, files in data.items():
        of_cells = step.startswith(("point ", "paper-cells "))
        by_content = {"targets/libraries/normalised.lib"} if of_cells else set()
        assert set(files["seen"]) - keepers - by_content <= set(files["named"]), step


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
    file = package / "multipliers" / "interleaved.py"
    text = file.read_text()
    changes = (("return s\n", "return s ^ 1\n"), ("width + 1)", "width + 2)"))
    for old, new in changes if os.environ.get("CONFORMANCE") else changes[:1]:
        assert text.count(old) == 1, old
        file.write_text(text.replace(old, new))
        assert not passes(), new
    file.write_text(text)
    assert passes()
