"""Curves on an engine: area, clock and milliseconds a scalar multiplication, for each multiplier,
and a signature, beside published processors."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import curve_cycles
from modmul.arithmetic import curves
from modmul.errors import SpecError
from modmul.export import hdl
from modmul.implementation.implement import implement_chip
from modmul.papers.printed import marked
from modmul.papers.transcribed import transcribed
from modmul.processors.contract import Load
from modmul.processors.curve import PrimeCurve
from modmul.processors.curve.schemes import TASKS
from modmul.processors.engine.curve_processor import CurveProcessor
from modmul.spec import Spec
from modmul.toolchain import files
from modmul.toolchain.progress import Report
from modmul.toolchain.work import Work

PAGE = Path(__file__).parents[1] / "docs" / "curves.md"
FIGURES = PAGE.with_name("measured_curves.json")
_POINTS, _SCHEMES = "engines", "schemes"  # parts of the page, and of the figures
TITLES = {
    _POINTS: "A scalar multiplication on an engine, at the usable clock",
    _SCHEMES: "Signatures and key agreement on an engine, at the usable clock",
}
_COLUMNS = {
    "multiplier": "multiplier",
    "curve": "curve",
    "chip": "chip",
    "lut": "LUT",
    "ff": "FF",
    "dsp": "DSP",
    "ram": "block RAM",
    "routed_mhz": "routed MHz",
    "usable_mhz": "f_max MHz",
    "cycles": "cycles",
    "ms": "ms",
    "at_once": "at once",
    "cycles_each": "cycles each",
    "ms_each": "ms each",
}
_COLUMNS_OF_SCHEMES = {
    "multiplier": "multiplier",
    "curve": "curve",
    "operation": "operation",
    "lut": "LUT",
    "ff": "FF",
    "dsp": "DSP",
    "ram": "block RAM",
    "usable_mhz": "f_max MHz",
    "cycles": "cycles",
    "ms": "ms",
}
_COLUMNS_OF_PEERS = {
    "design": "design",
    "operation": "operation",
    "modulus": "modulus",
    "chip": "chip",
    "dsp": "DSP",
    "cycles": "cycles",
    "ms": "ms",
}
PEERS = transcribed("processors")["peer"]
TARGETS = ("ecp5", "xc7")
OPERATIONS = {256: ("p256", "curve25519"), 384: ("p384",)}  # curves that are timed, by width
_OF_SPEC = ("multiplier", "units", "batch", "formulas", "schemes", "forms")
MULTIPLIERS: dict[str, dict[str, Any]] = {
    "fpmm": {"multiplier": "fpmm"},
    "two fpmm": {"multiplier": "fpmm", "units": 2, "batch": 4},
    "fpmm, words of 4 x 17": {"multiplier": "fpmm", "word": 68, "formulas": "x-only", "batch": 4},
    "fips": {"multiplier": "fips"},
    "montgomery-lookahead": {"multiplier": "montgomery-lookahead"},
}


# With the schemes of one form of curves, on ECP5: what it is called, its options, its width, and
# the curves that are timed on it.
_WEIERSTRASS, _EDWARDS = {"forms": "weierstrass"}, {"forms": "edwards"}
_BINARY = {"architecture": "binary-curve"}
SIGNING: tuple[tuple[str, dict[str, Any], int, tuple[str, ...]], ...] = (
    ("fpmm", {"multiplier": "fpmm", **_WEIERSTRASS}, 256, ("p256", "sm2")),
    ("fpmm", {"multiplier": "fpmm", **_EDWARDS}, 256, ("ed25519",)),
    ("two fpmm", {"multiplier": "fpmm", "units": 2, **_WEIERSTRASS}, 256, ("p256", "sm2")),
    ("fpmm", {"multiplier": "fpmm", **_WEIERSTRASS}, 384, ("p384",)),
    ("fips, spread", {"multiplier": "fips", "binary_square": "spread", **_BINARY}, 164, ("b163",)),
    ("gf2m-serial", {"multiplier": "gf2m-serial", "schemes": False, **_BINARY}, 164, ("b163",)),
)


def measure(
    seeds: int, jobs: int, progress: Report, parts: Sequence[str] = (_POINTS, _SCHEMES)
) -> dict[str, list[dict[str, Any]]]:
    """Of multiplications one row for each multiplier, width, target and curve, of schemes one for
    each operation: `routed_mhz` is the median of the seeds, and milliseconds are those at the
    usable clock; None where the target is not routed.  What is not one of `parts` stays as it was
    measured last."""
    last = json.loads(FIGURES.read_text()) if len(parts) < len(TITLES) else {}
    measured: dict[str, list[dict[str, Any]]] = {_POINTS: [], _SCHEMES: []}

    def implemented(name: str, spec: Spec) -> Any:
        label = f"{name}, {spec.design.width} bits"

        def report(what: str, done: int, total: int) -> None:
            progress(f"{label}: {what}", done, total)

        return implement_chip(spec, seeds=seeds, work=Work(jobs, progress=report))

    for name, spec, names in specs() if _POINTS in parts else ():
        result = implemented(name, spec)
        measured[_POINTS] += [_row(name, spec, result, curve) for curve in names]
    for name, spec, names in specs_of_schemes() if _SCHEMES in parts else ():
        result = implemented(f"{name} with schemes", spec)
        measured[_SCHEMES] += [
            row for curve in names for row in rows_of_schemes(name, spec, result, curve)
        ]
    return {part: rows or last[part] for part, rows in measured.items()}


def specs() -> Iterator[tuple[str, Spec, tuple[str, ...]]]:
    """What is measured: its name, and the curves that are timed on it."""
    for width, names in OPERATIONS.items():
        for target in TARGETS:
            for name, options in MULTIPLIERS.items():
                given = {
                    **options,
                    "architecture": "curve",
                    "width": width,
                    "target": target,
                    "schemes": "none",
                }
                yield name, Spec.from_options(given | _slots(given)), names


def specs_of_schemes() -> Iterator[tuple[str, Spec, tuple[str, ...]]]:
    """The same of designs with schemes."""
    for name, options, width, names in SIGNING:
        given = {"architecture": "curve", "width": width, "target": "ecp5", **options}
        if options.get("multiplier") == "gf2m-serial":  # made for one field
            given["curve"] = names[0]
        yield name, Spec.from_options(given), names


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
    assert isinstance(design, PrimeCurve)
    cycles = curve_cycles.alone(design, curve)
    at_once, total = curve_cycles.together(design, curve)
    clock = result.fmax_mhz
    usable = clock.usable if clock else None
    return _implemented(name, spec, result) | {
        "curve": curve,
        "routed_mhz": clock.median if clock else None,
        "cycles": cycles,
        "ms": round(cycles / usable / 1000, 3) if usable else None,
        "at_once": at_once,
        "cycles_each": total // at_once,
        "ms_each": round(total / at_once / usable / 1000, 3) if usable else None,
        "cycles_x_dsp": cycles * result.dsp or None,
    }


def rows_of_schemes(name: str, spec: Spec, result: Any, curve: str) -> Iterator[dict[str, Any]]:
    """A row for each operation of schemes; for a point multiplied on binary curves, too."""
    design = spec.design
    assert isinstance(design, CurveProcessor)
    for operation in design.operations_on(Load.of(curves.find(curve))):
        scheme = operation in TASKS and (TASKS[operation].scheme == "sm2") == (curve == "sm2")
        if scheme or (design.field == "binary" and operation == "point-multiply"):
            cycles = curve_cycles.cycles(design, curve, operation)
            yield _implemented(name, spec, result) | {
                "curve": curve,
                "operation": operation,
                "cycles": cycles,
                "ms": round(cycles / result.fmax_mhz.usable / 1000, 3),
            }


def digest(spec: Spec) -> str:
    """SHA-256 of the Verilog of a design without comments: what is measured."""
    code = re.sub("//.*", "", hdl.emit(spec.design).verilog)
    return hashlib.sha256(" ".join(code.split()).encode()).hexdigest()


def _implemented(name: str, spec: Spec, result: Any) -> dict[str, Any]:
    design = spec.design
    assert isinstance(design, CurveProcessor)
    return {
        "multiplier": name,
        "spec": {key: spec.options()[key] for key in _OF_SPEC if key in spec.options()}
        | design.multiplier.options,
        "chip": result.target,
        "lut": result.lut,
        "ff": result.ff,
        "dsp": result.dsp,
        "ram": result.ram_blocks,
        "usable_mhz": result.fmax_mhz.usable if result.fmax_mhz else None,
        "text": digest(spec),
    }


def page(text: str, measured: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """The page with the tables of measured and published rows."""
    tables = (
        (_POINTS, _COLUMNS, measured[_POINTS]),
        (_SCHEMES, _COLUMNS_OF_SCHEMES, measured[_SCHEMES]),
        ("published", _COLUMNS_OF_PEERS, published()),
    )
    for part, columns, rows in tables:
        lines = [line(list(columns.values())), line(["---"] * len(columns))]
        lines += [line([_cell(row[name]) for name in columns]) for row in rows]
        begin, end = f"<!-- {part} -->\n", f"<!-- end of {part} -->\n"
        before, _, rest = text.partition(begin)
        table = "".join(f"{line}\n" for line in lines)
        text = before + begin + table + end + rest.partition(end)[2]
    return text


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, int):
        return f"{value:,}"
    return value if isinstance(value, str) else f"{value:,.2f}"


def line(cells: Sequence[str]) -> str:
    """A row of a table in Markdown."""
    return f"| {' | '.join(cells)} |"


def write(measured: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Keep what was measured, and put it into the page."""
    files.write(FIGURES, json.dumps(measured, indent=2) + "\n")
    files.write(PAGE, curve_cycles.page(page(PAGE.read_text(), measured)))


def published() -> list[dict[str, Any]]:
    """The rows of others; what is quoted without its source at hand is marked."""
    rows = []
    for peer in PEERS:
        cycles, dsp = peer.get("cycles"), peer.get("dsp")
        rows.append(
            {
                "design": marked(peer),
                "operation": peer["operation"],
                "modulus": peer["modulus"],
                "chip": peer["chip"],
                "area": peer.get("area"),
                "dsp": dsp,
                "mhz": peer.get("mhz"),
                "cycles": cycles,
                "ms": peer.get("ms"),
                "cycles_x_dsp": cycles * dsp if cycles and dsp else None,
            }
        )
    return rows
