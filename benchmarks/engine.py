"""Curves on an engine: area, clock and milliseconds a scalar multiplication, for each multiplier,
beside published processors."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import curve_cycles
from modmul.errors import SpecError
from modmul.implementation.implement import implement_chip
from modmul.papers.transcribed import transcribed
from modmul.processors.curve import Curve
from modmul.reporting.peers import marked
from modmul.spec import Spec
from modmul.toolchain import files
from modmul.toolchain.progress import Report
from modmul.toolchain.work import Work

PAGE = Path(__file__).parents[1] / "docs" / "curves.md"
FIGURES = PAGE.with_name("measured_curves.json")
_MARKS = "<!-- engines -->\n", "<!-- end of engines -->\n"
_COLUMNS = {
    "multiplier": "multiplier", "curve": "curve", "chip": "chip", "lut": "LUT", "ff": "FF",
    "dsp": "DSP", "ram": "block RAM", "routed_mhz": "routed MHz", "usable_mhz": "usable MHz",
    "cycles": "cycles", "ms": "ms", "at_once": "at once", "cycles_each": "cycles each",
    "ms_each": "ms each",
}  # fmt: skip
PEERS = transcribed("processors")["peer"]
TARGETS = ("ecp5", "xc7")
OPERATIONS = {256: ("p256", "curve25519"), 384: ("p384",)}  # curves that are timed, by width
_OF_SPEC = ("multiplier", "units", "batch")
MULTIPLIERS: dict[str, dict[str, Any]] = {
    "fpmm": {"multiplier": "fpmm"},
    "two fpmm": {"multiplier": "fpmm", "units": 2, "batch": 4},
    "fpmm, words of 4 x 17": {"multiplier": "fpmm", "word": 68, "batch": 4},
    "fips": {"multiplier": "fips"},
    "montgomery-lookahead": {"multiplier": "montgomery-lookahead"},
}


def measure(seeds: int, jobs: int, progress: Report) -> list[dict[str, Any]]:
    """One row for each multiplier, width, target and curve: `routed_mhz` is the median of the
    seeds, and milliseconds are those at the usable clock; None where the target is not routed."""
    found = []
    for name, spec, names in specs():
        label = f"{name}, {spec.design.width} bits"

        def report(what: str, done: int, total: int, told: str = label) -> None:
            progress(f"{told}: {what}", done, total)

        result = implement_chip(spec, seeds=seeds, work=Work(jobs, progress=report))
        found += [_row(name, spec, result, curve) for curve in names]
    return found


def specs() -> Iterator[tuple[str, Spec, tuple[str, ...]]]:
    """What is measured: its name, and the curves that are timed on it."""
    for width, names in OPERATIONS.items():
        for target in TARGETS:
            for name, options in MULTIPLIERS.items():
                given = {**options, "architecture": "curve", "width": width, "target": target}
                yield name, Spec.from_options(given | _slots(given)), names


def _slots(given: dict[str, Any]) -> dict[str, int]:
    """The fewest slots that a multiplier with wide words can have."""
    if "word" not in given:
        return {}
    for slots in range(1, 33):
        try:
            Spec.from_options({**given, "slots": slots})
        except SpecError:  # fewer slots than its loop needs
            continue
        return {"slots": slots}
    raise ValueError(f"no number of slots for {given}")


def _row(name: str, spec: Spec, result: Any, curve: str) -> dict[str, Any]:
    design = spec.design
    assert isinstance(design, Curve)
    cycles = curve_cycles.alone(design, curve)
    at_once, whole = curve_cycles.together(design, curve)
    clock = result.fmax_mhz
    usable = clock.usable if clock else None
    return {
        "multiplier": name,
        "spec": {key: spec.options()[key] for key in _OF_SPEC} | design.multiplier.options,
        "curve": curve,
        "chip": result.target,
        "lut": result.lut,
        "ff": result.ff,
        "dsp": result.dsp,
        "ram": result.ram_blocks,
        "routed_mhz": clock.median if clock else None,
        "usable_mhz": usable,
        "cycles": cycles,
        "ms": round(cycles / usable / 1000, 3) if usable else None,
        "at_once": at_once,
        "cycles_each": whole // at_once,
        "ms_each": round(whole / at_once / usable / 1000, 3) if usable else None,
        "cycles_x_dsp": cycles * result.dsp or None,
    }


def page(text: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """The page with the table of measured rows."""
    lines = [_line(list(_COLUMNS.values())), _line(["---"] * len(_COLUMNS))]
    lines += [_line([_cell(row[name]) for name in _COLUMNS]) for row in rows]
    begin, end = _MARKS
    before, _, rest = text.partition(begin)
    table = "".join(f"{line}\n" for line in lines)
    return before + begin + table + end + rest.partition(end)[2]


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, int):
        return f"{value:,}"
    return value if isinstance(value, str) else f"{value:,.2f}"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def write(rows: Sequence[Mapping[str, Any]]) -> None:
    """Keep what was measured, and put it into the page."""
    files.write(FIGURES, json.dumps(rows, indent=2) + "\n")
    files.write(PAGE, curve_cycles.page(page(PAGE.read_text(), rows)))


def published() -> list[dict[str, Any]]:
    """The rows of others; what is quoted without its source at hand is marked."""
    rows = []
    for peer in PEERS:
        cycles, dsp = peer.get("cycles"), peer.get("dsp")
        rows.append({
            "design": marked(peer), "operation": peer["operation"],
            "modulus": peer["modulus"], "chip": peer["chip"], "area": peer.get("area"),
            "dsp": dsp, "mhz": peer.get("mhz"), "cycles": cycles, "ms": peer.get("ms"),
            "cycles_x_dsp": cycles * dsp if cycles and dsp else None,
        })  # fmt: skip
    return rows
