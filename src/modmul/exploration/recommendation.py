"""The answer of `recommend`."""

from __future__ import annotations

from typing import Any

import msgspec

from modmul.exploration.coverage import Coverage


class Candidate(msgspec.Struct, frozen=True):
    """A design with its figures; no times where there is no clock.

    area: of the core alone; luts_per_dsp: what a DSP counts in it, None where the unit has no DSPs.
    clock_mhz: usable; clock_unverified: it is decided by a limit not checked in its source.
    score: what the goal makes small, against the best one's.  spec: all that is not default, enough
    to build it again."""

    title: str
    architecture: str
    spec: dict[str, Any]
    timing: str
    area: float
    area_unit: str
    lut: int | None
    ff: int | None
    dsp: int | None
    clock_mhz: float | None
    time_unit: str
    latency: float | None
    per_product: float | None
    score: float
    luts_per_dsp: float | None = None
    clock_unverified: bool = False


class Recommendation(msgspec.Struct, frozen=True):
    """basis: 'measured' or 'forecast'.  designs: how many there were to choose from.

    left_out: how many designs, and why.  toml: the spec of the best one as a file.
    coverage: how much of its space the directory of the results holds; None with forecasts."""

    basis: str
    goal: str
    best: Candidate
    reasons: list[str]
    runners_up: list[Candidate]
    designs: int
    left_out: dict[str, int]
    toml: str
    coverage: Coverage | None = None


class BestByTarget(msgspec.Struct, frozen=True):
    """Where no target was named: the best design of every target that has one, and of the others
    why they have none."""

    goal: str
    operation: str
    targets: dict[str, Candidate]
    without: dict[str, str]
