"""Makes the empty figures of a report and their axes, and saves the figures as files."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from modmul.papers import pictures
from modmul.reporting import tex

if TYPE_CHECKING:
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure


@contextlib.contextmanager
def drawing(size: tuple[float, float]) -> Iterator[Figure]:
    """An empty figure in whose texts $ has no special meaning."""
    with pictures.drawing(size) as figure:
        from matplotlib import rc_context

        with rc_context({"text.parse_math": False}):
            yield figure


def saved(figure: Figure, stem: Path) -> list[Path]:
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


def plain_ticks(*logarithmic: Axis) -> None:
    """Label logarithmic axes with plain numbers, even if they span less than a power of ten."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    for axis in logarithmic:
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 3.0, 5.0), numticks=9))
        axis.set_major_formatter(StrMethodFormatter("{x:,g}"))
        axis.set_minor_formatter(NullFormatter())
