"""Draws the figures of a report for print (SVG, PNG, PDF, PGF): the same bytes for the same
points."""

from __future__ import annotations

import contextlib
import math
import re
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

from modmul.exploration.store import Coverage
from modmul.implementation.figures import area_words
from modmul.papers import pictures
from modmul.papers.pictures import labels
from modmul.papers.records import PicturePoint
from modmul.reporting import tex
from modmul.reporting.points import AREA_TIME, Point, area_unit
from modmul.reporting.published import Published
from modmul.reporting.quantities import BY_KEY, EFFICIENCY
from modmul.reporting.report import Report
from modmul.targets import UNVERIFIED
from modmul.toolchain.files import check_writable
from modmul.toolchain.files import write as write_file
from modmul.verification.observed import ProductSchedule

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

_PHASES = (("operands in", "#2f4bce"), ("in work", "#b8c4f5"), ("result out", "#1f7a3a"))
_COLOURS = ("#2f4bce", "#d9480f", "#1f7a3a", "#b8256e", "#0b7285", "#7b2fa8", "#8a6300", "#4a5568")
_MARKERS = "osD^pvh"
_LINES = ("-", "--", ":", "-.")
_GHOST = "0.45"
_FEW = 6  # the most designs in the radar chart and in the chart of times for k products
_LABELLED = 12  # a front with more points than this gets no labels
_LONGEST = 26  # the most letters of a line in the legend
_LONGEST_NAME = 100  # the most letters of a name from a record in the name of a file
_LINE = 70  # the most letters of a line below a title
_AXES = {
    "rate_lut": "per LUT",
    "rate_ff": "per FF",
    "rate_dsp": "per DSP",
    "rate_ram": "per kbit RAM",
    "rate_area": "per area",
    "rate": "in all",
}


def write(report: Report, folder: Path) -> list[Path]:
    """Draw all figures into `folder`, write a BibTeX entry, and return the files.

    For every group with something to compare these are area and time, efficiency, and the time for
    some products; then the simulated schedules.  Raises SpecError if the folder cannot be
    written."""
    check_writable(folder)
    folder.mkdir(parents=True, exist_ok=True)
    files: list[Path] = []
    for group in dict.fromkeys(point.group for point in report.front):
        front = [point for point in report.front if point.group == group]
        points = [point for point in report.points if point.group == group and point.drawn]
        ghosts = _ghosts(report.published, points[0])
        name = file_name(group)
        if len(points) > 1:
            stem = folder / f"area_time_{name}"
            files += _area_time(points, front, ghosts, report.coverage, stem)
        spread = _spread([point for point in front if "rate" in point.figures])
        if len(spread) > 1 or (spread and ghosts):
            files += _radar(spread, ghosts, folder / f"efficiency_{name}")
        built = [point for point in spread if point.number in report.counted]
        if len(built) > 1 or (built and ghosts):
            times = {point.number: report.counted[point.number] for point in built}
            files += _products(built, times, ghosts, folder / f"products_{name}")
    for number, schedule in report.schedules.items():
        stem = folder / f"schedule_{file_name(schedule.title)}"
        files += _schedule(report.points[number], schedule, stem)
    entry = folder / "report.bib"
    write_file(entry, tex.entry(report))
    return [*files, entry]


def file_name(text: str) -> str:
    """The letters, digits and - of a text; only the end of a long one."""
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-").lower()[-_LONGEST_NAME:]


def _ghosts(every: Sequence[Published], point: Point) -> list[Published]:
    """The published designs with the operation, width and arithmetic of a point, from the
    same chip family; if there are none, from all families that are measured in the same units."""
    alike = [
        design
        for design in every
        if point.does in design.does
        and (design.width, design.arithmetic, design.units)
        == (point.record.width, point.arithmetic, point.units)
    ]
    return [design for design in alike if design.family == point.record.target] or alike


