"""What came out, against the integers and against what the multiplier declares.

The oracle does not use the golden model: result * R = a * b modulo N and result < result_bound
(kind plain: the product itself; carry-save: of the sums).  The golden model is compared beside it,
bit for bit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from modmul.multipliers.contract import Cycles, Multiplier
from modmul.verification.protocol import Operand, Outcome, Product, Request, Run


@dataclass(frozen=True)
class Fault:
    """product: its number in the batch, where the fault belongs to one."""

    message: str
    product: int | None = None


@dataclass
class Measure:
    """Smallest, largest, sum and number of some cycle counts."""

    smallest: int | None = None
    largest: int | None = None
    total: int = 0
    count: int = 0

    def add(self, cycles: NDArray[np.int64]) -> None:
        if len(cycles):
            self.merge(Measure(int(cycles.min()), int(cycles.max()), int(cycles.sum()), len(cycles)))

    def merge(self, other: Measure) -> None:
        if other.smallest is None or other.largest is None:
            return
        self.smallest = other.smallest if self.smallest is None else min(self.smallest, other.smallest)
        self.largest = other.largest if self.largest is None else max(self.largest, other.largest)
        self.total += other.total
        self.count += other.count


@dataclass
class Verdict:
    """Of one batch.  products: results checked.  golden: those also compared with the golden
    model.  dropped: products that a new modulus ended, as declared."""

    products: int = 0
    golden: int = 0
    dropped: int = 0
    cycles: int = 0
    faults: list[Fault] = field(default_factory=list)
    latency: Measure = field(default_factory=Measure)
    interval: Measure = field(default_factory=Measure)


def judge(request: Request, outcome: Outcome, golden_every: int = 1) -> Verdict:
    """Check a batch.  golden_every: every how many products the golden model is asked, too."""
    verdict = Verdict(cycles=outcome.cycles)
    verdict.faults += [Fault(f"cycle {cycle}: {text}") for cycle, text in outcome.complaints]
    if outcome.stuck:
        text = f"nothing moved any more; {outcome.accepted} products had been accepted"
        verdict.faults.append(Fault(text, outcome.accepted - 1))
    products, results = _match(request, outcome, verdict)
    _check_values(request, outcome, products, results, golden_every, verdict)
    if request.drive.interface == "core":
        _check_cycles(request, outcome, products, results, verdict)
    return verdict


# ---- which result belongs to which product --------------------------------------------------------


def _match(
    request: Request, outcome: Outcome, verdict: Verdict
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of products and of their results, side by side."""
    whole = np.flatnonzero(outcome.results["beats"] == request.multiplier.beats)
    if not request.drops:
        for cut in np.flatnonzero(outcome.results["beats"] != request.multiplier.beats)[:1]:
            cycle = int(outcome.results["first"][cut])
            verdict.faults.append(Fault(f"cycle {cycle}: a result that ends early"))
        return _match_in_order(outcome, whole, verdict)
    return _match_with_drops(request, outcome, whole, verdict)


