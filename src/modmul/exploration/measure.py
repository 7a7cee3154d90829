"""One point from its options to its record: verified first, then measured.

Every step keeps its result in the cache by what it was made from, so that a point that was
interrupted goes on where it was.
"""

from __future__ import annotations

import datetime
import functools
import hashlib
import time
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from modmul import designs, targets
from modmul.errors import CheckFailed, ModmulError, NoRoom
from modmul.exploration import grid
from modmul.exploration.conditions import Condition, first_broken
from modmul.exploration.record import EQUIVALENTS, Area, Checked, Record, Seconds, Times
from modmul.export import hdl, secrecy
from modmul.export.hdl import Hdl
from modmul.implementation.implement import implement
from modmul.implementation.result import CellsResult, CycleCounts, ImplementResult
from modmul.spec import Spec
from modmul.targets import libraries
from modmul.timing_proof.certificate import prove
from modmul.toolchain import scratch, stopwatch
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import COMPILER, IMPLEMENTED, Step
from modmul.verification.verify import verify

SEED = 1  # of the random products
# A compiler has a say in a verdict, which names it, in no figure; and workers may have others.
POINT = Step("point", __name__, tuple(one for one in IMPLEMENTED if one != COMPILER))


def key_of(options: Mapping[str, Any], seeds: int, products: int) -> str:
    """Address of the record of these options, here and now."""
    library = options.get("library")
    content = libraries.locate(library).read_bytes() if library else b""
    return step_of(options).address({
        "spec": dict(options), "seeds": seeds, "products": products,
        "library": hashlib.sha256(content).hexdigest(),
    })  # fmt: skip


def step_of(options: Mapping[str, Any]) -> Step:
    """The step whose results are the records of these options."""
    return POINT.of(*designs.of_options(options))


def measure(
    options: Mapping[str, Any],
    *,
    seeds: int,
    products: int,
    where: Sequence[Condition] = (),
    cache: Cache | None = None,
) -> Record:
    """Verify a spec with its edge cases and `products` random ones, then synthesise, place and
    route it with seeds 1 to `seeds`, one tool at a time.

    A design that fails, of whatever reason a user can meet, is a record with that reason; one for
    which a condition does not hold is left as soon as that is known.  Nothing else is caught; a
    full disk (NoRoom) is no property of a design."""
    began = time.monotonic()
    cache = cache or Cache()
    found: dict[str, Any] = {}
    status, reason = "done", None
    with stopwatch.measured() as watch:
        spec = grid.make(options, None).spec
        found |= grid.facts(spec)
        try:
            written = hdl.emit(spec.design)
            found["verified"] = _verify(spec, written, products, cache)
            found["timing_proved"] = _timing_proved(spec, written, cache)
            reason = _measure(spec, written, seeds, where, cache, found)
            status = "done" if reason is None else "outside"
        except NoRoom:
            raise
        except ModmulError as error:
            status, reason = "failed", str(error)
    seconds = Seconds(
        round(time.monotonic() - began, 3), round(watch.any, 3),
        {tool: round(spent, 3) for tool, spent in sorted(watch.by_tool.items())},
    )  # fmt: skip
    key = key_of(options, seeds, products)
    return made(key, status, reason, found, seeds, products, seconds)


def made(
    key: str,
    status: str,
    reason: str | None,
    found: Mapping[str, Any],
    seeds: int,
    products: int,
    seconds: Seconds,
) -> Record:
    """A record of what was found, finished now."""
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    step = step_of(found["spec"])
    whole = {
        "key": key, "status": status, "reason": reason, **found, "seeds": seeds,
        "products": products, "tools": step.versions, "sources": step.sources,
        "seconds": seconds, "finished": now,
    }  # fmt: skip
    return msgspec.convert(msgspec.to_builtins(whole), Record)


def _verify(spec: Spec, written: Hdl, products: int, cache: Cache) -> Checked:
    """CheckFailed if a product is wrong: such a design has no figures."""
    with scratch.folder() as folder:
        found = verify(
            spec, products=products, seed=SEED, jobs=1, output=folder, written=written,
            cache=cache,
        )  # fmt: skip
    if found.failure is not None:
        raise CheckFailed(f"verification failed: {'; '.join(found.failure.messages[:3])}")
    return Checked(found.products, found.golden, found.cycles, SEED)


def _timing_proved(spec: Spec, written: Hdl, cache: Cache) -> bool | None:
    """Whether constant time is proved, as `build` does; None where it is not declared."""
    if spec.design.timing != "constant":
        return None
    return prove(secrecy.subject(spec.design, written, spec.interface), cache).proved


def _measure(
    spec: Spec,
    written: Hdl,
    seeds: int,
    where: Sequence[Condition],
    cache: Cache,
    found: dict[str, Any],
) -> str | None:
    """Put all figures into `found`; the condition that does not hold, if one does not."""
    chip = spec.design.chip
    steps = functools.partial(implement, spec, jobs=1, written=written, cache=cache)
    early = [one for one in where if one.after_synthesis]
    if chip.router and early:
        found |= _figures(spec, steps(route=False))
        broken = first_broken(early, [_plain(found)])[0]
        if broken:
            return broken.broken
    found |= _figures(spec, steps(seeds=seeds))
    broken = first_broken(where, [_plain(found)])[0]
    return broken.broken if broken else None


def _plain(found: Mapping[str, Any]) -> dict[str, Any]:
    return dict(msgspec.to_builtins(found))


def _figures(spec: Spec, result: ImplementResult | CellsResult) -> dict[str, Any]:
    """What a record takes from the result of `implement`."""
    if isinstance(result, CellsResult):
        return _cell_figures(result)
    taken = (
        "lut", "ff", "dsp", "ram_bits", "ram_blocks", "cells", "cycles", "by_mode", "fmax_mhz",
        "routed", "usable", "critical_path", "levels", "estimate", "adapter",
    )  # fmt: skip
    return {
        **{name: getattr(result, name) for name in taken},
        "area": equivalents(result.lut, result.dsp, luts_per_dsp(spec)),
        "time": _chip_times(result),
    }


def equivalents(lut: int, dsp: int, per_dsp: float) -> Area:
    """An area in LUT equivalents, with what a DSP counts in it."""
    return Area(round(lut + dsp * per_dsp, 1), EQUIVALENTS, round(per_dsp, 4))


def luts_per_dsp(spec: Spec) -> float:
    """What a DSP counts in LUTs: as many as its device has for each; 0 where there is none."""
    device = targets.find_device(spec.design.chip, spec.device)
    return device.luts / device.dsps if device and device.dsps else 0.0


def _chip_times(result: ImplementResult) -> Times | None:
    if result.fmax_mhz is not None:
        return times("usable", "ns", 1000 / result.fmax_mhz.usable, result.cycles)
    if result.estimate is not None:
        return times("estimate", "ns", result.estimate.delay_ns, result.cycles)
    return None


def _cell_figures(result: CellsResult) -> dict[str, Any]:
    path = result.critical_path
    return {
        "area": Area(result.area.value, result.area.unit),
        "cell_adapter": result.adapter,
        "ff": result.flip_flops,
        "cells": result.cells,
        "cycles": result.cycles,
        "by_mode": result.by_mode,
        "cell_path": path,
        "time": None if path is None else times(
            "critical path", path.unit, path.value, result.cycles),
    }  # fmt: skip


def times(kind: str, unit: str, period: float, cycles: CycleCounts) -> Times:
    """All times at a clock of that period."""
    counts = (cycles.latency, cycles.per_product, cycles.eight)
    return Times(kind, unit, round(period, 4), *(round(count * period, 3) for count in counts))
