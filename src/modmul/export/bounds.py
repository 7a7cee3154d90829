"""Describes the arithmetic of a multiplier in plain JSON values: the formula, moduli, and bounds of
operands and results."""

from __future__ import annotations

from typing import Any

from modmul.arithmetic.moduli import Field
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.facts import MultiplierFacts
from modmul.multipliers.ranges import Bound
from modmul.multipliers.setting import least
from modmul.operation import Mode
from modmul.spec import Spec


def arithmetic(spec: Spec) -> dict[str, Any]:
    """Formula and bounds for the spec's modulus if it has one, else for the longest length.

    In formulas N is the modulus and R the Montgomery factor; in the field binary they are
    polynomials, and R is a power of x.  word_exponent: R is this power for every word in use, None
    if the length is not chosen.  taken: the allowed moduli in each field.  ranges: in each field,
    or in that of the modulus."""
    multiplier = spec.setting.chosen if spec.setting else spec.multiplier
    factor = multiplier.montgomery_factor
    if multiplier.kind == "plain":
        formula = "a * b"
    else:
        formula = "a * b mod N" if factor == 1 else "a * b / R mod N"
    own = spec.modulus.value if spec.modulus else None
    fields = multiplier.fields_built if own is None else (multiplier.field_in_use,)
    ranges = [_ranges(multiplier, field, own) for field in fields]
    return {
        "kind": multiplier.kind,
        "field": multiplier.field_in_use,
        "formula": formula,
        "montgomery_factor": None if factor is None else hex(factor),
        "word_exponent": _word_exponent(multiplier),
        "operand_form": multiplier.operand_form,
        "result_form": multiplier.result_form,
        "operand_below": ranges[0]["operand_below"],
        "result_below": ranges[0]["result_below"],
        "ranges": ranges,
        "chainable": all(row["chainable"] for row in ranges),
        "moduli": multiplier.moduli,
        "taken": _taken(spec.multiplier),
        "notes": list(multiplier.notes),
    }


def _taken(multiplier: Multiplier) -> list[dict[str, Any]]:
    """The conditions on a modulus in each field: at least `least`, at most `bits` bits, and
    odd (in GF(2^m): with constant term 1) or not.  word, spare: with s words in use the modulus has
    at most s * word - spare bits; None if the length is not chosen."""
    if multiplier.kind == "plain" or multiplier.fixed_modulus is not None:
        return []
    rows = []
    for field in multiplier.fields_built:
        low, high = multiplier.lengths or (None, None)
        rule = multiplier.taken_in(Mode(field=field, words=high))
        margin = None
        if low is not None:
            shortest = multiplier.taken_in(Mode(field=field, words=low))
            margin = multiplier.beat * low - shortest.bits
        rows.append(
            {
                "field": field,
                "least": hex(rule.least),
                "bits": rule.bits,
                "odd": rule.odd,
                "word": None if low is None else multiplier.beat,
                "spare": margin,
            }
        )
    return rows


def _ranges(multiplier: MultiplierFacts, field: Field, own: int | None) -> dict[str, Any]:
    """The bounds in one field.  chainable: results are allowed as operands."""
    if field != multiplier.field_in_use:
        multiplier = multiplier.in_field(field)
    operand, result = multiplier.operand_limit, multiplier.result_limit
    if multiplier.kind == "plain" or own is None:
        chainable = result.fits(operand)
    else:
        chainable = result.at(own) <= operand.at(own)
    return {
        "field": field,
        "operand_below": _bound(operand, own),
        "result_below": _bound(result, own),
        "chainable": chainable,
    }


def _word_exponent(multiplier: MultiplierFacts) -> int | None:
    """k if R is 2^(k s) or x^(k s) with s words in use."""
    if multiplier.lengths is None or multiplier.montgomery_factor in (None, 1):
        return None
    exponents = set()
    for words in multiplier.lengths:
        mode = Mode(field=multiplier.field_in_use, words=words)
        factor = least(multiplier, mode).montgomery_factor
        assert factor is not None
        exponents.add((factor.bit_length() - 1) / words)
    return int(min(exponents)) if len(exponents) == 1 else None


def _bound(limit: Bound, own: int | None) -> dict[str, Any]:
    """A bound.  formula: for people.  cases: for programs, see `Bound.cases`.  value: for
    the own modulus."""
    value = None if own is None else hex(limit.at(own))
    return {"formula": limit.formula, "cases": limit.cases(), "value": value}
