"""The lowest area-time products: the multipliers of both papers, and ours."""

from __future__ import annotations

from collections.abc import Mapping

from modmul.multipliers import Multiplier
from modmul.papers.columns import Row, Rows, table
from modmul.papers.kuang2016.designs import CONTEST_WIDTH, OURS, PAPERS, entrants
from modmul.papers.kuang2016.measured import Measured
from modmul.papers.records import Figures, Picture, Series, TableCell, rounded
from modmul.papers.silicon import MappedCore
from modmul.spec import Spec

Contest = Mapping[str, MappedCore]  # by entrant


def winner(contest: Contest, *, constant: bool = True) -> str:
    """The lowest product; constant: among those of constant time."""
    known = _multipliers(contest)
    allowed = [name for name in contest if not constant or known[name].timing == "constant"]
    return min(allowed, key=lambda name: contest[name].area_time.value)


@table("Ours 1", bits=CONTEST_WIDTH)
def contest(figures: Figures, measured: Measured) -> Rows:
    """Everything, the lowest product first; of ours only the best parameters, the rest of the
    sweep is a table of its own."""
    contest, known = measured.contest, _multipliers(measured.contest)
    order = sorted(contest, key=lambda name: contest[name].area_time.value)
    ours = next((name for name in order if name.startswith(OURS)), None)

    def row(name: str) -> Row:
        redundant = known[name].result_form == "carry-save"
        return {
            "multiplier": f"{name} (ours)" if name == ours else name,
            "time": known[name].timing,
            "result": "carry-save, not converted" if redundant else "binary",
            **_figures(contest[name], _ahead(contest, name) if name == ours else None),
        }

    shown = (name for name in order if name == ours or not name.startswith(OURS))
    yield from map(row, shown)


def _ahead(contest: Contest, ours: str) -> str | None:
    """How far from the best of the papers; nothing while some of them are missing."""
    others = {name: entry for name, entry in contest.items() if not name.startswith(OURS)}
    if len(others) < len(PAPERS):
        return None
    parts = []
    for constant, what in ((True, "of constant time"), (False, "of all")):
        best = winner(others, constant=constant)
        ratio = others[best].area_time.value / contest[ours].area_time.value
        parts.append(f"the best of both papers {what}, {best}, has {ratio:.2f} times as much")
    return "; ".join(parts)


def picture(contest: Contest) -> Picture:
    """Area over time; of ours the whole sweep."""
    known = _multipliers(contest)
    groups: dict[str, list[tuple[float, float, str]]] = {}
    for name, entry in contest.items():
        constant = known[name].timing == "constant"
        kind, label = "constant time" if constant else "time depends on operands", name
        if name.startswith(OURS):
            kind, label = OURS, ""
        time = entry.delay * entry.cycles.per_product
        point = (time / 1000, entry.area.value / 1000, label)
        groups.setdefault(kind, []).append(point)
    bits = CONTEST_WIDTH
    return Picture(
        f"best_{bits}",
        f"Multipliers of both papers and ours at {bits} bits, normalised",
        "plane",
        "time of a product, 1000 T_FA",
        "area, 1000 A_FA",
        tuple(Series.of(name, points) for name, points in groups.items()),
    )


@table("Ours 2", bits=CONTEST_WIDTH)
def sweep(figures: Figures, measured: Measured) -> Rows:
    """Ours with all parameters tried."""
    contest = measured.contest
    ours = {name: entry for name, entry in contest.items() if name.startswith(OURS)}
    rows: list[Row] = [{"multiplier": name, **_figures(our)} for name, our in ours.items()]
    yield from rows


def _figures(core: MappedCore, remark: str | None = None) -> dict[str, TableCell]:
    return {
        "area_A_FA": TableCell.ours(rounded(core.area.value, 6)),
        "delay_T_FA": TableCell.ours(rounded(core.delay, 4), core.path),
        "cycles_per_product": TableCell.ours(rounded(core.cycles.per_product, 6)),
        "product_1e6_A_FA_T_FA": TableCell.ours(rounded(core.area_time.value / 1e6, 5), remark),
    }


def _multipliers(contest: Contest) -> dict[str, Multiplier]:
    options = entrants()
    return {name: Spec.from_options(options[name]).multiplier for name in contest}
