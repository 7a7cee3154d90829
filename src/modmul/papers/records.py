"""The published tables and figures of a paper beside what this tool computes and measures."""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

Figure = int | float | str
Figures = Mapping[str, Any]  # all of a paper, as transcribed from print
AT_USABLE = (  # `{AT_USABLE}` among the notes of a paper: ours are routed for it
    "Times and orders of ours on ecp5 are those of the usable clock: the routed one within the "
    "limits of the chip.  The routed clock stands in columns that say so."
)


class Origin(enum.StrEnum):
    """Where the figure `computed` of a cell is from, or what stands for it.  A figure `measured` is
    always of a circuit of ours: simulated, synthesised or routed.

    PRINT: nothing of ours is compared.  ARITHMETIC: from printed figures of the same paper, its
    formulas, and constants that are copies of them; it checks the paper's own arithmetic and says
    nothing about our circuits.  MIXED: from both, as the cycles of our design at a printed clock.
    CIRCUIT: what our design declares, or its model gives, without a printed figure.  MEASURED:
    nothing is computed."""

    PRINT = "print"
    ARITHMETIC = "arithmetic"
    MIXED = "mixed"
    CIRCUIT = "circuit"
    MEASURED = "measured"


# What a paper says of a figure, if it does not print it as exact.
Said = Literal["about", "similar", "more than", "at least", "at most", "below"]


class _OfOrigin(msgspec.Struct, frozen=True, kw_only=True):
    """What every cell has to say."""

    origin: Origin


class TableCell(_OfOrigin, frozen=True):
    """One figure: as printed, as it follows from print or as the multiplier declares it, as
    simulated, synthesised or routed.  ValueError for figures that its origin does not allow.

    None: not printed; not computed; not measured.  said: with the printed figure."""

    published: Figure | None = None
    computed: Figure | None = None
    measured: Figure | None = None
    remark: str | None = None
    said: Said | None = None

    def __post_init__(self) -> None:
        if self.origin in (Origin.PRINT, Origin.MEASURED) and self.computed is not None:
            raise ValueError(f"computed {self.computed!r}: not with origin {self.origin}")
        alone = self.origin == Origin.ARITHMETIC and not isinstance(self, MeasuredCell)
        if (self.origin == Origin.PRINT or alone) and self.measured is not None:
            raise ValueError(f"measured {self.measured!r}: not with origin {self.origin}")

    def as_said(self, said: Said) -> TableCell:
        """The same, with a figure that the paper prints with this word."""
        return msgspec.structs.replace(self, said=said)

    @staticmethod
    def printed(published: Figure | None, remark: str | None = None) -> TableCell:
        """Nothing of ours is compared with it."""
        return TableCell(published, remark=remark, origin=Origin.PRINT)

    @staticmethod
    def arithmetic(
        published: Figure | None,
        computed: Figure | None,
        remark: str | None = None,
        *,
        measured: Figure | UnsetType | None = UNSET,
    ) -> TableCell:
        """Computed from print alone; with `measured`, a figure that a run measures beside it."""
        return _cell(published, computed, measured, remark, Origin.ARITHMETIC)

    @staticmethod
    def mixed(
        published: Figure | None,
        computed: Figure | None,
        remark: str | None = None,
        *,
        measured: Figure | UnsetType | None = UNSET,
    ) -> TableCell:
        """Computed from print and from what our design declares; `measured` as above."""
        return _cell(published, computed, measured, remark, Origin.MIXED)

    @staticmethod
    def circuit(
        published: Figure | None,
        computed: Figure | None,
        remark: str | None = None,
        *,
        measured: Figure | UnsetType | None = UNSET,
    ) -> TableCell:
        """Computed from what our design declares; `measured` as above."""
        return _cell(published, computed, measured, remark, Origin.CIRCUIT)

    @staticmethod
    def ours(
        measured: Figure | None, remark: str | None = None, *, published: Figure | None = None
    ) -> TableCell:
        """Nothing of ours but a figure that a run measures; None until it has been run."""
        return MeasuredCell(published, None, measured, remark, origin=Origin.MEASURED)

    @staticmethod
    def seen(measured: Figure | None, remark: str | None = None) -> TableCell:
        """A measured figure; None: there is none to be measured."""
        return TableCell(None, None, measured, remark, origin=Origin.MEASURED)


class MeasuredCell(TableCell, frozen=True):
    """A cell with a measurement.  measured: None until it has been run."""


def _cell(
    published: Figure | None,
    computed: Figure | None,
    measured: Figure | UnsetType | None,
    remark: str | None,
    origin: Origin,
) -> TableCell:
    if measured is UNSET:
        return TableCell(published, computed, None, remark, origin=origin)
    return MeasuredCell(published, computed, measured, remark, origin=origin)


EMPTY = TableCell(origin=Origin.PRINT)


class Table(msgspec.Struct, frozen=True):
    """A table or figure.  rows: one entry for each column, a label (of the row) or a Cell."""

    id: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Figure | TableCell, ...], ...]


class Derived(Table, frozen=True):
    """A table of which no cell is printed: what stands as published follows from print, or is
    printed in another table."""


class PicturePoint(msgspec.Struct, frozen=True):
    """A design in a picture.  label: written beside it; of a bar: the group that it belongs to."""

    x: float
    y: float
    label: str


class Series(msgspec.Struct, frozen=True):
    """Points of one colour and one line of the legend.  style: of curves, whether points are
    joined.  name: empty, the points belong to the series before and have its colour."""

    name: str
    points: tuple[PicturePoint, ...]
    style: Literal["marker", "line"] = "marker"

    @classmethod
    def of(cls, name: str, points: Iterable[tuple[float, float, str]]) -> Series:
        """Points with labels, not joined."""
        return cls(name, tuple(PicturePoint(*point) for point in points))

    @classmethod
    def curve(
        cls, name: str, points: Iterable[tuple[float, float]], *, joined: bool = True
    ) -> Series:
        """Points without labels."""
        style: Literal["marker", "line"] = "line" if joined else "marker"
        return cls(name, tuple(PicturePoint(x, y, "") for x, y in points), style)


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
    """Rounds to that many significant digits; whole numbers stay whole."""
    if value is None or value == 0 or value == int(value):
        return None if value is None else int(value)
    return round(value, digits - 1 - math.floor(math.log10(abs(value))))
