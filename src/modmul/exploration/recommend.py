"""Recommends the best design for a modulus, a chip and a goal: by measurements, else by
estimates, of which the finalists are mapped before they are ranked."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from msgspec.structs import replace

from modmul import targets
from modmul.arithmetic import own_curves
from modmul.errors import SpecError, refusal
from modmul.exploration import spec_text, store
from modmul.exploration.conditions import Condition, first_broken
from modmul.exploration.forecasts import forecast, kind, mapped
from modmul.exploration.names import figure, find
from modmul.exploration.order import front
from modmul.exploration.question import (
    GOALS,
    Question,
    checked_question,
    mode_of,
    specs,
    takes_every,
)
from modmul.exploration.reasons import said
from modmul.exploration.recommendation import BestByTarget, Candidate, Recommendation
from modmul.exploration.record import MULTIPLY, Record
from modmul.implementation import error_bands
from modmul.implementation.result import EstimatedClock
from modmul.processors.engine import stored
from modmul.spec import Spec
from modmul.spec.keys import CURVE
from modmul.targets import libraries
from modmul.targets.families import chip_of
from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import Report, silent

_ALL_FIGURES = ("area.value", "time.per_product", "time.latency")  # their product breaks ties
_NO_CLOCK = "no clock is known on this target: the goal area needs none"
_UNPRICED = "nothing is known of the area of its multipliers on this target"
_OPEN = "data-dependent"
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
    measured = _measured(records, question)
    if not measured:
        for condition in conditions:
            condition.check_foreseen()
    known = measured or _forecast(question, target, progress)
    left_out: dict[str, int] = {}

    def kept(entries: list[_Known]) -> list[_Known]:
        """Return the designs that may be chosen, the best first."""
        broken = [first_broken(conditions, entry.record) for entry in entries]
        allowed = _kept(entries, broken, goal, data_dependent, left_out)
        return sorted(allowed, key=_score(goal))

    if not (ordered := kept(known)):
        raise _nothing(question, left_out)
    meeting, front_size = len(ordered), _front_of(ordered)
    if not measured and finalists:
        chosen = _finalists(ordered, finalists)
        ordered = kept(_mapped(chosen, question["operation"], left_out, cache, progress))
        if not ordered:
            raise _nothing(question, left_out)
        front_size = None
    covered = store.covered(results, records) if results and measured else None
    candidates = _candidates(ordered, goal)
    reasons = said(
        goal, candidates, ordered[0].record, meeting, len(known), covered, front=front_size
    )
    answer = Recommendation(
        candidates[0].basis,
        goal,
        candidates[0],
        reasons,
        candidates[1:],
        len(known),
        left_out,
        spec_text.toml(_spec(ordered[0].spec)),
        covered,
    )
    if measured or not results:
        return answer
    unmeasured = f"{results} has no design for this modulus on this target"
    return replace(answer, reasons=[unmeasured, *answer.reasons])


def _forecast(question: Question, target: str, progress: Report) -> list[_Known]:
    """Return the estimates of all designs that can answer the question."""
    known: list[_Known] = []
    with stored.roughly():
        every, operation = specs(question, chip_of(target)), question["operation"]
        for spec in every:
            progress("designs estimated", len(known), len(every))
            known.append(_Known(spec, _clocked(spec, operation)))
    return known


def _mapped(
    finalists: Sequence[_Known],
    operation: str,
    left_out: dict[str, int],
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
                bare = dataclasses.replace(spec, interface=_interface(spec))
                record = mapped(bare, cache, mode=mode_of(spec, operation))
            except SpecError as error:
                left_out[error.message] = left_out.get(error.message, 0) + 1
            else:
                entries.append(_Known(spec, record))
    return entries


def _interface(spec: Spec) -> Literal["stream", "core"]:
    """Return the interface without an adapter, where there is one."""
    return "core" if "core" in spec.design.interfaces else "stream"


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


def _measured(records: Sequence[Record], question: Question) -> list[_Known]:
    """Return the records of designs that take the modulus, on the target."""
    known = []
    for record in records:
        spec = _of_record(record, question)
        if spec is not None:
            known.append(_Known(spec, record))
    return known


def _of_record(record: Record, question: Question) -> Spec | None:
    """Return the spec of a record for the requested modulus; None if the record does not answer the
    question."""
    if record.status != "done" or record.area is None or record.target != question["target"]:
        return None
    if record.operation != question["operation"]:
        return None
    if question["device"] and not (record.device or "").startswith(question["device"].upper()):
        return None
    library = question["library"] or libraries.DEFAULT
    if record.spec.get("library") not in (None, library):
        return None
    if question["curve"] is not None:
        return _on_curve(record, question["curve"])
    options = dict(record.spec) | {"modulus": question["modulus"]}
    try:
        spec = Spec.from_options(options)
    except SpecError:
        return None
    if question["width"] not in (None, spec.design.width):
        return None
    if question["modulus"] is None:
        return spec if takes_every(spec.design) else None
    fits = spec.modulus is not None and spec.modulus.bits == spec.design.width
    return spec if fits or record.spec.get("modulus") == str(spec.modulus) else None


def _on_curve(record: Record, curve: str) -> Spec | None:
    """Return the spec of a record; None if it was measured on another curve."""
    if record.spec.get(CURVE) != own_curves.written(own_curves.parse(curve)):
        return None
    try:
        return Spec.from_options(record.spec)
    except SpecError:
        return None


def _clocked(spec: Spec, operation: str) -> Record:
    """Return the estimate of a design; without times if there is none of the clock."""
    record = forecast(spec, mode_of(spec, operation))
    return record if figure(record, "forecast.mhz") else replace(record, time=None)


def _kept(
    known: list[_Known],
    broken: Sequence[Condition | None],
    goal: str,
    data_dependent: bool,
    left_out: dict[str, int],
) -> list[_Known]:
    """Return the designs that may be chosen; count in `left_out` those that may not, by reason."""
    meeting = []
    for entry, condition in zip(known, broken, strict=True):
        reason = None
        if entry.record.timing == _OPEN and not data_dependent:
            reason = "time depends on the operands"
        elif entry.record.timing_proved is False and not data_dependent:
            reason = "constant time is declared, but not proved"
        elif condition is not None:
            reason = f"not {condition.text}"
        elif None in [figure(entry.record, name) for name in GOALS[goal]]:
            reason = _NO_CLOCK
        elif "area.value" in GOALS[goal] and _unpriced(entry.record):
            reason = _UNPRICED
        elif not _fits(entry):
            reason = f"too large for {entry.spec.device}"
        if reason is None:
            meeting.append(entry)
        else:
            left_out[reason] = left_out.get(reason, 0) + 1
    return meeting


def _unpriced(record: Record) -> bool:
    """Whether a design has hard multipliers that count nothing in its area."""
    return bool(find(record, "dsp")) and record.luts_per_dsp == 0


def _fits(entry: _Known) -> bool:
    """Whether the device has enough of all resources, as far as that is known."""
    chip, size = entry.spec.design.chip, entry.record.chip
    device = targets.find_device(chip, entry.spec.device)
    if device is None or size is None:
        return True
    area = targets.CellArea(lut=size.lut, dsp=size.dsp, ram_blocks=size.ram_blocks)
    try:
        targets.check_size(chip, device, area)
    except SpecError:
        return False
    return True


def _score(goal: str) -> Callable[[_Known], tuple[float, float]]:
    """Return the function by which designs are sorted, smallest first; among equals, the smaller
    and faster design is first."""

    def score(entry: _Known) -> tuple[float, float]:
        return _product(entry.record, GOALS[goal]), _product(entry.record, _ALL_FIGURES)

    return score


def _product(record: Record, names: Sequence[str]) -> float:
    return math.prod(figure(record, name) or math.inf for name in names)


def _candidates(ordered: list[_Known], goal: str) -> list[Candidate]:
    """Return the best design and the next ones; each score is relative to that of the best."""
    best = _score(goal)(ordered[0])[0]
    shown = _finalists(ordered, FINALISTS)
    return [_candidate(entry, _score(goal)(entry)[0] / best) for entry in shown]


def _candidate(entry: _Known, score: float) -> Candidate:
    record, area, time = entry.record, entry.record.area, entry.record.time
    clock, luts = record.clock, None
    assert area is not None
    if record.basis == "estimated" and record.chip is not None:
        chip = entry.spec.design.chip
        luts = error_bands.luts_of_formula(record.chip.lut, kind(entry.spec), chip)
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
    subject = question["curve"] or question["modulus"]
    subject = subject or f"any odd modulus of {question['width']} bits"
    nothing = f"no design for {subject} on {question['target']}"
    message = f"{nothing} meets the conditions: {reasons}"
    return SpecError("where", None, "conditions that some design meets", message)
