"""Needs of tables: bare cores placed and routed, and bare cores as cells of a family of chips."""

from __future__ import annotations

from typing import NamedTuple

from modmul.implementation.implement import implement_chip
from modmul.implementation.result import ImplementResult
from modmul.papers.needs import Need
from modmul.spec import Spec
from modmul.toolchain.steps import IMPLEMENTED, Step

ROUTED = Step("paper-routed", __name__, IMPLEMENTED)
COUNTED = Step("paper-counted", __name__, IMPLEMENTED)


class RoutedCore(NamedTuple):
    """A bare core on an ECP5.  mhz: routed, the median of the seeds; usable: the same, but not
    above the limits of the chip; limited_by: what decides it, for people; cycles: from product to
    product; path: the slowest, for people."""

    lut: int
    ff: int
    dsp: int
    mhz: float
    usable: float
    seeds: int
    cycles: float
    path: str
    limited_by: str = ""

    @property
    def period(self) -> float:
        """In ns, at the usable clock."""
        return 1000 / self.usable

    @property
    def slices(self) -> float:
        """At least: a slice has two LUTs and two flip-flops, as on a Virtex-E."""
        return max(self.lut, self.ff) / 2


class Counted(NamedTuple):
    """Cells of a bare core, or of a processor, after synthesis.  ram_blocks: of block RAM.  levels:
    LUTs in series, None where the target does not tell."""

    lut: int
    ff: int
    dsp: int
    ram_blocks: int
    levels: int | None = None


def implementation(spec: Spec, seeds: int, name: str) -> Need[ImplementResult]:
    """A design placed and routed with some seeds, each of them cached.  name: of the design."""
    return Need(
        ROUTED.of(type(spec.multiplier)), {"spec": spec.options(), "seeds": seeds},
        ImplementResult,
        lambda run: implement_chip(spec, seeds=seeds, work=run),
        name,
    )  # fmt: skip


def cells(spec: Spec) -> Need[Counted]:
    """The cells of a design on its own target.  Most of the time is reading the family's cell
    library."""

    def count(result: ImplementResult) -> Counted:
        levels = result.levels.lut_levels if result.levels else None
        return Counted(result.lut, result.ff, result.dsp, result.ram_blocks, levels)

    return Need(
        COUNTED.of(*spec.design.classes), {"spec": spec.options()}, Counted,
        lambda run: count(implement_chip(spec, work=run)),
    )  # fmt: skip


def routed(result: ImplementResult) -> RoutedCore:
    """What most tables show of a routed result."""
    clock, path = result.fmax_mhz, result.critical_path
    assert clock is not None and path is not None
    return RoutedCore(
        result.lut, result.ff, result.dsp, clock.median, clock.usable, len(clock.seeds),
        result.cycles.per_product, path.in_words(), clock.limited_by,
    )  # fmt: skip
