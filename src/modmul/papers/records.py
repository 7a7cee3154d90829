"""The published tables and figures of a paper beside what this tool computes and measures."""

from __future__ import annotations

import math
from typing import Literal

import msgspec

Figure = int | float | str
AT_USABLE = (  # a note of every paper that ours are routed for
    "Times and orders of ours on ecp5 are those of the usable clock: the routed one within the "
    "limits of the chip.  The routed clock stands in columns that say so."
)


class Cell(msgspec.Struct, frozen=True):
    """One figure: as printed, as the multiplier declares it, as simulated, synthesised or routed.

    None: not printed; not computed; not measured."""

    published: Figure | None = None
    computed: Figure | None = None
    measured: Figure | None = None
    remark: str | None = None


class Measurable(Cell, frozen=True):
    """A cell that a whole run measures.  measured: None where that was not done, yet."""


class Table(msgspec.Struct, frozen=True):
    """A table or figure.  rows: one entry for each column, a label (of the row) or a Cell."""

    id: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Figure | Cell, ...], ...]


class Derived(Table, frozen=True):
    """A table of which no cell is printed: what stands as published follows from print."""


class Point(msgspec.Struct, frozen=True):
    """A design in a picture.  label: written beside it; of a bar: the group that it belongs to."""

    x: float
    y: float
    label: str


class Series(msgspec.Struct, frozen=True):
    """Points of one colour and one line of the legend.  style: of curves, whether points are
    joined.  name: empty, the points belong to the series before and have its colour."""

    name: str
    points: tuple[Point, ...]
    style: Literal["marker", "line"] = "marker"


class Picture(msgspec.Struct, frozen=True):
    """What is drawn by `pictures.write`.  id: stem of the files.  x, y: what the axes show.

    kind: "plane" (area and time, with lines of equal product), "bars" (y alone, in groups of equal
    label) or "curves" (y over x; logarithmic: both axes)."""

    id: str
    title: str
    kind: Literal["plane", "bars", "curves"]
    x: str
    y: str
    series: tuple[Series, ...]
    logarithmic: bool = False


class Paper(msgspec.Struct, frozen=True):
    """All of one paper.  notes: what holds for every table."""

    key: str
    title: str
    source: str
    notes: tuple[str, ...]
    tables: tuple[Table, ...]
    pictures: tuple[Picture, ...] = ()


def number(value: float | None) -> float | None:
    """A figure of a TOML file, where nan means that none is printed."""
    return None if value is None or math.isnan(value) else value


def rounded(value: float | None, digits: int = 5) -> float | None:
    """To that many significant digits; whole numbers stay whole."""
    if value is None or value == 0 or value == int(value):
        return None if value is None else int(value)
    return round(value, digits - 1 - math.floor(math.log10(abs(value))))
