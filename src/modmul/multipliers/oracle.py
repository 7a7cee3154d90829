"""Compares products and sums of a multiplier with the integers, or with polynomials over GF(2). It
uses the forms and bounds of the multiplier, and not its golden model.

A result is congruent, and below result_bound if a * b is not too large for that (see
`OperandRange`), as a sum always is; of kind plain it is the product; of carry-save numbers the sums
count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

from modmul.arithmetic.congruence import incongruent, unlike_sums
from modmul.errors import CheckFailed
from modmul.multipliers.contract import Operand
from modmul.multipliers.operations import OPERATIONS, SQUARE, SUBTRACT, SUMS
from modmul.multipliers.setting import Setting


def contradicted(
    setting: Setting,
    products: Sequence[tuple[Operand, Operand]],
    values: Sequence[Operand],
    operations: Sequence[str] | None = None,
) -> list[int]:
    """The positions of the results (`values`) that are wrong.  This is called for every
    product of a simulation, so it does little.

    operations: the operation of each result; None: all are products."""
    if operations is not None:
        return sorted(_of_operations(setting, products, values, operations))
    multiplier = setting.multiplier
    pairs, numbers = cast(Sequence[tuple[int, int]], products), cast(Sequence[int], values)
    if multiplier.operand_form != "binary":
        pairs = [(multiplier.value_of(a), multiplier.value_of(b)) for a, b in products]
    if multiplier.result_form != "binary":
        numbers = [multiplier.value_of(value) for value in values]
    if multiplier.kind == "plain":
        return incongruent(pairs, numbers, 0)
    factor, bound = setting.montgomery_factor, setting.result_bound
    assert factor is not None
    wrong = set(incongruent(pairs, numbers, setting.modulus, setting.field, factor))
    wrong |= {i for i, value in enumerate(numbers) if value >= bound and setting.bounds(*pairs[i])}
    return sorted(wrong)


def checked_result(setting: Setting, operation: str, a: Operand, b: Operand) -> Any:
    """The result of an operation by the golden model.  Raises CheckFailed if it is wrong."""
    multiplier, result = setting.multiplier, setting.computed(operation, a, b)
    if contradicted(setting, [(a, b)], [result], [operation]):
        numbers = [hex(multiplier.value_of(operand)) for operand in (a, b)]
        shown = OPERATIONS[operation].of(*numbers)
        raise CheckFailed(f"{multiplier.title}: the golden model is wrong: {shown}")
    return result


def _of_operations(
    setting: Setting,
    products: Sequence[tuple[Operand, Operand]],
    values: Sequence[Operand],
    operations: Sequence[str],
) -> Iterator[int]:
    """The same positions, operation by operation."""
    for operation in dict.fromkeys(operations):
        places = [place for place, own in enumerate(operations) if own == operation]
        pairs, gave = [products[place] for place in places], [values[place] for place in places]
        if operation in SUMS:
            wrong = _wrong_sums(setting, operation, pairs, gave)
        else:
            factors = [(a, a) for a, _ in pairs] if operation == SQUARE else pairs
            wrong = contradicted(setting, factors, gave)
        yield from (places[index] for index in wrong)


def _wrong_sums(
    setting: Setting,
    operation: str,
    pairs: Sequence[tuple[Operand, Operand]],
    values: Sequence[Operand],
) -> list[int]:
    """The positions of results that are not a + b or a - b modulo N, or above their
    bound."""
    value_of, sign = setting.multiplier.value_of, -1 if operation == SUBTRACT else 1
    numbers = [value_of(value) for value in values]
    terms = [(value_of(a), sign * value_of(b)) for a, b in pairs]
    wrong = set(unlike_sums(terms, numbers, setting.modulus))
    return sorted(wrong | {i for i, value in enumerate(numbers) if value >= setting.result_bound})
