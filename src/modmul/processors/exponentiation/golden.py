"""Golden model: the products that the hardware makes, on the golden model of the multiplier."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from modmul.arithmetic.binary import BinaryMontgomery
from modmul.arithmetic.montgomery import Montgomery
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.setting import Setting

if TYPE_CHECKING:
    from modmul.processors.exponentiation import Exponentiation


def domain(setting: Setting) -> Montgomery | BinaryMontgomery:
    """The Montgomery domain of a multiplier under a modulus."""
    factor = setting.montgomery_factor
    assert factor is not None
    return (Montgomery if setting.field == "prime" else BinaryMontgomery)(setting.modulus, factor)


def compute(
    processor: Exponentiation, setting: Setting, base: int, exponent: int, bits: int
) -> int:
    """base^exponent mod N.  setting: the multiplier of the processor under N."""
    multiplier, modulus, product = setting.multiplier, setting.modulus, setting.compute
    x = _begun(processor, setting, base)
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
    if setting.field == "prime":
        for j in reversed(range(processor.subtractions)):
            value -= modulus << j if value >= modulus << j else 0
    return int(value)


def _begun(processor: Exponentiation, setting: Setting, base: int) -> list[Any]:
    """X0 and X1 before the loop."""
    multiplier = setting.multiplier
    x1 = _operand(multiplier, base)
    if not processor.enters_domain:
        return [_operand(multiplier, 1), x1]
    of_field = domain(setting)
    x0 = _operand(multiplier, of_field.one)
    return [x0, setting.compute(_operand(multiplier, of_field.square), x1)]


def _operand(multiplier: Multiplier, value: int) -> Any:
    return (value, 0) if multiplier.operand_form == "carry-save" else value
