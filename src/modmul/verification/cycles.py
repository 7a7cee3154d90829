"""Compares the cycles at the bare core with what the multiplier declares for the mode of each
product."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from modmul.multipliers.contract import Multiplier
from modmul.multipliers.operations import MULTIPLY
from modmul.operation import Mode, Time
from modmul.verification.protocol import CoreOutcome, CoreRequest, starts
from modmul.verification.verdict import Matched, Measure, Mismatch, Verdict


def check_cycles(
    request: CoreRequest,
    outcome: CoreOutcome,
    matched: Matched,
    golden_stride: int,
    verdict: Verdict,
) -> None:
    """Check the latency of every product, and the interval of every product that waited only for
    its slot."""
    multiplier, (products, results) = request.multiplier, matched
    first = outcome.taken["first"].astype(np.int64)
    latencies = outcome.results["last"][results].astype(np.int64) - first[products] + 1
    modes, of = _modes(request)
    _compare(multiplier, verdict, "latency", (modes, of[products]), latencies, products)
    _check_gaps(outcome, matched, verdict)
    if multiplier.timing != "constant":
        _check_exact_latency(request, products, latencies, golden_stride, verdict)
    if not request.drive.dense:
        return
    slots = multiplier.slots
    for run, start in starts(request.runs):
        begins = first[start : min(start + len(run.products), outcome.accepted)]
        intervals = begins[slots:] - begins[:-slots]
        begun = np.arange(start, start + len(intervals))
        _compare(multiplier, verdict, "interval", (modes, of[begun]), intervals, begun + slots)


def _check_gaps(outcome: CoreOutcome, matched: Matched, verdict: Verdict) -> None:
    """Check that results have no gaps between their beats: a processor starts to use a result at
    its first beat."""
    ends = outcome.results[matched.results]
    spans = ends["last"].astype(np.int64) - ends["first"].astype(np.int64) + 1
    for index in np.flatnonzero(spans != ends["beats"])[:1]:
        number = int(matched.products[index])
        text = f"product {number}: its result has gaps between its beats"
        verdict.mismatches.append(Mismatch(text, number))


def _modes(request: CoreRequest) -> tuple[list[Mode], NDArray[np.int64]]:
    """The modes that occur and, for every product, the index of its mode."""
    places: dict[Mode, int] = {}
    parts = []
    for run in request.runs:
        place_of = {
            operation: places.setdefault(run.setting.of(operation), len(places))
            for operation in dict.fromkeys(run.operations or (MULTIPLY,))
        }
        if run.operations is None:
            parts.append(np.full(len(run.products), place_of[MULTIPLY], np.int64))
        else:
            parts.append(np.array([place_of[operation] for operation in run.operations], np.int64))
    return list(places), np.concatenate([*parts, np.zeros(0, np.int64)])


def _compare(
    multiplier: Multiplier,
    verdict: Verdict,
    what: Time,
    modes: tuple[list[Mode], NDArray[np.int64]],
    cycles: NDArray[np.int64],
    numbers: NDArray[np.int64],
) -> None:
    """Compare the cycles of products with those declared for their modes.  numbers: the product
    numbers for messages."""
    measures = verdict.latency if what == "latency" else verdict.interval
    for place, mode in enumerate(modes[0]):
        of_mode = np.flatnonzero(modes[1] == place)
        declared = multiplier.time(what, mode)
        low, high = declared.minimum, declared.maximum
        measures.setdefault(mode, Measure()).add(cycles[of_mode])
        for index in of_mode[(cycles[of_mode] < low) | (cycles[of_mode] > high)].tolist():
            number, span = int(numbers[index]), _words((low, high))
            text = f"product {number}: {what} {cycles[index]}, declared {span}"
            verdict.mismatches.append(Mismatch(text, number))


def _check_exact_latency(
    request: CoreRequest,
    products: NDArray[np.int64],
    latencies: NDArray[np.int64],
    golden_stride: int,
    verdict: Verdict,
) -> None:
    """If timing depends on operands, compare the cycles of a sample with the golden model."""
    every = [(run.setting, *product) for run in request.runs for product in run.products]
    for index in range(0, len(products), golden_stride):
        number, latency = int(products[index]), int(latencies[index])
        setting, a, b = every[number]
        golden = setting.latency_of(a, b)
        if golden != latency:
            text = f"product {number}: latency {latency}, but the golden model takes {golden}"
            verdict.mismatches.append(Mismatch(text, number))


def declared_range(multiplier: Multiplier, what: Time) -> tuple[int, int]:
    """The smallest and the largest declared cycles over all modes."""
    declared = [multiplier.time(what, mode) for mode in multiplier.modes]
    return min(cycles.minimum for cycles in declared), max(cycles.maximum for cycles in declared)


def _words(declared: tuple[int, int]) -> str:
    return str(declared[0]) if declared[0] == declared[1] else f"{declared[0]} to {declared[1]}"
