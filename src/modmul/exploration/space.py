"""Reads a space of specifications: a TOML file in which a key of a spec may have several values.

    modulus = "p256"
    target = "ecp5"
    architecture = ["fpmm", "fips"]           # or "all"
    where = ["dsp <= 12", "timing = 'constant'", "fmax_mhz.usable >= 200"]
    budget = "45 min"                         # or a number of points

    [fpmm]                                    # keys of this architecture alone
    word = [17, 34]
    slots = { above-default = 4 }

A key has one value, a list, or a range {from, to, step}, both ends included; or, if its default
follows from other keys, {above-default, step}: the values from the default up to that much above
it.  A key at the top applies to every architecture of the
space and must be known to each.  A table applies to the architecture that it is named after, and
overrides the top.  If [[fpmm]] stands there several times, the space is the union of these tables.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from modmul import designs, inputs, multipliers
from modmul.design import Design
from modmul.errors import SpecError, quoted, suggestion
from modmul.exploration import shipped
from modmul.exploration.conditions import Condition
from modmul.exploration.names import described
from modmul.parameters import MOST_PRODUCTS, MOST_SEEDS, by_option, check_number, parameters
from modmul.processors import Processor
from modmul.spec.keys import (
    COMMON,
    CURVE,
    DEFAULT_ARCHITECTURE,
    DEFAULT_MULTIPLIER,
    MULTIPLIER,
    takes_curves,
)

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
        raise _refusal(key, value, "a value, a list of values, or a range", "an empty list")
    for item in values:
        if not isinstance(item, (str, int)):
            raise _refusal(key, item, "a string, a whole number, true or false")
    once = dict.fromkeys((type(value), value) for value in values)  # 1 == True in Python
    return tuple(item for _, item in once)


def _range(key: str, value: dict[str, Any]) -> Axis:
    allowed = "a range {from = LOW, to = HIGH, step = 1} or {above-default = MOST, step = 1}"
    numbers = {"step": 1} | value
    right = set(numbers) in (_RANGE, _ABOVE) and all(
        isinstance(number, int) and not isinstance(number, bool) for number in numbers.values()
    )
    if not right:
        raise _refusal(key, value, allowed)
    low = numbers.get("from", 0)
    high = numbers["to"] if "to" in numbers else numbers["above-default"]
    if numbers["step"] < 1 or low > high:
        raise _refusal(key, value, allowed)
    values = range(low, high + 1, numbers["step"])
    if (high - low) // numbers["step"] >= MOST_VALUES:
        raise _refusal(key, value, f"a range of at most {MOST_VALUES} values")
    return tuple(values) if "from" in numbers else tuple(map(AboveDefault, values))


def _refusal(key: str, value: Any, allowed: str, why: str | None = None) -> SpecError:
    """Return the SpecError for a value of a key in a space.  why: the reason in words (default:
    that it must be `allowed`)."""
    reason = why or f"must be {allowed}"
    subject = key if value is None else f"{key} = {quoted(value)}"
    return SpecError(key, value, allowed, f"{subject}: {reason}")


_UNITS = {"s": 1, "min": 60, "h": 3600}
_MOST = 10**9
_POINTS = re.compile(r"[0-9]{1,20}")
_TIME = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(s|min|h)")
_ALLOWED = 'a number of points, or a time such as "45 min", "2 h", "30 s"; at most 10^9'


class Budget(NamedTuple):
    """A number of points to measure, or a time in seconds; the other one is None."""

    points: int | None = None
    seconds: float | None = None

    @classmethod
    def of(cls, value: Any, key: str = "budget") -> Budget:
        """Read a budget as users write it: 200, "200", "45 min", "2h".  Raises SpecError for
        anything else."""
        if isinstance(value, str):
            match = _TIME.fullmatch(value.strip())
            if match and 0 < float(match[1]) <= _MOST:
                return cls(seconds=float(match[1]) * _UNITS[match[2]])
            value = int(value) if _POINTS.fullmatch(value.strip()) else value
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _MOST:
            return cls(points=value)
        raise _refusal(key, value, _ALLOWED)

    def __str__(self) -> str:
        if self.points:
            return f"{self.points} points"
        seconds = self.seconds or 0.0
        return f"{seconds:g} s" if seconds < 60 else f"{seconds / 60:g} min"


ALL = "all"
SEEDS, PRODUCTS = 2, 3000
OPERATIONS = 100  # random operations of a point, if all designs are processors
OBJECTIVES = ("area.value", "time.per_product", "time.latency")
SETTINGS = ("where", "budget", "seeds", "products", "objectives", "time-limit", "summary")
_FILE = "a TOML file, or one of the spaces that come with this program"


class SpaceBlock(NamedTuple):
    """One architecture, with the values of each of its keys that the space names."""

    architecture: str
    axes: dict[str, Axis]

    @property
    def size(self) -> int:
        """The number of points of the grid."""
        return math.prod(map(len, self.axes.values()))


class Space(NamedTuple):
    """A space, read and checked.  name: of the file, without suffix.  text: the content of the
    file.  seeds, products, time_limit (seconds of one point): options of each point's steps.
    objectives: names of the record's figures, each to be as small as possible."""

    name: str
    text: str
    folder: Path | None
    blocks: tuple[SpaceBlock, ...]
    where: tuple[Condition, ...]
    budget: Budget | None
    seeds: int
    products: int
    time_limit: float | None
    objectives: tuple[str, ...]
    summary: str

    @property
    def size(self) -> int:
        """The number of points of the whole grid, the impossible ones among them."""
        return sum(block.size for block in self.blocks)