def _named(ghosts: Sequence[Published], point: Point) -> str:
    same = all(ghost.family == point.record.target for ghost in ghosts)
    return "published" if same else "published, other chips"


def _spread(front: Sequence[Point]) -> list[Point]:
    """Choose a few points, evenly spaced, the first and the last among them."""
    few = min(_FEW, len(front))
    places = {round(k * (len(front) - 1) / max(1, few - 1)) for k in range(few)}
    return [front[place] for place in sorted(places)]


def _names(points: Sequence[Point]) -> list[str]:
    return sorted({point.record.architecture for point in points})


def _area_time(
    points: Sequence[Point],
    front: Sequence[Point],
    ghosts: Sequence[Published],
    covered: Coverage,
    stem: Path,
) -> list[Path]:
    x, y = AREA_TIME
    with _drawing((7.2, 4.8)) as figure:
        axes = figure.add_subplot()
        names = _names(points)
        for place, name in enumerate(names):
            own = [
                p
                for p in points
                if p.record.architecture == name and x in p.figures and y in p.figures
            ]
            axes.plot(
                [p.figures[x] for p in own],
                [p.figures[y] for p in own],
                _MARKERS[place % len(_MARKERS)],
                color=_COLOURS[place % len(_COLOURS)],
                markersize=5,
                label=name,
                alpha=0.85,
                mec="white",
                mew=0.4,
            )
        across, up = [p.figures[x] for p in front], [p.figures[y] for p in front]
        axes.step(across, up, where="post", color="0.3", lw=1, zorder=1, label="front")
        shown = [ghost for ghost in ghosts if x in ghost.figures and ghost.units == points[0].units]
        if shown:
            axes.plot(
                [row.figures[x] for row in shown],
                [row.figures[y] for row in shown],
                "o",
                mfc="none",
                mec=_GHOST,
                markersize=5,
                label=_named(shown, points[0]),
            )
        axes.set_xscale("log")
        axes.set_yscale("log")
        unit = area_words(
            points[0].units["area"],
            [*(p.luts_per_dsp for p in points), *(ghost.luts_per_dsp for ghost in shown)],
            [*(p.luts_per_ram for p in points), *(ghost.luts_per_ram for ghost in shown)],
        )
        axes.set_xlabel(f"{BY_KEY[x].label} ({unit})")
        axes.set_ylabel(f"{BY_KEY[y].label} ({points[0].units['time']}{_doubt(points)})")
        _plain_ticks(axes.xaxis, axes.yaxis)
        if len(front) <= _LABELLED:
            _number(axes, front)
        axes.set_title(f"{points[0].group}\n{fill(covered.front, _LINE)}", fontsize=9)
        figure.legend(loc="outside right upper", frameon=False, fontsize=7.5)
        return _saved(figure, stem)


def _doubt(points: Sequence[Point]) -> str:
    """The addition to the label of an axis of times if an unverified limit decides a
    clock."""
    blocks = dict.fromkeys(
        point.unverified.partition(" (")[0] for point in points if point.unverified
    )
    return f"; {UNVERIFIED} clock limit of {', '.join(blocks)}" if blocks else ""


def _number(axes: Axes, front: Sequence[Point]) -> None:
    """Put numbers beside the points of a front, with room for them on the right; the legend lists
    the parameters of each."""
    x, y = AREA_TIME
    low, high = axes.get_xlim()
    axes.set_xlim(low, high * (high / low) ** 0.05)
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    scale = (math.log(right / left), math.log(top / bottom))
    named = [
        PicturePoint(point.figures[x], point.figures[y], str(number))
        for number, point in enumerate(front, 1)
        if point.figures[x] > 0
    ]
    for point, place, side in labels(named, scale):
        axes.annotate(
            point.label,
            (point.x, point.y),
            place,
            textcoords="offset points",
            fontsize=8,
            color="0.2",
            ha=side,
        )
    for number, numbered in enumerate(front, 1):
        axes.plot([], [], " ", label=f"{number}: {fill(numbered.label, _LONGEST)}")


