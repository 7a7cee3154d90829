"""Reads the values of one key of a space: one value, a list, or a range.

A range is {from, to, step}, both ends included, or, for a key whose default follows from other
keys, {above-default, step}: the values from the default up to that much above it."""

from __future__ import annotations

from typing import Any, NamedTuple

from modmul.errors import SpecError, quoted

MOST_VALUES = 100_000  # the most values of a range
Axis = tuple[Any, ...]  # the values of one key
_RANGE, _ABOVE = {"from", "to", "step"}, {"above-default", "step"}


class AboveDefault(NamedTuple):
    """A value relative to a default that follows from other keys.  more: how far above it."""

    more: int


def axis(key: str, value: Any) -> Axis:
    """Return the values that a space gives to a key.  Raises SpecError for an impossible one."""
    if isinstance(value, dict):
        return _range(key, value)
    values = value if isinstance(value, list) else [value]
    if not values:
        raise refusal(key, value, "a value, a list of values, or a range", "an empty list")
    for item in values:
        if not isinstance(item, (str, int)):
            raise refusal(key, item, "a string, a whole number, true or false")
    once = dict.fromkeys((type(value), value) for value in values)  # 1 == True in Python
    return tuple(item for _, item in once)


def _range(key: str, value: dict[str, Any]) -> Axis:
    allowed = "a range {from = LOW, to = HIGH, step = 1} or {above-default = MOST, step = 1}"
    numbers = {"step": 1} | value
    right = set(numbers) in (_RANGE, _ABOVE) and all(
        isinstance(number, int) and not isinstance(number, bool) for number in numbers.values()
    )
    if not right:
        raise refusal(key, value, allowed)
    low = numbers.get("from", 0)
    high = numbers["to"] if "to" in numbers else numbers["above-default"]
    if numbers["step"] < 1 or low > high:
        raise refusal(key, value, allowed)
    values = range(low, high + 1, numbers["step"])
    if (high - low) // numbers["step"] >= MOST_VALUES:
        raise refusal(key, value, f"a range of at most {MOST_VALUES} values")
    return tuple(values) if "from" in numbers else tuple(map(AboveDefault, values))


def refusal(key: str, value: Any, allowed: str, why: str | None = None) -> SpecError:
    """Return the SpecError for a value of a key in a space.  why: the reason in words (default:
    that it must be `allowed`)."""
    reason = why or f"must be {allowed}"
    subject = key if value is None else f"{key} = {quoted(value)}"
    return SpecError(key, value, allowed, f"{subject}: {reason}")
