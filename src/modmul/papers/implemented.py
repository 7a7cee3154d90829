"""Needs of tables: designs as cells of a family of chips, and placed and routed."""

from __future__ import annotations

from modmul.implementation.implement import implement_chip
from modmul.implementation.result import Clock, ImplementResult, Performance
from modmul.papers.needs import Need
from modmul.spec import Spec
from modmul.toolchain.steps import IMPLEMENTED, Step

ROUTED = Step("paper-routed", IMPLEMENTED)
COUNTED = Step("paper-counted", IMPLEMENTED)


def clock(core: ImplementResult) -> Clock:
    assert core.fmax_mhz is not None
    return core.fmax_mhz


def at_usable(core: ImplementResult) -> Performance:
    assert core.usable is not None
    return core.usable


def path(core: ImplementResult) -> str:
    """The slowest path of a design that was routed, for people."""
    assert core.critical_path is not None
    return core.critical_path.in_words()


def slices(core: ImplementResult | None) -> int | None:
    """The fewest slices; None if it was not counted, or the chip has none on record."""
    return core.slices.at_least if core and core.slices else None


def lut_levels(core: ImplementResult | None) -> int | None:
    """LUTs in series; None if they were not counted, or the target does not tell them."""
    return core.levels.lut_levels if core and core.levels else None


def estimate_ns(core: ImplementResult | None) -> float | None:
    """The slowest path, by adding up; None if there is no such estimate."""
    return core.estimate.delay_ns if core and core.estimate else None


def cells(spec: Spec) -> Need[ImplementResult]:
    """The cells of a design on its own target.  Most of the time is reading the family's cell
    library."""
    return Need(
        COUNTED,
        {"spec": spec.options()},
        ImplementResult,
        lambda run: implement_chip(spec, route=False, work=run),
    )


def routed(spec: Spec, seeds: int, name: str = "") -> Need[ImplementResult]:
    """A design placed and routed with some seeds, each of them cached.  name: of a design that
    takes all processors."""
    return Need(
        ROUTED,
        {"spec": spec.options(), "seeds": seeds},
        ImplementResult,
        lambda run: implement_chip(spec, seeds=seeds, work=run),
        name,
    )
