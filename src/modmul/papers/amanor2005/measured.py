"""Everything that is measured for the tables: ECP5 clocks, xc7 counts, simulated cycles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from modmul.arithmetic.words import ceil_div
from modmul.implementation.implement import implement_chip
from modmul.implementation.result import ImplementResult
from modmul.papers.amanor2005.designs import NAMES, WIDTHS, Key, design, options
from modmul.papers.counted import Counted, count_on_xc7
from modmul.papers.kept import kept
from modmul.papers.latencies import latencies
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import Report

NARROW = 256  # bits up to which all seeds are taken, and above which three in eight


class Routed(NamedTuple):
    """A bare core on an ECP5.  mhz: the median of the seeds; cycles: from product to product;
    path: the slowest, for people."""

    lut: int
    ff: int
    mhz: float
    seeds: int
    cycles: float
    path: str

    @property
    def period(self) -> float:
        """In ns."""
        return 1000 / self.mhz

    @property
    def slices(self) -> float:
        """At least: a slice has two LUTs and two flip-flops, as on a Virtex-E."""
        return max(self.lut, self.ff) / 2


class Measured(NamedTuple):
    """ecp5: placed and routed; xc7: counted; cycles: latency, simulated."""

    ecp5: Mapping[Key, Routed]
    xc7: Mapping[Key, Counted]
    cycles: Mapping[Key, int]

    @property
    def widths(self) -> tuple[int, ...]:
        """All of the tables that were measured."""
        return tuple(dict.fromkeys(width for _, width in self.ecp5))


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
        cycles |= {(name, width): latency for name, latency in zip(NAMES, found, strict=True)}
    progress(what, len(widths), len(widths))
    specs = [Spec.from_options(options(*key, "xc7")) for key in keys]
    xc7 = count_on_xc7(specs, jobs=jobs, cache=cache, progress=progress)
    ecp5 = {}
    for key in keys:
        ecp5[key] = _route(key, seeds, jobs, cache, progress)
    return Measured(ecp5, dict(zip(keys, xc7, strict=True)), cycles)


def _route(key: Key, seeds: int, jobs: int, cache: Cache, progress: Report) -> Routed:
    name, width = key

    def report(what: str, done: int, total: int) -> None:
        progress(f"{name}, {width} bits: {what}", done, total)

    spec = Spec.from_options(options(name, width, "ecp5"))
    count = seeds_of(width, seeds)
    return kept(
        cache, "paper-routed", {"spec": spec.options(), "seeds": count}, Routed,
        lambda: of(implement_chip(spec, seeds=count, jobs=jobs, cache=cache, progress=report)),
    )  # fmt: skip


def of(result: ImplementResult) -> Routed:
    """What the tables need of a routed result."""
    clock, path = result.fmax_mhz, result.critical_path
    assert clock is not None and path is not None
    return Routed(
        result.lut,
        result.ff,
        clock.median,
        len(clock.seeds),
        result.cycles.per_product,
        path.in_words(),
    )
