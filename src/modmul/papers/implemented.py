"""Needs of tables: designs as cells of a family of chips, and placed and routed."""

from __future__ import annotations

from typing import NamedTuple

from modmul.arithmetic.words import ceil_div
from modmul.implementation.implement import implement_chip
from modmul.implementation.result import Clock, CycleCounts, ImplementResult
from modmul.papers.needs import Need
from modmul.spec import Spec
from modmul.toolchain.steps import IMPLEMENTED, Step

ROUTED = Step("paper-routed", __name__, IMPLEMENTED)
COUNTED = Step("paper-counted", __name__, IMPLEMENTED)


class RoutedCore(NamedTuple):
    """A bare core, placed and routed.  clock: median of the seeds, and at most the limits of the
    chip; cycles: declared; path: the slowest, for people."""

    lut: int
    ff: int
    dsp: int
    ram_blocks: int
    cycles: CycleCounts
    clock: Clock
    path: str

    @property
    def usable(self) -> float:
        """The usable clock in MHz."""
        return self.clock.usable

    @property
    def period(self) -> float:
        """The period of the usable clock in ns."""
        return 1000 / self.usable

    @property
    def seeds(self) -> int:
        """How many seeds place and route had."""
        return len(self.clock.seeds)

    @property
    def slices(self) -> float:
        """The fewest slices: one has two LUTs and two flip-flops, as on a Virtex-E."""
        return max(self.lut, self.ff) / 2


class Counted(NamedTuple):
    """Cells of a bare core, or of a processor, after synthesis.  ram_blocks: of block RAM.  levels:
    LUTs in series; estimate_ns: of the slowest path, where it is not routed.  None where the target
    does not tell."""

    lut: int
    ff: int
    dsp: int
    ram_blocks: int = 0
    levels: int | None = None
    estimate_ns: float | None = None

    @property
    def slices(self) -> int:
        """The fewest slices: one of a Virtex-4 has two LUTs and two flip-flops."""
        return ceil_div(max(self.lut, self.ff), 2)


def cells(spec: Spec) -> Need[Counted]:
    """The cells of a design on its own target.  Most of the time is reading the family's cell
    library."""

    def count(result: ImplementResult) -> Counted:
        levels = result.levels.lut_levels if result.levels else None
        estimate = result.estimate.delay_ns if result.estimate else None
        return Counted(result.lut, result.ff, result.dsp, result.ram_blocks, levels, estimate)

    return Need(
        COUNTED.of(*spec.design.classes), {"spec": spec.options()}, Counted,
        lambda run: count(implement_chip(spec, route=False, work=run)),
    )  # fmt: skip


def routed(spec: Spec, seeds: int, name: str = "") -> Need[RoutedCore]:
    """A design placed and routed with some seeds, each of them cached.  name: of a design that
    takes all processors."""

    def core(result: ImplementResult) -> RoutedCore:
        clock, path = result.fmax_mhz, result.critical_path
        assert clock is not None and path is not None
        return RoutedCore(
            result.lut, result.ff, result.dsp, result.ram_blocks, result.cycles, clock,
            path.in_words(),
        )  # fmt: skip

    return Need(
        ROUTED.of(type(spec.multiplier)), {"spec": spec.options(), "seeds": seeds}, RoutedCore,
        lambda run: core(implement_chip(spec, seeds=seeds, work=run)),
        name,
    )  # fmt: skip
