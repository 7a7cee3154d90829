"""The records that `recommend` returns."""

from __future__ import annotations

from typing import Any

import msgspec

from modmul.exploration.coverage import Coverage
from modmul.exploration.record import Basis


class Candidate(msgspec.Struct, frozen=True):
    """A design with its figures; the times are None if there is no clock.

    basis: 'measured' (routed), 'mapped' (the area is counted in the mapped netlist, the clock is
    estimated) or 'estimated' (both by formula).
    area: of the core alone.  luts_per_dsp, luts_per_ram: the LUTs that a DSP block and a block RAM
    count as in it, None if the unit has no such blocks.  clock_mhz: f_max, routed or estimated,
    within the limits of the hard blocks.  lut_band, clock_band: the error bands of estimates; None
    for what was counted or routed.  clock_unverified: a limit
    that was not checked in its source decides it.  score: the figure of the goal, relative to that
    of the best design.  spec: the options that differ from their defaults, enough to build it
    again."""

    title: str
    architecture: str
    spec: dict[str, Any]
    timing: str
    basis: Basis
    area: float
    area_unit: str
    lut: int | None
    ff: int | None
    dsp: int | None
    ram_blocks: int | None
    clock_mhz: float | None
    time_unit: str
    latency: float | None
    per_product: float | None
    score: float
    luts_per_dsp: float | None = None
    luts_per_ram: float | None = None
    lut_band: tuple[int, int] | None = None
    clock_band: tuple[float, float] | None = None
    clock_unverified: bool = False


class Recommendation(msgspec.Struct, frozen=True):
    """The answer for one target.  basis: of the best design, see `Candidate`.  designs: the number
    of designs to choose from.  left_out: the number of designs left out, by reason.  toml: the spec
    of the best one as a file.  coverage: how much of its space the records cover; None with
    estimates."""

    basis: Basis
    goal: str
    best: Candidate
    reasons: list[str]
    runners_up: list[Candidate]
    designs: int
    left_out: dict[str, int]
    toml: str
    coverage: Coverage | None = None


class BestByTarget(msgspec.Struct, frozen=True):
    """The answer if no target was named.  targets: the best design of each target.  without: the
    reason for each target that has none."""

    goal: str
    operation: str
    targets: dict[str, Candidate]
    without: dict[str, str]
