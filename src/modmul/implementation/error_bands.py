"""How far estimates were from what was measured, by kind of estimate and chip family.

`python -m benchmarks --forecast bands` computes these figures from designs that were measured; a
test compares them.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from typing import NamedTuple

import msgspec

from modmul.design import Design
from modmul.implementation.result import EstimatedClock
from modmul.targets import Limit, Target


class Band(NamedTuple):
    """The least and the greatest measured figure over its estimate, among `designs` designs."""

    low: float
    high: float
    designs: int


class FormulaBands(NamedTuple):
    """Bands of the estimates by formula.  clock: None where nothing was measured."""

    lut: Band
    clock: Band | None


# Counted LUTs and clocks over those by formula, of multipliers, processors, and processors of one
# architecture, for each family and ("") over all.  The clocks are routed where there is a router,
# on other families estimated from the netlist.
FORMULA = msgspec.json.decode(
    (resources.files(__package__) / "error_bands.json").read_bytes(),
    type=dict[str, dict[str, FormulaBands]],
)
# Clocks that papers print for a Virtex-4 over the clock estimated from the netlist of the same
# design, for the same speed grade.
NETLIST = Band(0.45, 1.45, 13)
_PRINTED = f"{NETLIST.designs} published clocks on Virtex-4"


def clock_of_netlist(mhz: float, limits: Sequence[Limit]) -> EstimatedClock:
    """The clock of the slowest path of a mapped netlist."""
    source = f"estimated from the netlist, not routed; its error band is that of {_PRINTED}"
    return _within(mhz, limits, (NETLIST.low, NETLIST.high), source)


def clock_of_formula(
    mhz: float, design: Design, chip: Target, limits: Sequence[Limit]
) -> EstimatedClock:
    band = _of_formula(design, chip).clock
    if band is None:
        band = FORMULA[_kind(design)][""].clock
    assert band is not None
    kind = design.role if _kind(design) == design.role else f"{design.name} {design.role}"
    low, high, basis = band.low, band.high, f"{band.designs} {kind}s that were measured"
    if chip.router is None:
        low, high, basis = low * NETLIST.low, high * NETLIST.high, f"{basis}, and of {_PRINTED}"
    source = f"estimated by formula; its error band is that of {basis}"
    return _within(mhz, limits, (low, high), source)


def luts_of_formula(lut: int, design: Design, chip: Target) -> tuple[int, int]:
    """The band of a number of LUTs."""
    band = _of_formula(design, chip).lut
    return round(lut * band.low), round(lut * band.high)


def _kind(design: Design) -> str:
    return design.name if design.name in FORMULA else design.role


def _of_formula(design: Design, chip: Target) -> FormulaBands:
    bands = FORMULA[_kind(design)]
    return bands.get(chip.name) or bands[""]


def _within(
    mhz: float, limits: Sequence[Limit], band: tuple[float, float], source: str
) -> EstimatedClock:
    """A clock within the limits of the hard blocks, the lowest of which comes first."""
    limit = limits[0] if limits and limits[0].mhz < mhz else None
    most = limits[0].mhz if limits else float("inf")
    low, high = (round(min(mhz * factor, most), 1) for factor in band)
    return EstimatedClock(
        mhz=round(min(mhz, most), 2),
        low=low,
        high=high,
        limited_by=limit.words if limit else "the estimated path",
        verified=limit.verified if limit else True,
        source=source,
    )
