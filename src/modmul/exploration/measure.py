"""Makes the record of one point from its options: first it is verified, then measured.

Every step keeps its result in the cache, so a point that was interrupted continues after the last
finished step.
"""

from __future__ import annotations

import functools
import hashlib
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any

from msgspec.structs import replace

from modmul.errors import CheckFailed, ModmulError, NoRoom
from modmul.exploration import grid
from modmul.exploration.conditions import Condition, first_broken
from modmul.exploration.record import Checked, Record, Seconds, Status
from modmul.exploration.store import now
from modmul.implementation import figures
from modmul.implementation.result import CellsResult, ImplementResult
from modmul.spec import Spec
from modmul.targets import libraries
from modmul.toolchain import child, scratch
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import COMPILER, IMPLEMENTED, Step

SEED = 1  # seed of the random products
# The C++ compiler decides no figure, and workers may have different ones, so it is left out.
POINT = Step("point", tuple(tool for tool in IMPLEMENTED if tool != COMPILER))


def key_of(options: Mapping[str, Any], seeds: int, products: int) -> str:
    """Return the address of the record of these options, with the present sources and tools."""
    library = options.get("library")
    content = libraries.locate(library).read_bytes() if library else b""
    return POINT.address(
        {
            "spec": dict(options),
            "seeds": seeds,
            "products": products,
            "library": hashlib.sha256(content).hexdigest(),
        }
    )


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

    If a design fails for a reason that a user can meet, the record has that reason.  If a condition
    does not hold, the rest is left out as soon as that is known.  Other errors are not caught, nor
    is NoRoom, since a full disk is no property of a design."""
    began = time.monotonic()
    reason = None
    with child.measured() as calls:
        spec = grid.make(options, None).spec
        record = begun(spec, seeds, products)
        try:
            for further in _steps(record, spec, where, cache or Cache()):
                record = further
            reason = record.reason
        except NoRoom:
            raise
        except ModmulError as error:
            reason = str(error)
    return ended(record, record.status, reason, _seconds(began, calls))


def _seconds(began: float, calls: Sequence[child.Call]) -> Seconds:
    """Return the time that a point took.  began: when, in seconds."""
    by_tool, busy, until = defaultdict[str, float](float), 0.0, began
    for call in sorted(calls, key=attrgetter("began")):
        by_tool[call.tool] += call.ended - call.began
        busy += max(0.0, call.ended - max(call.began, until))
        until = max(until, call.ended)
    rounded = {tool: round(spent, 3) for tool, spent in sorted(by_tool.items())}
    return Seconds(round(time.monotonic() - began, 3), round(busy, 3), rounded)


def begun(spec: Spec, seeds: int, products: int) -> Record:
    """Return the record of a spec before any measurement, with its address."""
    record = grid.begun(spec)
    key = key_of(record.spec, seeds, products)
    return replace(
        record, key=key, seeds=seeds, products=products, tools=POINT.versions, sources=POINT.sources
    )


def ended(record: Record, status: Status, reason: str | None, seconds: Seconds) -> Record:
    return replace(record, status=status, reason=reason, seconds=seconds, finished=now())


def _steps(
    record: Record, spec: Spec, where: Sequence[Condition], cache: Cache
) -> Iterator[Record]:
    """Yield the record after each step; the last one has its final status, and as its reason the
    condition that does not hold."""
    from modmul.implementation.implement import implement  # in the process that measures

    yield (record := replace(record, verified=_verify(spec, record.products, cache)))
    yield (record := replace(record, timing_proved=_timing_proved(spec, cache)))
    steps = functools.partial(implement, spec, jobs=1, cache=cache)
    early = [condition for condition in where if condition.after_synthesis]
    if spec.design.chip.router and early:
        yield (record := _with(record, spec, steps(route=False)))
        if broken := first_broken(early, record):
            yield replace(record, status="outside", reason=broken.broken)
            return
    record = _with(record, spec, steps(seeds=record.seeds))
    broken = first_broken(where, record)
    reason = broken.broken if broken else None
    yield replace(record, status="outside" if broken else "done", reason=reason)


def _with(record: Record, spec: Spec, result: ImplementResult | CellsResult) -> Record:
    area, time = figures.area(spec, result), figures.time(result)
    if isinstance(result, CellsResult):
        return replace(record, silicon=result, area=area, time=time)
    return replace(record, chip=result, area=area, time=time)


def _verify(spec: Spec, products: int, cache: Cache) -> Checked:
    """Raises CheckFailed if a product is wrong: such a design has no figures."""
    from modmul.verification.verify import verify

    with scratch.folder() as folder:
        result = verify(spec, products=products, seed=SEED, jobs=1, output=folder, cache=cache)
    if result.failure is not None:
        raise CheckFailed(f"verification failed: {'; '.join(result.failure.messages[:3])}")
    return Checked(result.products, result.golden, result.cycles, SEED)


def _timing_proved(spec: Spec, cache: Cache) -> bool | None:
    """Whether constant time is proved, as in `build`; None if it is not declared."""
    if spec.design.timing != "constant":
        return None
    from modmul.export import hdl, secrecy
    from modmul.timing_proof.certificate import prove

    return prove(secrecy.subject(spec.design, hdl.emit(spec.design), spec.interface), cache).proved
