"""alkhaleel2006: a radix-4 multiplexer-based array, folded, in an ordinary Montgomery multiplier;
Tables I to V and the partitioning."""

from __future__ import annotations

from modmul.papers.alkhaleel2006 import arrays, modular, sizes
from modmul.papers.alkhaleel2006.designs import needs
from modmul.papers.definition import Definition

WIDEST = 512  # bits: all that is printed
TABLES = (  # those of arrays, then those of the modular multiplier
    sizes.table1,
    sizes.table2,
    sizes.at_widths,
    sizes.unit_cells,
    sizes.claims,
    modular.table3,
    modular.fits_one_chip,
    arrays.table4,
    arrays.speed_up,
    arrays.claims,
    arrays.everything,
    arrays.relative,
    arrays.today,
    modular.table5,
    modular.partition_table,
    modular.fits,
)

PAPER = Definition("alkhaleel2006", needs, TABLES, arrays.pictures, WIDEST)
