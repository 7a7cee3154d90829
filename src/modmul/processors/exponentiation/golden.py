"""Golden model: the products that the hardware makes, on the golden model of the multiplier."""

from __future__ import annotations

from typing import Any

from modmul.arithmetic.binary import BinaryMontgomery
from modmul.arithmetic.montgomery import Montgomery
from modmul.multipliers.facts import MultiplierFacts
from modmul.multipliers.setting import Setting
from modmul.processors.exponentiation.facts import ExponentiationFacts


def domain(setting: Setting) -> Montgomery | BinaryMontgomery:
    factor = setting.montgomery_factor
    assert factor is not None
    return (Montgomery if setting.field == "prime" else BinaryMontgomery)(setting.modulus, factor)


def compute(
    facts: ExponentiationFacts, setting: Setting, base: int, exponent: int, bits: int
) -> int:
    """Base^exponent mod N.  setting: the multiplier of the processor with the modulus N."""
    multiplier, modulus, product = setting.multiplier, setting.modulus, setting.compute
    x = _begun(facts, setting, base)
    for index in reversed(range(bits)):
        bit = exponent >> index & 1
        if facts.is_ladder:
            both = product(x[0], x[1])
            x[bit] = product(x[bit], x[bit])
            x[1 - bit] = both
            continue
        x[0] = product(x[0], x[0])
        if bit:
            x[0] = product(x[0], x[1])
    if facts.enters_domain:
        x[0] = product(x[0], _operand(multiplier, 1))
    value = sum(x[0]) if isinstance(x[0], tuple) else x[0]
    if setting.field == "prime":
        for j in reversed(range(facts.halvings)):
            value -= modulus << j if value >= modulus << j else 0
    return int(value)


def _begun(facts: ExponentiationFacts, setting: Setting, base: int) -> list[Any]:
    """X0 and X1 before the loop."""
    multiplier = setting.multiplier
    x1 = _operand(multiplier, base)
    if not facts.enters_domain:
        return [_operand(multiplier, 1), x1]
    of_field = domain(setting)
    x0 = _operand(multiplier, of_field.one)
    return [x0, setting.compute(_operand(multiplier, of_field.square), x1)]


def _operand(multiplier: MultiplierFacts, value: int) -> Any:
    return (value, 0) if multiplier.operand_form == "carry-save" else value
