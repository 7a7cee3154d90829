"""Figure 3: area-time products, the order of the three designs, and why it differs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from modmul.papers import ranking
from modmul.papers.amanor2005.designs import LABELS, NAMES, Measured, counted_cycles
from modmul.papers.amanor2005.tables import printed
from modmul.papers.columns import Row, tabulate
from modmul.papers.ranking import Comparison, Ranked
from modmul.papers.records import Cell, Figures, Picture, PicturePoint, Series, Table, rounded

_NO_FIGURES = "the drawing has no figures to compare"
SLICES = "max(LUT, FF) / 2: slices at least, as each has two of both"


def printed_entries(figures: Figures, width: int) -> list[Ranked]:
    """Percent of the slices, us, n + 3 cycles."""
    return [
        Ranked(
            LABELS[name],
            printed(figures, "table_1", name, width),
            1 / printed(figures, "table_2", name, width, "frequency"),
            counted_cycles(width),
        )
        for name in NAMES
    ]


def our_entries(measured: Measured, width: int, *, everything: bool) -> list[Ranked]:
    """Slices on an ECP5, us at the usable clock, n + 3 cycles or all that are needed; area and path
    in words only with the former, as they are the same.  Empty if one of them is missing."""
    entries = []
    for name in NAMES:
        if (name, width) not in measured.ecp5:
            return []
        one = measured.ecp5[name, width]
        count = one.cycles if everything else counted_cycles(width)
        area = "" if everything else f"{one.lut} LUT, {one.ff} FF"
        path = "" if everything else f"{one.period:.2f} ns, {one.path}"
        entries.append(Ranked(LABELS[name], one.slices, 1 / one.usable, count, area, path))
    return entries


def figure3(figures: Figures, measured: Measured) -> Table:
    """The products, absolute and relative to the lowest of their width."""
    rows: list[Row] = []
    for width in measured.widths:
        sides = (
            printed_entries(figures, width),
            our_entries(measured, width, everything=False),
            our_entries(measured, width, everything=True),
        )
        for place, name in enumerate(LABELS.values()):
            print_, ours, whole = (side[place].product if side else None for side in sides)
            relative = [_relative(side, place) for side in sides]
            row: Row = {
                "bits": width,
                "architecture": name,
                "percent_us": Cell.arithmetic(
                    None, rounded(print_, 4), "Tables 1 and 2, n + 3 cycles"
                ),
                "ecp5_slices_us": Cell.ours(rounded(ours, 5), f"{SLICES}; n + 3 cycles"),
                "ecp5_all_slices_us": Cell.ours(rounded(whole, 5), "table and conversion, too"),
                "relative_to_the_lowest": Cell.arithmetic(
                    None, relative[0], _NO_FIGURES, measured=relative[1]
                ),
                "ecp5_all_relative": Cell.ours(relative[2]),
            }
            rows.append(row)
    return tabulate("Figure 3", "Area-time products of a multiplication", rows)


def _relative(side: Sequence[Ranked], place: int) -> float | None:
    """Product over the lowest of a width."""
    return rounded(side[place].product / min(one.product for one in side), 3) if side else None


def rankings(figures: Figures, measured: Measured) -> tuple[Table, Table]:
    """Both orders for each width, and every pair that changes places."""
    why = ranking.reasons(figures)
    compared = [
        Comparison(
            f"{width} bits{', table and conversion, too' if everything else ''}",
            printed_entries(figures, width),
            ours,
        )
        for width in measured.widths
        for everything in (False, True)
        if (ours := our_entries(measured, width, everything=everything))
    ]
    return (
        ranking.orders("Order", "Area-time products, lowest first; ours on ecp5", compared),
        ranking.swaps("Swaps", "Pairs in another order than printed: ratios", compared, why),
    )


def pictures(figures: Figures, measured: Measured) -> tuple[Picture, ...]:
    """Figure 3 from print, and from our clocks, at the widths that were measured; area over time of
    ours."""
    widths = [w for w in measured.widths if our_entries(measured, w, everything=False)]
    ours = {w: our_entries(measured, w, everything=False) for w in widths}
    whole = {w: our_entries(measured, w, everything=True) for w in widths}
    plane = [
        Series(
            name,
            tuple(
                PicturePoint(one.delay * one.cycles, one.area, str(width))
                for width, side in whole.items()
                for one in side
                if one.name == name
            ),
        )
        for name in LABELS.values()
    ]
    return (
        _bars(
            "figure3_printed", "amanor2005, Figure 3, from its Tables 1 and 2",
            {w: printed_entries(figures, w) for w in widths},
        ),
        _bars("figure3_ecp5", "amanor2005, Figure 3, on an ECP5, n + 3 cycles", ours),
        _bars("figure3_ecp5_all", "amanor2005, Figure 3, on an ECP5, all cycles", whole),
        Picture(
            "plane_ecp5", "amanor2005 on an ECP5, all cycles; numbers are bits", "plane",
            "time of a product, us", "slices, at least", tuple(plane),
        ),
    )  # fmt: skip


def _bars(id: str, title: str, sides: Mapping[int, list[Ranked]]) -> Picture:
    """Products of each width relative to the lowest of that width."""
    series = []
    for name in LABELS.values():
        points = []
        for place, (width, side) in enumerate(sides.items()):
            low = min(one.product for one in side)
            (mine,) = [one for one in side if one.name == name]
            points.append(PicturePoint(place, mine.product / low, str(width)))
        series.append(Series(name, tuple(points)))
    return Picture(
        id,
        title,
        "bars",
        "bits of the modulus",
        "area-time product / the lowest",
        tuple(series),
    )
