"""Tables 1 and 2, and the cycles behind them."""

from __future__ import annotations

from itertools import product

from modmul import targets
from modmul.papers.amanor2005 import designs
from modmul.papers.amanor2005.designs import LABELS, NAMES, WIDTHS, Measured, counted_cycles, design
from modmul.papers.columns import Row, remarks_of, tabulate
from modmul.papers.implemented import clock, lut_levels, path, slices
from modmul.papers.records import Figures, Table, TableCell, rounded
from modmul.targets.description import Device

OTHER_FAMILY = "a Lattice ECP5, not a Virtex-E: not to be compared as one chip"


def printed(figures: Figures, table: str, name: str, width: int, what: str | None = None) -> float:
    """A figure of Table 1 or 2."""
    rows = figures[table] if what is None else figures[table][what]
    return float(rows[name][figures[table]["bits"].index(width)])


def table1(figures: Figures, measured: Measured) -> Table:
    """Area: percent of the slices in print; here cells, and on the paper's chip slices at least."""
    whole, chip = figures["meta"]["device_slices"], papers_chip()
    assert chip.slices is not None
    doubted = f"{remarks_of(figures, '1')['slices_%']}; {figures['table_1']['doubt']}"
    rows: list[Row] = []
    for width, name in product(WIDTHS, NAMES):
        percent = printed(figures, "table_1", name, width)
        ecp5, xc7, virtex = (
            of.get((name, width)) for of in (measured.ecp5, measured.xc7, measured.xcve)
        )
        least = slices(virtex)
        share = least and rounded(100 * least / chip.slices, 3)
        remark = doubted if width >= 512 or name != "montgomery_two_csa" else None
        row: Row = {
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
        rows.append(row)
    return tabulate(figures, "1", rows)


def papers_chip() -> Device:
    """The chip that the paper prints."""
    device = targets.find_device(targets.find(designs.PAPERS_TARGET), designs.PAPERS_CHIP)
    assert device is not None
    return device


def table2(figures: Figures, measured: Measured) -> Table:
    """Shortest period, highest frequency."""
    rows: list[Row] = []
    for width, name in product(WIDTHS, NAMES):
        period = printed(figures, "table_2", name, width, "period")
        mhz = printed(figures, "table_2", name, width, "frequency")
        ecp5, virtex = measured.ecp5.get((name, width)), measured.xcve.get((name, width))
        doubted = name == "redundant_interleaved" and width >= 512
        both = figures["table_2"]["rounded"] if one_figure(period, mhz) else None
        median = ecp5 and f"median over seeds: {len(clock(ecp5).seeds)}; {OTHER_FAMILY}"
        limit = ecp5 and f"{clock(ecp5).limited_by}; {OTHER_FAMILY}"
        row: Row = {
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
        rows.append(row)
    return tabulate(figures, "2", rows)


def one_figure(period: float, mhz: float) -> bool:
    """Whether a period in ns and a frequency, printed with one decimal, can be of one clock:
    whether a period that is rounded to the one has a frequency that is rounded to the other."""
    half = 0.05
    return period - half <= 1000 / (mhz - half) and 1000 / (mhz + half) <= period + half


def cycles(figures: Figures, measured: Measured) -> Table:
    """What a multiplication takes: in the paper's times, and with all that it needs."""

    def row(width: int, name: str) -> Row:
        multiplier, run = design(name, width), measured.cycles.get((name, width))
        terms = ", ".join(f"{term} {c.maximum}" for term, c in multiplier.cycles().items())
        latency, interval = multiplier.latency().maximum, rounded(multiplier.cycles_per_product())
        return {
            "bits": width,
            "architecture": LABELS[name],
            "paper": TableCell.arithmetic(None, counted_cycles(width)),
            "with_table_and_conversion": TableCell.circuit(
                None, latency, terms, measured=run and run.latency
            ),
            "product_to_product": TableCell.circuit(None, interval),
        }

    return tabulate(figures, "Cycles", (row(*case) for case in product(WIDTHS, NAMES)))
