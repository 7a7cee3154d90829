"""Bare cores placed and routed on an ECP5, as figures for tables."""

from __future__ import annotations

from typing import NamedTuple

from modmul.implementation.implement import implement_chip
from modmul.implementation.result import ImplementResult
from modmul.papers.kept import kept
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import Report
from modmul.toolchain.steps import IMPLEMENTED, Step

ROUTED = Step("paper-routed", __name__, IMPLEMENTED)


class Routed(NamedTuple):
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


def route(
    spec: Spec, name: str, *, seeds: int, jobs: int, cache: Cache, progress: Report
) -> Routed | None:
    """Place and route with some seeds, each of them cached; None as of `kept`.

    name: of the design, before each line of progress."""

    def report(what: str, done: int, total: int) -> None:
        progress(f"{name}: {what}", done, total)

    return kept(
        cache, ROUTED.of(type(spec.multiplier)),
        {"spec": spec.options(), "seeds": seeds}, Routed,
        lambda: of(implement_chip(spec, seeds=seeds, jobs=jobs, cache=cache, progress=report)),
    )  # fmt: skip


def of(result: ImplementResult) -> Routed:
    """What the tables need of a routed result."""
    clock, path = result.fmax_mhz, result.critical_path
    assert clock is not None and path is not None
    return Routed(
        result.lut, result.ff, result.dsp, clock.median, clock.usable, len(clock.seeds),
        result.cycles.per_product, path.in_words(), clock.limited_by,
    )  # fmt: skip
