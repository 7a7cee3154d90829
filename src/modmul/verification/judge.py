"""Compares the results of a simulation with the integers and with what the multiplier declares.

The oracle does not use the golden model: result * R = a * b modulo N and result < result_bound
(kind plain: the product itself; carry-save: of the sums), for sums result = a + b or a - b modulo
N.  The golden model is compared beside it, bit for bit."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from modmul.multipliers.contract import Operand
from modmul.multipliers.operations import MULTIPLY, OPERATIONS, SUMS
from modmul.multipliers.oracle import contradicted
from modmul.multipliers.setting import Setting
from modmul.verification.cycles import check_cycles
from modmul.verification.protocol import CoreOutcome, CoreRequest, ModulusRun, Product, starts
from modmul.verification.verdict import Matched, Mismatch, Verdict

_NEVER = 1 << 62  # a cycle that is never reached


def judge(request: CoreRequest, outcome: CoreOutcome, golden_stride: int = 1) -> Verdict:
    """Check a batch.  golden_stride: one in so many products is compared with the golden model,
    too."""
    verdict = Verdict(cycles=outcome.cycles)
    if request.drive.concurrent:
        request = dataclasses.replace(request, runs=_as_accepted(request, outcome))
    verdict.mismatches += [Mismatch(f"cycle {cycle}: {text}") for cycle, text in outcome.violations]
    if outcome.stuck:
        text = f"nothing moved any more; {outcome.accepted} products had been accepted"
        verdict.mismatches.append(Mismatch(text, outcome.accepted - 1))
    matched = _match(request, outcome, verdict)
    _check_values(request, outcome, matched, golden_stride, verdict)
    if request.drive.interface == "core":
        check_cycles(request, outcome, matched, golden_stride, verdict)
    return verdict


def _as_accepted(request: CoreRequest, outcome: CoreOutcome) -> list[ModulusRun]:
    """The runs as the core saw them: a modulus applies to the operands whose first beat was
    accepted after the modulus's last beat."""
    products = [product for run in request.runs for product in run.products]
    ends = outcome.loaded["last"].astype(np.int64)
    ends[1:][ends[1:] == 0] = np.iinfo(np.int64).max  # never accepted
    first = outcome.taken["first"][: outcome.accepted].astype(np.int64)
    bounds = [*np.searchsorted(first, ends, side="right").tolist(), len(products)]
    bounds[0] = 0
    operations = [operation for run in request.runs for operation in run.operations or ()]
    return [
        dataclasses.replace(
            run,
            products=products[bounds[index] : bounds[index + 1]],
            operations=operations[bounds[index] : bounds[index + 1]] if operations else None,
            gaps=None,
        )
        for index, run in enumerate(request.runs)
    ]


# ---- which result belongs to which product -------------------------------------------------------


def _match(request: CoreRequest, outcome: CoreOutcome, verdict: Verdict) -> Matched:
    expected = _expected_beats(request, len(outcome.results))
    is_whole = outcome.results["beats"] == expected
    complete = np.flatnonzero(is_whole)
    cut = outcome.results[~is_whole]
    if request.drops:  # a modulus may have cut it
        ends = outcome.loaded["first"] + np.uint64(request.multiplier.drop_latency)
        cut = cut[~np.isin(cut["last"], ends)]
    for cycle in cut["first"][:1].tolist():
        verdict.mismatches.append(Mismatch(f"cycle {cycle}: a result that ends early"))
    if not request.drops:
        return _match_in_order(outcome, complete, verdict)
    return _match_with_drops(request, outcome, complete, verdict)


def _expected_beats(request: CoreRequest, results: int) -> NDArray[np.int64]:
    """The beats of every result.  In a batch that may drop products, all results have the
    same number."""
    beats_each = np.full(results, request.multiplier.beats, np.int64)
    if not request.drops:
        beats = [run.setting.beats for run in request.runs]
        lengths = np.repeat(beats, [len(run.products) for run in request.runs])[:results]
        beats_each[: len(lengths)] = lengths
    return beats_each


