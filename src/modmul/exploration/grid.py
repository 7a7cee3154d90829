"""Lists the points of a space: every combination that can be built and that its conditions
allow."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec

from modmul.errors import SpecError
from modmul.exploration.conditions import Condition, first_broken
from modmul.exploration.record import SHAPE, Expected, Record, Seconds
from modmul.exploration.space import AboveDefault, Space, SpaceBlock
from modmul.implementation.figures import cycle_counts
from modmul.operation import Mode
from modmul.spec import Spec
from modmul.toolchain.steps import canonical


class GridPoint(NamedTuple):
    """A point of the space.  options: plain values, complete.  spec: the same, checked."""

    options: dict[str, Any]
    spec: Spec


Count = Annotated[int, msgspec.Meta(ge=0)]


class Dropped(msgspec.Struct, frozen=True):
    """Combinations that no tool saw.  reason: the message about one of them, or a condition."""

    architecture: str
    key: str
    reason: str
    count: Count


class Grid(NamedTuple):
    """points: the possible points, each once.  size: the number of all combinations.  equal: the
    number of combinations that, with their defaults, are the same design as another."""

    points: list[GridPoint]
    dropped: list[Dropped]
    size: int
    equal: int


def grid(space: Space) -> Grid:
    """In the order of the space's file."""
    different: dict[str, GridPoint] = {}
    counts: Counter[tuple[str, str]] = Counter()
    reasons: dict[tuple[str, str], str] = {}
    possible = 0
    for block in space.blocks:
        for options in _combinations(block):
            try:
                point = make(options, space.folder)
            except SpecError as error:
                why = (block.architecture, error.key or "")
                counts[why] += 1
                reasons.setdefault(why, error.message)
                continue
            possible += 1
            different.setdefault(canonical(point.options), point)
    dropped = [Dropped(*why, reasons[why], count) for why, count in counts.items()]
    points, outside = allowed(list(different.values()), space.where)
    return Grid(points, dropped + outside, space.size, possible - len(different))


def make(options: Mapping[str, Any], folder: Path | None) -> GridPoint:
    """Raises SpecError if these options are impossible."""
    spec = Spec.from_options(_resolved(options, folder), folder)
    return GridPoint(spec.options(), spec)


def _resolved(options: Mapping[str, Any], folder: Path | None) -> dict[str, Any]:
    """Replace the values that are relative to a default by numbers."""
    above = {key: value.more for key, value in options.items() if isinstance(value, AboveDefault)}
    plain = {key: value for key, value in options.items() if key not in above}
    if above:
        usual = Spec.from_options(plain, folder).options()
        for key, more in above.items():
            if not isinstance(usual[key], int):
                allowed = "a key whose default is a whole number"
                message = f"{key}: its default is {usual[key]}; must be {allowed}"
                raise SpecError(key, usual[key], allowed, message)
            plain[key] = usual[key] + more
    return plain


def allowed(
    points: list[GridPoint], where: Iterable[Condition]
) -> tuple[list[GridPoint], list[Dropped]]:
    """Return the points that meet all conditions that can be decided before any tool runs, and
    those dropped."""
    early = [condition for condition in where if condition.before]
    if not early:
        return points, []
    fitting, counts = [], Counter[tuple[str, str]]()
    for point in points:
        condition = first_broken(early, begun(point.spec))
        if condition is None:
            fitting.append(point)
        else:
            counts[point.spec.design.name, condition.text] += 1
    return fitting, [Dropped(name, "where", text, n) for (name, text), n in counts.items()]


def begun(spec: Spec, mode: Mode | None = None) -> Record:
    """Return the record of a point before any tool has run; its status is `failed` until a later
    step changes that.  mode: of the operation that cycles are about; None: the headline."""
    design, mode = spec.design, mode or spec.headline
    return Record(
        shape=SHAPE,
        key="",
        status="failed",
        title=design.title,
        architecture=design.name,
        operation=mode.operation,
        length=mode.length,
        target=design.target,
        device=spec.device,
        width=design.width,
        field=spec.field,
        timing=design.timing,
        slots=design.slots,
        spec=spec.options(),
        seeds=0,
        products=0,
        forecast=expected(spec),
        cycles=cycle_counts(spec, mode),
        tools={},
        sources="",
        seconds=Seconds(0.0, 0.0, {}),
        finished="",
    )


def expected(spec: Spec) -> Expected:
    forecast = spec.design.forecast()
    return Expected(forecast.lut, forecast.ff, forecast.dsp, forecast.ram_bits, forecast.mhz)


def _combinations(block: SpaceBlock) -> Iterator[dict[str, Any]]:
    for values in itertools.product(*block.axes.values()):
        yield {"architecture": block.architecture, **dict(zip(block.axes, values, strict=True))}