def _best_published(ghosts: Sequence[Published]) -> list[Published]:
    """The two published designs that are fastest for eight products."""
    return sorted(ghosts, key=lambda ghost: ghost.figures["eight"])[:2]


def _styles(points: Sequence[Point]) -> list[dict[str, str]]:
    """A style for each point: the colour shows the architecture, the kind of line the
    design."""
    names, seen, styles = _names(points), dict.fromkeys(_names(points), 0), []
    for point in points:
        name = point.record.architecture
        place, turn = names.index(name), seen[name]
        seen[name] += 1
        styles.append({"color": _COLOURS[place % len(_COLOURS)], "ls": _LINES[turn % len(_LINES)]})
    return styles


def _radar(chosen: Sequence[Point], ghosts: Sequence[Published], stem: Path) -> list[Path]:
    every: list[tuple[str, dict[str, float], dict[str, str]]] = [
        (point.label + (f", clock {UNVERIFIED}" if point.unverified else ""), point.figures, style)
        for point, style in zip(chosen, _styles(chosen), strict=True)
    ]
    every += [
        (f"{row.design}, {row.chip}", row.figures, {"color": _GHOST, "ls": line})
        for row, line in zip(_best_published(ghosts), _LINES[1:], strict=False)
    ]
    keys = [key for key in EFFICIENCY if any(key in figures for _, figures, _ in every)]
    period = chosen[0].units["period"]
    best = {key: max(figures.get(key, 0.0) for _, figures, _ in every) for key in keys}
    with _drawing((7.2, 4.8)) as figure:
        axes = figure.add_subplot(projection="polar")
        for name, figures, style in every:
            known = [key for key in keys if key in figures]
            angles = [math.tau * keys.index(key) / len(keys) for key in known]
            lengths = [figures[key] / best[key] for key in known]
            axes.plot(
                [*angles, angles[0]],
                [*lengths, lengths[0]],
                label=name,
                lw=1.3,
                marker="o",
                markersize=3,
                color=style["color"],
                ls=style["ls"],
            )
        axes.set_xticks(
            [math.tau * k / len(keys) for k in range(len(keys))],
            [f"{_AXES[key]}\n{_letter(best[key])}" for key in keys],
        )
        axes.tick_params(axis="x", pad=11)
        axes.set_yticks([0.25, 0.5, 0.75, 1.0], ["", "", "", ""])
        axes.set_ylim(0, 1.02)
        area = area_unit(chosen)
        title = (
            f"Throughput (products/{period}), {chosen[0].group}\nat an axis: where it ends; "
            f"area: {area}"
        )
        axes.set_title(title, fontsize=10)
        figure.legend(loc="outside right upper", frameon=False, fontsize=7.5)
        return _saved(figure, stem)


def _letter(rate: float) -> str:
    for scale, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if rate >= scale:
            return f"{rate / scale:.3g} {letter}"
    return f"{rate:.3g}"


def _products(
    chosen: Sequence[Point], times: dict[int, list[float]], ghosts: Sequence[Published], stem: Path
) -> list[Path]:
    with _drawing((7.2, 4.4)) as figure:
        axes = figure.add_subplot()
        for point, style in zip(chosen, _styles(chosen), strict=True):
            counted = times[point.number]
            doubt = f", clock {UNVERIFIED}" if point.unverified else ""
            axes.plot(
                range(1, len(counted) + 1),
                counted,
                label=point.label + doubt,
                lw=1.4,
                marker="o",
                markersize=2.5,
                color=style["color"],
                ls=style["ls"],
            )
        for ghost, line in zip(_best_published(ghosts), _LINES[1:], strict=False):
            if ghost.counted is not None:
                axes.plot(
                    range(1, len(ghost.counted) + 1),
                    ghost.counted,
                    color=_GHOST,
                    ls=line,
                    lw=1.2,
                    label=f"{ghost.design}, {ghost.chip}",
                )
        axes.set_yscale("log")
        _plain_ticks(axes.yaxis)
        axes.set_xlabel("independent products")
        axes.set_ylabel(f"time ({chosen[0].units['time']})")
        axes.set_title(f"Time for a number of products, {chosen[0].group}", fontsize=10)
        figure.legend(loc="outside right upper", frameon=False, fontsize=7.5)
        return _saved(figure, stem)


