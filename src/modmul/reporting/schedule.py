"""Which product is in which slot, and when: taken from a simulation of the emitted Verilog.

Products are issued back to back at the bare core, as in gallin2019, Fig. 8; every result is
compared with the integers."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from modmul.errors import CheckFailed
from modmul.exploration.measure import source_digest, tool_versions
from modmul.export import hdl
from modmul.reporting.points import Point, spec_of
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import Report, silent
from modmul.verification import simulator, stimuli
from modmul.verification.judge import judge
from modmul.verification.protocol import Drive, Request, Run

ROUNDS, FEWEST, MOST = 3, 4, 48  # products: times round all slots; at least, at most
_SEED = 2019
_STEP = "report-schedule"

Span = tuple[int, int]  # first and last cycle


class Schedule(msgspec.Struct, frozen=True):
    """Products of one design, in the order in which they were issued.  Cycles count from 1, in
    which the first beat of the first product is taken.

    title: of the multiplier.  slots: product k is in slot k mod slots.
    taken: cycles of each product's operand beats; given: of its result's beats."""

    title: str
    slots: int
    taken: list[Span]
    given: list[Span]


def schedules(
    chosen: Sequence[Point], cache: Cache | None = None, progress: Report = silent
) -> dict[int, Schedule]:
    """The schedules of points, by their numbers; those that this version cannot build are missing.

    A design takes some seconds to compile, once.  CheckFailed if a product is wrong."""
    cache, found = cache or Cache(), {}
    progress("simulate schedules", 0, len(chosen))
    for done, point in enumerate(chosen, 1):
        spec = spec_of(point.record)
        if spec is not None:
            found[point.number] = simulate(spec, cache)
        progress("simulate schedules", done, len(chosen))
    return found


def simulate(spec: Spec, cache: Cache) -> Schedule:
    """One schedule, from the cache or from a simulation.  CheckFailed if a product is wrong."""
    key = {
        "spec": spec.options(), "products": _count(spec), "seed": _SEED,
        "sources": source_digest(), "reader": _reader(), "tools": tool_versions(),
    }  # fmt: skip
    kept = cache.get(_STEP, key)
    if kept is not None:
        return msgspec.convert(kept, Schedule)
    made = _run(spec, cache)
    cache.put(_STEP, key, msgspec.to_builtins(made))
    return made


def _count(spec: Spec) -> int:
    slots = spec.multiplier.slots
    return min(MOST, max(FEWEST, ROUNDS * slots))


@functools.cache
def _reader() -> str:
    """Digest of this file, which says what a schedule is."""
    return hashlib.sha256(Path(__file__).read_bytes()).hexdigest()


def _run(spec: Spec, cache: Cache) -> Schedule:
    multiplier, rng = spec.multiplier, random.Random(_SEED)
    written = hdl.emit(multiplier)
    mode = spec.mode or multiplier.modes[0]
    mode = dataclasses.replace(mode, operation="multiply")
    chosen = multiplier.at(mode)
    own = spec.modulus.value if spec.modulus else stimuli.random_modulus(chosen, None, rng)
    products = stimuli.random_products(chosen, own, _count(spec), rng)
    request = Request(multiplier, 0, Drive("back to back", "core"),
                      [Run(own, products, mode=mode)], _SEED)  # fmt: skip
    only = simulator.Design(multiplier, written.verilog, written.core, "core", written.models)
    with simulator.compile_simulator([only], cache).start(seed=_SEED) as session:
        outcome = session.run(request)
    faults = judge(request, outcome).faults
    if faults:
        raise CheckFailed(f"{multiplier.title}: {faults[0].message}")
    start = int(outcome.taken["first"][0]) - 1
    return Schedule(
        title=multiplier.title,
        slots=multiplier.slots,
        taken=[_span(one, start) for one in outcome.taken],
        given=[_span(one, start) for one in outcome.results],
    )


def _span(event: Mapping[str, Any], start: int) -> Span:
    return int(event["first"]) - start, int(event["last"]) - start


def counted(point: Point, most: int) -> list[float] | None:
    """Time for 1, 2 ... `most` products, in the unit of the point, at its clock: the cycles that
    the multiplier declares.  None where there is no clock, or it cannot be built here."""
    time = point.record.time
    spec = spec_of(point.record)
    if time is None or spec is None:
        return None
    return [spec.in_use.cycles_for(k) * time.period for k in range(1, most + 1)]