def read_space(name: str | Path) -> Space:
    """Return the space of that name, or in that file.  Raises SpecError if it is not valid."""
    path = Path(name)
    known = shipped()
    if path.suffix != ".toml" and str(name) in known:
        return parse(known[str(name)], str(name))
    try:
        text = inputs.read(path)
    except ValueError as error:
        message = f"{name}: cannot be read: {error}; must be {_FILE}: {', '.join(known)}"
        raise SpecError("space", str(name), _FILE, message) from None
    return parse(text, path.stem, path.parent, str(path))


def parse(text: str, name: str, folder: Path | None = None, source: str | None = None) -> Space:
    """Read a space from its text.  folder: the base of relative @FILEs.  source: the name in
    errors."""
    source = source or name
    try:
        table = inputs.toml(text)
    except ValueError as error:
        raise _refusal(source, None, "TOML", f"not TOML: {error}") from None
    try:
        members = by_option(table)
        settings = {key: members.pop(key) for key in SETTINGS if key in members}
        blocks = tuple(_blocks(members))
        summary = settings.get("summary", "")
        if not isinstance(summary, str):
            raise _refusal("summary", summary, "a text")
        return Space(
            name,
            text,
            folder,
            blocks,
            tuple(Condition(text) for text in _texts("where", settings.get("where", []))),
            Budget.of(settings["budget"]) if "budget" in settings else None,
            _number("seeds", settings.get("seeds", SEEDS), MOST_SEEDS),
            _number("products", settings.get("products", _usual(blocks)), MOST_PRODUCTS),
            _limit(settings["time-limit"]) if "time-limit" in settings else None,
            _objectives(settings.get("objectives", list(OBJECTIVES))),
            summary,
        )
    except SpecError as error:
        message = f"{source}: {error.message}"
        raise SpecError(error.key, error.value, error.allowed, message) from None


def _usual(blocks: Iterable[SpaceBlock]) -> int:
    """The default number of random products, or operations, of a point."""
    powers = all(issubclass(designs.find(block.architecture), Processor) for block in blocks)
    return OPERATIONS if powers else PRODUCTS


def _objectives(value: Any) -> tuple[str, ...]:
    figures = [name for name, known in described().items() if known.type in ("BIGINT", "DOUBLE")]
    names = _texts("objectives", value)
    for name in names:
        if name not in figures:
            hint = suggestion(name, figures)
            why = f"must be a figure of a record, such as {', '.join(OBJECTIVES)}{hint}"
            raise _refusal("objectives", name, "figures of a record", why)
    if not names:
        raise _refusal("objectives", value, "at least one figure of a record")
    return tuple(names)


