"""Figure 3: area-time products, the order of the three designs, and why it differs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from modmul.implementation.figures import full_slices
from modmul.implementation.result import ImplementResult
from modmul.papers.amanor2005.designs import LABELS, NAMES, WIDTHS, Key, Measured, counted_cycles
from modmul.papers.amanor2005.tables import printed
from modmul.papers.columns import Row, tabulate
from modmul.papers.implemented import clock, path
from modmul.papers.ranking import Comparison, Ranked
from modmul.papers.records import Figures, Picture, Series, Table, TableCell, rounded

Side = Mapping[Key, Ranked]  # by name and width: the designs as printed, or ours


def in_print(figures: Figures) -> Side:
    """Percent of the slices, us, n + 3 cycles."""
    return {
        (name, width): Ranked(
            LABELS[name],
            printed(figures, "table_1", name, width),
            1 / printed(figures, "table_2", name, width, "frequency"),
            counted_cycles(width),
        )
        for name in NAMES
        for width in figures["table_2"]["bits"]
    }


def ours(measured: Measured, *, everything: bool) -> Side:
    """Slices on an ECP5, us at the usable clock, n + 3 cycles or all that are needed; area and path
    in words only with the former, as they are the same."""

    def entry(name: str, width: int, core: ImplementResult) -> Ranked:
        area, us = full_slices(core), 1 / clock(core).usable
        if everything:
            return Ranked(LABELS[name], area, us, core.cycles.per_product)
        cells = f"{core.lut} LUT, {core.ff} FF"
        slowest = f"{clock(core).period:.2f} ns, {path(core)}"
        return Ranked(LABELS[name], area, us, counted_cycles(width), cells, slowest)

    return {key: entry(*key, core) for key, core in measured.ecp5.items()}


def entries(side: Side, width: int) -> list[Ranked]:
    """The three designs of a width; empty if one of them is missing."""
    keys = [(name, width) for name in NAMES]
    return [side[key] for key in keys] if side.keys() >= set(keys) else []


def figure3(figures: Figures, measured: Measured) -> Table:
    """The products, absolute and relative to the lowest of their width."""
    sides = in_print(figures), ours(measured, everything=False), ours(measured, everything=True)
    rows: list[Row] = []
    for width in WIDTHS:
        products = [[entry.product for entry in entries(side, width)] for side in sides]
        for place, name in enumerate(LABELS.values()):
            values = [side[place] if side else None for side in products]
            relative = [rounded(side[place] / min(side), 3) if side else None for side in products]
            row: Row = {
                "bits": width,
                "architecture": name,
                "percent_us": TableCell.arithmetic(None, rounded(values[0], 4)),
                "ecp5_slices_us": TableCell.ours(rounded(values[1], 5)),
                "ecp5_all_slices_us": TableCell.ours(rounded(values[2], 5)),
                "relative_to_the_lowest": TableCell.arithmetic(
                    None, relative[0], measured=relative[1]
                ),
                "ecp5_all_relative": TableCell.ours(relative[2]),
            }
            rows.append(row)
    return tabulate(figures, "Figure 3", rows)


def compared(figures: Figures, measured: Measured) -> list[Comparison]:
    """Printed and ours at each width, with the cycles of the paper and with all."""
    return [
        Comparison(
            f"{width} bits{', table and conversion, too' if everything else ''}",
            entries(in_print(figures), width),
            estimated,
        )
        for width in WIDTHS
        for everything in (False, True)
        if (estimated := entries(ours(measured, everything=everything), width))
    ]


def pictures(figures: Figures, measured: Measured) -> tuple[Picture, ...]:
    """Figure 3 from print, and from our clocks, at the widths that were measured; area over time of
    ours."""
    paper, whole = ours(measured, everything=False), ours(measured, everything=True)
    widths = [width for width in WIDTHS if entries(whole, width)]
    plane = [
        Series.of(
            LABELS[name],
            ((e.delay * e.cycles, e.area, str(w)) for w in widths for e in [whole[name, w]]),
        )
        for name in NAMES
    ]
    return (
        _bars("printed", "from its Tables 1 and 2", in_print(figures), widths),
        _bars("ecp5", "on an ECP5, n + 3 cycles", paper, widths),
        _bars("ecp5_all", "on an ECP5, all cycles", whole, widths),
        Picture(
            "plane_ecp5", "amanor2005 on an ECP5, all cycles; numbers are bits", "plane",
            "time of a product, us", "slices, at least", tuple(plane),
        ),
    )  # fmt: skip


def _bars(id: str, what: str, side: Side, widths: Sequence[int]) -> Picture:
    """Products of each width relative to the lowest of that width."""
    lowest = {width: min(entry.product for entry in entries(side, width)) for width in widths}
    series = []
    for name in NAMES:
        heights = ((place, side[name, w].product / lowest[w]) for place, w in enumerate(widths))
        bars = ((place, height, str(widths[place])) for place, height in heights)
        series.append(Series.of(LABELS[name], bars))
    title, axes = f"amanor2005, Figure 3, {what}", ("bits of the modulus", _AXIS)
    return Picture(f"figure3_{id}", title, "bars", *axes, tuple(series))


_AXIS = "area-time product / the lowest"
