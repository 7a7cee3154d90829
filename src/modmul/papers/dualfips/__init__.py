"""dualfips: dual-field Montgomery multiplication by product scanning (FIPS), Tables 1 and 2,
Figures 10 and 11, text."""

from __future__ import annotations

from modmul.papers.definition import Definition
from modmul.papers.dualfips import (
    area,
    claims,
    drawings,
    exponentiation,
    operations,
    squares,
    tables,
)
from modmul.papers.dualfips.measured import Measured, measure
from modmul.papers.records import AT_USABLE, Figures, Table

NOTES = (
    "published: as printed.  computed: the clocks that the multiplier declares, which are those of "
    "its schedule; formulas; printed figures.  measured: simulated, counted or routed here.",
    "Clocks are counted as in the paper, from `start` to `done`: one a word product, and 4.  "
    "Loading (2 to 4), final subtraction (1) and unloading (s + 2) come at the ports; the paper "
    "leaves them out, and its subtraction, made only where it is needed, would tell by its time.",
    "All times printed are clocks of 2 ns: 500 MHz is assumed, nowhere routed.  There is no open "
    "router for the Artix-7; times of ours are those of an ECP5, in columns of their own.",
    AT_USABLE,
    "Figures 1 to 9 are algorithms and diagrams of blocks: there is nothing in them to measure.  "
    "`--pictures` draws Figures 10 and 11, and clocks over the width.",
)


def all_tables(printed: Figures, measured: Measured) -> tuple[Table, ...]:
    """In the order of print, then ours."""
    return (
        tables.table1(printed, measured),
        area.table2(printed, measured),
        tables.clocks_1024(printed, measured),
        tables.figure10(printed, measured),
        exponentiation.table(printed, measured.loops),
        operations.table(printed, measured),
        tables.binary_fields(printed, measured),
        squares.table(),
        tables.widths(measured),
        claims.statements(printed, measured),
    )


PAPER = Definition("dualfips", NOTES, measure, all_tables, drawings.pictures)
