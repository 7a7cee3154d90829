"""Private operations of RSA on an engine: area, clock and time, beside published designs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.engine import digest, line
from modmul.implementation.implement import implement_chip
from modmul.papers.printed import marked
from modmul.papers.transcribed import transcribed
from modmul.processors.rsa import Rsa
from modmul.processors.rsa.operations import PRIVATE
from modmul.spec import Spec
from modmul.toolchain import files
from modmul.toolchain.progress import Report
from modmul.toolchain.work import Work

PAGE = Path(__file__).parents[1] / "docs" / "rsa.md"
FIGURES = PAGE.with_name("measured_rsa.json")
_MARKS = "<!-- peers -->\n", "<!-- end of peers -->\n"
_COLUMNS = {"design": "design", "operation": "operation", "chip": "chip", "lut": "LUT",
            "dsp": "DSP", "mhz": "MHz", "cycles": "cycles", "ms": "ms"}  # fmt: skip
_BLINDED = {"base_blinding": True, "exponent_blinding": 64, "modulus_blinding": 32}
DESIGNS: dict[str, dict[str, Any]] = {
    "rsa on fpmm": {"width": 1024},
    "rsa on two fpmm": {"width": 1024, "units": 2},
    "rsa on fpmm, all blinded": {"width": 1056, **_BLINDED},
}


def specs() -> Iterator[tuple[str, Spec]]:
    """What is measured, by name."""
    for name, options in DESIGNS.items():
        given = {"architecture": "rsa", "multiplier": "fpmm", "target": "ecp5", **options}
        yield name, Spec.from_options(given)


def measure(seeds: int, jobs: int, progress: Report) -> list[dict[str, Any]]:
    """One row for each design: RSA-2048 by halves with e = 65537, at the usable clock."""
    rows = []
    for name, spec in specs():

        def report(what: str, done: int, total: int, told: str = name) -> None:
            progress(f"{told}: {what}", done, total)

        result = implement_chip(spec, seeds=seeds, work=Work(jobs, progress=report))
        design = spec.design
        assert isinstance(design, Rsa)
        cycles = design.latency(design.modes[0]).maximum
        mhz = result.fmax_mhz.usable if result.fmax_mhz else None
        rows.append({
            "design": name, "operation": f"RSA-2048 {PRIVATE}, by halves", "chip": "ECP5, routed",
            "lut": result.lut, "ff": result.ff, "dsp": result.dsp, "ram": result.ram_blocks,
            "mhz": mhz, "cycles": cycles, "ms": round(cycles / mhz / 1000, 2) if mhz else None,
            "text": digest(spec),
        })  # fmt: skip
    return rows


def published() -> list[dict[str, Any]]:
    """The rows of others; ms only where it is printed, or follows from a printed clock."""
    names = [name for name in _COLUMNS if name != "design"]
    return [{"design": marked(row), **{name: row.get(name) for name in names}}
            for row in transcribed("processors")["rsa"]]  # fmt: skip


def with_published(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One table: what was measured, then the rows of others."""
    return [{name: row[name] for name in _COLUMNS} for row in (*rows, *published())]


def page(text: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """The page with the table of all rows."""
    begin, end = _MARKS
    before, _, rest = text.partition(begin)
    table = [line(list(_COLUMNS.values())), line(["---"] * len(_COLUMNS))]
    table += [line([_cell(row[name]) for name in _COLUMNS]) for row in rows]
    return before + begin + "".join(f"{row}\n" for row in table) + end + rest.partition(end)[2]


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int | float) else str(value)


def write(rows: Sequence[Mapping[str, Any]]) -> None:
    """Keep what was measured, and put it into the page, with the rows of others."""
    files.write(FIGURES, json.dumps(rows, indent=2) + "\n")
    files.write(PAGE, page(PAGE.read_text(), with_published(rows)))
