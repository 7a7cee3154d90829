"""Tables 1 and 2, and the cycles behind them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from modmul.papers.amanor2005.designs import LABELS, NAMES, counted_cycles, design
from modmul.papers.amanor2005.measured import Measured
from modmul.papers.records import Cell, Figure, Measurable, Table, rounded

Figures = Mapping[str, Any]  # of figures/amanor2005.toml
OTHER_FAMILY = "a Lattice ECP5, not a Virtex-E: not to be compared as one chip"
NO_CLOCK = "no open router for this family: no clock is claimed"
ROUNDED = "period and frequency are each printed with one decimal place: both can be of one clock"
ONLY_PRINTED = "percent of the slices of a Virtex-E, for which there is no open tool"
EQUAL = (
    "one CSA and interleaved agree to the last digit up to 512 bits, and from 512 to 1024 bits "
    "areas grow 2.6 to 3.0 times, though all designs are linear in n"
)
FALLS = (
    "the period falls by 28 % from 256 to 512 bits, while nothing in the design gets shorter: "
    "probably other settings of place and route"
)


def printed(figures: Figures, table: str, name: str, width: int, what: str | None = None) -> float:
    """A figure of Table 1 or 2."""
    rows = figures[table] if what is None else figures[table][what]
    return float(rows[name][figures[table]["bits"].index(width)])


def table1(figures: Figures, measured: Measured) -> Table:
    """Area: percent of the slices in print, cells here."""
    rows: list[tuple[Figure | Cell, ...]] = []
    slices = figures["meta"]["device_slices"]
    for width in measured.widths:
        for name in NAMES:
            percent = printed(figures, "table_1", name, width)
            here, xc7 = measured.ecp5.get((name, width)), measured.xc7.get((name, width))
            doubt = EQUAL if width >= 512 or name != "montgomery_two_csa" else None
            rows.append(
                (
                    width,
                    LABELS[name],
                    Cell(percent, remark=doubt or ONLY_PRINTED),
                    Cell(None, rounded(percent * slices / 100, 4), None, "of 19200, from percent"),
                    Measurable(None, None, here and here.lut, OTHER_FAMILY),
                    Measurable(None, None, here and here.ff, OTHER_FAMILY),
                    Measurable(None, None, xc7 and xc7.lut, "counted by Yosys, before placement"),
                    Measurable(None, None, xc7 and xc7.ff, "counted by Yosys, before placement"),
                )
            )
    columns = (
        *("bits", "architecture", "slices_%", "slices", "ecp5_luts", "ecp5_ffs"),
        *("xc7_luts", "xc7_ffs"),
    )
    return Table("1", "Area", columns, tuple(rows))


def table2(figures: Figures, measured: Measured) -> Table:
    """Shortest period, highest frequency."""
    rows: list[tuple[Figure | Cell, ...]] = []
    for width in measured.widths:
        for name in NAMES:
            period = printed(figures, "table_2", name, width, "period")
            mhz = printed(figures, "table_2", name, width, "frequency")
            here = measured.ecp5.get((name, width))
            doubt = FALLS if name == "redundant_interleaved" and width >= 512 else None
            both = ROUNDED if one_figure(period, mhz) else None
            median = here and f"median over seeds: {here.seeds}; {OTHER_FAMILY}"
            usable = here and f"{here.limited_by}; {OTHER_FAMILY}"
            rows.append(
                (
                    width,
                    LABELS[name],
                    Cell(period, rounded(1000 / mhz, 3), None, doubt or both),
                    Cell(mhz, rounded(1000 / period, 3), None, both),
                    Measurable(None, None, rounded(here and here.period, 3), here and here.path),
                    Measurable(None, None, rounded(here and here.usable, 4), usable),
                    Measurable(None, None, rounded(here and here.mhz, 4), median),
                )
            )
    columns = (
        *("bits", "architecture", "period_ns", "frequency_MHz"),
        *("ecp5_period_ns", "ecp5_usable_MHz", "ecp5_routed_MHz"),
    )
    title = "Period and frequency; computed: from the other one; ours: at the usable clock"
    return Table("2", title, columns, tuple(rows))


def one_figure(period: float, mhz: float, step: float = 0.1) -> bool:
    """Whether a period in ns and a frequency, printed to a multiple of `step`, can be of one clock:
    whether a period that is rounded to the one has a frequency that is rounded to the other."""
    half = step / 2
    return period - half <= 1000 / (mhz - half) and 1000 / (mhz + half) <= period + half


def cycles(measured: Measured) -> Table:
    """What a multiplication takes: in the paper's times, and with all that it needs."""
    rows: list[tuple[Figure | Cell, ...]] = []
    for width in measured.widths:
        for name in NAMES:
            multiplier = design(name, width)
            terms = ", ".join(f"{term} {c.maximum}" for term, c in multiplier.cycles().items())
            rows.append(
                (
                    width,
                    LABELS[name],
                    Cell(None, counted_cycles(width), None, "n + 3: reproduces all times printed"),
                    Measurable(
                        None,
                        multiplier.latency().maximum,
                        measured.cycles.get((name, width)),
                        terms,
                    ),
                    Cell(None, rounded(multiplier.cycles_per_product())),
                )
            )
    columns = ("bits", "architecture", "paper", "with_table_and_conversion", "product_to_product")
    title = "Clock cycles; the paper prints none, and leaves out table and conversion"
    return Table("Cycles", title, columns, tuple(rows))