def _limit(value: Any) -> float:
    try:
        limit = Budget.of(value)
    except SpecError:
        limit = Budget()
    if limit.seconds is None:
        raise _refusal("time-limit", value, 'a time such as "10 min"')
    return limit.seconds


def _blocks(members: Mapping[str, Any]) -> Iterator[SpaceBlock]:
    """Yield every architecture of the space with its axes: keys at the top, then those of its
    table."""
    tables = {
        key: value
        for key, value in members.items()
        if key in designs.REGISTRY and not isinstance(value, str)
    }
    top = {key: value for key, value in members.items() if key not in tables}
    names = _architectures(top.pop("architecture", DEFAULT_ARCHITECTURE), tables)
    for key, value in top.items():
        _known_somewhere(key, value)
    for name in names:
        several = tables.get(name, {})
        if several == []:
            raise _refusal(name, several, "a table of keys, or a list with at least one")
        for table in several if isinstance(several, list) else [several]:
            if not isinstance(table, dict):
                raise _refusal(name, table, "a table of keys")
            yield _block(name, top, by_option(table))


def _block(name: str, top: Mapping[str, Any], own: Mapping[str, Any]) -> SpaceBlock:
    architecture = designs.find(name)
    keys = dict(top) | dict(own)
    curve = [CURVE] if takes_curves(architecture) else []
    known = [*COMMON, *curve, *parameters(architecture), *_below(architecture, keys)]
    for key, value in keys.items():
        if key not in known or key == "architecture":
            where = f"[{name}]" if key in own else "the top"
            hint = "" if key in own else "; put it into the tables of those that have it"
            allowed = ", ".join(key for key in known if key != "architecture")
            why = f"{name} has no {key}{hint}; it has {allowed}"
            message = f"{key} = {quoted(value)}, in {where}: {why}"
            raise SpecError(key, value, allowed, message)
    if architecture.modulus_at == "none" and "modulus" in keys:
        raise _refusal(
            "modulus",
            keys["modulus"],
            "absent",
            f"{name} is a plain product, without a modulus: it cannot share a space "
            "with one; give `width`",
        )
    return SpaceBlock(name, {key: axis(key, value) for key, value in keys.items()})


def _below(architecture: type[Design], own: Mapping[str, Any]) -> list[str]:
    """Return the keys that a processor has besides its own: those of the multipliers that it is to
    be built on.  A combination with a multiplier that lacks one of them is impossible."""
    if not issubclass(architecture, Processor):
        return []
    names = axis(MULTIPLIER, own.get(MULTIPLIER, DEFAULT_MULTIPLIER))
    keys = [parameters(multipliers.find(name)) for name in names]
    return [MULTIPLIER, *dict.fromkeys(key for known in keys for key in known)]


def _architectures(value: Any, tables: Mapping[str, Any]) -> list[str]:
    if value == ALL:
        names = [key for key, cls in multipliers.REGISTRY.items() if cls.modulus_at != "none"]
    else:
        names = [designs.find(text).name for text in _texts("architecture", value)]
        if not names:
            raise _refusal("architecture", value, f"{ALL}, or one or more architectures")
    for key in tables:
        if key not in names:
            message = f"[{key}]: {key} is not among the architectures of the space"
            raise SpecError("architecture", key, ", ".join(names), message)
    return list(dict.fromkeys(names))


def _known_somewhere(key: str, value: Any) -> None:
    known = any(key in parameters(design) for design in designs.REGISTRY.values())
    if known or key in (*COMMON, MULTIPLIER, CURVE):
        return
    allowed = "a key of a spec, a table named after an architecture, or " + ", ".join(SETTINGS)
    kind = "a table" if isinstance(value, dict) else quoted(value)
    raise SpecError(key, value, allowed, f"{key} = {kind}: no such key; must be {allowed}")


def _texts(key: str, value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    if not all(isinstance(value, str) for value in values):
        raise _refusal(key, value, "a list of strings")
    return values


def _number(key: str, value: Any, most: int) -> int:
    check_number(key, value, 1, most)
    return int(value)
