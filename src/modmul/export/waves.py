"""Draws timing diagrams from the output of a simulation, as SVG that is readable on light and dark
pages."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from xml.sax.saxutils import escape

_ROW, _HIGH, _CYCLE, _LABEL, _TOP = 26, 16, 38, 130, 26
_SPAN = 20  # height of an arrow and its text
_BAND = 14  # height between bands
_KEEP = 2  # cycles drawn at each end of a run of equal ones; longer runs are cut
_MOST = 20  # the most cycles side by side; further ones are in the band below
_STYLE = """
.d{font:11px system-ui,sans-serif;fill:#24292f}
.d path{stroke:#24292f;fill:none;stroke-width:1.2}
.d .bus{fill:#ddf4ff;stroke:#0969da}
.d .idle{fill:none;stroke:#8c959f}
.d .grid{stroke:#d0d7de;stroke-width:.6}
.d .cut{fill:#8c959f;stroke:none}
.d .span{stroke:#cf222e}
.d .note,.d .cutoff{fill:#cf222e}
@media (prefers-color-scheme:dark){
.d{fill:#e6edf3}
.d path{stroke:#e6edf3}
.d .bus{fill:#0c2d6b;stroke:#58a6ff}
.d .idle{stroke:#6e7681}
.d .grid{stroke:#30363d}
.d .cut{fill:#6e7681}
.d .span{stroke:#ff7b72}
.d .note,.d .cutoff{fill:#ff7b72}
}"""


@dataclass(frozen=True)
class Wave:
    """One signal: a bit for each cycle, or for a bus a label (None if it is not valid)."""

    name: str
    bits: Sequence[bool] | None = None
    labels: Sequence[str | None] | None = None


@dataclass(frozen=True)
class Span:
    """An arrow from the beginning of cycle `first` to the end of cycle `last`, both drawn."""

    first: int
    last: int
    text: str


def parse(output: str) -> tuple[list[int], dict[str, list[int]]]:
    """Cycle numbers, and the values of each port, from the TRACE lines of a testbench."""
    cycles: list[int] = []
    values: dict[str, list[int]] = {}
    for line in re.findall(r"^TRACE (.*)$", output, re.MULTILINE):
        number, *pairs = line.split()
        cycles.append(int(number))
        for pair in pairs:
            name, value = pair.split("=")
            values.setdefault(name, []).append(int(value, 16))
    return cycles, values


def draw(rows: Sequence[Wave], spans: Sequence[Span], title: str, keep: Sequence[int] = ()) -> str:
    """The diagram, cut into bands that are no wider than a page.  Runs of cycles in which no
    bus changes its kind are cut short, except for the cycles in `keep` (indices)."""
    count = max(len(row.bits or row.labels or ()) for row in rows)
    columns = _columns(rows, count, set(keep))
    bands = _bands(columns)
    step = _TOP + len(rows) * _ROW + len(spans) * _SPAN + _BAND
    width = _LABEL + max(map(len, bands)) * _CYCLE + 10
    height = len(bands) * step - _BAND + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="d" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-label="{escape(title)}">',
        f"<style>{_STYLE}</style>",
    ]
    for number, band in enumerate(bands):
        shift = f' transform="translate(0 {number * step})"' if number else ""
        parts += [f"<g{shift}>", *_band(rows, spans, band), "</g>"]
    return "\n".join([*parts, "</svg>", ""])


class WaveColumn(NamedTuple):
    """One column of the diagram.  cycle: None if `left_out` cycles are left out here."""

    cycle: int | None
    left_out: int = 0


def _bands(columns: Sequence[WaveColumn]) -> list[Sequence[WaveColumn]]:
    """Split the columns into parts of about equal length."""
    bands = -(-len(columns) // _MOST)
    size = -(-len(columns) // bands)
    return [columns[start : start + size] for start in range(0, len(columns), size)]


def _band(rows: Sequence[Wave], spans: Sequence[Span], columns: Sequence[WaveColumn]) -> list[str]:
    """Draw all rows over some columns, and the arrows as far as they run there."""
    parts = _grid(columns, len(rows))
    for y, row in enumerate(rows):
        top = _TOP + y * _ROW + (_ROW - _HIGH) // 2
        parts.append(f'<text x="{_LABEL - 8}" y="{top + 12}" text-anchor="end">{row.name}</text>')
        parts += _bits(row.bits, columns, top) if row.bits is not None else []
        parts += _bus(row.labels, columns, top) if row.labels is not None else []
    for y, span in enumerate(spans):
        parts += _arrow(span, columns, _TOP + len(rows) * _ROW + y * _SPAN + 10)
    return parts


def _columns(rows: Sequence[Wave], count: int, keep: set[int]) -> list[WaveColumn]:
    """The cycles to draw, in order, and where some are left out."""
    buses = [row.labels for row in rows if row.labels is not None]
    kinds = [tuple(_kind(bus[i]) for bus in buses) for i in range(count)]
    columns: list[WaveColumn] = []
    start = 0
    while start < count:
        end = start
        while end < count and kinds[end] == kinds[start]:
            end += 1
        run = range(start, end)
        if len(run) <= 2 * _KEEP + 1:
            columns += map(WaveColumn, run)
        else:
            drawn = sorted({*run[:_KEEP], *run[-2:], *(keep & set(run))})
            for cycle, following in itertools.zip_longest(drawn, drawn[1:], fillvalue=end):
                columns.append(WaveColumn(cycle))
                between = range(cycle + 1, following)
                short = len(between) <= _KEEP
                columns += map(WaveColumn, between) if short else [WaveColumn(None, len(between))]
        start = end
    return columns


def _kind(label: str | None) -> str | None:
    """The label of a beat without its number: beats of one packet are of one kind."""
    return label and label.split(".")[0]


def _grid(columns: Sequence[WaveColumn], rows: int) -> list[str]:
    bottom = _TOP + rows * _ROW
    parts = []
    for x, (cycle, left_out) in enumerate(columns):
        left = _LABEL + x * _CYCLE
        text, kind = (f"+{left_out}", "cutoff") if cycle is None else (str(cycle), "at")
        parts.append(f'<path class="grid" d="M{left} {_TOP - 6}V{bottom}"/>')
        parts.append(_text(left + _CYCLE / 2, _TOP - 12, text, kind))
    return parts


def _bits(bits: Sequence[bool], columns: Sequence[WaveColumn], top: int) -> list[str]:
    path, level = "", None
    for x, (cycle, _) in enumerate(columns):
        left = _LABEL + x * _CYCLE
        if cycle is None:
            path, level = path + f"M{left + _CYCLE} {top}", None
            continue
        y = top if bits[cycle] else top + _HIGH
        path += f"M{left} {y}" if level is None else f"V{y}" if level != y else ""
        path += f"H{left + _CYCLE}"
        level = y
    return [f'<path d="{path}"/>', *_cuts(columns, top)]


def _bus(labels: Sequence[str | None], columns: Sequence[WaveColumn], top: int) -> list[str]:
    parts = []
    middle = top + _HIGH / 2
    for x, (cycle, _) in enumerate(columns):
        left = _LABEL + x * _CYCLE
        right = left + _CYCLE
        label = labels[cycle] if cycle is not None else None
        if cycle is None:
            continue
        if label is None:
            parts.append(f'<path class="idle" d="M{left} {middle:g}H{right}"/>')
            continue
        shape = (
            f"M{left} {middle:g}L{left + 3} {top}H{right - 3}L{right} {middle:g}"
            f"L{right - 3} {top + _HIGH}H{left + 3}Z"
        )
        parts.append(f'<path class="bus" d="{shape}"/>')
        parts.append(_text(left + _CYCLE / 2, top + 12, label, "value"))
    return parts + _cuts(columns, top)


def _text(x: float, y: float, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y:g}" text-anchor="middle">{escape(text)}</text>'


def _cuts(columns: Sequence[WaveColumn], top: int) -> list[str]:
    centres = [_LABEL + (x + 0.5) * _CYCLE for x, (cycle, _) in enumerate(columns) if cycle is None]
    return [
        f'<circle class="cut" cx="{centre + shift:g}" cy="{top + _HIGH / 2:g}" r="1.4"/>'
        for centre in centres
        for shift in (-6, 0, 6)
    ]


def _arrow(span: Span, columns: Sequence[WaveColumn], y: int) -> list[str]:
    """Draw the part of an arrow that is in these columns, with its heads and its text if they are
    there."""
    inside = [
        x
        for x, (cycle, _) in enumerate(columns)
        if cycle is not None and span.first <= cycle <= span.last
    ]
    if not inside:
        return []
    first, last = (columns[inside[place]].cycle for place in (0, -1))
    begins, ends = first == span.first, last == span.last
    left = _LABEL + (inside[0] if begins else 0) * _CYCLE
    right = _LABEL + ((inside[-1] + 1) if ends else len(columns)) * _CYCLE
    path = f"M{left} {y}H{right}"
    path += f"M{left + 5} {y - 4}L{left} {y}L{left + 5} {y + 4}" if begins else ""
    path += f"M{right - 5} {y - 4}L{right} {y}L{right - 5} {y + 4}" if ends else ""
    arrow = f'<path class="span" d="{path}"/>'
    if not begins:
        return [arrow]
    return [arrow, f'<text class="note" x="{left + 8}" y="{y - 5}">{escape(span.text)}</text>']
