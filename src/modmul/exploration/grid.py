"""Lists the points of a space: every combination that can be built and that its conditions
allow."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec.structs import replace

from modmul.errors import SpecError
from modmul.exploration.conditions import first_broken
from modmul.exploration.record import SHAPE, Expected, Record, Seconds
from modmul.exploration.space import AboveDefault, Space
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
    """Return all points of a space, in the order of its file."""
    combinations = Combinations(space)
    different: dict[str, GridPoint] = {}
    possible = 0
    for block in space.blocks:
        for values in itertools.product(*block.axes.values()):
            options = dict(zip(block.axes, values, strict=True))
            point = combinations.make({"architecture": block.architecture, **options})
            if point is not None:
                possible += 1
                different.setdefault(canonical(point.options), point)
    points = [point for point in different.values() if combinations.allow(point)]
    return Grid(points, combinations.dropped, space.size, possible - len(different))


class Combinations:
    """Makes points of a space, and counts the combinations that are none."""

    def __init__(self, space: Space):
        self._folder = space.folder
        self._early = [condition for condition in space.where if condition.before]
        self._dropped: dict[tuple[str, ...], Dropped] = {}

    @property
    def dropped(self) -> list[Dropped]:
        return list(self._dropped.values())

    def make(self, options: Mapping[str, Any]) -> GridPoint | None:
        """Return the point with these options; None if it is impossible."""
        try:
            return make(options, self._folder)
        except SpecError as error:
            self._drop((options["architecture"], error.key or ""), error.message)
            return None

    def allow(self, point: GridPoint) -> bool:
        """Whether a point meets all conditions that can be decided before any tool runs."""
        broken = first_broken(self._early, begun(point.spec)) if self._early else None
        if broken is not None:
            self._drop((point.spec.design.name, "where", broken.text), broken.text)
        return broken is None

    def _drop(self, why: tuple[str, ...], reason: str) -> None:
        known = self._dropped.get(why, Dropped(why[0], why[1], reason, 0))
        self._dropped[why] = replace(known, count=known.count + 1)


def make(options: Mapping[str, Any], folder: Path | None) -> GridPoint:
    """Return the point with these options.  Raises SpecError if it is impossible."""
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
