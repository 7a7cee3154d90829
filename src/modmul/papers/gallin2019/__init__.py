"""gallin2019: finely-pipelined multipliers, its Tables I to V, Figures 1, 4 and 6 to 9,
Algorithm 3 and what its text says in figures."""

from __future__ import annotations

from modmul.papers.definition import Definition
from modmul.papers.gallin2019 import (
    claims,
    compared,
    drawings,
    generator,
    implementations,
    one_chip,
    processors,
    tables,
)
from modmul.papers.gallin2019.designs import needs

TABLES = (
    tables.table1, implementations.table2, compared.table3, tables.table4, processors.table5,
    processors.implied, generator.algorithm3, tables.figure1, tables.figure4, drawings.figure6,
    tables.figure7, drawings.figure8, drawings.figure9, claims.statements, one_chip.table,
)  # fmt: skip

PAPER = Definition("gallin2019", needs, TABLES)
