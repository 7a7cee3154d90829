"""Long runs, which are not part of the default one: runs `make NAME`, and notes in
docs/long-runs.md when, on which text, and with what result.

python -m benchmarks.long_runs NAME ..."""

from __future__ import annotations

import argparse
import datetime
import hashlib
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "long-runs.md"
_TEXT = ("src", "tests", "benchmarks", "Makefile")  # what a run depends on, besides the tools
_ROW = re.compile(r"^\| `([a-z]+)` \| (.*) \| (.*) \| (.*?) ?\|$", re.MULTILINE)
_SUMMARY = re.compile(r"^=*\s*((?:\d+ failed, )?\d+ passed.*?)[\s=]*$", re.MULTILINE)
_FAILED = "; failed on "


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.long_runs", description=__doc__)
    parser.add_argument("names", nargs="+", choices=names(), metavar="NAME")
    for name in parser.parse_args().names:
        text = digest()
        code, output = _run(["make", name])
        results = "; ".join(_SUMMARY.findall(output) or output.splitlines()[-1:])
        PAGE.write_text(noted(PAGE.read_text(), name, text, results, passed=code == 0))
        if code:
            return code
    return 0


def names() -> list[str]:
    """The long runs: the rows of the page."""
    return [name for name, *_ in _ROW.findall(PAGE.read_text())]


def noted(page: str, name: str, text: str, result: str, *, passed: bool) -> str:
    """The page after a run of today on this text.  One that failed is told behind the last one that
    passed."""
    day = datetime.datetime.now(datetime.UTC).date().isoformat()

    def row(match: re.Match[str]) -> str:
        if match[1] != name:
            return match[0]
        if passed:
            return f"| `{name}` | {day} | {text} | {result} |"
        before = match[4].partition(_FAILED)[0]
        return f"| `{name}` | {match[2]} | {match[3]} | {before}{_FAILED}{day}, {text}: {result} |"

    return _ROW.sub(row, page)


def digest() -> str:
    """The commit, and the first digits of the SHA-256 of all files that a run depends on."""
    listed = _git("ls-files", "-z", *_TEXT).split("\0")[:-1]
    total = hashlib.sha256()
    for file in listed:
        content = (ROOT / file).read_bytes() if (ROOT / file).is_file() else b""
        total.update(f"{file}\0{hashlib.sha256(content).hexdigest()}\0".encode())
    return f"{_git('rev-parse', '--short=8', 'HEAD').strip()}, {total.hexdigest()[:12]}"


def _git(*words: str) -> str:
    return subprocess.run(
        ["git", *words], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout


def _run(command: list[str]) -> tuple[int, str]:
    """Run a command and show its output; return its exit code and the output."""
    lines = []
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    return process.returncode, "".join(lines)


if __name__ == "__main__":
    sys.exit(main())
