"""How long one waits for an answer: whole command lines, each in a process of its own."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from modmul.toolchain.progress import Report

RUNS = 10
COMMANDS = {
    "--help": ["--help"],
    "list": ["list"],
    "constants": ["constants", "--modulus", "p256"],
    "build again": ["build", "--modulus", "p256", "--target", "ecp5", "-o"],
}


def measure(progress: Report) -> list[dict[str, Any]]:
    """Median, least and most seconds of RUNS runs of each command, after one that is not counted:
    it fills the cache and compiles the modules.  What runs besides counts, too."""
    rows = []
    with tempfile.TemporaryDirectory(prefix="modmul-bench-") as folder:
        for done, (name, words) in enumerate(COMMANDS.items()):
            progress("timing the start-up", done, len(COMMANDS))
            given = [*words, str(Path(folder, "design"))] if words[-1] == "-o" else words
            _, *seconds = (_seconds(given, Path(folder, "cache")) for _ in range(RUNS + 1))
            rows.append(
                {
                    "command": name,
                    "median_seconds": round(statistics.median(seconds), 3),
                    "least": round(min(seconds), 3),
                    "most": round(max(seconds), 3),
                    "runs": RUNS,
                }
            )
    return rows


def _seconds(words: list[str], cache: Path) -> float:
    environment = os.environ | {"MODMUL_CACHE": str(cache)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "modmul", *words], env=environment, check=True, capture_output=True
    )
    return time.perf_counter() - start
