"""Compares a design of ours with designs of the same width that the papers of its architecture
printed."""

from __future__ import annotations

from typing import NamedTuple

from modmul.implementation.result import ImplementResult
from modmul.multipliers import Multiplier
from modmul.multipliers.streamed import added_latency
from modmul.papers.printed import PrintedDesign, printed_designs
from modmul.spec import Spec


class Ours(NamedTuple):
    """A design of ours as it is compared with print.  parts: what is counted.

    usable_mhz: the routed clock within the limits of the chip; latency (cycles) and eight_ns (8
    products) are at that one.  routed_mhz: without these limits.  None: nothing was routed."""

    parts: str
    lut: int
    ff: int
    dsp: int
    usable_mhz: float | None
    routed_mhz: float | None
    latency: float
    eight_ns: float | None


def published_designs(multiplier: Multiplier) -> list[PrintedDesign]:
    """The rows to compare `multiplier` with: of its architecture and width, with all that is
    compared; empty if none was printed."""
    return [
        row
        for row in printed_designs()
        if (row.architecture, row.width) == (multiplier.name, multiplier.width)
        and None not in (row.lut, row.ff, row.dsp, row.mhz, row.latency, row.eight_ns)
    ]


def ours(spec: Spec, result: ImplementResult) -> list[Ours]:
    """What `implement` measured: with interface stream first the core with its adapter, which is
    what a user of that interface gets; last the core alone, which is what papers print.

    With the adapter the clock is the lower one of both, and the latency is that of nobody pausing,
    apart from the wait until the core takes the product."""
    clock, cycles, adapter = result.fmax_mhz, result.cycles, result.adapter
    usable, routed = (clock.usable, clock.median) if clock else (None, None)
    rows = []
    if adapter is not None:
        added = added_latency(spec.multiplier, spec.headline)
        slower = _lower(usable, adapter.mhz_with_core)
        rows.append(
            Ours(
                "core + adapter", result.lut + adapter.lut, result.ff + adapter.ff, result.dsp,
                slower, _lower(routed, adapter.mhz_with_core), cycles.latency + added,
                _ns(cycles.eight + added, slower),
            )
        )  # fmt: skip
    core = Ours(
        "core alone", result.lut, result.ff, result.dsp, usable, routed, cycles.latency,
        _ns(cycles.eight, usable),
    )  # fmt: skip
    return [*rows, core]


def _lower(mhz: float | None, other: float | None) -> float | None:
    return min(mhz, other) if mhz is not None and other is not None else mhz


def _ns(cycles: float, mhz: float | None) -> float | None:
    return None if mhz is None else 1000 * cycles / mhz
