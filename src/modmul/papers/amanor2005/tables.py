"""Tables 1 and 2, Figure 3 and the cycles behind them: area, period, area-time products."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

from modmul import targets
from modmul.implementation.figures import full_slices
from modmul.implementation.result import ImplementResult
from modmul.papers.amanor2005 import designs
from modmul.papers.amanor2005.designs import (
    LABELS,
    NAMES,
    WIDTHS,
    Key,
    Measured,
    counted_cycles,
    design,
)
from modmul.papers.columns import Rows, remarks_of, table
from modmul.papers.implemented import clock, lut_levels, path, slices
from modmul.papers.ranking import Comparison, Ranked
from modmul.papers.records import Figures, Picture, Series, TableCell, rounded
from modmul.targets.description import Device


def printed(figures: Figures, table: str, name: str, width: int, what: str | None = None) -> float:
    """A figure of Table 1 or 2."""
    rows = figures[table] if what is None else figures[table][what]
    return float(rows[name][figures[table]["bits"].index(width)])


@table("1")
def table1(figures: Figures, measured: Measured) -> Rows:
    """Area: percent of the slices in print; here cells, and on the paper's chip slices at least."""
    whole, chip = figures["meta"]["device_slices"], papers_chip()
    assert chip.slices is not None
    doubted = f"{remarks_of(figures, '1')['slices_%']}; {figures['table_1']['doubt']}"
    for width, name in product(WIDTHS, NAMES):
        percent = printed(figures, "table_1", name, width)
        ecp5, xc7, virtex = (
            of.get((name, width)) for of in (measured.ecp5, measured.xc7, measured.xcve)
        )
        least = slices(virtex)
        share = least and rounded(100 * least / chip.slices, 3)
        remark = doubted if width >= 512 or name != "montgomery_two_csa" else None
        yield {
            "bits": width,
            "architecture": LABELS[name],
            "slices_%": TableCell.ours(share, remark, published=percent),
            "slices_from_percent": TableCell.arithmetic(None, rounded(percent * whole / 100, 4)),
            "xcve_slices": TableCell.ours(least),
            "ecp5_luts": TableCell.ours(ecp5 and ecp5.lut),
            "ecp5_ffs": TableCell.ours(ecp5 and ecp5.ff),
            "xc7_luts": TableCell.ours(xc7 and xc7.lut),
            "xc7_ffs": TableCell.ours(xc7 and xc7.ff),
            "xcve_luts": TableCell.ours(virtex and virtex.lut),
            "xcve_ffs": TableCell.ours(virtex and virtex.ff),
        }


def papers_chip() -> Device:
    device = targets.find_device(targets.find(designs.PAPERS_TARGET), designs.PAPERS_CHIP)
    assert device is not None
    return device


@table("2")
def table2(figures: Figures, measured: Measured) -> Rows:
    """Shortest period, highest frequency."""
    for width, name in product(WIDTHS, NAMES):
        period = printed(figures, "table_2", name, width, "period")
        mhz = printed(figures, "table_2", name, width, "frequency")
        ecp5, virtex = measured.ecp5.get((name, width)), measured.xcve.get((name, width))
        doubted = name == "redundant_interleaved" and width >= 512
        both = figures["table_2"]["rounded"] if one_figure(period, mhz) else None
        other = figures["table_2"]["other_family"]
        median = ecp5 and f"median over seeds: {len(clock(ecp5).seeds)}; {other}"
        limit = ecp5 and f"{clock(ecp5).limited_by}; {other}"
        yield {
            "bits": width,
            "architecture": LABELS[name],
            "period_ns": TableCell.arithmetic(
                period, rounded(1000 / mhz, 3), figures["table_2"]["doubt"] if doubted else both
            ),
            "frequency_MHz": TableCell.arithmetic(mhz, rounded(1000 / period, 3), both),
            "ecp5_period_ns": TableCell.ours(
                rounded(ecp5 and clock(ecp5).period, 3), ecp5 and path(ecp5)
            ),
            "ecp5_usable_MHz": TableCell.ours(rounded(ecp5 and clock(ecp5).usable, 4), limit),
            "ecp5_routed_MHz": TableCell.ours(rounded(ecp5 and clock(ecp5).median, 4), median),
            "xcve_LUT_levels": TableCell.ours(lut_levels(virtex)),
        }


def one_figure(period: float, mhz: float) -> bool:
    """Whether a period in ns and a frequency, printed with one decimal, can be of one clock:
    whether a period that is rounded to the one has a frequency that is rounded to the other."""
    half = 0.05
    return period - half <= 1000 / (mhz - half) and 1000 / (mhz + half) <= period + half


@table("Cycles")
def cycles(figures: Figures, measured: Measured) -> Rows:
    """What a multiplication takes: in the paper's times, and with all that it needs."""
    for width, name in product(WIDTHS, NAMES):
        multiplier, run = design(name, width), measured.cycles.get((name, width))
        terms = ", ".join(f"{term} {c.maximum}" for term, c in multiplier.cycles().items())
        latency, interval = multiplier.latency().maximum, rounded(multiplier.cycles_per_product())
        yield {
            "bits": width,
            "architecture": LABELS[name],
            "paper": TableCell.arithmetic(None, counted_cycles(width)),
            "with_table_and_conversion": TableCell.circuit(
                None, latency, terms, measured=run and run.latency
            ),
            "product_to_product": TableCell.circuit(None, interval),
        }


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


@table("Figure 3")
def figure3(figures: Figures, measured: Measured) -> Rows:
    """The products, absolute and relative to the lowest of their width."""
    sides = in_print(figures), ours(measured, everything=False), ours(measured, everything=True)
    for width in WIDTHS:
        products = [[entry.product for entry in entries(side, width)] for side in sides]
        for place, name in enumerate(LABELS.values()):
            values = [side[place] if side else None for side in products]
            relative = [rounded(side[place] / min(side), 3) if side else None for side in products]
            yield {
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
            "plane_ecp5",
            "amanor2005 on an ECP5, all cycles; numbers are bits",
            "plane",
            "time of a product, us",
            "slices, at least",
            tuple(plane),
        ),
    )


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
