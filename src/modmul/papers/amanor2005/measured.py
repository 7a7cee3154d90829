"""Everything that is measured for the tables: ECP5 clocks, xc7 and xcve counts, cycles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from modmul.arithmetic.words import ceil_div
from modmul.papers.amanor2005.designs import (
    NAMES,
    PAPERS_TARGET,
    WIDTHS,
    Key,
    design,
    options,
)
from modmul.papers.counted import Counted, count_cells
from modmul.papers.kept import known
from modmul.papers.latencies import latencies
from modmul.papers.routed import Routed, route
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import Report

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


def measure(
    *,
    seeds: int,
    jobs: int,
    cache: Cache,
    progress: Report,
    widths: Sequence[int] = WIDTHS,
) -> Measured:
    """Simulate, count and route all designs, the narrow ones first.  All of it is cached, each seed
    by itself."""
    keys = [(name, width) for width in widths for name in NAMES]
    cycles: dict[Key, int] = {}
    what = "simulate"
    for done, width in enumerate(widths):
        progress(what, done, len(widths))
        found = latencies([design(name, width) for name in NAMES], cache)
        cycles |= known([(name, width) for name in NAMES], found)
    progress(what, len(widths), len(widths))
    specs = [Spec.from_options(options(*key, "xc7")) for key in keys]
    xc7 = count_cells(specs, jobs=jobs, cache=cache, progress=progress)
    specs = [Spec.from_options(options(*key, PAPERS_TARGET)) for key in keys]
    xcve = count_cells(specs, jobs=jobs, cache=cache, progress=progress)
    ecp5 = [
        route(
            Spec.from_options(options(name, width, "ecp5")), f"{name}, {width} bits",
            seeds=seeds_of(width, seeds), jobs=jobs, cache=cache, progress=progress,
        )
        for name, width in keys
    ]  # fmt: skip
    return Measured(
        known(keys, ecp5), known(keys, xc7), cycles, known(keys, xcve), tuple(widths)
    )
