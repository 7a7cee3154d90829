"""Routing one netlist with several seeds side by side: the clock that each reaches."""

from __future__ import annotations

import json
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, Protocol

import msgspec

from modmul.errors import ToolFailed
from modmul.implementation import critical_path
from modmul.implementation.critical_path import CriticalPath
from modmul.toolchain import nextpnr, packed
from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import Report, silent
from modmul.toolchain.versions import version

STEP = "route"
AIM_MHZ = 450.0  # above what multipliers reach; aims from 350 to 500 gave each seed the same clock


class Router(Protocol):
    """A module of toolchain/ that calls one router."""

    PACKAGE: str

    def route(
        self,
        folder: Path,
        netlist: str,
        chip: tuple[str, ...],
        *,
        seed: int,
        aim_mhz: float,
        stop: threading.Event | None = None,
    ) -> dict[str, Any]:
        """Place and route `folder/netlist`; nextpnr's report.  Ended when `stop` is set."""


ROUTERS: dict[str, Router] = {"nextpnr-ecp5": nextpnr}  # by `Target.router`


class Routed(msgspec.Struct, frozen=True):
    """One seed: the routed clock and the path that limits it."""

    seed: int
    mhz: float
    path: CriticalPath


def route_all(
    netlist: Path,
    key: Mapping[str, Any],
    router: str,
    chip: tuple[str, ...],
    seeds: Sequence[int],
    *,
    jobs: int = 2,
    cache: Cache | None = None,
    progress: Report = silent,
    what: str = "place and route",
) -> list[Routed]:
    """Route a Yosys JSON netlist once with each seed, `jobs` at a time; in the order of the seeds.

    netlist: packed or not.  key: what it was made from; with chip, seed and tool it is the key of
    the cache.
    router: a name in ROUTERS.  chip: its options for the device.
    Each finished seed is kept, so that an interrupted run goes on where it was.  If one fails, or
    on Ctrl-C, the others are ended and the error goes on."""
    cache, tool = cache or Cache(), ROUTERS[router]
    keys = {seed: _key(key, tool, chip, seed) for seed in seeds}
    results = {one.seed: one for one in finished(key, router, chip, seeds, cache)}
    progress(what, len(results), len(keys))

    def keep(routed: Routed) -> None:
        results[routed.seed] = routed
        cache.put(STEP, keys[routed.seed], msgspec.to_builtins(routed))
        progress(what, len(results), len(keys))

    missing = [seed for seed in keys if seed not in results]
    if missing:
        with tempfile.TemporaryDirectory(prefix="modmul-route-") as temporary:
            folder = Path(temporary)
            plain = packed.unpack(netlist, folder)
            _route(tool, folder, plain.name, chip, missing, jobs, keep)
    return [results[seed] for seed in keys]


def finished(
    key: Mapping[str, Any], router: str, chip: tuple[str, ...], seeds: Sequence[int], cache: Cache
) -> list[Routed]:
    """Those of these seeds that `route_all` has routed before."""
    found = (cache.get(STEP, _key(key, ROUTERS[router], chip, seed)) for seed in seeds)
    return [msgspec.convert(old, Routed) for old in found if old]


def _route(
    router: Router,
    folder: Path,
    netlist: str,
    chip: tuple[str, ...],
    seeds: Sequence[int],
    jobs: int,
    keep: Callable[[Routed], None],
) -> None:
    """Route all seeds; `keep` is called in this thread with each result."""
    stop = threading.Event()
    names = critical_path.cell_names(json.loads((folder / netlist).read_text()))

    def one(seed: int) -> Routed:
        report = router.route(folder, netlist, chip, seed=seed, aim_mhz=AIM_MHZ, stop=stop)
        return Routed(seed, _mhz(report), critical_path.read(report, names, seed))

    with ThreadPoolExecutor(jobs) as pool:
        waiting: set[Future[Routed]] = {pool.submit(one, seed) for seed in seeds}
        try:
            while waiting:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    keep(future.result())
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise


def _mhz(report: Mapping[str, Any]) -> float:
    """The routed clock; there is only one clock in the harness."""
    clocks = [clock["achieved"] for clock in report["fmax"].values()]
    if len(clocks) != 1:
        raise ToolFailed(f"nextpnr reports {len(clocks)} clocks instead of one")
    return round(float(clocks[0]), 2)


def _key(
    key: Mapping[str, Any], router: Router, chip: tuple[str, ...], seed: int
) -> dict[str, Any]:
    tool = {"nextpnr": version(router.PACKAGE), "aim_mhz": AIM_MHZ}
    return {"netlist": dict(key), "chip": list(chip), "seed": seed, **tool}
