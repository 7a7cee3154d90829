"""Everything that is measured for the tables: ECP5 clocks, xc7 and xcve counts, cycles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from modmul.arithmetic.words import ceil_div
from modmul.papers.amanor2005.designs import NAMES, PAPERS_TARGET, WIDTHS, Key, design, options
from modmul.papers.implemented import Counted, Routed, cells, implementation, routed
from modmul.papers.needs import Measuring
from modmul.papers.records import Figures
from modmul.papers.simulated import schedules
from modmul.spec import Spec

NARROW = 256  # bits up to which all seeds are taken, and above which three in eight


class Measured(NamedTuple):
    """ecp5: placed and routed; xc7: counted; cycles: latency, simulated; xcve: counted, the
    paper's family.  What was not measured is missing.  widths: all of the tables."""

    ecp5: Mapping[Key, Routed]
    xc7: Mapping[Key, Counted]
    cycles: Mapping[Key, int]
    xcve: Mapping[Key, Counted]
    widths: Sequence[int] = WIDTHS


def seeds_of(width: int, seeds: int) -> int:
    """8 seeds up to 256 bits and 3 above, or in that proportion."""
    return seeds if width <= NARROW else ceil_div(3 * seeds, 8)


def measure(printed: Figures, run: Measuring) -> Measured:
    """Simulate, count and route all designs, the narrow ones first."""
    keys = [(name, width) for width in WIDTHS for name in NAMES]
    of_width = {width: schedules([design(name, width) for name in NAMES]) for width in WIDTHS}
    simulated = run.fill("simulate", of_width)
    routes = {
        (name, width): implementation(
            _spec(name, width, "ecp5"), seeds_of(width, run.seeds), f"{name}, {width} bits"
        )
        for name, width in (keys if run.seeds else ())
    }
    counts = [
        run.fill(f"count cells, {target}", {key: cells(_spec(*key, target)) for key in keys})
        for target in ("xc7", PAPERS_TARGET)
    ]
    return Measured(
        ecp5={key: routed(one) for key, one in run.fill("place and route", routes).items()},
        xc7=counts[0],
        cycles={
            (name, width): one.latency
            for width, found in simulated.items()
            for name, one in zip(NAMES, found, strict=True)
        },
        xcve=counts[1],
    )


def _spec(name: str, width: int, target: str) -> Spec:
    return Spec.from_options(options(name, width, target))
