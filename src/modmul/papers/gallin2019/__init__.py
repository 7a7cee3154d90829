"""gallin2019: finely-pipelined multipliers, its Tables I to V and Figures 1, 4 and 7."""

from __future__ import annotations

from modmul.papers.definition import Definition
from modmul.papers.gallin2019 import implementations, processors, tables
from modmul.papers.gallin2019.designs import measure

TABLES = (
    tables.table1, implementations.table2, tables.table3, tables.table4, processors.table5,
    tables.figure1, tables.figure4, tables.figure7,
)  # fmt: skip

PAPER = Definition("gallin2019", measure, TABLES)
