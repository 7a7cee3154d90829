"""Products of a multiplier against the integers, or polynomials over GF(2), without any golden
model: its forms and bounds, for `arithmetic.oracle`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from modmul.arithmetic import oracle
from modmul.multipliers.contract import Multiplier, Operand


def contradicted(
    multiplier: Multiplier,
    modulus: int,
    products: Sequence[tuple[Operand, Operand]],
    values: Sequence[Operand],
) -> list[int]:
    """Positions of the results (`values`) that are wrong.  In carry-save form the sums count."""
    factors, numbers = cast(Sequence[tuple[int, int]], products), cast(Sequence[int], values)
    if multiplier.operand_form == "carry-save":
        factors = [(_sum(a), _sum(b)) for a, b in products]
    if multiplier.result_form == "carry-save":
        numbers = [_sum(value) for value in values]
    if multiplier.kind == "plain":
        return oracle.contradicted(factors, numbers, 0, 0)
    factor, bound = multiplier.montgomery_factor, multiplier.result_bound(modulus)
    assert factor is not None
    return oracle.contradicted(factors, numbers, bound, modulus, multiplier.field_in_use, factor)


def _sum(value: Operand) -> int:
    return value if isinstance(value, int) else value[0] + value[1]
