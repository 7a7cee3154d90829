"""kuang2016: radix-2 Montgomery multiplication with carry-save adders, Tables I to III, text."""

from __future__ import annotations

from modmul.papers import ranking
from modmul.papers.definition import Definition
from modmul.papers.kuang2016 import analysis, contest, experiment
from modmul.papers.kuang2016.measured import needs

TABLES = (  # in the order of print, then ours
    analysis.table1,
    analysis.table2,
    experiment.table3,
    experiment.averages,
    analysis.in_text,
    analysis.statements,
    *ranking.tables(experiment.compared),
    contest.contest,
    contest.sweep,
)

PAPER = Definition("kuang2016", needs, TABLES, experiment.pictures)
