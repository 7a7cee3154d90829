"""What came out, against the integers and against what the multiplier declares.

The oracle does not use the golden model: result * R = a * b modulo N and result < result_bound
(kind plain: the product itself; carry-save: of the sums).  The golden model is compared beside it,
bit for bit."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from modmul.arithmetic.congruence import congruent
from modmul.multipliers.contract import Mode, Multiplier, Operand
from modmul.verification.protocol import Outcome, Product, Request, Run

_NEVER = 1 << 62  # a cycle that does not come


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
            low, high, total = int(cycles.min()), int(cycles.max()), int(cycles.sum())
            self.merge(Measure(low, high, total, len(cycles)))

    def merge(self, other: Measure) -> None:
        if other.smallest is None or other.largest is None:
            return
        low, high = other.smallest, other.largest
        self.smallest = low if self.smallest is None else min(self.smallest, low)
        self.largest = high if self.largest is None else max(self.largest, high)
        self.total += other.total
        self.count += other.count


@dataclass
class Verdict:
    """Of one batch.  products: results checked.  golden: those also compared with the golden
    model.  dropped: products that a new modulus ended, as declared.  latency, interval: cycles of
    the products in each mode."""

    products: int = 0
    golden: int = 0
    dropped: int = 0
    cycles: int = 0
    faults: list[Fault] = field(default_factory=list)
    latency: dict[Mode, Measure] = field(default_factory=dict)
    interval: dict[Mode, Measure] = field(default_factory=dict)


def judge(request: Request, outcome: Outcome, golden_every: int = 1) -> Verdict:
    """Check a batch.  golden_every: every how many products the golden model is asked, too."""
    verdict = Verdict(cycles=outcome.cycles)
    if request.drive.concurrent:
        request = dataclasses.replace(request, runs=_as_accepted(request, outcome))
    verdict.faults += [Fault(f"cycle {cycle}: {text}") for cycle, text in outcome.complaints]
    if outcome.stuck:
        text = f"nothing moved any more; {outcome.accepted} products had been accepted"
        verdict.faults.append(Fault(text, outcome.accepted - 1))
    products, results = _match(request, outcome, verdict)
    _check_values(request, outcome, products, results, golden_every, verdict)
    if request.drive.interface == "core":
        _check_cycles(request, outcome, products, results, golden_every, verdict)
    return verdict


def _as_accepted(request: Request, outcome: Outcome) -> list[Run]:
    """The runs as they came about: a modulus holds for the operands whose first beat was accepted
    after its own last beat."""
    products = [product for run in request.runs for product in run.products]
    ends = outcome.loaded["last"].astype(np.int64)
    ends[1:][ends[1:] == 0] = np.iinfo(np.int64).max  # never accepted
    first = outcome.taken["first"][: outcome.accepted].astype(np.int64)
    bounds = [*np.searchsorted(first, ends, side="right").tolist(), len(products)]
    bounds[0] = 0
    squares = [square for run in request.runs for square in run.squares or ()]
    return [
        dataclasses.replace(
            run,
            products=products[bounds[index] : bounds[index + 1]],
            squares=squares[bounds[index] : bounds[index + 1]] if squares else None,
            gaps=None,
        )
        for index, run in enumerate(request.runs)
    ]


# ---- which result belongs to which product -------------------------------------------------------


def _match(
    request: Request, outcome: Outcome, verdict: Verdict
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of products and of their results, side by side."""
    expected = _expected_beats(request, len(outcome.results))
    whole = np.flatnonzero(outcome.results["beats"] == expected)
    if not request.drops:
        for cut in np.flatnonzero(outcome.results["beats"] != expected)[:1]:
            cycle = int(outcome.results["first"][cut])
            verdict.faults.append(Fault(f"cycle {cycle}: a result that ends early"))
        return _match_in_order(outcome, whole, verdict)
    return _match_with_drops(request, outcome, whole, verdict)


