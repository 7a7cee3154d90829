"""Forecasts: every architecture answers on every chip, at once, and not far from measurements."""

from __future__ import annotations

import dataclasses
import json
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from benchmarks.forecast import bands as measured_bands

from modmul import targets
from modmul.errors import SpecError
from modmul.forecast import fabric
from modmul.implementation import error_bands
from modmul.implementation.implement import implement_chip
from modmul.multipliers import NAMES, REGISTRY
from modmul.multipliers.contract import Multiplier
from modmul.spec import Spec

CHIPS = [name for name in targets.NAMES if name != "cells"]
CALIBRATION = Path(__file__).parents[2] / "benchmarks" / "calibration.json"
CALIBRATED = {design["options"]["architecture"] for design in json.loads(CALIBRATION.read_text())}
SMALL = 20  # cells that an error in percent says nothing about
# Designs of one synthesis each, of which some are made by other tests, too.
MADE: list[dict[str, Any]] = [
    {"architecture": "fpmm", "width": 30, "word": 12, "tile": "6x6"},
    {"architecture": "interleaved", "width": 12},
    {"architecture": "montgomery-2csa", "width": 12, "adder_word": 8},
    {"architecture": "montgomery-lookahead", "width": 12},
    {"architecture": "inferred", "width": 24},
    {"architecture": "three-pass", "width": 12},
]
# What has no design in the calibration set is compared with a synthesis of now.
# What those made for one modulus take in the place of a width.
FIXED = {
    "fpmm-fixed": {"modulus": "0x3fffffdd", "word": 12, "tile": "6x6"},
    "gf2m-serial": {"modulus": "x^17 + x^3 + 1", "digit": 4},
}
MADE += [
    {"architecture": name, **FIXED.get(name, {"width": 12})}
    for name in NAMES
    if name not in CALIBRATED
]


def on(multiplier: Multiplier, target: str) -> Multiplier | None:
    """The same on another chip; None where it cannot be."""
    derived = {"slots": None} if multiplier.name.startswith("fpmm") else {}
    try:
        return dataclasses.replace(multiplier, target=target, **derived)  # type: ignore[arg-type]
    except SpecError:
        return None


def apart(said: int, measured: int) -> float:
    """Error as a share of what was measured; 0 where it is a few cells."""
    return abs(said - measured) / measured if abs(said - measured) > SMALL else 0.0


@pytest.mark.parametrize("name", NAMES)
def test_every_example_is_answered(name: str) -> None:
    seen = set()
    for example in REGISTRY[name].examples():
        for target in (*CHIPS, "cells"):
            multiplier = on(example, target)
            if multiplier is None:
                continue
            said = multiplier.forecast()
            seen.add(target)
            figures = (said.lut, said.ff, said.dsp, said.ram_bits)
            assert all(type(figure) is int and figure >= 0 for figure in figures), multiplier
            assert said.lut > 0
            measured = fabric(multiplier.chip).delays is not None
            assert (said.mhz is not None) == measured
            assert said.mhz is None or 0.5 < said.mhz < 1000, multiplier
    assert {"ecp5", "xc7", "generic"} <= seen


@pytest.mark.parametrize("name", NAMES)
def test_a_forecast_takes_no_time(name: str) -> None:
    """Best of many, since the machine may be busy; the first may have to look at the chip."""
    multiplier = on(REGISTRY[name].examples()[-1], "ecp5") or REGISTRY[name](target="ecp5")
    best = 1.0
    for _ in range(20):
        fresh = dataclasses.replace(multiplier)
        start = time.perf_counter()
        fresh.forecast()
        best = min(best, time.perf_counter() - start)
    assert best < 0.0005


@pytest.mark.parametrize("target", ["ecp5", "xc7", "generic"])
@pytest.mark.parametrize("name", NAMES)
def test_area_grows_with_the_width(name: str, target: str) -> None:
    """Whole words, tiles and banks of memory go in steps."""
    areas, fixed = [], REGISTRY[name].modulus_at == "fixed"
    for width in (8, 16, 32, 64) if fixed else (64, 128, 256, 512):
        options: dict[str, Any] = {"word": 16, "slots": 8} if name == "fpmm" else {}
        options |= {"modulus": (1 << width) - 5} if fixed else {}
        said = REGISTRY[name](width=width, target=target, **options).forecast()
        areas.append(said.lut + said.ff + 100 * said.dsp)
    assert areas == sorted(areas)
    assert areas[-1] > areas[0]


def calibration() -> Iterator[tuple[dict[str, Any], Multiplier]]:
    for design in json.loads(CALIBRATION.read_text()):
        options = dict(design["options"])
        if isinstance(options.get("modulus"), str):
            options["modulus"] = int(options["modulus"], 16)
        yield design, REGISTRY[options.pop("architecture")](**options)


def test_forecasts_are_near_what_was_measured() -> None:
    """A quarter for area, three tenths for the clock, all DSP blocks: over the whole set."""
    counted: dict[str, set[str]] = defaultdict(set)
    for design, multiplier in calibration():
        said, mhz = multiplier.forecast(), design["mhz"]
        counted[multiplier.name].add(multiplier.target)
        rough = multiplier.target == "generic"  # enables of registers are LUTs there
        assert apart(said.lut, design["lut"]) < (0.4 if rough else 0.25), multiplier
        assert apart(said.ff, design["ff"]) < 0.25, multiplier
        assert said.dsp == design["dsp"], multiplier
        if design["estimate_ns"]:
            mhz = 1000 / design["estimate_ns"]
        if mhz and said.mhz:
            assert abs(said.mhz / mhz - 1) < 0.3, multiplier
    assert counted.keys() == CALIBRATED <= REGISTRY.keys()
    assert all({"ecp5", "xc7"} <= chips for chips in counted.values())


@pytest.mark.parametrize("options", MADE, ids=lambda options: options["architecture"])
@pytest.mark.short("fpmm", "interleaved")  # with DSP blocks, and without
def test_a_design_made_now_is_near_its_forecast(options: dict[str, Any]) -> None:
    spec = Spec.from_options({**options, "target": "ecp5", "interface": "core"})
    result, said = implement_chip(spec, route=False), spec.multiplier.forecast()
    assert apart(said.lut, result.lut) < 0.3, (said, result.lut)
    assert apart(said.ff, result.ff) < 0.3, (said, result.ff)
    assert said.dsp == result.dsp
    assert said.ram_bits == result.ram_bits


def test_error_bands_are_those_of_the_designs_that_were_measured() -> None:
    formula, netlist = measured_bands()
    assert formula == error_bands.FORMULA
    assert netlist == error_bands.NETLIST
