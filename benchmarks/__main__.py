"""Measure tool and hardware, show the figures and append them to a history (JSON).

Hardware comes from the cache where nothing changed; the tool's speed is measured anew.  The first
run takes some ten minutes on two cores."""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import modmul
from benchmarks import (
    arrays,
    clock_enable,
    engine,
    exploration,
    forecast,
    hardware,
    radix2,
    speed,
    startup,
)
from modmul.toolchain import files, progress
from modmul.toolchain.versions import tools

HISTORY = Path(__file__).with_name("history.json")


def main() -> None:
    """One run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--products", type=int, default=1_000_000, help="checked for the speed")
    parser.add_argument("--seeds", type=int, default=8, help="of place and route")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="side by side")
    parser.add_argument(
        "--radix2", action="store_true", help="also all radix-2 designs at 256 bits (hours)"
    )
    parser.add_argument(
        "--arrays", action="store_true", help="also all array multipliers at 128 bits (hours)"
    )
    parser.add_argument(
        "--forecast",
        choices=("compare", "measure", "bands"),
        help="only forecasts beside the calibration set, as it was measured or measured anew, or "
        "the error bands of estimates",
    )
    parser.add_argument(
        "--exploration", action="store_true", help="only points per hour of an exploration"
    )
    parser.add_argument(
        "--startup", action="store_true", help="only the seconds that a command line takes"
    )
    parser.add_argument(
        "--clock-enable", action="store_true", help="only what a clock enable costs"
    )
    parser.add_argument(
        "--engine", action="store_true", help="only curves on an engine, beside published ones"
    )
    parser.add_argument(
        "--signatures",
        action="store_true",
        help="of these only signatures, key agreement and binary curves",
    )
    parser.add_argument("--history", type=Path, default=HISTORY, help="file to append to")
    given = parser.parse_args()
    if given.forecast == "bands":
        print(*forecast.bands(), sep="\n")
        return
    if given.forecast:
        show_forecasts(given.forecast == "measure")
        return
    if given.startup:
        with progress.bar() as report:
            rows = startup.measure(report)
        show_rows("Start-up: seconds of whole command lines", rows)
        return
    if given.clock_enable:
        with progress.bar() as report:
            rows = clock_enable.measure(given.seeds, given.jobs, report)
        show_rows("Without and with a clock enable, streams included", rows)
        return
    if given.exploration:
        with progress.bar() as report:
            rows = exploration.measure(given.jobs, report)
        show_rows("An exploration of 12 points: P-256 on ecp5, two seeds each", rows)
        return
    if given.engine or given.signatures:
        parts = tuple(engine.TITLES) if given.engine else ("schemes",)
        with progress.bar() as report:
            measured = engine.measure(given.seeds, given.jobs, report, parts)
        engine.write(measured)
        for part, title in engine.TITLES.items():
            told = [
                {key: value for key, value in row.items() if key != "spec"}
                for row in measured[part]
            ]
            show_rows(title, told)
        show_rows("Published processors, as printed", engine.published())
        return
    with progress.bar() as report:
        waiting = startup.measure(report)
        tool = speed.measure(given.products, report)
        designs = {}
        for name, options in hardware.DESIGNS.items():

            def named(what: str, done: int, total: int, name: str = name) -> None:
                report(f"{name}: {what}", done, total)

            designs[name] = hardware.measure(options, given.seeds, given.jobs, named)
        bitwise = radix2.measure(given.seeds, given.jobs, report) if given.radix2 else []
        wide = arrays.measure(given.jobs, report) if given.arrays else []
    peers = [
        against_peer
        for name, figures in designs.items()
        if figures["usable_mhz"]
        for against_peer in hardware.against_peers(name, figures)
    ]
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    entry = {
        "date": now,
        "version": modmul.__version__,
        "machine": machine(),
        "startup": waiting,
        "speed": tool,
        "hardware": designs,
        "peers": peers,
        "radix2": bitwise,
        "arrays": wide,
    }
    append(given.history, entry)
    show_rows("Start-up: seconds of whole command lines", waiting)
    show(tool, designs, peers)
    usable = "at the usable clock"
    show_rows(f"Radix-2 designs at {radix2.WIDTH} bits on ecp5, core alone, {usable}", bitwise)
    title = f"Plain products of {arrays.WIDTH} bits on ecp5, one seed, {usable}; print: Virtex-4"
    show_rows(title, wide)


def show_forecasts(measure: bool) -> None:
    """Worst errors of the forecasts; measure: synthesise the calibration set before."""
    if measure:
        with progress.bar() as report:
            forecast.measure_again(report)
    show_rows("Forecasts: worst error in %, area and clock", forecast.compare())


def machine() -> dict[str, Any]:
    """What the seconds depend on."""
    return {
        "processors": os.cpu_count(),
        "architecture": platform.machine(),
        "python": platform.python_version(),
        "tools": {tool.name: tool.version for tool in tools() if tool.found},
    }


def append(path: Path, entry: dict[str, Any]) -> None:
    """Add one run to the history, whole or not at all."""
    history = json.loads(path.read_text()) if path.exists() else []
    files.write(path, json.dumps([*history, entry], indent=1) + "\n")


def show(
    tool: dict[str, Any], designs: dict[str, dict[str, Any]], peers: list[dict[str, Any]]
) -> None:
    """Three tables: the tool, the designs (beside what is published), the peers."""
    console = Console(width=160)
    console.print(_table("Tool (128-bit F44)", ["", "figure"], list(tool.items())))
    printed = {f"{name} published": row for name in designs if (row := hardware.published(name))}
    same = {
        "lut": "luts",
        "ff": "ffs",
        "dsp": "dsps",
        "latency_cc": "latency_cc",
        "routed_mhz": "freq_mhz",
    }
    rows = [
        (
            key,
            *(design[key] for design in designs.values()),
            *(row.get(same.get(key, "")) for row in printed.values()),
        )
        for key in next(iter(designs.values()))
        if key not in ("spec", "limited_by")
    ]
    console.print(_table("Hardware, core alone", ["", *designs, *printed], rows))
    for name, figures in designs.items():
        if figures["limited_by"]:
            console.print(f"{name}: usable clock set by {figures['limited_by']}")
    ahead = [tuple(peer.values()) for peer in peers]
    title = (
        "Ahead of the peers with a run-time modulus: times as many products per second; "
        "designs at their usable clock, peers at their routed one"
    )
    console.print(_table(title, ["design", "peer", "bits", "per DSP", "per LUT"], ahead))


def show_rows(title: str, rows: list[dict[str, Any]]) -> None:
    """A table of what was measured, in the order given; nothing if it was not."""
    if rows:
        Console(width=160).print(_table(title, list(rows[0]), [tuple(r.values()) for r in rows]))


def _table(title: str, columns: list[str], rows: list[tuple[Any, ...]]) -> Table:
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for index, column in enumerate(columns):
        table.add_column(column, justify="right" if index else "left")
    for row in rows:
        table.add_row(*("-" if value is None else str(value) for value in row))
    return table


if __name__ == "__main__":
    main()
