"""amanor2005: three bit-serial multipliers on an FPGA, Tables 1 to 3 and Figure 3."""

from __future__ import annotations

from modmul.papers.amanor2005 import products, rsa, tables
from modmul.papers.amanor2005.designs import Measured, measure
from modmul.papers.definition import Definition
from modmul.papers.records import AT_USABLE, Figures, Table

NOTES = (
    "published: as printed, for a Virtex-E (XCV2000E-6; printed XVC2000E).  computed: from printed "
    "figures and n + 3 cycles.  measured: on ecp5, routed, and xc7, counted, the core alone.",
    "Areas on the paper's own chip, target xcve: LUTs and flip-flops counted by Yosys, and from "
    "them the least number of slices that can hold them, in percent of the XCV2000E's 19200.  "
    "Nothing is placed for this family, so that no clock is claimed on it.",
    AT_USABLE,
    "The paper's times leave out what every multiplication needs besides its n iterations: a table "
    "for a new factor, and a binary, reduced result.  Columns named `all` have both.",
    "Signals named `adder_...` belong to the adder of table and conversion, word-serial, "
    "32 bits at a time, which the paper does not count.",
    "Figures 1 and 2 are diagrams of data flow: there is nothing in them to measure.  Figure 3 is "
    "drawn, without numbers; `--pictures` draws it again.",
)


def all_tables(printed: Figures, measured: Measured) -> tuple[Table, ...]:
    """In the order of print, then ours."""
    return (
        tables.table1(printed, measured),
        tables.table2(printed, measured),
        rsa.table3(printed, measured),
        products.figure3(printed, measured),
        tables.cycles(measured),
        rsa.statements(printed, measured),
        *products.rankings(printed, measured),
    )


PAPER = Definition("amanor2005", NOTES, measure, all_tables, products.pictures)
