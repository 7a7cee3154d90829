"""dualfips: dual-field Montgomery multiplication by product scanning (FIPS), Tables 1 and 2,
Figures 10 and 11, text."""

from __future__ import annotations

from typing import Any

from modmul.implementation.implement import SEEDS
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
from modmul.papers.records import AT_USABLE, Paper
from modmul.papers.transcribed import assembled, transcribed
from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import Report, silent

KEY = "dualfips"
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


def figures() -> dict[str, Any]:
    """All figures of the paper, as transcribed."""
    return transcribed(KEY)


def paper(
    *,
    seeds: int = SEEDS,
    jobs: int = 2,
    cache: Cache | None = None,
    progress: Report = silent,
) -> Paper:
    """All tables and figures, measured (see `papers`).  seeds: of place and route, of which three
    in eight are taken; 0: nothing is routed, and there are no times."""
    printed = figures()
    rows = [row["words"] for row in printed["table1"]]
    measured = measure(rows, seeds=seeds, jobs=jobs, cache=cache or Cache(), progress=progress)
    return assemble(printed, measured)


def assemble(printed: dict[str, Any], measured: Measured) -> Paper:
    """The record, from printed and measured figures."""
    return assembled(
        KEY,
        NOTES,
        tables=(
            tables.table1(printed, measured),
            area.table2(printed, measured),
            tables.clocks_1024(printed, measured),
            tables.figure10(printed, measured),
            exponentiation.table(printed, measured.loops),
            operations.table(printed, measured),
            tables.binary_fields(printed, measured),
            squares.table(),
            tables.widths(measured),
            claims.claims(printed, measured),
        ),
        pictures=drawings.pictures(printed, measured),
    )
