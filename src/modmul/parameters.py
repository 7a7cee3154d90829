"""Parameters of designs: dataclass fields that are also options of the command line and keys of
a spec."""

from __future__ import annotations

import dataclasses
import functools
import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from modmul.errors import SpecError, refusal

BOTH = (True, False)  # the choices of a switch whose default is derived from other parameters

# Bounds of what a user may ask of a step: more would never end, or start too many processes.
MOST_JOBS, MOST_SEEDS, MOST_PRODUCTS = 1024, 10_000, 10**12
# What a step does for a user who asks for nothing else.
SEED = 1  # of everything random in a verification
PRODUCTS, OPERATIONS = 100_000, 200  # random ones that a verification checks
SEEDS = 8  # of place and route: the clock varies by 5 to 10 % with the seed
SHARE = 0.8  # of a chip's LUTs; a fuller chip is hard to route
SCHEDULES = 8  # the most designs that a report simulates; each takes some seconds the first time


_KEY = "parameter"  # of the metadata of a field


def parameter(
    default: Any,
    help: str,
    *,
    minimum: int | None = None,
    maximum: int | None = None,
    choices: tuple[Any, ...] | None = None,
) -> Any:
    """A dataclass field that is also an option of the command line and a key of a spec;
    `Parameter` explains the arguments."""
    limits = {"help": help, "minimum": minimum, "maximum": maximum, "choices": choices}
    return dataclasses.field(default=default, metadata={_KEY: limits})


@dataclass(frozen=True)
class Parameter:
    """The name, default and allowed values of one parameter of a design.

    field: its name in Python.  default: None if it is derived from the other parameters (`help`
    says how).  minimum, maximum: bounds of a whole number.  choices: all the allowed values."""

    field: str
    default: int | bool | str | None
    help: str
    minimum: int | None = None
    maximum: int | None = None
    choices: tuple[Any, ...] | None = None

    @property
    def name(self) -> str:
        """The option of the command line, and the key of a spec."""
        return option_name(self.field)

    @property
    def kind(self) -> type[bool] | type[int] | type[str]:
        """The type of the values."""
        if isinstance(self.default, bool) or self.choices == BOTH:
            return bool
        if self.choices is not None:
            return int if any(isinstance(choice, int) for choice in self.choices) else str
        return int if (self.minimum, self.maximum) != (None, None) else str

    def allowed(self) -> str:
        """The allowed values, in words."""
        if self.kind is bool:
            return "true or false"
        if self.choices is not None:
            return f"one of {', '.join(map(str, self.choices))}"
        if self.maximum is not None:
            return f"a whole number from {self.minimum or 0} to {self.maximum}"
        return f"a whole number from {self.minimum}" if self.minimum is not None else "text"

    def check(self, value: object) -> None:
        """Raise SpecError unless this value is allowed."""
        if not self.takes(value):
            names = [name for name in self.choices or () if isinstance(name, str)]
            raise refusal(self.name, value, self.allowed(), names=names)

    def takes(self, value: object) -> bool:
        """Whether this value is allowed."""
        if value is None and self.default is None:
            return True
        if self.choices is not None:  # 1 == True in Python
            return any(value == choice and type(value) is type(choice) for choice in self.choices)
        if self.kind is not int:
            return isinstance(value, self.kind)
        if not isinstance(value, int) or isinstance(value, bool):
            return False
        low, high = self.minimum, self.maximum
        return (low is None or low <= value) and (high is None or value <= high)

    def schema(self) -> dict[str, Any]:
        described: dict[str, Any] = {"description": self.help}
        if self.default is not None:
            described["default"] = self.default
        if isinstance(self.default, bool):
            return described | {"type": "boolean"}
        if self.choices is not None:
            return described | {"enum": list(self.choices)}
        limits = {"minimum": self.minimum, "maximum": self.maximum}
        limits = {key: limit for key, limit in limits.items() if limit is not None}
        return described | {"type": "integer" if limits else "string", **limits}

    def option(self) -> str:
        """The text about this parameter in the command line's help."""
        notes = [] if self.kind is bool else [self.allowed()]
        if self.default is not None:  # else the help says how it is derived
            default: object = self.default
            if self.kind is bool:
                default = "yes" if default else "no"
            notes.append(f"default {default}")
        return self.help + (f" ({'; '.join(notes)})" if notes else "")

    def sample(self, rng: random.Random, most: int, room: int) -> Any:
        """A random allowed value.  most: the greatest number that is drawn from choices.
        room: how many whole numbers, from the minimum up, are drawn from."""
        if self.choices is not None:
            few = [
                choice for choice in self.choices if not isinstance(choice, int) or choice <= most
            ]
            return rng.choice(few)
        if isinstance(self.default, bool):
            return rng.random() < 0.5
        if self.minimum is not None:
            return rng.randrange(self.minimum, self.minimum + room)
        return self.default


@functools.cache
def parameters(design: type[Any]) -> dict[str, Parameter]:
    """The parameters of an architecture or processor by option name, in the order declared."""
    fields = [field for field in dataclasses.fields(design) if _KEY in field.metadata]
    named = {}
    for field in fields:
        default: Any = field.default
        named[option_name(field.name)] = Parameter(field.name, default, **field.metadata[_KEY])
    return named


def option_name(field: str) -> str:
    """The option and key of a field: latency-reduction for latency_reduction."""
    return field.replace("_", "-")


def by_option(given: Mapping[str, Any]) -> dict[str, Any]:
    """The values by the names of their options.  Raises SpecError for a key that is given
    both with `-` and with `_`, since it may have two values."""
    values: dict[str, Any] = {}
    for key, value in given.items():
        name = option_name(key)
        if name in values:
            allowed = f"given once, as {name} or with _ for -"
            raise SpecError(name, value, allowed, f"{name} is given twice: must be {allowed}")
        values[name] = value
    return values


def check_number(key: str, value: object, least: int, most: int) -> None:
    """Raise SpecError unless `value` is a whole number from `least` to `most`."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        allowed = f"a whole number from {least} to {most}"
        raise refusal(key, value, allowed)
