"""The array multipliers of alkhaleel2006 at 128 bits on an ECP5, routed with one seed: hours."""

from __future__ import annotations

from typing import Any

from modmul.implementation.implement import implement_chip
from modmul.multipliers.products import PRODUCTS
from modmul.papers.transcribed import transcribed
from modmul.spec import Spec
from modmul.toolchain.progress import Report
from modmul.toolchain.work import Work

WIDTH = 128
SOFT = {"inferred": {"dsp": False}}  # all others have no hard multipliers anyway
PRINTED = {"array-mux": "mux", "array-mux4": "mux4"}  # keys of Table IV


def measure(jobs: int, progress: Report) -> list[dict[str, Any]]:
    """LUTs and delay (one usable clock) of every array, the fastest first; beside the two
    published."""
    rows = [_one(name, jobs, progress) for name in PRODUCTS]
    return sorted(rows, key=lambda row: row["delay_ns"])


def _one(name: str, jobs: int, progress: Report) -> dict[str, Any]:
    given = {"architecture": name, "width": WIDTH, "target": "ecp5", "interface": "core"}
    spec = Spec.from_options(given | SOFT.get(name, {}))

    def report(what: str, done: int, total: int) -> None:
        progress(f"{name}: {what}", done, total)

    result = implement_chip(spec, seeds=1, work=Work(jobs, progress=report))
    clock = result.fmax_mhz
    assert clock is not None
    row = {
        "design": spec.multiplier.title,
        "lut": result.lut,
        "usable_mhz": clock.usable,
        "routed_mhz": clock.median,
        "delay_ns": round(1000 / clock.usable, 2),
    }
    return row | published(name)


def published(name: str) -> dict[str, Any]:
    """LUTs and delay of Table IV (Virtex-4); empty for those that are not in it."""
    row = next(entry for entry in transcribed("alkhaleel2006")["table_4"] if entry["k"] == WIDTH)
    printed = row.get(PRINTED.get(name, ""), {})
    return {"published_lut": printed.get("luts"), "published_ns": printed.get("path_ns")}
