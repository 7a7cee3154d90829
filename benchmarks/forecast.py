"""Forecasts beside what is measured: the calibration set of `Multiplier.forecast`.

`calibration.json` has a design a line: its options, the cells that synthesis leaves, the routed
clock in MHz (ecp5; median of the seeds that were routed, null where none was) and the estimated
delay in ns (chips without a router).  A test holds the forecasts against it.  `published` is the
clock that a paper prints for the same design on the same family.  The error bands of estimates are
computed from this set, of processors from the measured rows of docs/curves.md and docs/rsa.md.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import engine
from modmul.forecast import Forecast
from modmul.implementation.error_bands import Band, FormulaBands
from modmul.implementation.implement import implement_chip
from modmul.multipliers import find
from modmul.multipliers.contract import Multiplier
from modmul.spec import Spec
from modmul.toolchain import files
from modmul.toolchain.progress import Report

SMALL = 20
FEWEST = 10  # a family with fewer designs has the band of all families
# Where papers print clocks of the speed grade that the estimate is for.  (The Virtex-7 of
# gallin2019 is of grade 3, the estimate for grade 1: print is 1.62 to 2.14 times as fast.)
SAME_GRADE = ("xc4v",)
SET = Path(__file__).with_name("calibration.json")
RSA = engine.PAGE.with_name("measured.json")


def read() -> list[dict[str, Any]]:
    """The designs as they were measured."""
    designs: list[dict[str, Any]] = json.loads(SET.read_text())
    return designs


def write(designs: list[dict[str, Any]]) -> None:
    """Keep them, one a line."""
    lines = ",\n".join(json.dumps(design, sort_keys=True) for design in designs)
    files.write(SET, f"[\n{lines}\n]\n")


def multiplier(design: dict[str, Any]) -> Multiplier:
    """The multiplier of one of them."""
    options = dict(design["options"])
    if isinstance(options.get("modulus"), str):
        options["modulus"] = int(options["modulus"], 16)
    return find(options.pop("architecture"))(**options)


def options(design: Multiplier) -> dict[str, Any]:
    """What must be said to have this multiplier: the options that are not as usual."""
    fresh = type(design)(target=design.target, width=design.width)
    names = (field.name for field in dataclasses.fields(design) if field.name != "mode")
    said = {name: getattr(design, name) for name in names}
    more = {name: value for name, value in said.items() if value != getattr(fresh, name)}
    return {"architecture": design.name, "target": design.target, "width": design.width} | more


def measure_again(progress: Report) -> None:
    """Synthesise the whole set (an hour without cache); routed clocks stay as they are."""
    designs = read()
    for done, design in enumerate(designs):
        progress("calibration", done, len(designs))
        spec = Spec.from_options({**design["options"], "interface": "core"})
        result = implement_chip(spec, route=False)
        design.update(lut=result.lut, ff=result.ff, dsp=result.dsp, ram_bits=result.ram_bits)
        design["estimate_ns"] = result.estimate.delay_ns if result.estimate else None
    write(designs)


def bands() -> tuple[dict[str, dict[str, FormulaBands]], Band]:
    """The error bands of `modmul.implementation.error_bands`: by formula, for each family and ("")
    over all, and from the netlist."""
    shares: dict[tuple[str, str], dict[str, list[float]]] = {}
    printed = []
    for design in read():
        built, mhz = multiplier(design), design["mhz"]
        if design["estimate_ns"]:
            mhz = 1000 / design["estimate_ns"]
            if built.target in SAME_GRADE:
                printed += [clock / mhz for clock in design.get("published", {}).values()]
        for target in ("", built.target):
            row = shares.setdefault(("multiplier", target), {"lut": [], "clock": []})
            add(row, built.forecast(), design["lut"], mhz)
    for spec, measured in processors():
        kinds = itertools.product(("processor", spec.design.name), ("", measured["chip"]))
        for kind, target in kinds:
            row = shares.setdefault((kind, target), {"lut": [], "clock": []})
            add(row, spec.design.forecast(), measured["lut"], measured.get("routed_mhz"))
    formula: dict[str, dict[str, FormulaBands]] = {}
    for (kind, target), row in sorted(shares.items()):
        if len(row["lut"]) >= FEWEST:
            clock = band(row["clock"]) if row["clock"] else None
            formula.setdefault(kind, {})[target] = FormulaBands(band(row["lut"]), clock)
    return formula, band(printed)


def add(row: dict[str, list[float]], said: Forecast, lut: int, mhz: float | None) -> None:
    """Note the counted LUTs and the clock of a design over those by formula."""
    row["lut"].append(lut / said.lut if abs(lut - said.lut) > SMALL else 1.0)
    row["clock"] += [mhz / said.mhz] if mhz and said.mhz else []


def band(shares: list[float]) -> Band:
    """The band that holds all of them, in hundredths."""
    low, high = math.floor(100 * min(shares)), math.ceil(100 * max(shares))
    return Band(low / 100, high / 100, len(shares))


def processors() -> Iterator[tuple[Spec, dict[str, Any]]]:
    """Each processor of docs/curves.md and docs/rsa.md whose area was measured, once."""
    for row in json.loads(RSA.read_text()):
        if row["table"] == "rsa":
            spec = Spec.from_options(row["spec"])
            yield spec, {"chip": "ecp5", "lut": row["lut"], "routed_mhz": row["usable_mhz"]}
    seen = set()
    for row in json.loads(engine.FIGURES.read_text())["engines"]:
        options = {key: value for key, value in row["spec"].items() if value is not None}
        spec = Spec.from_options({"architecture": "curve", **options})
        if spec not in seen:
            seen.add(spec)
            yield spec, row


def compare() -> list[dict[str, Any]]:
    """Worst error in percent of each architecture on each chip."""
    worst: dict[tuple[str, str], dict[str, float]] = {}
    for design in read():
        built = multiplier(design)
        row = worst.setdefault((built.name, built.target), dict.fromkeys(("designs", *ERRORS), 0.0))
        row["designs"] += 1
        for name, error in errors(design, built).items():
            row[name] = max(row[name], 100 * error, key=abs)
    return [
        {"architecture": name, "chip": chip, **{key: round(value) for key, value in row.items()}}
        for (name, chip), row in sorted(worst.items())
    ]


ERRORS = ("lut", "ff", "mhz")


def errors(design: dict[str, Any], multiplier: Multiplier) -> dict[str, float]:
    """Of one forecast, as a share of what was measured; those of the figures that there are.

    Up to SMALL cells count as nothing: an array of 8 bits, the control of a product in DSP
    blocks."""
    said, mhz = multiplier.forecast(), design["mhz"]
    if design["estimate_ns"]:
        mhz = 1000 / design["estimate_ns"]
    shares = {}
    for name in ("lut", "ff"):
        apart = getattr(said, name) - design[name]
        shares[name] = apart / design[name] if abs(apart) > SMALL else 0.0
    if mhz and said.mhz:
        shares["mhz"] = said.mhz / mhz - 1
    return shares
