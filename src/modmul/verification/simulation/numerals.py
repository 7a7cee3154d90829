"""Reads and writes numbers as users do: in hexadecimal, or as integers of JSON."""

from __future__ import annotations

import re

from modmul import errors
from modmul.errors import SpecError
from modmul.multipliers.contract import Operand

ALLOWED = 'a whole number from 0, or a text of hexadecimal digits such as "0x1f"'
_HEXADECIMAL = re.compile(r"0[xX][0-9a-fA-F]+(_[0-9a-fA-F]+)*")


def number(key: str, value: object) -> int:
    """The number in `value`: an int from 0, or a text 0x..., in which _ may separate digits.

    Raises SpecError for anything else; digits without 0x are refused, since they could be
    decimal."""
    if isinstance(value, str) and _HEXADECIMAL.fullmatch(value):
        return int(value, 16)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise refusal(key, value, ALLOWED)


def operand(key: str, value: object, *, pairs: bool) -> Operand:
    """An operand.  With `pairs` it is [sum, carry], and a single number has the carry 0."""
    if not pairs:
        return number(key, value)
    if not isinstance(value, (list, tuple)):
        return (number(key, value), 0)
    if len(value) != 2:
        raise refusal(key, value, f"[sum, carry], each {ALLOWED}")
    return (number(key, value[0]), number(key, value[1]))


def total(value: Operand) -> int:
    """The number that an operand represents; for a pair, its sum."""
    return value if isinstance(value, int) else value[0] + value[1]


def written(value: Operand) -> str | list[str] | bool:
    """A value for JSON: hexadecimal text, a list of two for a pair; a flag as it is."""
    if isinstance(value, bool):
        return value
    return hex(value) if isinstance(value, int) else [hex(part) for part in value]


def shown(value: Operand) -> str:
    """A value for a message, cut if it is long."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return _cut(hex(value))
    return f"[{_cut(hex(value[0]))}, {_cut(hex(value[1]))}]"


def refusal(key: str, value: object, allowed: str, why: str = "") -> SpecError:
    long = isinstance(value, int) and value >> 64 not in (0, -1)
    return errors.refusal(key, value, allowed, why, shown=_cut(f"{value:#x}") if long else None)


def _cut(text: str) -> str:
    return text if len(text) <= 100 else f"{text[:80]}..."
