"""gallin2019: finely-pipelined multipliers, its Tables I to V and Figures 1, 4 and 7."""

from __future__ import annotations

from modmul.papers.definition import Definition
from modmul.papers.gallin2019 import implementations, processors, tables
from modmul.papers.gallin2019.designs import Measured, measure
from modmul.papers.records import AT_USABLE, Figures, Table

NOTES = (
    "published: as printed.  computed: what the multiplier declares before it is built, or what "
    "follows from printed figures.  measured: simulated, synthesised or routed here.",
    "Areas are measured as cells of each chip's own family (LUTs with distributed RAM and shift "
    "registers, the core alone), before placement; the paper's are after placement by ISE, best of "
    "100 runs.  The pipeline is made for the target: only that for `generic` takes the paper's "
    "cycles, and it has no cells.  So Table II has columns for each design, `generic_...`, "
    "`chip_...` (the family of the paper's chip) and `ecp5_...`.",
    AT_USABLE,
    "lambda, sigma_min and Lambda(k) follow the corrected Algorithm 3: alpha*(s-1) (printed "
    "alpha*sigma*(s-1)), ceil(alpha_min/theta) (printed ceil(alpha_min/w)), "
    "theta*((k-1) mod sigma).",
)


def all_tables(printed: Figures, measured: Measured) -> tuple[Table, ...]:
    """In the order of print."""
    return (
        tables.table1(printed),
        implementations.table2(printed, measured),
        tables.table3(printed),
        tables.table4(printed, measured),
        processors.table5(printed, measured),
        tables.figure1(printed, measured),
        tables.figure4(measured),
        tables.figure7(printed, measured),
    )


PAPER = Definition("gallin2019", NOTES, measure, all_tables)
