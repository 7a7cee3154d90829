"""Pictures of a paper as SVG and PNG: the same bytes for the same figures and versions."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from modmul.papers.records import Paper, Picture, PicturePoint
from modmul.toolchain.files import check_writable, replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SIZE = (7.2, 4.8)  # inches
_DPI = 110  # of the PNG
_LETTER, _LINE = 0.0105, 0.032  # room of a label, as a part of the picture
_MARKERS = "osD^vPX"
_FEW = 4  # series whose legend fits into a picture as it is
# Nothing that depends on day, machine or release in the files, and no reference to the web.
_METADATA = {
    "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
    "png": {"Software": None},
    "pdf": {"Creator": None, "Producer": None, "CreationDate": None},
}
_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "modmul",
    "svg.fonttype": "path",
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def write(paper: Paper, folder: Path) -> tuple[Path, ...]:
    """Draw all pictures of a paper into `folder`: <key>_<id>.svg and .png.

    SpecError if files cannot be put there."""
    check_writable(folder)
    folder.mkdir(parents=True, exist_ok=True)
    return tuple(file for picture in paper.pictures for file in _draw(picture, folder / paper.key))


def _draw(picture: Picture, stem: Path) -> list[Path]:
    with drawing(_SIZE) as figure:
        axes = figure.add_subplot()
        axes.set_title(picture.title, fontsize=10)
        axes.set_xlabel(picture.x)
        axes.set_ylabel(picture.y)
        _KINDS[picture.kind](picture, axes)
        if len(picture.series) > 1:
            legend = axes.legend(frameon=False, fontsize=8)
            legend.set_loc(_LEGENDS[picture.kind])
        return save(figure, stem.with_name(f"{stem.name}_{picture.id}"))


@contextlib.contextmanager
def drawing(size: tuple[float, float]) -> Iterator[Figure]:
    """An empty figure of that size (inches), to be drawn and saved within the block: what comes out
    does not depend on the user's own settings."""
    import matplotlib as mpl  # a second to import, so only where it is needed
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    mpl.rcdefaults()
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=size, dpi=_DPI, layout="constrained")
        FigureCanvasAgg(figure)
        yield figure


def save(figure: Figure, stem: Path, kinds: Sequence[str] = ("svg", "png")) -> list[Path]:
    """Write STEM.svg and so on, each complete or not at all; the same bytes each time."""
    files = []
    for suffix in kinds:
        path = stem.with_name(f"{stem.name}.{suffix}")
        with replacing(path) as part:
            known = _METADATA.get(suffix)
            told: dict[str, Any] = {"metadata": known} if known else {}
            figure.savefig(part, format=suffix, **told)
        files.append(path)
    return files


def _plane(picture: Picture, axes: Axes) -> None:
    """Makes both axes logarithmic, so that equal products are straight lines."""
    points = [point for series in picture.series for point in series.points]
    axes.set_xscale("log")
    axes.set_yscale("log")
    low, high = min(p.x for p in points) / 1.15, max(p.x for p in points) * 1.45
    bottom, top = min(p.y for p in points) / 1.2, max(p.y for p in points) * 1.2
    best = min(p.x * p.y for p in points)
    for power in range(8):
        product = best * 1.5**power
        axes.plot([low, high], [product / low, product / high], "-", color="0.85", lw=0.8, zorder=0)
    for series, marker in zip(picture.series, _MARKERS, strict=False):
        xs, ys = [p.x for p in series.points], [p.y for p in series.points]
        axes.plot(xs, ys, marker, label=series.name, markersize=5)
    scale = (math.log(high / low), math.log(top / bottom))
    for point, place, side in labels(points, scale):
        axes.annotate(
            point.label, (point.x, point.y), place, textcoords="offset points", fontsize=7, ha=side
        )
    axes.set_xlim(low, high)
    axes.set_ylim(bottom, top)
    axes.minorticks_off()
    for axis, first, last in ((axes.xaxis, low, high), (axes.yaxis, bottom, top)):
        ticks = _ticks(first, last)
        axis.set_ticks(ticks, [f"{tick:g}" for tick in ticks])


def labels(
    points: Sequence[PicturePoint], scale: tuple[float, float]
) -> Iterator[tuple[PicturePoint, tuple[int, int], str]]:
    """Each label, of one line or more, where it meets none that is written: right above, right
    below, left above or left below its point; offset in points, and alignment.  scale: logarithm of
    width and height."""
    places = {(5, 3): "left", (5, -9): "left", (-5, 3): "right", (-5, -9): "right"}
    taken: list[tuple[float, float, float, float]] = []
    for point in sorted((p for p in points if p.label), key=lambda p: (-p.y, p.x)):
        x, y = math.log(point.x) / scale[0], math.log(point.y) / scale[1]
        boxes = {}
        for dx, dy in places:
            lines = point.label.split("\n")
            width, height = _LETTER * max(map(len, lines)), _LINE * len(lines)
            left = x if dx > 0 else x - width
            low = y if dy > 0 else y - height
            boxes[dx, dy] = (left, low, left + width, low + height)
        free = (place for place, box in boxes.items() if not any(_meet(box, o) for o in taken))
        chosen = next(free, (5, 3))
        taken.append(boxes[chosen])
        yield point, chosen, places[chosen]


def _meet(area: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return area[0] < other[2] and other[0] < area[2] and area[1] < other[3] and other[1] < area[3]


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers within a range, about six of them, evenly over its logarithm."""
    steps = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
    every = [step * 10.0**power for power in range(-6, 12) for step in steps]
    inside = [float(f"{tick:.3g}") for tick in every if low <= tick <= high]
    return inside[:: max(1, len(inside) // 6)]


def _bars(picture: Picture, axes: Axes) -> None:
    """One group for each label, in the order in which labels come."""
    groups = list(dict.fromkeys(p.label for series in picture.series for p in series.points))
    width = 0.8 / len(picture.series)
    for number, series in enumerate(picture.series):
        offset = (number - (len(picture.series) - 1) / 2) * width
        places = [groups.index(point.label) + offset for point in series.points]
        heights = [point.y for point in series.points]
        axes.bar(places, heights, width, label=series.name, zorder=2)
    if len(picture.series) > _FEW:  # room for the legend above the bars
        highest = max(point.y for series in picture.series for point in series.points)
        axes.set_ylim(0, 1.4 * highest)
    axes.set_xticks(range(len(groups)), groups)
    axes.grid(False, axis="x")


def _curves(picture: Picture, axes: Axes) -> None:
    """Series without a name have the colour of the one before."""
    number, markers = -1, iter(_MARKERS * len(picture.series))
    for series in picture.series:
        number += bool(series.name)
        how = "-" if series.style == "line" else next(markers)
        xs, ys = [p.x for p in series.points], [p.y for p in series.points]
        label = series.name or None
        axes.plot(xs, ys, how, label=label, color=f"C{number % 10}", markersize=4, lw=1.2)
    if picture.logarithmic:
        points = [point for series in picture.series for point in series.points]
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        places = sorted({point.x for point in points})
        axes.xaxis.set_ticks(places, [f"{place:g}" for place in places])
        axes.minorticks_off()


_KINDS = {"plane": _plane, "bars": _bars, "curves": _curves}
_LEGENDS: dict[str, Literal["lower right", "upper right", "upper left"]] = {
    "plane": "lower right",
    "bars": "upper right",
    "curves": "upper left",
}
