"""kuang2016: radix-2 Montgomery multiplication with carry-save adders, Tables I to III, text."""

from __future__ import annotations

from typing import Any

from modmul.implementation.cell_synthesis import open_library
from modmul.papers.kuang2016 import analysis, averages, best, claims, experiment
from modmul.papers.kuang2016.cycles import PATTERNS
from modmul.papers.kuang2016.measured import Measured, measure
from modmul.papers.records import Paper
from modmul.papers.transcribed import assembled, transcribed
from modmul.targets import libraries
from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import Report, silent

KEY = "kuang2016"
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


def figures() -> dict[str, Any]:
    """All figures of the paper, as transcribed."""
    return transcribed(KEY)


def paper(
    *,
    seeds: int = 0,
    jobs: int = 2,
    cache: Cache | None = None,
    progress: Report = silent,
    patterns: int = PATTERNS,
) -> Paper:
    """All tables, measured (see `papers`).  seeds: not used, nothing is placed.  patterns: random
    products for the average cycles."""
    measured = measure(patterns=patterns, jobs=jobs, cache=cache or Cache(), progress=progress)
    return assemble(figures(), measured)


def assemble(printed: dict[str, Any], measured: Measured) -> Paper:
    """The record, from printed and measured figures."""
    return assembled(
        KEY,
        NOTES,
        tables=(
            analysis.table1(printed, measured),
            analysis.table2(printed, open_library(libraries.DEFAULT).library),
            experiment.table3(printed, measured),
            averages.averages(printed, measured),
            analysis.in_text(printed, measured),
            claims.claims(printed, measured),
            *experiment.rankings(printed, measured),
            best.table(measured.contest),
            best.sweep(measured.contest),
        ),
        pictures=(*experiment.pictures(printed, measured), best.picture(measured.contest)),
    )
