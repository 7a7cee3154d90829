"""Routes one netlist with several seeds at the same time, and records the clock that each
reaches."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, Protocol

import msgspec

from modmul.errors import ToolFailed
from modmul.implementation import critical_path, harness
from modmul.implementation.critical_path import CriticalPath
from modmul.toolchain import nextpnr, packed, scratch
from modmul.toolchain.steps import Step
from modmul.toolchain.work import Work

AIM_MHZ = 450.0  # above all multipliers; with aims from 350 to 500 the clock of a seed was the same


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
        """Place and route `folder/netlist`; return nextpnr's report.  Setting `stop` ends the
        run."""


ROUTERS: dict[str, Router] = {"nextpnr-ecp5": nextpnr}  # the keys are values of `Target.router`
ROUTE = Step(
    "route",
    tuple(sorted(router.PACKAGE for router in ROUTERS.values())),
    (__name__, critical_path.__name__, harness.__name__, nextpnr.__name__),
)


class RoutedSeed(msgspec.Struct, frozen=True):
    """One seed: the routed clock and the path that limits it."""

    seed: int
    mhz: float
    path: CriticalPath


def route_all(
    netlist: Path,
    router: str,
    chip: tuple[str, ...],
    seeds: Sequence[int],
    *,
    what: str = "place and route",
    work: Work,
) -> list[RoutedSeed]:
    """Route a Yosys JSON netlist once with each seed; return the results in the order of the seeds.

    netlist: packed or not.  router: a name in ROUTERS.  chip: the router's options for the device.
    Each finished seed is kept in the cache, so an interrupted run continues.  If one seed fails, or
    on Ctrl-C, the others are ended and the error is raised."""
    content = packed.digest(netlist)
    cache, progress = work.cache, work.progress
    keys = {seed: _key(content, router, chip, seed) for seed in seeds}
    kept = {seed: cache.get(ROUTE, key) for seed, key in keys.items()}
    results = {seed: msgspec.convert(old, RoutedSeed) for seed, old in kept.items() if old}
    progress(what, len(results), len(keys))

    def keep(routed: RoutedSeed) -> None:
        results[routed.seed] = routed
        cache.put(ROUTE, keys[routed.seed], msgspec.to_builtins(routed))
        progress(what, len(results), len(keys))

    missing = [seed for seed in keys if seed not in results]
    if missing:
        with scratch.folder() as folder:
            plain = packed.unpack(netlist, folder)
            _route(ROUTERS[router], folder, plain.name, chip, missing, work.jobs, keep)
    return [results[seed] for seed in keys]


def _route(
    router: Router,
    folder: Path,
    netlist: str,
    chip: tuple[str, ...],
    seeds: Sequence[int],
    jobs: int,
    keep: Callable[[RoutedSeed], None],
) -> None:
    """Route all seeds; call `keep` in this thread with each result."""
    stop = threading.Event()
    names = critical_path.cell_names(json.loads((folder / netlist).read_text()))

    def route_seed(seed: int) -> RoutedSeed:
        report = router.route(folder, netlist, chip, seed=seed, aim_mhz=AIM_MHZ, stop=stop)
        return RoutedSeed(seed, _mhz(report), critical_path.read(report, names, seed))

    with ThreadPoolExecutor(jobs) as pool:
        waiting: set[Future[RoutedSeed]] = {pool.submit(route_seed, seed) for seed in seeds}
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
    """The routed clock; the harness has only one."""
    clocks = [clock["achieved"] for clock in report["fmax"].values()]
    if len(clocks) != 1:
        raise ToolFailed(f"nextpnr reports {len(clocks)} clocks instead of one")
    return round(float(clocks[0]), 2)


def _key(content: str, router: str, chip: tuple[str, ...], seed: int) -> dict[str, Any]:
    return {"netlist": content, "router": router, "chip": list(chip), "seed": seed}
