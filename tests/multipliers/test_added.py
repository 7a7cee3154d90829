"""What docs/adding-an-architecture.md promises: one file and one line, and all else follows."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = Path("src/modmul/multipliers")
COPIED = (
    "src",
    "tests",
    "docs",
    "benchmarks",
    "README.md",
    "pyproject.toml",
    "examples",
    "Makefile",
)
# The tests that look at every architecture, without those that compile or simulate much.
CONCERNED = (
    "tests/conformance/test_golden_models.py",
    "tests/multipliers/test_operand_range.py",
    "tests/multipliers/test_forecast.py",
    "tests/test_package.py",
    "tests/test_documentation.py",
)
SELECTED = "added or calibrat or lists or module or spaces or table"


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project with another architecture: a file like that of the page, and a line."""
    folder = tmp_path_factory.mktemp("added") / "copy"
    folder.mkdir()
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name)  # with the byte code
        else:
            shutil.copy(source, folder / name)
    written = (ROOT / PACKAGE / "radix2" / "montgomery_radix2.py").read_text()
    written = written.replace('"montgomery-radix2"', '"added"')
    (folder / PACKAGE / "added.py").write_text(written.replace("MontgomeryRadix2", "Added"))
    registry = folder / PACKAGE / "__init__.py"
    before = '    "interleaved": ('
    text = registry.read_text()
    assert text.count(before) == 1
    registry.write_text(text.replace(before, f'    "added": ("added", "Added"),\n{before}'))
    return folder


def ran(copy: Path, *arguments: str) -> str:
    """Standard output of Python with these arguments in the copy; fails with what it said."""
    path = os.pathsep.join(map(str, (copy / "src", copy / "tests" / "helpers")))
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout


# Several commands in one process: to start it takes longer than most of them.
COMMANDS = """
import sys
from modmul.cli import main
sys.exit(max(main(command.split()) for command in sys.argv[1:]))
"""


def test_the_verbs_take_it(copy: Path) -> None:
    options = "--architecture added --width 8 --json"
    said = ran(
        copy,
        "-c",
        COMMANDS,
        "list added --json",
        f"verify {options} --products 100",
        f"implement {options}",
    )
    records, place = [], 0
    while place < len(said):
        record, place = json.JSONDecoder().raw_decode(said, place)
        records.append(record)
        place += len(said[place:]) - len(said[place:].lstrip())
    listed, verified, implemented = records
    assert listed["name"] == "added" and listed["role"] == "multiplier"
    assert verified["wrong"] == 0 and verified["products"] >= 100
    assert implemented["lut"] > 0


@pytest.mark.long
def test_the_lists_are_written_and_the_tests_pass(copy: Path) -> None:
    ran(copy, "docs/pages.py")
    assert "| `added` |" in (copy / "docs" / "architectures.md").read_text()
    said = ran(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", *CONCERNED, "-k", SELECTED)
    assert " passed" in said and "failed" not in said