def _expected_beats(request: Request, results: int) -> NDArray[np.int64]:
    """Beats of every result; where products may be dropped, all have the same."""
    found = np.full(results, request.multiplier.beats, np.int64)
    if not request.drops:
        beats = [request.multiplier.at(run.mode).beats for run in request.runs]
        lengths = np.repeat(beats, [len(run.products) for run in request.runs])[:results]
        found[: len(lengths)] = lengths
    return found


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

    Between two loads results come in order.  The cycle in which one ends says whether it can still
    belong to a product from before the load: within the latency of that product, and before the
    first product under the new modulus can be ready."""
    first = outcome.taken["first"][: outcome.accepted].astype(np.int64)
    ends = outcome.results["last"][whole].astype(np.int64)
    loads = outcome.loaded["first"].astype(np.int64)[: len(request.runs)]
    sizes = np.cumsum([0, *(len(run.products) for run in request.runs)])
    latency = request.multiplier.latency()
    products: list[int] = []
    results: list[int] = []
    spare = 0
    for run in range(len(request.runs)):
        begin, end = int(sizes[run]), min(int(sizes[run + 1]), outcome.accepted)
        reload = int(loads[run + 1]) if run + 1 < len(loads) and end == sizes[run + 1] else None
        if reload == 0:  # never loaded: the batch was given up before
            reload = None
        new = int(first[end]) + latency.minimum - 1 if end < len(first) else _NEVER
        for index in range(begin, end):
            soonest = int(first[index]) + latency.minimum - 1
            due = int(first[index]) + latency.maximum - 1
            at_risk = reload is not None and due >= reload
            latest = _NEVER
            if at_risk:
                latest = due if latency.minimum == latency.maximum else min(due, new - 1)
            if spare < len(whole) and soonest <= ends[spare] <= latest:
                products.append(index)
                results.append(int(whole[spare]))
                spare += 1
            elif at_risk:
                verdict.dropped += 1
            else:
                verdict.faults.append(Fault(f"product {index} is lost: no result came", index))
    for cycle in ends[spare:].tolist():
        verdict.faults.append(Fault(f"cycle {cycle}: a result that no product asked for"))
    return np.array(products, np.int64), np.array(results, np.int64)


# ---- the integers --------------------------------------------------------------------------------


def _check_values(
    request: Request,
    outcome: Outcome,
    products: NDArray[np.int64],
    results: NDArray[np.int64],
    golden_every: int,
    verdict: Verdict,
) -> None:
    values = [outcome.values[result] for result in results.tolist()]
    for run, start in _starts(request.runs):
        multiplier = request.multiplier.at(run.mode)
        low, high = np.searchsorted(products, (start, start + len(run.products))).tolist()
        asked = _asked(run)
        mine = [asked[number - start] for number in products[low:high].tolist()]
        found = values[low:high]
        for index in _wrong(multiplier, run.modulus, mine, found):
            text = _explain(multiplier, run.modulus, mine[index], found[index])
            verdict.faults.append(Fault(text, int(products[low + index])))
        verdict.products += len(mine)
        for index in range(0, len(mine), golden_every):
            verdict.golden += 1
            a, b = mine[index]
            golden = multiplier.compute(a, b, run.modulus)
            if golden != found[index]:
                text = f"gave {_hex(found[index])}, but the golden model {_hex(golden)}"
                verdict.faults.append(Fault(text, int(products[low + index])))


def _asked(run: Run) -> list[Product]:
    """The operands that are multiplied: a square has its first operand twice."""
    if run.squares is None:
        return run.products
    return [
        (a, a) if square else (a, b)
        for (a, b), square in zip(run.products, run.squares, strict=True)
    ]


def _starts(runs: Sequence[Run]) -> Iterator[tuple[Run, int]]:
    start = 0
    for run in runs:
        yield run, start
        start += len(run.products)


def _wrong(
    multiplier: Multiplier, modulus: int, products: list[Product], values: list[Operand]
) -> list[int]:
    """Positions of the results that the integers contradict; for every product, so lean."""
    if multiplier.operand_form == "carry-save":
        products = [(_sum(a), _sum(b)) for a, b in products]
    if multiplier.result_form == "carry-save":
        values = [_sum(value) for value in values]
    numbers = enumerate(zip(products, values, strict=True))
    if multiplier.kind == "plain":
        return [i for i, ((a, b), value) in numbers if a * b != value]  # type: ignore[operator]
    factor, bound = multiplier.montgomery_factor, multiplier.result_bound(modulus)
    assert factor is not None
    if multiplier.field_in_use == "binary":
        exponent = factor.bit_length() - 1
        return [
            i
            for i, ((a, b), value) in numbers
            if value >= bound  # type: ignore[operator]
            or not congruent(value, exponent, a, b, modulus)  # type: ignore[arg-type]
        ]
    return [
        i
        for i, ((a, b), value) in numbers
        if (value * factor - a * b) % modulus or value >= bound  # type: ignore[operator]
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


# ---- the cycles ----------------------------------------------------------------------------------


def _check_cycles(
    request: Request,
    outcome: Outcome,
    products: NDArray[np.int64],
    results: NDArray[np.int64],
    golden_every: int,
    verdict: Verdict,
) -> None:
    """Latency of every product; interval of every product that waited for nothing but its slot."""
    multiplier = request.multiplier
    first = outcome.taken["first"].astype(np.int64)
    latencies = outcome.results["last"][results].astype(np.int64) - first[products] + 1
    modes, of = _modes(request)
    _compare(multiplier, verdict, "latency", (modes, of[products]), latencies, products)
    _check_gaps(outcome, products, results, verdict)
    if multiplier.timing != "constant":
        _check_exact_latency(request, products, latencies, golden_every, verdict)
    if request.drive.name != "back to back":
        return
    slots = multiplier.slots
    for run, start in _starts(request.runs):
        mine = first[start : min(start + len(run.products), outcome.accepted)]
        intervals = mine[slots:] - mine[:-slots]
        begun = np.arange(start, start + len(intervals))
        _compare(multiplier, verdict, "interval", (modes, of[begun]), intervals, begun + slots)


def _check_gaps(
    outcome: Outcome,
    products: NDArray[np.int64],
    results: NDArray[np.int64],
    verdict: Verdict,
) -> None:
    """Results leave without gaps: a processor begins with the first beat what needs them all."""
    found = outcome.results[results]
    spans = found["last"].astype(np.int64) - found["first"].astype(np.int64) + 1
    for index in np.flatnonzero(spans != found["beats"])[:1]:
        text = f"product {products[index]}: its result has gaps between its beats"
        verdict.faults.append(Fault(text, int(products[index])))


def _modes(request: Request) -> tuple[list[Mode], NDArray[np.int64]]:
    """The modes there are, and for every product the place of its own among them."""
    places: dict[Mode, int] = {}
    parts = []
    for run in request.runs:
        multiply = places.setdefault(run.mode, len(places))
        part = np.full(len(run.products), multiply, np.int64)
        if run.squares is not None:
            square = places.setdefault(run.mode.square(), len(places))
            part[np.array(run.squares, bool)] = square
        parts.append(part)
    return list(places), np.concatenate([*parts, np.zeros(0, np.int64)])


def _compare(
    multiplier: Multiplier,
    verdict: Verdict,
    what: Literal["latency", "interval"],
    modes: tuple[list[Mode], NDArray[np.int64]],
    cycles: NDArray[np.int64],
    blamed: NDArray[np.int64],
) -> None:
    """Cycles of products against what is declared for their modes; `blamed` are the products whose
    numbers a fault names."""
    measures = verdict.latency if what == "latency" else verdict.interval
    for place, mode in enumerate(modes[0]):
        mine = np.flatnonzero(modes[1] == place)
        declared = getattr(multiplier, what)(mode)
        low, high = declared.minimum, declared.maximum
        measures.setdefault(mode, Measure()).add(cycles[mine])
        for index in mine[(cycles[mine] < low) | (cycles[mine] > high)].tolist():
            number, span = int(blamed[index]), _words((low, high))
            text = f"product {number}: {what} {cycles[index]}, declared {span}"
            verdict.faults.append(Fault(text, number))


def _check_exact_latency(
    request: Request,
    products: NDArray[np.int64],
    latencies: NDArray[np.int64],
    golden_every: int,
    verdict: Verdict,
) -> None:
    """Where timing depends on the operands, the golden model says how, for a sample of them."""
    multiplier = request.multiplier
    every = [(run.modulus, *product) for run in request.runs for product in run.products]
    for index in range(0, len(products), golden_every):
        number, latency = int(products[index]), int(latencies[index])
        modulus, a, b = every[number]
        golden = multiplier.latency_of(a, b, modulus)
        if golden != latency:
            text = f"product {number}: latency {latency}, but the golden model takes {golden}"
            verdict.faults.append(Fault(text, number))


def declared_range(multiplier: Multiplier, what: str) -> tuple[int, int]:
    """Smallest and largest declared over all modes."""
    found = [getattr(multiplier, what)(mode) for mode in multiplier.modes]
    return min(cycles.minimum for cycles in found), max(cycles.maximum for cycles in found)


def _words(declared: tuple[int, int]) -> str:
    return str(declared[0]) if declared[0] == declared[1] else f"{declared[0]} to {declared[1]}"
