"""Turns records into points of a report: figures, label, and the command that builds it again."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from modmul import multipliers
from modmul.errors import ModmulError, visible
from modmul.exploration import estimates, spec_text
from modmul.exploration.record import MULTIPLY, Record
from modmul.implementation.figures import ESTIMATED, area_words
from modmul.implementation.result import EstimatedClock
from modmul.reporting import quantities
from modmul.spec import Spec
from modmul.targets import UNVERIFIED

AREA_TIME = ("area", "per_product")
PRIME, BINARY, PLAIN = "GF(p)", "GF(2^m)", "plain product"


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """One record in a report.

    number: its place in the report.  label: its name beside others of its architecture.
    group: points of one group can be compared: same target (or library), width, field, kind of
    arithmetic, kind of clock.  arithmetic: PRIME, BINARY or PLAIN.
    options: those that differ from their defaults, in the order in which they are listed.
    parameters: in words, the parameters that differ from their defaults.
    command, toml: the command and the spec that build it again.
    figures: see `quantities`.  units: of area, time and throughput.  luts_per_dsp, luts_per_ram:
    the LUTs that a DSP block and a block RAM count as, None if the area is not in LUT equivalents.
    estimated: the error band of its clock in words, "" if it was routed.  unverified: the limit
    that decides its clock, if that was not checked in its source, else ""."""

    number: int
    label: str
    group: str
    arithmetic: str
    options: dict[str, Any]
    parameters: str
    command: str
    toml: str
    figures: dict[str, float]
    units: dict[str, str]
    luts_per_dsp: float | None
    luts_per_ram: float | None
    estimated: str
    unverified: str
    record: Record

    @property
    def drawn(self) -> bool:
        """Whether all figures of the point were measured, so that it can be drawn."""
        return self.record.status == "done"

    @property
    def multiplies(self) -> bool:
        """Whether the design is a multiplier: only these have slots."""
        return self.does == MULTIPLY

    @property
    def does(self) -> str:
        """The operation that its figures are about, and its curve if it has one."""
        curve = self.options.get("curve")
        return self.record.operation if curve is None else f"{self.record.operation} {curve}"


def points(records: Iterable[Record]) -> list[Point]:
    """All points in an order that does not depend on when they were measured."""

    def place(record: Record) -> tuple[Any, ...]:
        options = json.dumps(record.spec, sort_keys=True, default=str)
        return (record.target, record.width, record.architecture, options, record.key)

    ordered = sorted(records, key=place)
    return [_point(number, record) for number, record in enumerate(ordered)]


def front(chosen: Sequence[Point], axes: tuple[str, str] = AREA_TIME) -> list[Point]:
    """The Pareto fronts of all groups, the largest group first, each beginning with the best
    point in the first axis.  axes: quantities; `better` says whether large or small figures win.
    Points without one of them are on no front."""
    signs = [-1 if quantities.BY_KEY[axis].better == "high" else 1 for axis in axes]

    def values(point: Point) -> list[float | None]:
        figures = [point.figures.get(axis) for axis in axes]
        return [None if v is None else sign * v for sign, v in zip(signs, figures, strict=True)]

    drawn = [point for point in chosen if point.drawn]
    sizes = Counter(point.group for point in drawn)
    ordered = sorted(drawn, key=lambda point: -sizes[point.group])
    return estimates.fronts(ordered, values, lambda point: point.group)


def spec_of(record: Record) -> Spec | None:
    """The specification; None if this version of the program cannot build it."""
    try:
        return Spec.from_options(record.spec)
    except ModmulError:
        return None


def _point(number: int, record: Record) -> Point:
    options = spec_text.minimal_options(record.spec)
    seeds = ("--seeds", str(record.seeds)) if record.basis == "measured" else ()
    return Point(
        number=number,
        label=visible(_label(record, options), kept=""),
        group=visible(_group(record), kept=""),
        arithmetic=_arithmetic(record),
        options=options,
        parameters=visible(_parameters(options), kept=""),
        command=spec_text.command("implement", options, *seeds),
        toml=spec_text.toml(options),
        figures=quantities.figures(record),
        units={key: visible(unit, kept="") for key, unit in quantities.units(record).items()},
        luts_per_dsp=record.area.luts_per_dsp if record.area else None,
        luts_per_ram=record.area.luts_per_ram if record.area else None,
        estimated=_estimated(record),
        unverified=_unverified(record),
        record=record,
    )


def area_unit(chosen: Sequence[Point]) -> str:
    """The unit of the areas, which these points share, and how many LUTs hard blocks count
    as."""
    return area_words(
        chosen[0].units["area"],
        [point.luts_per_dsp for point in chosen],
        [point.luts_per_ram for point in chosen],
    )


def notes(chosen: Sequence[Point]) -> list[str]:
    """The remarks that must stand beside areas and times of these points: what hard blocks
    count, what the area leaves out, which clocks are estimated, and which limits of the clock were
    not checked in their sources."""
    units = dict.fromkeys(point.units["area"] for point in chosen if point.units["area"])
    areas = [
        area_unit([point for point in chosen if point.units["area"] == unit]) for unit in units
    ]
    lines = [f"area: {', or '.join(areas)}; core alone, without the adapter of interface stream"]
    if estimated := {
        point.record.clock.source
        for point in chosen
        if isinstance(point.record.clock, EstimatedClock)
    }:
        lines.append(f"~ {'; '.join(sorted(estimated))}")
    clocks = dict.fromkeys(point.unverified for point in chosen if point.unverified)
    lines += [f"* {UNVERIFIED} clock limit: {', or '.join(clocks)}"] if clocks else []
    return lines


def _unverified(record: Record) -> str:
    clock = record.clock
    return clock.limited_by if clock is not None and not clock.verified else ""


def _estimated(record: Record) -> str:
    clock = record.clock
    if not isinstance(clock, EstimatedClock):
        return ""
    return f"estimated, {clock.low:g} to {clock.high:g}"


def _group(record: Record) -> str:
    parts = [record.technology, f"{record.width} bit", _arithmetic(record)]
    if record.operation != MULTIPLY:
        bits = "" if record.length is None else f" {record.length} bits"
        parts.append(f"{record.operation}{bits}")
    if record.time is not None and record.time.kind == ESTIMATED:
        parts.append("estimated clock")
    return " · ".join(parts)


def _arithmetic(record: Record) -> str:
    architecture = multipliers.REGISTRY.get(record.architecture)
    if architecture is not None and architecture.kind == "plain":
        return PLAIN
    return BINARY if record.field == "binary" else PRIME


def _label(record: Record, options: Mapping[str, Any]) -> str:
    """The architecture with the options that differ from their defaults."""
    below = options.get("multiplier")
    name = record.architecture if below is None else f"{record.architecture} on {below}"
    return ", ".join([name, *(_own(options) or ["defaults"])])


def _parameters(options: Mapping[str, Any]) -> str:
    own = _own(options)
    return f"{', '.join(own)}; all others at their defaults" if own else "all at their defaults"


def _own(options: Mapping[str, Any]) -> list[str]:
    """The parameters of the architecture that differ from their defaults."""
    return [
        f"{key} {spec_text.written(value)}"
        for key, value in options.items()
        if key not in spec_text.FIRST and key != "interface"
    ]