def _schedule(point: Point, schedule: ProductSchedule, stem: Path) -> list[Path]:
    """The simulated products of a design, slot by slot and cycle by cycle."""
    slots = schedule.slots
    with _drawing((7.2, 1.6 + 0.42 * min(slots, 24))) as figure:
        axes = figure.add_subplot()
        for index, (taken, given) in enumerate(zip(schedule.taken, schedule.given, strict=True)):
            lane = (index // slots) % 2
            y = index % slots + 1 + (lane - 0.5) * 0.4
            first = max(given[0], taken[1] + 1)
            parts = ((taken[0], taken[1]), (taken[1] + 1, given[0] - 1), (first, given[1]))
            for (begin, end), (name, colour) in zip(parts, _PHASES, strict=True):
                if end >= begin:
                    axes.barh(
                        y,
                        end - begin + 1,
                        0.36,
                        begin - 0.5,
                        color=colour,
                        lw=0,
                        label=name if index == 0 else None,
                    )
            axes.text(
                (taken[1] + given[0]) / 2,
                y,
                str(index + 1),
                fontsize=7,
                ha="center",
                va="center_baseline",
            )
        axes.set_axisbelow(True)
        axes.set_yticks(range(1, slots + 1))
        axes.set_ylim(slots + 0.5, 0.5)
        axes.set_xlim(0, schedule.given[-1][1] + 1)
        axes.grid(False, axis="y")
        axes.set_ylabel("slot")
        time = point.record.time
        doubt = f", {UNVERIFIED}" if point.unverified else ""
        period = f" (one is {time.period:.4g} {time.unit}{doubt})" if time else ""
        axes.set_xlabel(f"clock cycle{period}")
        axes.set_title(f"{point.label}, {point.group}: simulated", fontsize=10)
        figure.legend(loc="outside right upper", frameon=False, fontsize=7.5)
        return _saved(figure, stem)


@contextlib.contextmanager
def _drawing(size: tuple[float, float]) -> Iterator[Figure]:
    """An empty figure in whose texts $ has no special meaning."""
    with pictures.drawing(size) as figure:
        from matplotlib import rc_context

        with rc_context({"text.parse_math": False}):
            yield figure


def _saved(figure: Figure, stem: Path) -> list[Path]:
    """Save the figure as SVG, PNG and PDF, and last as PGF if LaTeX is installed and accepts its
    texts; return the files."""
    files = pictures.save(figure, stem, ("svg", "png", "pdf"))
    if not tex.installed():
        return files
    from matplotlib import rc_context
    from matplotlib.text import Text

    for text in figure.findobj(Text):
        text.set_text(tex.escaped(text.get_text()))
    try:
        with rc_context({"pgf.texsystem": tex.PROGRAM, "pgf.rcfonts": False}):
            return files + pictures.save(figure, stem, ("pgf",))
    except (RuntimeError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0]
        warnings.warn(f"{stem.name}.pgf: left out, {tex.PROGRAM} fails: {reason}", stacklevel=2)
        return files


def _plain_ticks(*logarithmic: Axis) -> None:
    """Label logarithmic axes with plain numbers, even if they span less than a power of ten."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    for axis in logarithmic:
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 3.0, 5.0), numticks=9))
        axis.set_major_formatter(StrMethodFormatter("{x:,g}"))
        axis.set_minor_formatter(NullFormatter())
