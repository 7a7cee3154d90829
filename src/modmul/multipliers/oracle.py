"""Products against the integers, or polynomials over GF(2), without any golden model.

result * R = a * b modulo N, and result < result_bound if a * b is not too large for that (see
`OperandRange`); of kind plain: the product itself; of carry-save: of the sums."""

from __future__ import annotations

from modmul.arithmetic.congruence import congruent
from modmul.multipliers.contract import Operand
from modmul.multipliers.setting import Setting


def contradicted(
    setting: Setting,
    products: list[tuple[Operand, Operand]],
    values: list[Operand],
) -> list[int]:
    """Positions of the results (`values`) that are wrong; asked for every product, so lean."""
    multiplier, modulus = setting.multiplier, setting.modulus
    if multiplier.operand_form != "binary":
        products = [(multiplier.value_of(a), multiplier.value_of(b)) for a, b in products]
    if multiplier.result_form != "binary":
        values = [multiplier.value_of(value) for value in values]
    numbers = enumerate(zip(products, values, strict=True))
    if multiplier.kind == "plain":
        return [i for i, ((a, b), value) in numbers if a * b != value]  # type: ignore[operator]
    factor, bound = setting.montgomery_factor, setting.result_bound
    assert factor is not None
    if setting.field == "binary":
        exponent = factor.bit_length() - 1
        return [
            i
            for i, ((a, b), value) in numbers
            if not congruent(value, exponent, a, b, modulus)  # type: ignore[arg-type]
            or (value >= bound and setting.bounds(a, b))  # type: ignore[operator, arg-type]
        ]
    return [
        i
        for i, ((a, b), value) in numbers
        if (value * factor - a * b) % modulus  # type: ignore[operator]
        or (value >= bound and setting.bounds(a, b))  # type: ignore[operator, arg-type]
    ]
