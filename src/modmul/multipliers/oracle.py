"""Compares products of a multiplier with the integers, or with polynomials over GF(2), without a
golden model: only by its forms and bounds, for `arithmetic.oracle`.

A result is congruent, and below result_bound if a * b is not too large for that (see
`OperandRange`); of kind plain it is the product; of carry-save numbers the sums count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from modmul.arithmetic.oracle import incongruent
from modmul.multipliers.contract import Operand
from modmul.multipliers.setting import Setting


def contradicted(
    setting: Setting,
    products: Sequence[tuple[Operand, Operand]],
    values: Sequence[Operand],
) -> list[int]:
    """Positions of the results (`values`) that are wrong; asked for every product, so lean."""
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
