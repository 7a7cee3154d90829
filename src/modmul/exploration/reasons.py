"""Why a design is recommended, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from modmul.exploration.coverage import Coverage
from modmul.targets import clock_words

if TYPE_CHECKING:
    from modmul.exploration.recommend import Candidate

_WHAT = {
    "throughput": "shortest time per product",
    "latency": "shortest latency",
    "area": "smallest area",
    "balanced": "smallest area x time per product",
}


def said(
    goal: str,
    found: Sequence[Candidate],
    facts: Mapping[str, Any],
    every: int,
    covered: Coverage | None,
    *,
    front: int | None,
) -> list[str]:
    """Reasons for the first of `found`, the best first.

    facts: its record, as JSON has it, or its forecast.  every: designs there were to choose from.
    covered: of the directory that the records are from, None with forecasts.  front: designs on the
    front of area and time per product, None if it is not one of them."""
    best = found[0]
    kind = "forecast by formula, none of them measured," if covered is None else "measured"
    reasons = [f"{_WHAT[goal]} of {len(found)} designs {kind} that meet all conditions, "
               f"of {every} for this modulus and target"]  # fmt: skip
    reasons += [] if covered is None else [covered.words]
    reasons += _times(best, facts)
    reasons.append(_core_alone(facts.get("adapter")))
    reasons.append(_timing(best.timing, facts.get("timing_proved")))
    if front is not None:
        of = "" if covered is None else f"; {covered.front}"
        reasons.append(f"on the Pareto front of area and time per product ({front} designs{of})")
    return [*reasons, *([_against(best, found[1])] if len(found) > 1 else [])]


def _timing(declared: str, proved: bool | None) -> str:
    """Whether it is fit for secrets.  proved: None where nobody tried."""
    if declared != "constant":
        return "its time depends on the operands: not for secrets"
    if proved:
        return "its time does not depend on the operands, which is proved: fit for secrets"
    if proved is None:
        return "its time is declared not to depend on the operands: `modmul build` proves it"
    return "its time is declared not to depend on the operands, but that is not proved"


def _times(best: Candidate, facts: Mapping[str, Any]) -> list[str]:
    """Times, and what decides the clock they are at."""
    if best.per_product is None:
        return []
    clock = ""
    if best.clock_mhz is not None:
        clock = f" at {clock_words(best.clock_mhz, not best.clock_unverified)}"
    limit = (facts.get("fmax_mhz") or {}).get("limited_by")
    return [
        f"{best.per_product:,.1f} {best.time_unit} a product, latency "
        f"{best.latency:,.1f} {best.time_unit}{clock}",
        *([f"the clock is limited by {limit}"] if limit else []),
    ]


def _core_alone(adapter: Mapping[str, Any] | None) -> str:
    """What is not in the areas."""
    known = f" ({adapter['lut']} LUT, {adapter['ff']} FF)" if adapter else ""
    return f"areas and times are of the core alone: interface stream has an adapter besides{known}"


def _against(best: Candidate, next_: Candidate) -> str:
    pairs = (("area", next_.area, best.area),
             ("time per product", next_.per_product, best.per_product),
             ("latency", next_.latency, best.latency))  # fmt: skip
    parts = (f"{(one / other - 1) * 100:+.0f} % {name}" for name, one, other in pairs
             if one is not None and other is not None)  # fmt: skip
    return f"next is {next_.title}: {', '.join(parts)}"
