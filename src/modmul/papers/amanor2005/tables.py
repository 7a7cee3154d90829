"""Tables 1 to 3, Figure 3, the cycles behind them, and what the text says: area, period, area-time
products, and RSA from the clocks of the multipliers and simulated on a processor."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import product
from typing import NamedTuple

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
    is_montgomery,
)
from modmul.papers.amanor2005.engines import WAYS
from modmul.papers.columns import Claims, Rows, claims, remarks_of, table
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
    """The chip that the paper prints."""
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


BITS = 1024


class RsaTimes(NamedTuple):
    """Times of an exponentiation in ms: without CRT; with CRT, two multipliers of half the width;
    with CRT, one of them."""

    plain: float
    crt_two: float
    crt_one: float


def times(full: float, half: float, *, more: int = 0) -> RsaTimes:
    """full, half: us of a multiplication of 1024 and of 512 bits.  more: multiplications besides
    those of square and multiply, 1.5 for each bit of the exponent."""

    def exponentiation(bits: int, us: float) -> float:
        return (1.5 * bits + more) * us / 1000

    return RsaTimes(
        exponentiation(BITS, full),
        exponentiation(BITS // 2, half),
        2 * exponentiation(BITS // 2, half),
    )


def times_of(side: Side, name: str, *, more: int = 0) -> RsaTimes | None:
    """The times at the cycles and clocks of a side; None if a width is missing."""
    full, half = (side.get((name, width)) for width in (BITS, BITS // 2))
    if full is None or half is None:
        return None
    return times(full.delay * full.cycles, half.delay * half.cycles, more=more)


def from_print(figures: Figures, name: str) -> RsaTimes:
    """n + 3 cycles at the frequencies of Table 2."""
    own_times = times_of(in_print(figures), name)
    assert own_times is not None
    return own_times


def measured_times(measured: Measured, name: str, *, everything: bool) -> RsaTimes | None:
    """The times at our usable clocks: with the paper's cycles, or all that are needed, for
    Montgomery with two multiplications to enter and leave the domain."""
    more = 2 if everything and is_montgomery(name) else 0
    return times_of(ours(measured, everything=everything), name, more=more)


@table("3")
def table3(figures: Figures, measured: Measured) -> Rows:
    """Table 3 as printed, with one misprint, and with what is left out."""
    corrected = {row["architecture"]: row for row in figures["table_3_corrected"]}
    for entry in figures["table_3"]:
        name = entry["architecture"]
        mhz = printed(figures, "table_2", name, BITS, "frequency")
        plain, crt, crt_one = from_print(figures, name)
        clock = result = None
        if entry["frequency"] != corrected[name]["frequency"]:
            clock = f"{figures['table_3_notes']['swapped']}; Table 2 has {mhz} MHz"
            result = f"{clock}, so {plain:.1f} ms"
        yield {
            "architecture": LABELS[name],
            "frequency_MHz": TableCell.arithmetic(entry["frequency"], mhz, clock),
            "T_ms": TableCell.arithmetic(entry["t_res"], rounded(plain, 3), result),
            "T_CRT_ms": TableCell.arithmetic(entry["t_res_crt"], rounded(crt, 3)),
            "T_CRT_one_multiplier_ms": TableCell.arithmetic(None, rounded(crt_one, 3)),
            **_ours(measured, name, "ecp5"),
            **_ours(measured, name, "ecp5_all"),
            **_engines(measured, name),
        }


def _ours(measured: Measured, name: str, what: str) -> dict[str, TableCell]:
    own_times = measured_times(measured, name, everything=what == "ecp5_all")
    headings = (f"{what}_{time}_ms" for time in ("T", "T_CRT", "T_CRT_one"))
    ms = (rounded(time, 4) for time in own_times or (None,) * 3)
    return {heading: TableCell.ours(time) for heading, time in zip(headings, ms, strict=True)}


def _engines(measured: Measured, name: str) -> dict[str, TableCell]:
    """Cycles of the processor `rsa`, and ms at the usable clock of its multiplier."""
    cells: dict[str, TableCell] = {}
    for method in WAYS:
        cells[f"engine_{method}_cycles"] = TableCell.ours(measured.engines.get((name, method)))
    for method, (width, _) in WAYS.items():
        cycles, core = measured.engines.get((name, method)), measured.ecp5.get((name, width))
        ms = cycles / clock(core).usable / 1000 if cycles and core else None
        cells[f"engine_{method}_ms"] = TableCell.ours(rounded(ms, 4))
    return cells


@claims()
def statements(figures: Figures, measured: Measured) -> Claims:
    """Statements of abstract and conclusion."""
    interleaved = "redundant_interleaved"
    fast = from_print(figures, interleaved).plain
    clocks = [printed(figures, "table_2", interleaved, w, "frequency") for w in (BITS, BITS // 2)]
    measured_ms = measured_times(measured, interleaved, everything=True)
    cells = {
        "1024-bit RSA at 69 MHz, ms": TableCell.arithmetic(
            "below 6.1", rounded(fast, 3),
            f"6.1 ms is the time with CRT and two multipliers of 512 bits, at {clocks[1]} MHz; "
            f"at {clocks[0]} MHz one of 1024 bits takes {fast:.1f} ms without CRT",
            measured=rounded(measured_ms and measured_ms.plain, 4),
        )
    }  # fmt: skip
    for what, unit in (("delay", "shortest period"), ("product", "least area-time product")):
        first = {w: best(in_print(figures), w, what) for w in figures["table_2"]["bits"]}
        wrong = {w: LABELS[name] for w, name in first.items() if name and name != interleaved}
        leading = {w: best(ours(measured, everything=True), w, what) for w in WIDTHS}
        cells[f"redundant interleaved has the {unit}"] = TableCell.arithmetic(
            "at all widths", _holds(wrong),
            f"printed figures say {', '.join(f'{w} bits: {name}' for w, name in wrong.items())}",
            measured=None
            if None in leading.values()
            else _holds([w for w, name in leading.items() if name != interleaved]),
        )  # fmt: skip
    return cells


def _holds(wrong: Collection[int]) -> str:
    """Says at which widths something does not hold."""
    return f"not at {', '.join(map(str, wrong))} bits" if wrong else "at all widths"


def best(side: Side, width: int, what: str) -> str | None:
    """The design with the least "delay" or "product" of a width; None if one of them is missing."""
    if not entries(side, width):
        return None
    return min(NAMES, key=lambda name: float(getattr(side[name, width], what)))
