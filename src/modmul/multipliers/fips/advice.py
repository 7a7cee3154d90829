"""Which stages and which look-ahead are far faster on a chip than those that are chosen."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

from modmul.multipliers.fips.parameters import MOST_STAGES, FipsParameters

_WORTH = 1.2  # how many times as fast a design must be to be advised
_NEAR = 0.95  # the share of the best speed that is enough to prefer fewer stages


class _Choice(NamedTuple):
    """A design and its forecast.  speed: products per second.  cycles: of one product in many."""

    design: FipsParameters
    mhz: float
    cycles: float

    @property
    def speed(self) -> float:
        return 1e6 * self.mhz / self.cycles


def _forecast(design: FipsParameters) -> _Choice | None:
    mhz = design.forecast().mhz
    return None if mhz is None else _Choice(design, mhz, design.cycles_per_product())


def advice(design: FipsParameters) -> str:
    """A sentence on the fewest stages, with the present look-ahead or with two columns, that
    come near the best speed; empty if that is not `_WORTH` times ours, or if no clock is forecast.

    All other parameters stay, and so do LUTs and DSP blocks; there are more flip-flops."""
    ours = _forecast(design)
    if ours is None:
        return ""
    others = (
        _forecast(dataclasses.replace(design, stages=stages, lookahead=ahead))
        for stages in range(1, MOST_STAGES + 1)
        for ahead in dict.fromkeys((design.lookahead, 2))
    )
    forecasts = [rated for rated in others if rated is not None]
    best = max(rated.speed for rated in forecasts)
    chosen = next(rated for rated in forecasts if rated.speed >= _NEAR * best)
    if chosen.speed < _WORTH * ours.speed:
        return ""
    said = [f"stages = {chosen.design.stages}"]
    if chosen.design.lookahead != design.lookahead:
        said.append(f"lookahead = {chosen.design.lookahead}")
    return (
        f"{' with '.join(said)} has by forecast {chosen.mhz / ours.mhz:.1f} times the clock and "
        f"{chosen.cycles / ours.cycles:.2f} times the cycles of this design, on as many LUTs; "
        "`modmul recommend` looks for the best of area x time"
    )
