"""kuang2016: radix-2 Montgomery multiplication with carry-save adders, Tables I to III, text."""

from __future__ import annotations

from modmul.implementation.cell_synthesis import open_library
from modmul.papers.definition import Definition
from modmul.papers.kuang2016 import analysis, best, claims, experiment
from modmul.papers.kuang2016.measured import Measured, measure
from modmul.papers.records import Figures, Picture, Table
from modmul.targets import libraries

NOTES = (
    "published: as printed.  computed: from formulas, printed figures, or the model of an "
    "architecture.  measured: mapped onto cells, or simulated, here.",
    "Cycles are counted as in the paper: from the edge that loads the operands to that after which "
    "the result is in its register.  Our latency has up to two more: unload, and where a loop ends "
    "when SC = 0 the cycle that sees it.",
    "SCS-MM-New and FCS-MMM42 stand in Table III with the paper's k + 5 iterations, whose results "
    "are too large to be operands if N mod 4 = 1; elsewhere with k + 7, which always work.",
    "Areas are those of cells, without wires; delays know no wires, either.",
    "Figures 1, 2, 5, 7(a) and 10 are algorithms, 3, 4, 6, 7(b), 8, 9, 11 and 12 diagrams of "
    "blocks: there is nothing in them to measure.  `--pictures` draws the area-time planes.",
)


def all_tables(printed: Figures, measured: Measured) -> tuple[Table, ...]:
    """In the order of print, then ours."""
    return (
        analysis.table1(printed, measured),
        analysis.table2(printed, open_library(libraries.DEFAULT).library),
        experiment.table3(printed, measured),
        experiment.averages(printed, measured),
        analysis.in_text(printed, measured),
        claims.statements(printed, measured),
        *experiment.rankings(printed, measured),
        best.table(measured.contest),
        best.sweep(measured.contest),
    )


def all_pictures(printed: Figures, measured: Measured) -> tuple[Picture, ...]:
    """Area-time planes."""
    return (*experiment.pictures(printed, measured), best.picture(measured.contest))


PAPER = Definition("kuang2016", NOTES, measure, all_tables, all_pictures)
