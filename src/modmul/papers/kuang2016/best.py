"""The lowest area-time product at 1024 bits: the multipliers of both papers, and ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from modmul.papers.columns import Row, tabulate
from modmul.papers.records import Cell, Picture, PicturePoint, Series, Table, rounded
from modmul.papers.silicon import Silicon
from modmul.spec import Spec

WIDTH = 1024
OURS = "montgomery-lookahead"
WORDS = (8, 16, 32, 64, 128, 256)
LOOKAHEADS = (1, 2)

Entrant = str
# As anybody would use them: results can be operands again.
PAPERS: dict[Entrant, dict[str, Any]] = {
    "MM": {"architecture": "montgomery-radix2"},
    "SCS-MM-1(32)": {"architecture": "scs-mm-1"},
    "SCS-MM-2": {"architecture": "scs-mm-2"},
    "FCS-MM-1": {"architecture": "fcs-mm-1"},
    "FCS-MM-2": {"architecture": "fcs-mm-2"},
    "FCS-MMM42": {"architecture": "fcs-mmm42"},
    "MSCS-MM": {"architecture": "mscs-mm"},
    "SCS-MM-New": {"architecture": "scs-mm-new"},
    "SCS-MM-New, constant time": {"architecture": "scs-mm-new", "constant-time": True},
    "interleaved": {"architecture": "interleaved"},
    "redundant interleaved": {"architecture": "interleaved-redundant"},
    "redundant interleaved, early look-up": {
        "architecture": "interleaved-redundant",
        "early-lookup": True,
    },
    "Montgomery, 2 CSA": {"architecture": "montgomery-2csa"},
    "Montgomery, 1 CSA": {"architecture": "montgomery-1csa", "table": "registers"},
}


def entrants(width: int = WIDTH) -> dict[Entrant, dict[str, Any]]:
    """Options of everything that takes part; ours with every parameter of the sweep."""
    ours = {
        f"{OURS}, word {word}, lookahead {ahead}": {
            "architecture": OURS,
            "stream_word": word,
            "lookahead": ahead,
        }
        for ahead in LOOKAHEADS
        for word in WORDS
        if word <= width
    }
    return {name: {**given, "width": width} for name, given in (PAPERS | ours).items()}


def winner(contest: Mapping[Entrant, Silicon], *, constant: bool = True) -> Entrant:
    """The lowest product; constant: among those of constant time."""
    given = entrants(_width(contest))
    allowed = [name for name in contest if not constant or _constant(given[name])]
    return min(allowed, key=lambda name: contest[name].product)


def table(contest: Mapping[Entrant, Silicon]) -> Table:
    """Everything, the lowest product first; of ours only the best parameters, the rest of the
    sweep is a table of its own."""
    given = entrants(_width(contest))
    ours = min(
        (n for n in contest if n.startswith(OURS)),
        key=lambda name: contest[name].product,
        default=None,
    )
    shown = [name for name in contest if name == ours or not name.startswith(OURS)]
    rows: list[Row] = []
    for name in sorted(shown, key=lambda name: contest[name].product):
        multiplier = Spec.from_options(given[name]).multiplier
        redundant = multiplier.result_form == "carry-save"
        ahead = _ahead(contest, name) if name == ours else None
        row: Row = {
            "multiplier": f"{name} (ours)" if name == ours else name,
            "time": multiplier.timing,
            "result": "carry-save, not converted" if redundant else "binary",
            **_figures(contest[name], ahead),
        }
        rows.append(row)
    title = f"Area-time product at {_width(contest)} bits, cells of `normalised`, lowest first"
    headings = ("multiplier", "time", "result", *_HEADINGS)
    return tabulate("Ours 1", title, rows, headings=headings)


def _ahead(contest: Mapping[Entrant, Silicon], ours: Entrant) -> str | None:
    """How far from the best of the papers; nothing while some of them are missing."""
    others = {name: one for name, one in contest.items() if not name.startswith(OURS)}
    if len(others) < len(PAPERS):
        return None
    parts = []
    for constant, what in ((True, "of constant time"), (False, "of all")):
        best = winner(others, constant=constant)
        ratio = others[best].product / contest[ours].product
        parts.append(f"the best of both papers {what}, {best}, has {ratio:.2f} times as much")
    return "; ".join(parts)


def picture(contest: Mapping[Entrant, Silicon]) -> Picture:
    """Area over time; of ours the whole sweep."""
    given = entrants(_width(contest))
    groups: dict[str, list[PicturePoint]] = {}
    for name, one in contest.items():
        kind = "constant time" if _constant(given[name]) else "time depends on operands"
        kind, label = (OURS, "") if name.startswith(OURS) else (kind, name)
        point = PicturePoint(one.delay * one.cycles / 1000, one.area / 1000, label)
        groups.setdefault(kind, []).append(point)
    return Picture(
        id=f"best_{_width(contest)}",
        title=f"Multipliers of both papers and ours at {_width(contest)} bits, normalised",
        kind="plane",
        x="time of a product, 1000 T_FA",
        y="area, 1000 A_FA",
        series=tuple(Series(name, tuple(points)) for name, points in groups.items()),
    )


def sweep(contest: Mapping[Entrant, Silicon]) -> Table:
    """Ours with all parameters tried."""
    rows: list[Row] = [
        {"multiplier": name, **_figures(one)}
        for name, one in contest.items()
        if name.startswith(OURS)
    ]
    title = f"{OURS} at {_width(contest)} bits: its parameters"
    return tabulate("Ours 2", title, rows, headings=("multiplier", *_HEADINGS))


_HEADINGS = ("area_A_FA", "delay_T_FA", "cycles_per_product", "product_1e6_A_FA_T_FA")


def _figures(one: Silicon, remark: str | None = None) -> dict[str, Cell]:
    cells = (
        Cell.ours(rounded(one.area, 6)),
        Cell.ours(rounded(one.delay, 4), one.path),
        Cell.ours(rounded(one.cycles, 6)),
        Cell.ours(rounded(one.product / 1e6, 5), remark),
    )
    return dict(zip(_HEADINGS, cells, strict=True))


def _width(contest: Mapping[Entrant, Silicon]) -> int:
    return next((one.width for one in contest.values()), WIDTH)


def _constant(given: Mapping[str, Any]) -> bool:
    return Spec.from_options(given).multiplier.timing == "constant"
