"""Points per hour of an exploration, new and from the cache; what of it is not tools' time."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from modmul.exploration.explore import Outcome, explore
from modmul.exploration.space import parse
from modmul.exploration.store import POINTS
from modmul.toolchain import nextpnr, verilator
from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import Report

SPACE = """
modulus = "p256"
target = "ecp5"
interface = "core"
seeds = 2

[fpmm]
slots = { above-default = 2 }
storage = ["distributed", "block"]
pipeline = ["full", "lean"]
"""


def measure(jobs: int, progress: Report) -> list[dict[str, Any]]:
    """A row for each of three runs over a small space: with an empty cache (but for what every run
    of the tools shares), with every tool's result in the cache and no record, and with records."""
    with tempfile.TemporaryDirectory(prefix="modmul-bench-") as name:
        folder, before = Path(name), os.environ.get("MODMUL_CACHE")
        shared = [verilator.runtime(Cache())[0].parent, nextpnr.machine_code()]
        for directory in shared:
            shutil.copytree(directory, folder / "cache" / directory.relative_to(Cache().root))
        os.environ["MODMUL_CACHE"] = str(folder / "cache")  # of the processes that measure, too
        try:
            return [
                _run("cold", jobs, folder / "found", progress),
                _run("tools' results cached", jobs, _emptied(folder / "found"), progress),
                _run("records", jobs, folder / "found", progress),
            ]
        finally:
            os.environ.pop("MODMUL_CACHE")
            os.environ.update({} if before is None else {"MODMUL_CACHE": before})


def _emptied(directory: Path) -> Path:
    shutil.rmtree(directory / POINTS)
    return directory


def _run(name: str, jobs: int, directory: Path, progress: Report) -> dict[str, Any]:
    def watch(outcome: Outcome) -> None:
        progress(f"exploration, {name}", outcome.measured + outcome.cached, outcome.points)

    began = time.perf_counter()
    outcome = explore(parse(SPACE, "benchmark"), directory, jobs=jobs, watch=watch)
    seconds = time.perf_counter() - began
    points = outcome.measured or outcome.cached
    overhead = 1 - outcome.tool_seconds / outcome.point_seconds if outcome.point_seconds else None
    own_seconds = outcome.point_seconds - outcome.tool_seconds
    return {
        "exploration": name,
        "points": points,
        "failed": outcome.failed,
        "seconds": round(seconds, 2),
        "points per hour": round(points / seconds * 3600),
        "not tools, s per point": round(own_seconds / points, 2),
        "not tools": None if overhead is None else f"{overhead:.1%}",
    }
