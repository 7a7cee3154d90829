"""Timing diagrams of what a simulation printed, as SVG readable on light and dark pages."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

_ROW, _HIGH, _CYCLE, _LABEL, _TOP = 26, 16, 38, 130, 26
_KEEP = 3  # cycles drawn of a run of like ones, longer runs are cut
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
class Row:
    """One signal: a bit for each cycle, or for a bus a label (None: nothing valid)."""

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


def draw(rows: Sequence[Row], spans: Sequence[Span], title: str, keep: Sequence[int] = ()) -> str:
    """The diagram.  Runs of cycles in which no bus changes its kind are cut short, except for the
    cycles in `keep` (indices)."""
    count = max(len(row.bits or row.labels or ()) for row in rows)
    columns = _columns(rows, count, set(keep))
    where = {cycle: x for x, cycle in enumerate(columns) if cycle is not None}
    width = _LABEL + len(columns) * _CYCLE + 10
    height = _TOP + len(rows) * _ROW + len(spans) * 20 + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="d" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-label="{escape(title)}">',
        f"<style>{_STYLE}</style>",
        *_grid(columns, len(rows)),
    ]
    for y, row in enumerate(rows):
        top = _TOP + y * _ROW + (_ROW - _HIGH) // 2
        parts.append(f'<text x="{_LABEL - 8}" y="{top + 12}" text-anchor="end">{row.name}</text>')
        parts += _bits(row.bits, columns, top) if row.bits is not None else []
        parts += _bus(row.labels, columns, top) if row.labels is not None else []
    for y, span in enumerate(spans):
        parts += _arrow(span, where, _TOP + len(rows) * _ROW + y * 20 + 10)
    return "\n".join([*parts, "</svg>", ""])


def _columns(rows: Sequence[Row], count: int, keep: set[int]) -> list[int | None]:
    """The cycles drawn, in order; None where some are left out."""
    buses = [row.labels for row in rows if row.labels is not None]
    kinds = [tuple(_kind(bus[i]) for bus in buses) for i in range(count)]
    found: list[int | None] = []
    start = 0
    while start < count:
        end = start
        while end < count and kinds[end] == kinds[start]:
            end += 1
        run = range(start, end)
        if len(run) <= 2 * _KEEP + 1:
            found += run
        else:
            drawn = sorted({*run[:_KEEP], *run[-2:], *(keep & set(run))})
            for cycle, following in itertools.zip_longest(drawn, drawn[1:], fillvalue=end):
                found.append(cycle)
                left_out = range(cycle + 1, following)
                found += left_out if len(left_out) <= _KEEP else [None]
        start = end
    return found


def _kind(label: str | None) -> str | None:
    """Beats of one train are alike: what comes before their number."""
    return label and label.split(".")[0]


def _grid(columns: Sequence[int | None], rows: int) -> list[str]:
    bottom = _TOP + rows * _ROW
    parts = []
    for x, cycle in enumerate(columns):
        left = _LABEL + x * _CYCLE
        if cycle is None:
            before, after = columns[x - 1], columns[x + 1]
            assert before is not None and after is not None
            text = f"+{after - before - 1}"
        else:
            text = str(cycle)
        parts.append(f'<path class="grid" d="M{left} {_TOP - 6}V{bottom}"/>')
        parts.append(_text(left + _CYCLE / 2, _TOP - 12, text, "cutoff" if cycle is None else "at"))
    return parts


def _bits(bits: Sequence[bool], columns: Sequence[int | None], top: int) -> list[str]:
    path, level = "", None
    for x, cycle in enumerate(columns):
        left = _LABEL + x * _CYCLE
        if cycle is None:
            path, level = path + f"M{left + _CYCLE} {top}", None
            continue
        y = top if bits[cycle] else top + _HIGH
        path += f"M{left} {y}" if level is None else f"V{y}" if level != y else ""
        path += f"H{left + _CYCLE}"
        level = y
    return [f'<path d="{path}"/>', *_cuts(columns, top)]


def _bus(labels: Sequence[str | None], columns: Sequence[int | None], top: int) -> list[str]:
    parts = []
    middle = top + _HIGH / 2
    for x, cycle in enumerate(columns):
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


def _cuts(columns: Sequence[int | None], top: int) -> list[str]:
    centres = [_LABEL + (x + 0.5) * _CYCLE for x, cycle in enumerate(columns) if cycle is None]
    return [
        f'<circle class="cut" cx="{centre + shift:g}" cy="{top + _HIGH / 2:g}" r="1.4"/>'
        for centre in centres
        for shift in (-6, 0, 6)
    ]


def _arrow(span: Span, where: Mapping[int, int], y: int) -> list[str]:
    left = _LABEL + where[span.first] * _CYCLE
    right = _LABEL + (where[span.last] + 1) * _CYCLE
    ends = f"M{left + 5} {y - 4}L{left} {y}L{left + 5} {y + 4}M{right - 5} {y - 4}L{right} {y}"
    path = f"M{left} {y}H{right}{ends}L{right - 5} {y + 4}"
    return [
        f'<path class="span" d="{path}"/>',
        f'<text class="note" x="{left + 8}" y="{y - 5}">{escape(span.text)}</text>',
    ]
