"""amanor2005: three bit-serial multipliers on an FPGA, Tables 1 to 3 and Figure 3."""

from __future__ import annotations

from modmul.papers import ranking
from modmul.papers.amanor2005 import rsa, tables
from modmul.papers.amanor2005.designs import needs
from modmul.papers.definition import Definition

TABLES = (  # in the order of print, then ours
    tables.table1,
    tables.table2,
    rsa.table3,
    tables.figure3,
    tables.cycles,
    rsa.statements,
    *ranking.tables(tables.compared),
)

PAPER = Definition("amanor2005", needs, TABLES, tables.pictures)
