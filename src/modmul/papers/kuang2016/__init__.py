"""kuang2016: radix-2 Montgomery multiplication with carry-save adders, Tables I to III, text."""

from __future__ import annotations

from modmul.papers import ranking
from modmul.papers.definition import Definition
from modmul.papers.kuang2016 import analysis, best, claims, experiment
from modmul.papers.kuang2016.measured import Measured, needs
from modmul.papers.records import Figures, Picture

TABLES = (  # in the order of print, then ours
    analysis.table1, analysis.table2, experiment.table3, experiment.averages, analysis.in_text,
    claims.statements, *ranking.tables(experiment.compared), best.table, best.sweep,
)  # fmt: skip


def pictures(printed: Figures, measured: Measured) -> tuple[Picture, ...]:
    """Area-time planes."""
    return (*experiment.pictures(printed, measured), best.picture(measured.contest))


PAPER = Definition("kuang2016", needs, TABLES, pictures)
