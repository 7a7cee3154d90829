"""Long runs: nothing that they import has gone, and the page knows all of them."""

import os
import re
import subprocess
import sys
from pathlib import Path

from benchmarks import long_runs

ROOT = Path(__file__).parents[1]
SWITCHES = ("CONFORMANCE", "EXPONENTIATION", "BROWSER", "SOC")
# Packages of the extras, which the default run does not have, stand in for themselves.
IMPORT = """
import importlib.util, sys, unittest.mock, pytest
if importlib.util.find_spec("playwright") is None:
    for name in ("playwright", "playwright.sync_api"):
        sys.modules[name] = unittest.mock.MagicMock()
sys.exit(pytest.main(["--collect-only", "-q", "-p", "no:cacheprovider", *sys.argv[1:]]))
"""


def test_every_test_file_can_be_imported_with_all_switches_on() -> None:
    """Files that name no switch are imported by the default run itself."""
    files = [
        str(path)
        for path in (ROOT / "tests").rglob("test_*.py")
        if path != Path(__file__) and any(name in path.read_text() for name in SWITCHES)
    ]
    assert any("test_browser" in file for file in files)
    done = subprocess.run(
        [sys.executable, "-c", IMPORT, *files],
        cwd=ROOT,
        env=os.environ | dict.fromkeys(SWITCHES, "1"),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-3000:]


def test_the_page_has_every_long_run() -> None:
    makefile = (ROOT / "Makefile").read_text()
    short = {
        "help",
        "demo",
        "test",
        "check",
        "lint",
        "docs",
        "example",
        "bench",
        "figures",
        "lock",
        "clean",
        "dist",
    }
    targets = re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert set(long_runs.names()) == {*" ".join(targets).split()} - short


def test_a_run_is_noted_in_its_row_alone() -> None:
    page, text = long_runs.PAGE.read_text(), "0123abcd, 456"
    passed = long_runs.noted(page, "browser", text, "52 passed in 3 s", passed=True)
    failed = long_runs.noted(passed, "browser", text, "1 failed, 51 passed in 3 s", passed=False)
    again = long_runs.noted(failed, "browser", text, "2 failed, 50 passed in 3 s", passed=False)
    day, told = r"\d{4}-\d\d-\d\d", ("", r"; failed on {}, {}: 1 .*", r"; failed on {}, {}: 2 .*")
    for after, more in zip((passed, failed, again), told, strict=True):
        (row,) = [row for row in after.splitlines() if row not in page.splitlines()]
        more = more.format(day, text)
        assert re.fullmatch(rf"\| `browser` \| {day} \| {text} \| 52 passed in 3 s{more} \|", row)
