"""Writes the reasons for a recommendation, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from modmul.exploration.coverage import Coverage
from modmul.exploration.recommendation import Candidate
from modmul.exploration.record import MULTIPLY, Record
from modmul.implementation.result import Adapter, EstimatedClock
from modmul.toolchain.quantities import time_words

_WHAT = {
    "throughput": "shortest time per {each}",
    "latency": "shortest latency",
    "area": "smallest area",
    "balanced": "smallest area x time per {each}",
}
_ONE = {"product": "a product", "operation": "an operation"}


def said(
    goal: str,
    candidates: Sequence[Candidate],
    record: Record,
    kept: int,
    every: int,
    covered: Coverage | None,
    *,
    front: int | None,
) -> list[str]:
    """Return the reasons for the first of `candidates`, which is the best one.

    record: of the best one, measured or a forecast.  kept, every: the number of designs that meet
    the conditions, and of all designs.  covered: of the directory that the records are from, None
    with estimates.  front: the number of designs on the front of area and time per product, None if
    the best one is not on it."""
    best, processor = candidates[0], record.operation != MULTIPLY
    each = "operation" if processor else "product"
    kind = "estimated by formula"
    if covered is not None:
        kind = "measured" if best.basis == "measured" else "synthesised, with estimated clocks,"
    quality = _WHAT[goal].format(each=each)
    reasons = [
        f"{quality} of {kept} designs {kind} that meet all conditions, "
        f"of {every} for this modulus and target"
    ]
    reasons += [] if covered is None else [covered.words]
    if covered is None and best.basis == "mapped":
        count = len(candidates)
        reasons.append(f"the best {count} of them were synthesised, and ranked by the area counted")
    if best.lut_band is not None:
        low, high = best.lut_band
        reasons.append(f"{best.lut:,} LUT by formula; synthesis leaves {low:,} to {high:,}")
    reasons += _times(best, record, each)
    adapter = record.chip.adapter if record.chip else None
    reasons += [] if processor else [_core_alone(adapter)]
    reasons.append(_timing(best.timing, record.timing_proved))
    if front is not None:
        of = "" if covered is None else f"; {covered.front}"
        designs = f"{front} design{'s' * (front != 1)}"
        reasons.append(f"on the Pareto front of area and time per {each} ({designs}{of})")
    return [*reasons, *([_against(best, candidates[1], each)] if len(candidates) > 1 else [])]


def _timing(declared: str, proved: bool | None) -> str:
    """Say whether the design is fit for secrets.  proved: None if no proof was tried."""
    if declared != "constant":
        return "its time depends on the operands: not for secrets"
    if proved:
        return "its time does not depend on the operands, which is proved: fit for secrets"
    if proved is None:
        return "its time is declared not to depend on the operands: `modmul build` proves it"
    return "its time is declared not to depend on the operands, but that is not proved"


def _times(best: Candidate, record: Record, each: str) -> list[str]:
    """Say which times the design has, and what decides their clock."""
    if best.per_product is None or best.latency is None:
        return []
    clock, why = record.clock, []
    if isinstance(clock, EstimatedClock):
        why.append(f"the clock is {clock.source}")
    if clock is not None:
        why.append(f"the clock is limited by {clock.limited_by}")
    return [
        f"{time_words(best.per_product, best.time_unit)} {_ONE[each]}, latency "
        f"{time_words(best.latency, best.time_unit)}{f' at {clock.words}' if clock else ''}",
        *why,
    ]


def _core_alone(adapter: Adapter | None) -> str:
    """Say what the areas leave out."""
    known = f" ({adapter.lut} LUT, {adapter.ff} FF)" if adapter else ""
    return f"areas and times are of the core alone: interface stream has an adapter besides{known}"


def _against(best: Candidate, next_: Candidate, each: str) -> str:
    pairs = (
        ("area", next_.area, best.area),
        (f"time per {each}", next_.per_product, best.per_product),
        ("latency", next_.latency, best.latency),
    )
    parts = (
        f"{_more(theirs / other)} {name}"
        for name, theirs, other in pairs
        if theirs is not None and other is not None
    )
    return f"next is {next_.title}: {', '.join(parts)}"


def _more(ratio: float) -> str:
    percent = round((ratio - 1) * 100)
    return f"{percent:+d} %" if percent else "the same" if ratio == 1 else "nearly the same"
