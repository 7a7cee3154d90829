"""Recommends the best design for a modulus, a chip and a goal: by measurements, else by
estimates, of which the finalists are mapped before they are ranked."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from modmul import targets
from modmul.arithmetic import own_curves
from modmul.errors import SpecError, refusal
from modmul.exploration import spec_text, store
from modmul.exploration.conditions import Condition, first_broken
from modmul.exploration.estimates import estimate, front, mapped
from modmul.exploration.names import figure, find
from modmul.exploration.question import (
    GOALS,
    Question,
    checked_question,
    mode_of,
    specs,
    takes_every,
)
from modmul.exploration.record import MULTIPLY, Basis, Record
from modmul.exploration.store import Coverage
from modmul.implementation import error_bands
from modmul.implementation.result import EstimatedClock
from modmul.processors.engine import stored
from modmul.spec import Spec
from modmul.spec.keys import CURVE
from modmul.targets import libraries
from modmul.targets.families import chip_of
from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import Report, silent
from modmul.toolchain.quantities import time_words


class Candidate(msgspec.Struct, frozen=True):
    """A design with its figures; the times are None if there is no clock.

    basis: 'measured' (routed), 'mapped' (the area is counted in the mapped netlist, the clock is
    estimated) or 'estimated' (both by formula).
    area: of the core alone.  luts_per_dsp, luts_per_ram: the LUTs that a DSP block and a block RAM
    count as in it, None if the unit has no such blocks.  clock_mhz: f_max, routed or estimated,
    within the limits of the hard blocks.  lut_band, clock_band: the error bands of estimates; None
    for what was counted or routed.  clock_unverified: a limit
    that was not checked in its source decides it.  score: the figure of the goal, relative to that
    of the best design.  spec: the options that differ from their defaults, enough to build it
    again."""

    title: str
    architecture: str
    spec: dict[str, Any]
    timing: str
    basis: Basis
    area: float
    area_unit: str
    lut: int | None
    ff: int | None
    dsp: int | None
    ram_blocks: int | None
    clock_mhz: float | None
    time_unit: str
    latency: float | None
    per_product: float | None
    score: float
    luts_per_dsp: float | None = None
    luts_per_ram: float | None = None
    lut_band: tuple[int, int] | None = None
    clock_band: tuple[float, float] | None = None
    clock_unverified: bool = False


class Recommendation(msgspec.Struct, frozen=True):
    """The answer for one target.  basis: of the best design, see `Candidate`.  designs: the number
    of designs to choose from.  left_out: the number of designs left out, by reason.  toml: the spec
    of the best one as a file.  coverage: how much of its space the records cover; None with
    estimates."""

    basis: Basis
    goal: str
    best: Candidate
    reasons: list[str]
    runners_up: list[Candidate]
    designs: int
    left_out: dict[str, int]
    toml: str
    coverage: Coverage | None = None


class BestByTarget(msgspec.Struct, frozen=True):
    """The answer if no target was named.  targets: the best design of each target.  without: the
    reason for each target that has none."""

    goal: str
    operation: str
    targets: dict[str, Candidate]
    without: dict[str, str]


FINALISTS = 5


class _Known(NamedTuple):
    """A design and its record, which is measured or an estimate."""

    spec: Spec
    record: Record


def recommend(
    modulus: str | None,
    target: str,
    goal: str = "balanced",
    *,
    width: int | None = None,
    results: Path | None = None,
    where: Sequence[str] = (),
    device: str | None = None,
    library: str | None = None,
    data_dependent: bool = False,
    operation: str = MULTIPLY,
    curve: str | None = None,
    key_bits: int | None = None,
    finalists: int = FINALISTS,
    cache: Cache | None = None,
    progress: Report = silent,
) -> Recommendation:
    """Recommend the best design for a modulus (any notation) on a target.

    operation: one of NAMES.  curve: the curve of the operation, if it is one of CURVE_OPERATIONS;
    then there is no modulus.  modulus: None for any odd number of `width` bits.  key_bits: in the
    place of the width, bits of RSA keys.
    goal: one of GOALS.  results: the directory of an exploration.  If it is absent, or has no
    design for this modulus and target, estimates answer; `basis` says which.  finalists: so many of
    the best by formula are synthesised and ranked anew by what was counted; 0: none.  where:
    conditions as in a space.  library: of cells.  data_dependent: include designs whose time
    depends on the operands.  Raises SpecError for bad input, or if no design is left."""
    if goal not in GOALS:
        raise refusal("goal", goal, f"one of {', '.join(GOALS)}")
    conditions = [Condition(text) for text in where]
    question = checked_question(
        modulus,
        target,
        width=width,
        device=device,
        library=library,
        operation=operation,
        curve=curve,
        key_bits=key_bits,
    )
    records = store.read(results) if results else []
    answering = ((_of_record(record, question), record) for record in records)
    measured = [_Known(spec, record) for spec, record in answering if spec is not None]
    if not measured:
        for condition in conditions:
            condition.check_foreseen()
    known = measured or _estimated(question, target, progress)
    left_out = Counter[str]()

    def kept(entries: list[_Known]) -> list[_Known]:
        """Return the designs that may be chosen, the best first; count the others by reason."""
        allowed = []
        for entry in entries:
            reason = _rejected_because(entry, goal, conditions, data_dependent)
            if reason is None:
                allowed.append(entry)
            else:
                left_out[reason] += 1
        return sorted(allowed, key=lambda entry: _score(entry.record, goal))

    if not (ordered := kept(known)):
        raise _nothing(question, left_out)
    meeting, front_size = len(ordered), _front_of(ordered)
    if not measured and finalists:
        chosen = _finalists(ordered, finalists)
        ordered = kept(_mapped(chosen, question.operation, left_out, cache, progress))
        if not ordered:
            raise _nothing(question, left_out)
        front_size = None
    covered = None
    if results and measured:
        covered = store.coverage(records, store.Store(results).summary())
    best, *others = candidates = _candidates(ordered, goal)
    record = ordered[0].record
    reasons = _reasons(goal, candidates, record, meeting, len(known), covered, front_size)
    if results and not measured:
        reasons.insert(0, f"{results} has no design for this modulus on this target")
    return Recommendation(
        basis=best.basis,
        goal=goal,
        best=best,
        reasons=reasons,
        runners_up=others,
        designs=len(known),
        left_out=dict(left_out),
        toml=spec_text.toml(best.spec),
        coverage=covered,
    )


def _estimated(question: Question, target: str, progress: Report) -> list[_Known]:
    known: list[_Known] = []
    with stored.roughly():
        every, operation = specs(question, chip_of(target)), question.operation
        for spec in every:
            progress("designs estimated", len(known), len(every))
            record = estimate(spec, mode_of(spec, operation))
            clocked = figure(record, "forecast.mhz")
            known.append(_Known(spec, record if clocked else replace(record, time=None)))
    return known


def _mapped(
    finalists: Sequence[_Known],
    operation: str,
    left_out: Counter[str],
    cache: Cache | None,
    progress: Report,
) -> list[_Known]:
    """Return the finalists with the area of their mapped netlists, without those that turn out too
    large for the device."""
    cache, entries = cache or Cache(), []
    with stored.roughly():
        for done, (spec, _) in enumerate(finalists):
            progress("finalists mapped", done, len(finalists))
            try:
                core = "core" in spec.design.interfaces  # without an adapter
                bare = dataclasses.replace(spec, interface="core" if core else "stream")
                record = mapped(bare, cache, mode=mode_of(spec, operation))
            except SpecError as error:
                left_out[error.message] += 1
            else:
                entries.append(_Known(spec, record))
    return entries


def _front_of(ordered: Sequence[_Known]) -> int | None:
    """Return the number of designs on the front; None if the first design is not on it."""
    members = front(
        ordered, lambda entry: [figure(entry.record, name) for name in GOALS["balanced"]]
    )
    return len(members) if ordered[0] in members else None


def recommend_everywhere(modulus: str | None, goal: str = "balanced", **asked: Any) -> BestByTarget:
    """Recommend the best design of every target, by measurements or by formula; the arguments are
    those of `recommend`, without `finalists`.

    Raises SpecError for bad input, or if no target has a design."""
    candidates: dict[str, Candidate] = {}
    without: dict[str, SpecError] = {}
    for name in targets.NAMES:
        try:
            candidates[name] = recommend(modulus, name, goal, finalists=0, **asked).best
        except SpecError as error:
            without[name] = error
    if not candidates:
        raise next(iter(without.values()))
    operation = asked.get("operation", MULTIPLY)
    return BestByTarget(
        goal, operation, candidates, {name: error.message for name, error in without.items()}
    )


def _of_record(record: Record, question: Question) -> Spec | None:
    """Return the spec of a record for the requested modulus; None if the record does not answer the
    question."""
    if record.status != "done" or record.area is None or record.target != question.target:
        return None
    if record.operation != question.operation:
        return None
    if question.device and not (record.device or "").startswith(question.device.upper()):
        return None
    library = question.library or libraries.DEFAULT
    if record.spec.get("library") not in (None, library):
        return None
    options, curve = dict(record.spec), question.curve
    if curve is None:
        options["modulus"] = question.modulus
    elif options.get(CURVE) != own_curves.written(own_curves.parse(curve)):
        return None
    try:
        spec = Spec.from_options(options)
    except SpecError:
        return None
    if curve is not None:
        return spec
    if question.width not in (None, spec.design.width):
        return None
    if question.modulus is None:
        return spec if takes_every(spec.design) else None
    fits = spec.modulus is not None and spec.modulus.bits == spec.design.width
    return spec if fits or record.spec.get("modulus") == str(spec.modulus) else None


def _rejected_because(
    entry: _Known, goal: str, conditions: Sequence[Condition], data_dependent: bool
) -> str | None:
    """Return why a design may not be chosen; None if it may."""
    spec, record = entry
    if not data_dependent and record.timing == "data-dependent":
        return "time depends on the operands"
    if not data_dependent and record.timing_proved is False:
        return "constant time is declared, but not proved"
    if broken := first_broken(conditions, record):
        return broken.broken
    if None in (figure(record, name) for name in GOALS[goal]):
        return "no clock is known on this target: the goal area needs none"
    unpriced = figure(record, "dsp") and figure(record, "area.luts_per_dsp") == 0
    if unpriced and "area.value" in GOALS[goal]:
        return "nothing is known of the area of its multipliers on this target"
    device, size = targets.find_device(spec.design.chip, spec.device), record.chip
    if device is not None and size is not None:
        area = targets.CellArea(lut=size.lut, dsp=size.dsp, ram_blocks=size.ram_blocks)
        try:
            targets.check_size(spec.design.chip, device, area)
        except SpecError:
            return f"too large for {spec.device}"
    return None


def _score(record: Record, goal: str) -> tuple[float, ...]:
    """The figure by which designs are sorted, smallest first; among equals, the smaller and faster
    design is first."""
    products = (GOALS[goal], ("area.value", "time.per_product", "time.latency"))
    return tuple(math.prod(figure(record, name) or math.inf for name in each) for each in products)


def _candidates(ordered: list[_Known], goal: str) -> list[Candidate]:
    """Return the best design and the next ones; each score is relative to that of the best."""
    best = _score(ordered[0].record, goal)[0]
    shown = _finalists(ordered, FINALISTS)
    return [_candidate(entry, _score(entry.record, goal)[0] / best) for entry in shown]


def _candidate(entry: _Known, score: float) -> Candidate:
    record, area, time = entry.record, entry.record.area, entry.record.time
    clock, luts = record.clock, None
    assert area is not None
    if record.basis == "estimated" and record.chip is not None:
        chip = entry.spec.design.chip
        luts = error_bands.luts_of_formula(record.chip.lut, entry.spec.design, chip)
    return Candidate(
        title=record.title,
        architecture=record.architecture,
        spec=_spec(entry.spec),
        timing=record.timing,
        basis=record.basis,
        area=area.value,
        area_unit=area.unit,
        lut=find(record, "lut"),
        ff=find(record, "ff"),
        dsp=find(record, "dsp"),
        ram_blocks=find(record, "ram_blocks"),
        clock_mhz=round(1000 / time.period, 1) if time and time.unit == "ns" else None,
        time_unit=time.unit if time else "",
        latency=figure(record, "time.latency"),
        per_product=figure(record, "time.per_product"),
        score=round(score, 4),
        luts_per_dsp=area.luts_per_dsp,
        luts_per_ram=area.luts_per_ram,
        lut_band=luts,
        clock_band=(clock.low, clock.high) if isinstance(clock, EstimatedClock) else None,
        clock_unverified=time is not None and record.unverified,
    )


def _finalists(ordered: list[_Known], most: int) -> list[_Known]:
    """Return the best design and the next ones, of these at most two of each architecture, so that
    there is a choice."""
    chosen = ordered[:1]
    for entry in ordered[1:]:
        architecture = entry.record.architecture
        alike = sum(other.record.architecture == architecture for other in chosen[1:])
        if alike < 2 and len(chosen) < most:
            chosen.append(entry)
    return chosen


def _spec(spec: Spec) -> dict[str, Any]:
    """Return the shortest options of a design without its interface: users need the adapter."""
    options = spec_text.minimal_options(spec.options())
    return {key: value for key, value in options.items() if key != "interface"}


def _nothing(question: Question, left_out: Mapping[str, int]) -> SpecError:
    reasons = "; ".join(f"{count} left out: {reason}" for reason, count in left_out.items())
    subject = question.curve or question.modulus
    subject = subject or f"any odd modulus of {question.width} bits"
    nothing = f"no design for {subject} on {question.target}"
    message = f"{nothing} meets the conditions: {reasons}"
    return SpecError("where", None, "conditions that some design meets", message)


# ---- reasons, in sentences -----------------------------------------------------------------------

_WHAT = {
    "throughput": "shortest time per {each}",
    "latency": "shortest latency",
    "area": "smallest area",
    "balanced": "smallest area x time per {each}",
}
_ONE = {"product": "a product", "operation": "an operation"}


def _reasons(
    goal: str,
    candidates: Sequence[Candidate],
    record: Record,
    kept: int,
    every: int,
    covered: Coverage | None,
    front: int | None,
) -> list[str]:
    """Return the reasons for the first of `candidates`, which is the best one.

    record: of the best one, measured or an estimate.  kept, every: the number of designs that meet
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
    if not processor:
        known = f" ({adapter.lut} LUT, {adapter.ff} FF)" if adapter else ""
        alone = "areas and times are of the core alone: interface stream has an adapter besides"
        reasons.append(f"{alone}{known}")
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
