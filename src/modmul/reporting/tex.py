"""Prepares a report for papers written in LaTeX: escaped texts, and a BibTeX entry."""

from __future__ import annotations

import re
import shutil

from modmul.reporting.report import Report
from modmul.version import __version__

PROGRAM = "pdflatex"  # measures the size of the texts in a PGF picture
MISSING = f"no PGF pictures: {PROGRAM} is not installed, which measures their texts"
_LETTERS = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    **{letter: f"\\{letter}" for letter in "{}$&#_%"},
}


def installed() -> bool:
    """Whether pictures can be written as PGF on this machine."""
    return shutil.which(PROGRAM) is not None


def escaped(text: str) -> str:
    """Escape a text for LaTeX, so that none of its letters is a command."""
    return "".join(_LETTERS.get(letter, letter) for letter in text)


def entry(report: Report) -> str:
    """A BibTeX entry for the measurements of a report: program, space, points, tools,
    sources.  The year is that of the newest point.  The same report gives the same text."""
    records = [point.record for point in report.points]
    days = sorted(record.finished[:10] for record in records)
    tools = sorted(
        {f"{name} {version}" for record in records for name, version in record.tools.items()}
    )
    sources = sorted({record.sources[:12] for record in records})
    span = " to ".join(dict.fromkeys((days[0], days[-1])))
    note = [
        f"{report.counts['done']} points measured {span}",
        f"tools: {', '.join(tools)}",
        f"sources: {', '.join(sources)}",
    ]
    fields = {
        "author": "{modmul contributors}",
        "title": escaped(f"modmul, measurements: {report.title}"),
        "year": days[-1][:4],
        "version": __version__,
        "note": escaped("; ".join(note)),
    }
    key = re.sub(r"[^A-Za-z0-9]+", "-", report.title.partition(":")[0]).strip("-")
    lines = [f"  {name:<7} = {{{value}}}," for name, value in fields.items()]
    return "\n".join([f"@misc{{modmul-{key or 'report'},", *lines, "}", ""])
