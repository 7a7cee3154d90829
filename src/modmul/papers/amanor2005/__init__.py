"""amanor2005: three bit-serial multipliers on an FPGA, Tables 1 to 3 and Figure 3."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from modmul.implementation.implement import SEEDS
from modmul.papers.amanor2005 import products, rsa, tables
from modmul.papers.amanor2005.designs import WIDTHS
from modmul.papers.amanor2005.measured import Measured, measure
from modmul.papers.records import AT_USABLE, Paper
from modmul.papers.transcribed import assembled, transcribed
from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import Report, silent

KEY = "amanor2005"
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


def figures() -> dict[str, Any]:
    """All figures of the paper, as transcribed."""
    return transcribed(KEY)


def paper(
    *,
    seeds: int = SEEDS,
    jobs: int = 2,
    cache: Cache | None = None,
    progress: Report = silent,
    widths: Sequence[int] = WIDTHS,
) -> Paper:
    """All tables and the figure, measured (see `papers`).  seeds: of place and route up to 256
    bits; three in eight of them above."""
    measured = measure(
        seeds=seeds, jobs=jobs, cache=cache or Cache(), progress=progress, widths=widths
    )
    return assemble(figures(), measured)


def assemble(printed: dict[str, Any], measured: Measured) -> Paper:
    """The record, from printed and measured figures."""
    return assembled(
        KEY,
        NOTES,
        tables=(
            tables.table1(printed, measured),
            tables.table2(printed, measured),
            rsa.table3(printed, measured),
            products.figure3(printed, measured),
            tables.cycles(measured),
            rsa.claims(printed, measured),
            *products.rankings(printed, measured),
        ),
        pictures=products.pictures(printed, measured),
    )
