"""Draws the block diagram of a design: streams, adapter, core, and the parts of the core.

It runs from the top to the bottom, narrow enough for a phone, and is readable on light and dark
pages.  Everything in it is read from the description and the emitted text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

from modmul.export.structure import Structure

_WIDTH, _EDGE, _INSET = 360, 6, 10
_CELL, _GAP, _TITLE, _ARROW, _LABEL = 34, 8, 24, 26, 34  # heights
_TIMES = "\N{MULTIPLICATION SIGN}"
_MOST = 12  # the most parts that are drawn of one module
_NAMED = 2  # up to so many equal parts of a processor are labelled with their own names
_STYLE = """
.k{font:12px system-ui,sans-serif;fill:#24292f}
.k rect{fill:#f6f8fa;stroke:#57606a}
.k .part{fill:#ddf4ff;stroke:#0969da}
.k .core{stroke-width:2}
.k path{stroke:#24292f;fill:none;stroke-width:1.4}
.k .soft{fill:#57606a;font-size:11px}
.k .title{font-weight:600}
@media (prefers-color-scheme:dark){
.k{fill:#e6edf3}
.k rect{fill:#161b22;stroke:#8b949e}
.k .part{fill:#0c2d6b;stroke:#58a6ff}
.k path{stroke:#e6edf3}
.k .soft{fill:#9ea7b3}
}"""


class DrawnPart(NamedTuple):
    """One cell of a box: a name, and the content."""

    name: str
    what: str


def draw(description: dict[str, Any], verilog: str) -> str:
    """description: from `describe`. verilog: the emitted text."""
    structure, modules = Structure(verilog), description["modules"]
    stream = description["spec"]["interface"] == "stream"
    inside = modules["core"] or modules["top"]
    parts = of_module(structure, inside, named=1 if modules["core"] else _NAMED)
    parts = parts or [DrawnPart("one module", "logic and registers")]
    if "multiplier" in description:  # its parts are not drawn: it has its own datasheet
        title = description["multiplier"]["title"]
        parts = [
            part._replace(what=title) if part.name.endswith("multiplier") else part
            for part in parts
        ]
    boxes = [("Core" if modules["core"] else "Processor", "core", parts)]
    if stream and modules["core"]:
        before, after = _queues(structure, modules["stream"])
        boxes = [("Elastic adapter", "", before), *boxes, ("Elastic adapter", "", after)]
    drawn, bottom = _boxes(boxes, _inputs(description))
    result = _stream_words(description, "result")
    drawn += [_arrow(_WIDTH / 2, bottom), *_label(_WIDTH / 2, bottom + _ARROW + 12, result)]
    height = bottom + _ARROW + _LABEL
    title = escape(f"Block diagram of {description['name']}")
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="k" viewBox="0 0 {_WIDTH} {height}" '
            f'width="{_WIDTH}" height="{height}" role="img" aria-label="{title}">',
            f"<style>{_STYLE}</style>",
            *drawn,
            "</svg>",
            "",
        ]
    )


def of_module(structure: Structure, module: str, named: int = 1) -> list[DrawnPart]:
    """The main parts of a module, equal ones as one part; of many parts the first ones, and
    the number of the others.

    named: up to so many equal parts are labelled with their own names, more with that of their
    module."""
    counts: dict[tuple[str, str], int] = {}
    children = structure.units[module].children
    names: dict[str, dict[str, None]] = {}
    for own, kind in children:
        names.setdefault(kind, {})[re.sub(r"(_?\d+)+$", "", own)] = None
    for _, kind in children:
        title, alike = _what(structure, kind), names[kind]
        name = ", ".join(alike) if len(alike) <= named else kind.removeprefix(f"{module}_")
        name = name if kind in structure.units else title
        counts[name, title] = counts.get((name, title), 0) + 1
    parts = [
        _counted(name, title, count // len(name.split(", ")))
        for (name, title), count in counts.items()
    ]
    if len(parts) <= _MOST:
        return parts
    return [*parts[: _MOST - 1], DrawnPart(f"and {len(parts) - _MOST + 1} more", "see the Verilog")]


def _counted(name: str, title: str, count: int) -> DrawnPart:
    times = f"{count} {_TIMES} " if count > 1 else ""
    return DrawnPart(f"{times}{name}", "primitives" if name == title else title)


def _what(structure: Structure, kind: str) -> str:
    """The content of a module in a few words; for a cell, its name."""
    if kind not in structure.units:
        return kind
    memories, cells = structure.memories(kind), structure.cells(kind)
    if memories:
        return ", ".join(f"{ram.words} {_TIMES} {ram.bits} bits" for ram in dict.fromkeys(memories))
    if cells:
        return ", ".join(f"{count} {_TIMES} {name}" for name, count in sorted(cells.items()))
    inner = [own for own, _ in structure.units[kind].children]
    if inner:
        return ", ".join(_alike(inner))
    return "logic"


def _alike(names: Sequence[str]) -> list[str]:
    """Instance names without their numbers, each once, with the number of such instances."""
    plain = [re.sub(r"(_?\d+)+$", "", name) for name in names]
    return [
        f"{plain.count(name)} {_TIMES} {name}" if plain.count(name) > 1 else name
        for name in dict.fromkeys(plain)
    ]


def _queues(structure: Structure, stream: str) -> tuple[list[DrawnPart], list[DrawnPart]]:
    """The parts of the adapter before the core and after it."""
    adapter = dict(structure.units[stream].children)["adapter"]
    parts = [
        DrawnPart(name, _what(structure, kind)) for name, kind in structure.units[adapter].children
    ]
    after = [part for part in parts if part.name == "results"]
    before = [part for part in reversed(parts) if part not in after]  # the modulus stands left
    return before or [DrawnPart("operands", "as they come")], after or [
        DrawnPart("results", "as they come")
    ]


def _inputs(description: dict[str, Any]) -> list[tuple[str, str]]:
    names = [name for name in description["streams"] if name != "result"]
    return [_stream_words(description, name) for name in names]


def _stream_words(description: dict[str, Any], name: str) -> tuple[str, str]:
    """The name of a stream with its data fields, and its beats."""
    figures = description["streams"][name]
    ports = description["ports"][description["spec"]["interface"]]
    ends = ("valid", "ready", "first", "last", "data")
    fields = [
        port["name"].removeprefix(f"{name}_")
        for port in ports
        if port["name"].startswith(f"{name}_")
    ]
    data = [field for field in fields if field not in ends]
    if "shortest" not in figures:  # of a processor, with many streams side by side
        return name, f"{figures['bits']} bits"
    least, most = figures["shortest"], figures["beats"]
    count = f"{most}" if least == most else f"{least} to {most}"
    beats = f"{count} beat{'s' * (most > 1)} of {figures['bits']} bits"
    return f"{name}: {', '.join(data)}" if data else name, beats


def _boxes(
    boxes: Sequence[tuple[str, str, Sequence[DrawnPart]]], inputs: Sequence[tuple[str, str]]
) -> tuple[list[str], int]:
    """Draw the boxes below each other, with arrows; return also the bottom of the last one."""
    places = [_WIDTH * (2 * k + 1) / (2 * len(inputs)) for k in range(len(inputs))]
    drawn = [line for x, words in zip(places, inputs, strict=True) for line in _label(x, 12, words)]
    y, arrows = _LABEL, places
    for number, (title, kind, parts) in enumerate(boxes):
        drawn += [_arrow(x, y) for x in arrows]
        y += _ARROW
        lines, height = _box(title, kind, parts, y)
        drawn += lines
        y += height
        arrows = places if number == 0 and len(boxes) > 1 else [_WIDTH / 2]
    return drawn, y


def _box(title: str, kind: str, parts: Sequence[DrawnPart], y: int) -> tuple[list[str], int]:
    rows = -(-len(parts) // 2)
    height = _TITLE + rows * (_CELL + _GAP) + 2
    inner = _WIDTH - 2 * (_EDGE + _INSET)
    drawn = [
        f'<rect class="{kind or "box"}" x="{_EDGE}" y="{y}" width="{_WIDTH - 2 * _EDGE}" '
        f'height="{height}" rx="6"/>',
        f'<text class="title" x="{_EDGE + _INSET}" y="{y + 16}">{title}</text>',
        f'<text class="soft" x="{_WIDTH - _EDGE - _INSET}" y="{y + 16}" text-anchor="end">'
        "clock, reset</text>",
    ]
    for place, part in enumerate(parts):
        alone = place == len(parts) - 1 and place % 2 == 0
        width = inner if alone else (inner - _GAP) / 2
        left = _EDGE + _INSET + (place % 2) * (width + _GAP)
        top = y + _TITLE + (place // 2) * (_CELL + _GAP)
        drawn += _cell(part, left, top, width)
    return drawn, height


def _cell(part: DrawnPart, left: float, top: float, width: float) -> list[str]:
    middle = left + width / 2
    return [
        f'<rect class="part" x="{left:g}" y="{top:g}" width="{width:g}" height="{_CELL}" rx="4"/>',
        _fitted(middle, top + 14, part.name, "name", width),
        _fitted(middle, top + 28, part.what, "soft", width),
    ]


def _fitted(x: float, y: float, text: str, kind: str, width: float) -> str:
    """A text in the middle of a cell; the letters of a long one are pressed together."""
    room = width - 8
    pressed = f' textLength="{room:g}" lengthAdjust="spacingAndGlyphs"'
    long = pressed if len(text) * 6.2 > room else ""
    return (
        f'<text class="{kind}" x="{x:g}" y="{y:g}" text-anchor="middle"{long}>{escape(text)}</text>'
    )


def _label(x: float, y: float, words: tuple[str, str]) -> list[str]:
    return [
        f'<text class="title" x="{x:g}" y="{y:g}" text-anchor="middle">{escape(words[0])}</text>',
        f'<text class="soft" x="{x:g}" y="{y + 15:g}" text-anchor="middle">{words[1]}</text>',
    ]


def _arrow(x: float, y: float) -> str:
    end = y + _ARROW - 2
    head = f"M{x - 4:g} {end - 6:g}L{x:g} {end:g}L{x + 4:g} {end - 6:g}"
    return f'<path d="M{x:g} {y}V{end:g}{head}"/>'
