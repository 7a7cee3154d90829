"""gallin2019: finely-pipelined multipliers, its Tables I to V, Figures 1, 4 and 6 to 9,
Algorithm 3 and what its text says in figures."""

from __future__ import annotations

from modmul.papers.definition import Definition
from modmul.papers.gallin2019 import claims, drawings, implementations, processors, tables
from modmul.papers.gallin2019.designs import needs

TABLES = (
    tables.table1,
    implementations.table2,
    implementations.table3,
    tables.table4,
    processors.table5,
    processors.implied,
    claims.algorithm3,
    tables.figure1,
    tables.figure4,
    drawings.figure6,
    tables.figure7,
    drawings.figure8,
    drawings.figure9,
    claims.statements,
    implementations.one_chip,
)

PAPER = Definition("gallin2019", needs, TABLES)
