"""Writes the page of a report: one HTML file that needs no other file and loads nothing."""

from __future__ import annotations

import base64
import functools
import json
import re
import zlib
from importlib import resources
from typing import Any

import jinja2
import msgspec

from modmul.exploration.names import plain
from modmul.reporting.points import Point
from modmul.reporting.published import Published
from modmul.reporting.quantities import QUANTITIES
from modmul.reporting.report import Report
from modmul.version import __version__

STYLES = ("colours.css", "layout.css", "controls.css")
# in the order in which they depend on each other
SCRIPTS = (
    *("dom.js", "library.js", "format.js", "data.js", "front.js", "theme.js", "state.js"),
    "tables.js",
    *("filters.js", "labels.js", "ticks.js", "scatter.js", "panel.js", "schedule.js", "compare.js"),
    *("summary.js", "main.js"),
)
# With this policy the browser itself refuses to load anything and to send forms.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'"
)
# Significant digits of the figures from which fronts are computed, and of those only drawn.
_DIGITS, _DRAWN = 10, 5


def page(report: Report) -> str:
    """The text of the page, which is the same for the same report and versions."""
    data = json.dumps(contents(report), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _template().render(
        title=report.title,
        policy=POLICY,
        styles=[_inline(name) for name in STYLES],
        scripts=[(name, _inline(name)) for name in SCRIPTS],
        data=_escape_for_script(data),
        plotly=_plotly(),
    )


def contents(report: Report) -> dict[str, Any]:
    """The data that the scripts of the page read, as plain JSON values."""
    return {
        "title": report.title,
        "version": __version__,
        "counts": report.counts,
        "coverage": msgspec.to_builtins(report.coverage),
        "quantities": [
            {
                "key": quantity.key,
                "label": quantity.label,
                "unit": quantity.unit,
                "better": quantity.better,
            }
            for quantity in QUANTITIES
        ],
        "points": [_point(point, report.counted.get(point.number)) for point in report.points],
        "published": [_published(printed) for printed in report.published],
        "schedules": [
            {"number": number, **msgspec.to_builtins(schedule)}
            for number, schedule in report.schedules.items()
        ],
    }


def _point(point: Point, counted: list[float] | None) -> dict[str, Any]:
    return {
        "number": point.number,
        "label": point.label,
        "parameters": point.parameters,
        "group": point.group,
        "arithmetic": point.arithmetic,
        "does": point.does,
        "command": point.command,
        "toml": point.toml,
        "figures": {key: _rounded(value) for key, value in point.figures.items()},
        "units": point.units,
        "luts_per_dsp": point.luts_per_dsp,
        "luts_per_ram": point.luts_per_ram,
        "estimated": point.estimated,
        "unverified": point.unverified,
        "counted": counted and [_rounded(time, _DRAWN) for time in counted],
        "record": _record(point),
    }


def _record(point: Point) -> dict[str, Any]:
    """The record as it is kept, without empty fields; of a path, the cells in one line."""
    record = plain(point.record)
    present = {key: value for key, value in record.items() if value not in (None, (), [], {})}
    for key in ("critical_path", "cell_path"):
        if key in present:
            stages = present[key].pop("stages")
            present[key]["through"] = " ".join(stage["cell"] for stage in stages)
    for key in ("routed", "usable"):  # among the figures
        present.pop(key, None)
    return present


def _published(printed: Published) -> dict[str, Any]:
    entry: dict[str, Any] = msgspec.to_builtins(printed)
    entry["figures"] = {key: _rounded(value) for key, value in entry["figures"].items()}
    entry["counted"] = entry["counted"] and [_rounded(time, _DRAWN) for time in entry["counted"]]
    return entry


def _rounded(value: float, digits: int = _DIGITS) -> float:
    rounded = float(f"{value:.{digits}g}")
    return int(rounded) if rounded.is_integer() else rounded


def _escape_for_script(text: str) -> str:
    """Escape JSON so that it cannot end its HTML element or begin another one."""
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


@functools.cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, keep_trailing_newline=True
    )
    return environment.from_string(_file("page.html.j2"))


def _inline(name: str) -> str:
    """One of our scripts or styles, after checking that it cannot end its HTML element."""
    text = _file(name)
    assert not re.search(r"</s(cript|tyle)|<!--", text, re.IGNORECASE), name
    return text


def _file(name: str) -> str:
    return (resources.files("modmul.reporting") / "page" / name).read_text(encoding="utf-8")


@functools.cache
def _plotly() -> str:
    """Plotly.js from its package, deflated (zlib) and in base64: two fifths of its size."""
    from plotly.offline import get_plotlyjs

    return base64.b64encode(zlib.compress(get_plotlyjs().encode(), 9)).decode()
