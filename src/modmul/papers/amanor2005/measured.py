"""Everything that is measured for the tables: ECP5 clocks, xc7 counts, simulated cycles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from modmul.arithmetic.words import ceil_div
from modmul.implementation.critical_path import CriticalPath
from modmul.implementation.implement import implement_chip
from modmul.implementation.result import ImplementResult
from modmul.papers.amanor2005.designs import NAMES, WIDTHS, Key, design, options
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


class Counted(NamedTuple):
    """Cells of a bare core."""

    lut: int
    ff: int


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
    xc7 = _count(keys, jobs, cache, progress)
    ecp5 = {}
    for key in keys:
        ecp5[key] = _route(key, seeds, jobs, cache, progress)
    return Measured(ecp5, xc7, cycles)


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
        in_words(path),
    )


def in_words(path: CriticalPath) -> str:
    """Ends, cells and the share of the wires of a path."""
    cells = " ".join(stage.cell for stage in path.stages)
    wires = 100 * path.wire_ns / path.ns
    return f"{path.start} -> {path.end} through {cells}, {wires:.0f} % of it wires"


def _count(keys: Sequence[Key], jobs: int, cache: Cache, progress: Report) -> dict[Key, Counted]:
    def one(key: Key) -> Counted:
        spec = Spec.from_options(options(*key, "xc7"))

        def make() -> Counted:
            result = implement_chip(spec, cache=cache)
            return Counted(result.lut, result.ff)

        return kept(cache, "paper-counted", {"spec": spec.options()}, Counted, make)

    found: dict[Key, Counted] = {}
    what = "count cells on xc7"
    progress(what, 0, len(keys))
    with ThreadPoolExecutor(jobs) as pool:
        try:
            for key, result in zip(keys, pool.map(one, keys), strict=True):
                found[key] = result
                progress(what, len(found), len(keys))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return found
