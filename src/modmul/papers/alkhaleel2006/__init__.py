"""alkhaleel2006: a radix-4 multiplexer-based array, folded, in an ordinary Montgomery multiplier;
Tables I to V and the partitioning."""

from __future__ import annotations

from modmul.papers.alkhaleel2006 import arrays, drawings, modular, sizes
from modmul.papers.alkhaleel2006.measured import Measured, measure
from modmul.papers.definition import Definition
from modmul.papers.records import AT_USABLE, Figures, Table

WIDEST = 512  # bits: all that is printed
NOTES = (
    "published: as printed.  computed: from printed formulas and figures, or declared clocks.  "
    "measured: counted in the emitted netlist; synthesised for xc4v (the paper's Virtex-4), xc2vp, "
    "xc7, ecp5; routed on ecp5.  Always the core alone, with its registers.",
    "There is no open router for a Virtex-4.  Delays of ours on xc4v and xc7 are estimates, not "
    "routed: delays of cells, and one assumed delay for each net outside a slice.  They compare "
    "designs on one chip, not with the paper's tools, and no clock is claimed from them.",
    "On the Virtex-II Pro of Table V (xc2vp) there are areas and LUTs in series alone: neither a "
    "router nor delays that could be read.  The paper prints times there, and no areas.",
    AT_USABLE,
    "Cells and control of the array are only drawn in the paper, and the other schemes only "
    "counted: what is built here is a reconstruction that computes the product.",
    "Gates and transistors: unit cells of the rows as they stand in the emitted netlist, in the "
    "units of Table I; registers are not counted, as in the paper.",
)


def all_tables(printed: Figures, measured: Measured) -> tuple[Table, ...]:
    """Those of arrays, then those of the modular multiplier."""
    return (
        sizes.table1(printed),
        sizes.table2(printed),
        sizes.at_widths(printed, measured),
        sizes.unit_cells(printed, measured),
        sizes.claims(printed, measured),
        modular.table3(printed, measured),
        arrays.table4(printed, measured),
        arrays.speed_up(printed, measured),
        arrays.claims(printed, measured),
        arrays.everything(measured),
        arrays.relative(measured),
        arrays.today(measured),
        modular.table5(printed, measured),
        modular.partition_table(measured),
        modular.fits(printed, measured),
    )


PAPER = Definition("alkhaleel2006", NOTES, measure, all_tables, drawings.pictures, WIDEST)
