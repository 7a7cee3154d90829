"""Golden model: the products that the hardware makes, on the golden model of the multiplier."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from modmul.arithmetic.binary import BinaryMontgomery
from modmul.arithmetic.moduli import Field
from modmul.arithmetic.montgomery import Montgomery
from modmul.multipliers.contract import Multiplier

if TYPE_CHECKING:
    from modmul.processors.exponentiation import Exponentiation


def domain(multiplier: Multiplier, modulus: int, field: Field) -> Montgomery | BinaryMontgomery:
    """The Montgomery domain of a multiplier with its choices made."""
    factor = multiplier.montgomery_factor
    assert factor is not None
    return (Montgomery if field == "prime" else BinaryMontgomery)(modulus, factor)


def compute(
    processor: Exponentiation,
    multiplier: Multiplier,
    base: int,
    exponent: int,
    modulus: int,
    bits: int,
    field: Field,
) -> int:
    """base^exponent mod N.  multiplier: that of the processor, with its choices made."""
    x = _begun(processor, multiplier, base, modulus, field)

    def product(a: Any, b: Any) -> Any:
        return multiplier.compute(a, b, modulus)

    for index in reversed(range(bits)):
        bit = exponent >> index & 1
        if processor.is_ladder:
            both = product(x[0], x[1])
            x[bit] = product(x[bit], x[bit])
            x[1 - bit] = both
            continue
        x[0] = product(x[0], x[0])
        if bit:
            x[0] = product(x[0], x[1])
    if processor.enters_domain:
        x[0] = product(x[0], _operand(multiplier, 1))
    value = sum(x[0]) if isinstance(x[0], tuple) else x[0]
    if field == "prime":
        for j in reversed(range(processor.subtractions)):
            value -= modulus << j if value >= modulus << j else 0
    return int(value)


def _begun(
    processor: Exponentiation, multiplier: Multiplier, base: int, modulus: int, field: Field
) -> list[Any]:
    """X0 and X1 before the loop."""
    x1 = _operand(multiplier, base)
    if not processor.enters_domain:
        return [_operand(multiplier, 1), x1]
    of_field = domain(multiplier, modulus, field)
    x0 = _operand(multiplier, of_field.one)
    return [x0, multiplier.compute(_operand(multiplier, of_field.square), x1, modulus)]


def _operand(multiplier: Multiplier, value: int) -> Any:
    return (value, 0) if multiplier.operand_form == "carry-save" else value