def _match_in_order(outcome: CoreOutcome, complete: NDArray[np.int64], verdict: Verdict) -> Matched:
    common = min(outcome.accepted, len(complete))
    for index in range(common, outcome.accepted):
        verdict.mismatches.append(Mismatch(f"product {index} is lost: no result came", index))
    for extra in complete[common:]:
        cycle = int(outcome.results["last"][extra])
        verdict.mismatches.append(Mismatch(f"cycle {cycle}: a result that no product asked for"))
    return Matched(np.arange(common), complete[:common])


def _match_with_drops(
    request: CoreRequest, outcome: CoreOutcome, complete: NDArray[np.int64], verdict: Verdict
) -> Matched:
    """Match results to products, some of which a load of a modulus may drop.

    A product in flight comes out if, and only if, its last beat is due within `drop_latency` cycles
    after the first beat of the modulus.  Between two loads results come in order.  If the latency
    is not constant, a product that may be due before or after that cycle may come out or not, but
    not later."""
    first = outcome.taken["first"][: outcome.accepted].astype(np.int64)
    ends = outcome.results["last"][complete].astype(np.int64)
    loads = outcome.loaded["first"].astype(np.int64)[: len(request.runs)]
    sizes = np.cumsum([0, *(len(run.products) for run in request.runs)])
    latency = request.multiplier.latency()
    products: list[int] = []
    results: list[int] = []
    result_index = 0
    for run in range(len(request.runs)):
        begin, end = int(sizes[run]), min(int(sizes[run + 1]), outcome.accepted)
        reload = int(loads[run + 1]) if run + 1 < len(loads) and end == sizes[run + 1] else None
        if reload == 0:  # never loaded: the batch was given up before
            reload = None
        ended = _NEVER if reload is None else reload + request.multiplier.drop_latency
        for index in range(begin, end):
            soonest = int(first[index]) + latency.minimum - 1
            due = int(first[index]) + latency.maximum - 1
            at_risk = due > ended
            if result_index < len(complete) and soonest <= ends[result_index] <= ended:
                products.append(index)
                results.append(int(complete[result_index]))
                result_index += 1
            elif at_risk:
                verdict.dropped += 1
            else:
                lost = Mismatch(f"product {index} is lost: no result came", index)
                verdict.mismatches.append(lost)
    for cycle in ends[result_index:].tolist():
        verdict.mismatches.append(Mismatch(f"cycle {cycle}: a result that no product asked for"))
    return Matched(np.array(products, np.int64), np.array(results, np.int64))


# ---- the integers --------------------------------------------------------------------------------


def _check_values(
    request: CoreRequest,
    outcome: CoreOutcome,
    matched: Matched,
    golden_stride: int,
    verdict: Verdict,
) -> None:
    products = matched.products
    values = [outcome.values[result] for result in matched.results.tolist()]
    for run, start in starts(request.runs):
        setting = run.setting
        low, high = np.searchsorted(products, (start, start + len(run.products))).tolist()
        places = (products[low:high] - start).tolist()
        of_run, gave = [run.products[place] for place in places], values[low:high]
        asked = None if run.operations is None else [run.operations[place] for place in places]
        for index in contradicted(setting, of_run, gave, asked):
            operation = MULTIPLY if asked is None else asked[index]
            text = _explain(setting, operation, of_run[index], gave[index])
            verdict.mismatches.append(Mismatch(text, int(products[low + index])))
        verdict.products += len(of_run)
        for index in range(0, len(of_run), golden_stride):
            verdict.golden += 1
            a, b = of_run[index]
            golden = setting.computed(MULTIPLY if asked is None else asked[index], a, b)
            if golden != gave[index]:
                text = f"gave {_hex(gave[index])}, but the golden model {_hex(golden)}"
                verdict.mismatches.append(Mismatch(text, int(products[low + index])))


def _explain(setting: Setting, operation: str, product: Product, value: Operand) -> str:
    shown = OPERATIONS[operation].of(*map(_hex, product))
    if setting.multiplier.kind == "plain":
        return f"{shown} gave {_hex(value)}"
    modulus, factor = setting.modulus, setting.montgomery_factor
    of_products = "" if operation in SUMS else f" (R = {factor:#x})"
    return f"{shown} mod {modulus:#x} gave {_hex(value)}{of_products}"


def _hex(value: Operand) -> str:
    return f"{value:#x}" if isinstance(value, int) else f"({value[0]:#x}, {value[1]:#x})"