def _match_in_order(
    outcome: Outcome, whole: NDArray[np.int64], verdict: Verdict
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    common = min(outcome.accepted, len(whole))
    for index in range(common, outcome.accepted):
        verdict.faults.append(Fault(f"product {index} is lost: no result came", index))
    for extra in whole[common:]:
        cycle = int(outcome.results["last"][extra])
        verdict.faults.append(Fault(f"cycle {cycle}: a result that no product asked for"))
    return np.arange(common), whole[:common]


def _match_with_drops(
    request: Request, outcome: Outcome, whole: NDArray[np.int64], verdict: Verdict
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A product in flight when a modulus is loaded may vanish; if it comes, it must be right.

    Between two loads results come in order; where the latency is constant the cycle in which a
    result ends says whose it is."""
    first = outcome.taken["first"][: outcome.accepted].astype(np.int64)
    ends = outcome.results["last"][whole].astype(np.int64)
    loads = outcome.loaded["first"].astype(np.int64)[: len(request.runs)]
    sizes = np.cumsum([0, *(len(run.products) for run in request.runs)])
    latency = request.multiplier.latency()
    products: list[int] = []
    results: list[int] = []
    spare = list(range(len(whole)))
    for run in range(len(request.runs)):
        begin, end = int(sizes[run]), min(int(sizes[run + 1]), outcome.accepted)
        reload = int(loads[run + 1]) if run + 1 < len(loads) and end == sizes[run + 1] else None
        if reload == 0:  # never loaded: the batch was given up before
            reload = None
        for index in range(begin, end):
            due = int(first[index]) + latency.maximum - 1
            at_risk = reload is not None and due >= reload
            if spare and _belongs(int(ends[spare[0]]), int(first[index]), latency, at_risk):
                products.append(index)
                results.append(int(whole[spare.pop(0)]))
            elif at_risk:
                verdict.dropped += 1
            else:
                verdict.faults.append(Fault(f"product {index} is lost: no result came", index))
    for extra in spare:
        cycle = int(ends[extra])
        verdict.faults.append(Fault(f"cycle {cycle}: a result that no product asked for"))
    return np.array(products, np.int64), np.array(results, np.int64)


def _belongs(end: int, first: int, latency: Cycles, at_risk: bool) -> bool:
    """Whether a result that ended in cycle `end` can be that of a product begun in `first`."""
    soonest, latest = first + latency.minimum - 1, first + latency.maximum - 1
    return soonest <= end <= latest if at_risk else end >= soonest


# ---- the integers ---------------------------------------------------------------------------------


def _check_values(
    request: Request,
    outcome: Outcome,
    products: NDArray[np.int64],
    results: NDArray[np.int64],
    golden_every: int,
    verdict: Verdict,
) -> None:
    multiplier = request.multiplier
    wanted = zip(products.tolist(), results.tolist(), strict=True)
    at, result = next(wanted, (-1, -1))
    for run, start in _starts(request.runs):
        pairs: list[tuple[int, Product, Operand]] = []
        end = start + len(run.products)
        while start <= at < end:
            pairs.append((at, run.products[at - start], outcome.values[result]))
            at, result = next(wanted, (-1, -1))
        for index in _wrong(multiplier, run.modulus, pairs):
            number, product, value = pairs[index]
            verdict.faults.append(Fault(_explain(multiplier, run.modulus, product, value), number))
        verdict.products += len(pairs)
        for number, product, value in pairs[::golden_every]:
            verdict.golden += 1
            golden = multiplier.compute(*product, run.modulus)  # type: ignore[arg-type]
            if golden != value:
                text = f"product {number}: {_hex(value)}, but the golden model says {_hex(golden)}"
                verdict.faults.append(Fault(text, number))


def _starts(runs: object) -> Iterator[tuple[Run, int]]:
    start = 0
    for run in runs:  # type: ignore[attr-defined]
        yield run, start
        start += len(run.products)


def _wrong(
    multiplier: Multiplier, modulus: int, pairs: list[tuple[int, Product, Operand]]
) -> list[int]:
    """Positions of the pairs that the integers contradict; called for every product, so lean."""
    if multiplier.operand_form == "carry-save" or multiplier.result_form == "carry-save":
        numbers = [(_sum(p[0]), _sum(p[1]), _sum(value)) for _, p, value in pairs]
    else:
        numbers = [(*p, value) for _, p, value in pairs]  # type: ignore[misc]
    if multiplier.kind == "plain":
        return [i for i, (a, b, value) in enumerate(numbers) if a * b != value]
    factor, bound = multiplier.montgomery_factor, multiplier.result_bound(modulus)
    assert factor is not None
    return [
        i
        for i, (a, b, value) in enumerate(numbers)
        if (value * factor - a * b) % modulus or value >= bound
    ]


def _sum(value: Operand) -> int:
    return value if isinstance(value, int) else value[0] + value[1]


def _explain(multiplier: Multiplier, modulus: int, product: Product, value: Operand) -> str:
    a, b = map(_hex, product)
    if multiplier.kind == "plain":
        return f"{a} * {b} gave {_hex(value)}"
    return f"{a} * {b} mod {modulus:#x} gave {_hex(value)} (R = {multiplier.montgomery_factor:#x})"


def _hex(value: Operand) -> str:
    return f"{value:#x}" if isinstance(value, int) else f"({value[0]:#x}, {value[1]:#x})"


# ---- the cycles -----------------------------------------------------------------------------------


def _check_cycles(
    request: Request,
    outcome: Outcome,
    products: NDArray[np.int64],
    results: NDArray[np.int64],
    verdict: Verdict,
) -> None:
    """Latency of every product; interval of every product that waited for nothing but its slot."""
    multiplier = request.multiplier
    first = outcome.taken["first"].astype(np.int64)
    latencies = outcome.results["last"][results].astype(np.int64) - first[products] + 1
    verdict.latency.add(latencies)
    declared = _range(multiplier, "latency")
    for index in np.flatnonzero((latencies < declared[0]) | (latencies > declared[1])):
        text = f"product {products[index]}: latency {latencies[index]}, declared {_words(declared)}"
        verdict.faults.append(Fault(text, int(products[index])))
    if request.drive.name != "back to back":
        return
    declared, slots = _range(multiplier, "interval"), multiplier.slots
    for run, start in _starts(request.runs):
        mine = first[start : min(start + len(run.products), outcome.accepted)]
        intervals = mine[slots:] - mine[:-slots]
        verdict.interval.add(intervals)
        for index in np.flatnonzero((intervals < declared[0]) | (intervals > declared[1])):
            number = start + slots + int(index)
            text = f"product {number}: interval {intervals[index]}, declared {_words(declared)}"
            verdict.faults.append(Fault(text, number))


def _range(multiplier: Multiplier, what: str) -> tuple[int, int]:
    """Smallest and largest declared over all modes."""
    found = [getattr(multiplier, what)(mode) for mode in multiplier.modes]
    return min(cycles.minimum for cycles in found), max(cycles.maximum for cycles in found)


def _words(declared: tuple[int, int]) -> str:
    return str(declared[0]) if declared[0] == declared[1] else f"{declared[0]} to {declared[1]}"
