"""Writes the summary of an exploration for a terminal: counts, the front, and a plot made of
letters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from modmul.reporting.points import AREA_TIME, Point, area_unit, notes
from modmul.reporting.quantities import BY_KEY
from modmul.reporting.report import Report
from modmul.reporting.write import WrittenReport

WIDTH, HEIGHT = 78, 20  # letters across and lines of a plot, with its axes
_MARGIN = 10  # letters on its left for the figures of the axis
_FRONT, _POINT = "#", "·"
_COLUMNS = ("area", "lut", "dsp", "clock", "per_product", "latency")
_SHORT = {
    "area": "area",
    "lut": "LUT",
    "dsp": "DSP",
    "clock": "MHz",
    "per_product": "per product",
    "latency": "latency",
}
_REASONS = 5  # points shown for each status; the page has all


def summary(report: Report) -> RenderableType:
    """The whole report as text of 80 columns."""
    parts: list[RenderableType] = [Text(_counted(report.counts)), Text(report.coverage.words)]
    parts += [Text(f"impossible: {line}") for line in _impossible(report)]
    groups = dict.fromkeys(point.group for point in report.front)
    for group in groups:
        front = [point for point in report.front if point.group == group]
        others = [point for point in report.points if point.group == group and point.drawn]
        parts += [
            "",
            Text(
                f"{group}: {len(front)} of {len(others)} on the front of area and time",
                style="bold",
            ),
            Text(report.coverage.front),
            _front(front),
            *map(Text, notes(front)),
        ]
        if len(others) > 1:
            parts += ["", Text(plot(others, front))]
    parts += _left_out(report.points)
    return Group(*parts)


def written(result: WrittenReport) -> RenderableType:
    lines = [
        _counted(result.counts) + f", {len(result.front)} on the front of area and time",
        result.coverage.words,
        result.coverage.front,
    ]
    if result.simulated:
        lines.append(f"schedules simulated: {', '.join(result.simulated)}")
    lines += [f"{file.path}  {file.size:,} bytes" for file in result.files]
    return Text("\n".join([*lines, *result.left_out]))


def _counted(counts: Mapping[str, int]) -> str:
    estimated = f" ({counts['estimated']} with an estimated clock)" if counts["estimated"] else ""
    line = f"{counts['done']} measured{estimated}, {counts['outside']} outside"
    line += f", {counts['failed']} failed"
    if "not_started" not in counts:  # of a directory that an older version wrote
        return line
    return f"{line}, {counts['not_started']} not started, {counts['impossible']} impossible"


def _impossible(report: Report) -> list[str]:
    run = report.coverage.run
    reasons = run.impossible if run else []
    more = [f"and for {len(reasons) - _REASONS} more reasons"] if len(reasons) > _REASONS else []
    return [
        f"{reason.count} of {reason.architecture}, such as: {reason.reason}"
        for reason in reasons[:_REASONS]
    ] + more


def _front(front: Sequence[Point]) -> Table:
    listing = Table(box=None, pad_edge=False, expand=False)
    units = front[0].units
    named = {"per_product": units["time"], "latency": units["time"]}
    used = [key for key in _COLUMNS if any(key in point.figures for point in front)]
    listing.add_column("design", overflow="fold")
    for key in used:
        unit = f"\n{named[key]}" if key in named else ""
        unit = _weight(front) if key == "area" else unit
        listing.add_column(_SHORT[key] + unit, justify="right", overflow="fold")
    for point in front:
        listing.add_row(Text(point.label), *(_figure(point, key) for key in used))
    return listing


def _weight(front: Sequence[Point]) -> str:
    """The LUTs that a DSP block and a block RAM count as, for the heading of the areas; of
    what designs differ in, nothing."""
    text = ""
    for block, values in (
        ("DSP", [point.luts_per_dsp for point in front]),
        ("RAM", [point.luts_per_ram for point in front]),
    ):
        if len(factors := {*values} - {None}) == 1:
            text += f"\n{block}={factors.pop():.4g}"
    return text


def _figure(point: Point, key: str) -> str:
    """The figure as text; ~ marks an estimated clock, a star one that an unverified limit
    decides."""
    figure = short(point.figures.get(key))
    if key != "clock":
        return figure
    return f"{'~' if point.estimated else ''}{figure}{'*' if point.unverified else ''}"


def short(value: float | None) -> str:
    """A number with four significant digits, whole numbers in full."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if float(value).is_integer() or abs(value) >= 1e4 else f"{value:.4g}"


def plot(points: Sequence[Point], front: Sequence[Point]) -> str:
    """Plot area (across) and time per product (up), both logarithmic; the front covers others."""
    members = {point.number for point in front}
    known = [point for point in points if all(point.figures.get(axis, 0) > 0 for axis in AREA_TIME)]
    if not known:
        return "(no point has both an area and a time)"
    columns, rows = WIDTH - _MARGIN - 1, HEIGHT
    across = _Scale((point.figures[AREA_TIME[0]] for point in known), columns)
    up = _Scale((point.figures[AREA_TIME[1]] for point in known), rows)
    field = [[" "] * columns for _ in range(rows)]
    for point in sorted(known, key=lambda candidate: candidate.number in members):
        x, y = across.place(point.figures[AREA_TIME[0]]), up.place(point.figures[AREA_TIME[1]])
        field[rows - 1 - y][x] = _FRONT if point.number in members else _POINT
    units = known[0].units
    labels = {row: short(up.value(rows - 1 - row)) for row in (0, rows // 2, rows - 1)}
    lines = [f"{BY_KEY[AREA_TIME[1]].label} ({units['time']}), {_FRONT} front, {_POINT} others"]
    for row, letters in enumerate(field):
        lines.append(f"{labels.get(row, ''):>{_MARGIN - 1}} |{''.join(letters)}".rstrip())
    lines.append(" " * _MARGIN + "+" + "-" * columns)
    lines.append(" " * (_MARGIN + 1) + _ends(across, columns, area_unit(known)))
    return "\n".join(lines)


class _Scale:
    """A logarithmic axis that divides the range of some values into `places` places."""

    def __init__(self, values: Iterable[float], places: int):
        logs = [math.log(value) for value in values]
        self.low, self.places = min(logs), places
        self.span = max(logs) - self.low or 1.0

    def place(self, value: float) -> int:
        return min(self.places - 1, int((math.log(value) - self.low) / self.span * self.places))

    def value(self, place: int) -> float:
        """The value in the middle of a place, to three digits."""
        exact = math.exp(self.low + (place + 0.5) / self.places * self.span)
        return float(f"{exact:.3g}")


def _ends(axis: _Scale, columns: int, unit: str) -> str:
    left, right = short(axis.value(0)), short(axis.value(columns - 1))
    name = f"{BY_KEY[AREA_TIME[0]].label} ({unit})"
    return f"{left}{name:^{columns - len(left) - len(right)}}{right}"


def _left_out(points: Sequence[Point]) -> list[RenderableType]:
    parts: list[RenderableType] = []
    for status in ("failed", "outside"):
        left_out = [point for point in points if point.record.status == status]
        if left_out:
            parts += ["", Text(f"{status}: {len(left_out)}", style="bold")]
            parts += [
                Text(f"  {point.label}, {point.group}: {_first_line(point)}")
                for point in left_out[:_REASONS]
            ]
        if len(left_out) > _REASONS:
            parts.append(Text(f"  and {len(left_out) - _REASONS} more"))
    return parts


def _first_line(point: Point) -> str:
    return (point.record.reason or "").strip().partition("\n")[0]
