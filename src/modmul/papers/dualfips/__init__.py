"""dualfips: dual-field Montgomery multiplication by product scanning (FIPS), Tables 1 and 2,
Figures 10 and 11, text."""

from __future__ import annotations

from modmul.papers.definition import Definition
from modmul.papers.dualfips import area, claims, drawings, tables
from modmul.papers.dualfips.measured import needs

TABLES = (  # in the order of print, then ours
    tables.table1,
    area.table2,
    tables.clocks_1024,
    tables.figure10,
    tables.figure11,
    tables.operations,
    tables.binary_fields,
    claims.squares,
    tables.widths,
    claims.statements,
)

PAPER = Definition("dualfips", needs, TABLES, drawings.pictures)
