"""Tables 1 and 2, and the cycles behind them."""

from __future__ import annotations

from modmul import targets
from modmul.papers.amanor2005.designs import (
    LABELS,
    NAMES,
    PAPERS_CHIP,
    PAPERS_TARGET,
    counted_cycles,
    design,
)
from modmul.papers.amanor2005.measured import Measured
from modmul.papers.implemented import Counted
from modmul.papers.records import Cell, Figure, Figures, MeasuredCell, Origin, Table, rounded
from modmul.targets.description import Device

OTHER_FAMILY = "a Lattice ECP5, not a Virtex-E: not to be compared as one chip"
NO_CLOCK = "LUTs in series; no open router for this family: no clock is claimed"
ROUNDED = "period and frequency are each printed with one decimal place: both can be of one clock"
LEAST = (
    "measured: slices of the paper's chip at least, max(LUT, FF) / 2, as each has two of both; "
    "counted by Yosys before placement, the core with the adder and the registers of table and "
    "conversion.  Printed are slices after placement, and how full they are is not"
)
_OF_PERCENT = "of 19200, from percent"
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
    """Area: percent of the slices in print; here cells, and on the paper's chip slices at least."""
    rows: list[tuple[Figure | Cell, ...]] = []
    slices, our_slices = figures["meta"]["device_slices"], papers_chip().slices
    assert our_slices is not None
    for width in measured.widths:
        for name in NAMES:
            percent = printed(figures, "table_1", name, width)
            here, xc7 = measured.ecp5.get((name, width)), measured.xc7.get((name, width))
            virtex = measured.xcve.get((name, width))
            least = slices_at_least(virtex)
            share = least and rounded(100 * least / our_slices, 3)
            from_percent = rounded(percent * slices / 100, 4)
            counts = (
                (least, LEAST),
                (here and here.lut, OTHER_FAMILY),
                (here and here.ff, OTHER_FAMILY),
                (xc7 and xc7.lut, "counted by Yosys, before placement"),
                (xc7 and xc7.ff, "counted by Yosys, before placement"),
                (virtex and virtex.lut, LEAST),
                (virtex and virtex.ff, LEAST),
            )
            doubt = EQUAL if width >= 512 or name != "montgomery_two_csa" else None
            rows.append(
                (
                    width,
                    LABELS[name],
                    MeasuredCell(
                        percent, None, share, f"{LEAST}; {doubt}" if doubt else LEAST,
                        origin=Origin.MEASURED,
                    ),
                    Cell(None, from_percent, None, _OF_PERCENT, origin=Origin.ARITHMETIC),
                    *(MeasuredCell(None, None, *one, origin=Origin.MEASURED) for one in counts),
                )
            )
    columns = (
        *("bits", "architecture", "slices_%", "slices_from_percent", "xcve_slices"),
        *("ecp5_luts", "ecp5_ffs", "xc7_luts", "xc7_ffs", "xcve_luts", "xcve_ffs"),
    )
    return Table("1", "Area", columns, tuple(rows))


def slices_at_least(counted: Counted | None) -> int | None:
    """On the paper's chip."""
    if counted is None:
        return None
    return targets.slices_at_least(papers_chip(), counted.lut, counted.ff)


def papers_chip() -> Device:
    """The chip that the paper prints."""
    found = targets.find_device(targets.find(PAPERS_TARGET), PAPERS_CHIP)
    assert found is not None
    return found


def table2(figures: Figures, measured: Measured) -> Table:
    """Shortest period, highest frequency."""
    rows: list[tuple[Figure | Cell, ...]] = []
    for width in measured.widths:
        for name in NAMES:
            period = printed(figures, "table_2", name, width, "period")
            mhz = printed(figures, "table_2", name, width, "frequency")
            here = measured.ecp5.get((name, width))
            virtex = measured.xcve.get((name, width))
            doubt = FALLS if name == "redundant_interleaved" and width >= 512 else None
            both = ROUNDED if one_figure(period, mhz) else None
            median = here and f"median over seeds: {here.seeds}; {OTHER_FAMILY}"
            usable = here and f"{here.limited_by}; {OTHER_FAMILY}"
            printed_pair = (
                (period, rounded(1000 / mhz, 3), None, doubt or both),
                (mhz, rounded(1000 / period, 3), None, both),
            )
            ours = (
                (rounded(here and here.period, 3), here and here.path),
                (rounded(here and here.usable, 4), usable),
                (rounded(here and here.mhz, 4), median),
                (virtex and virtex.levels, NO_CLOCK),
            )
            rows.append(
                (
                    width,
                    LABELS[name],
                    *(Cell(*one, origin=Origin.ARITHMETIC) for one in printed_pair),
                    *(MeasuredCell(None, None, *one, origin=Origin.MEASURED) for one in ours),
                )
            )
    columns = (
        *("bits", "architecture", "period_ns", "frequency_MHz"),
        *("ecp5_period_ns", "ecp5_usable_MHz", "ecp5_routed_MHz", "xcve_LUT_levels"),
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
                    Cell(
                        None, counted_cycles(width), None, "n + 3: reproduces all times printed",
                        origin=Origin.ARITHMETIC,
                    ),
                    MeasuredCell(
                        None,
                        multiplier.latency().maximum,
                        measured.cycles.get((name, width)),
                        terms,
                        origin=Origin.CIRCUIT,
                    ),
                    Cell(None, rounded(multiplier.cycles_per_product()), origin=Origin.CIRCUIT),
                )
            )  # fmt: skip
    columns = ("bits", "architecture", "paper", "with_table_and_conversion", "product_to_product")
    title = "Clock cycles; the paper prints none, and leaves out table and conversion"
    return Table("Cycles", title, columns, tuple(rows))
