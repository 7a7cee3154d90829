"""Parameters: dataclass fields that are options of the command line and keys of a spec."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from modmul.errors import SpecError, quoted

BOTH = (True, False)  # choices of a switch whose default is derived

# Bounds of what a step is asked for: more never comes to an end, or starts too many processes.
MOST_JOBS, MOST_SEEDS, MOST_PRODUCTS = 1024, 10_000, 10**12


def parameter(
    default: Any,
    help: str,
    *,
    minimum: int | None = None,
    maximum: int | None = None,
    choices: tuple[Any, ...] | None = None,
) -> Any:
    """A dataclass field that is an option of the command line and a key of a spec.

    default None: derived from the other parameters (`help` says how)."""
    metadata = {"help": help, "minimum": minimum, "maximum": maximum, "choices": choices}
    return dataclasses.field(default=default, metadata=metadata)


def parameters(design: type[Any]) -> dict[str, dataclasses.Field[Any]]:
    """The parameters of an architecture or processor by option name, in the order declared."""
    fields = dataclasses.fields(design)
    return {option_name(field.name): field for field in fields if "help" in field.metadata}


def option_name(field: str) -> str:
    """The option and key of a parameter: latency-reduction for latency_reduction."""
    return field.replace("_", "-")


def by_option(given: Mapping[str, Any]) -> dict[str, Any]:
    """The values by the names of their options.  SpecError for a key that is there with `-` and
    with `_`, since it may have two values."""
    found: dict[str, Any] = {}
    for key, value in given.items():
        name = option_name(key)
        if name in found:
            allowed = f"given once, as {name} or with _ for -"
            raise SpecError(name, value, allowed, f"{name} is given twice: must be {allowed}")
        found[name] = value
    return found


def allowed_values(field: dataclasses.Field[Any]) -> str:
    """In words, what a parameter may be."""
    choices, low, high = (field.metadata[key] for key in ("choices", "minimum", "maximum"))
    if isinstance(field.default, bool) or choices == BOTH:
        return "true or false"
    if choices is not None:
        return f"one of {', '.join(map(str, choices))}"
    if high is not None:
        return f"a whole number from {low or 0} to {high}"
    return f"a whole number from {low}" if low is not None else "text"


def check_number(key: str, value: object, least: int, most: int) -> None:
    """Raise SpecError unless `value` is a whole number from `least` to `most`."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        allowed = f"a whole number from {least} to {most}"
        raise SpecError(key, value, allowed, f"{key} = {quoted(value)}: must be {allowed}")


def check_parameter(field: dataclasses.Field[Any], value: Any) -> None:
    """Raise SpecError unless `value` is one that this parameter may have."""
    choices, low, high = (field.metadata[key] for key in ("choices", "minimum", "maximum"))
    if value is None and field.default is None:
        return
    if isinstance(field.default, bool):
        right = isinstance(value, bool)
    elif choices is not None:  # 1 == True in Python
        right = any(value == one and type(value) is type(one) for one in choices)
    elif low is not None or high is not None:
        right = isinstance(value, int) and not isinstance(value, bool)
        right = right and (low is None or low <= value) and (high is None or value <= high)
    else:
        right = isinstance(value, type(field.default) if field.default is not None else str)
    if not right:
        key, allowed = option_name(field.name), allowed_values(field)
        raise SpecError(key, value, allowed, f"{key} = {quoted(value)}: must be {allowed}")
