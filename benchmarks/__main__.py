"""Measure a few designs and append the figures to benchmarks/history.json.

Everything is done anew, in a temporary cache; only the C++ runtime's compilation is left out of the
times.  About ten minutes on two cores."""

from __future__ import annotations

import datetime
import json
import os
import platform
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import modmul
from modmul.export import hdl
from modmul.implementation.implement import implement
from modmul.spec import Spec
from modmul.toolchain import progress
from modmul.toolchain.cache import Cache
from modmul.toolchain.versions import tools
from modmul.verification.verify import verify

HISTORY = Path(__file__).with_name("history.json")
PRODUCTS = 1_000_000
SEEDS = 8
DESIGNS = {
    "F44D generic": {"width": 128, "slots": 4},
    "F44D ecp5": {"width": 128, "target": "ecp5"},
    "256 bits ecp5": {"width": 256, "target": "ecp5"},
    "F44D xc7": {"width": 128, "slots": 4, "target": "xc7"},
    "interleaved ecp5": {"architecture": "interleaved", "width": 64, "target": "ecp5"},
}


def measure(options: dict[str, Any], cache: Cache) -> dict[str, Any]:
    """Seconds of the steps, products checked per second, and what the design costs."""
    spec = Spec.from_options(options | {"interface": "core"})
    start = time.perf_counter()
    hdl.emit(spec.multiplier)
    emitted = time.perf_counter() - start
    with progress.bar() as report:
        verified = verify(spec, products=PRODUCTS, cache=cache, progress=report)
        start = time.perf_counter()
        implement(spec, seeds=1, cache=cache, progress=report)
        mapped = time.perf_counter() - start
        result = implement(spec, seeds=SEEDS, cache=cache, progress=report)
    clock = result.fmax_mhz
    return {
        "spec": spec.options(),
        "emit_seconds": round(emitted, 2),
        "compile_seconds": verified.compile_seconds,
        "checked_per_second": verified.checked_per_second,
        "wrong": verified.wrong,
        "synthesis_and_one_seed_seconds": round(mapped, 2),
        "lut": result.lut,
        "ff": result.ff,
        "dsp": result.dsp,
        "ram_bits": result.ram_bits,
        "latency": result.cycles.latency,
        "per_product": result.cycles.per_product,
        "mhz_median": clock.median if clock else None,
        "mhz_best": clock.best if clock else None,
    }


def machine() -> dict[str, Any]:
    """What the seconds depend on."""
    versions = {tool.name: tool.version for tool in tools() if tool.found}
    return {"processors": os.cpu_count(), "architecture": platform.machine(),
            "python": platform.python_version(), "tools": versions}


def append(entry: dict[str, Any]) -> None:
    """Add one run to the history, whole or not at all."""
    history = json.loads(HISTORY.read_text()) if HISTORY.exists() else []
    part = HISTORY.with_suffix(".tmp")
    part.write_text(json.dumps([*history, entry], indent=1) + "\n")
    part.replace(HISTORY)


def show(designs: dict[str, dict[str, Any]]) -> None:
    """One column a design."""
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    for name in designs:
        table.add_column(name, justify="right")
    for key in next(iter(designs.values())):
        if key != "spec":
            table.add_row(key.replace("_", " "), *(str(one[key]) for one in designs.values()))
    Console(width=160).print(table)


def main() -> None:
    """One run."""
    with tempfile.TemporaryDirectory(prefix="modmul-bench-") as folder:
        cache = Cache(Path(folder))
        small = Spec.from_options({"architecture": "interleaved", "width": 8})
        verify(small, products=0, cache=cache)  # compiles Verilator's runtime
        designs = {name: measure(options, cache) for name, options in DESIGNS.items()}
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    append({"date": now, "version": modmul.__version__, "machine": machine(), "designs": designs})
    show(designs)


if __name__ == "__main__":
    main()
