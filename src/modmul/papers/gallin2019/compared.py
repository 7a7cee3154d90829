"""Table III: the designs that the paper compares itself with, each beside ours of that name.

Ours are reconstructed from the few figures in print: the module of each architecture says which
these are.  Cells are counted on the family of the printed chip; clocks of these chips are not ours.
"""

from __future__ import annotations

from modmul.papers.columns import Row, tabulate
from modmul.papers.gallin2019.designs import Measured, compared, multiplying_alone, target_of
from modmul.papers.printed import PrintedDesign, literature
from modmul.papers.records import Figures, Table, TableCell, rounded

ONLY_PUBLISHED = "a compared design: published only"
ROUNDED_CLOCK = "that clock is printed in whole MHz"
AT_CLOCK = f"{ONLY_PUBLISHED}; computed: its printed cycles at its printed clock; {ROUNDED_CLOCK}"


def table3(figures: Figures, measured: Measured) -> Table:
    """Multipliers from the literature."""
    return tabulate(figures, "III", (_row(row, measured) for row in literature(figures)))


def _row(row: PrintedDesign, measured: Measured) -> Row:
    estimate = "the paper multiplied one latency by eight" if row.estimated else ""
    remark = "; ".join(filter(None, (AT_CLOCK, estimate)))
    return {
        "n_bits": row.width,
        "ref": row.design,
        "fpga": row.fpga,
        "slices": TableCell.printed(row.slices),
        "bram_kbit": TableCell.printed(row.ram_kbit),
        "freq_mhz": TableCell.printed(row.mhz),
        **_ours(row, measured),
        "time8_ns": TableCell.arithmetic(
            row.eight_ns, rounded(row.ns_of(row.cycles_for(8))), remark
        ),
    }


def _first(printed_design: PrintedDesign) -> bool:
    """Whether what print says once of all chips is said in this row: MA16 was put on four."""
    return printed_design.design != "MA16" or printed_design.fpga == "V4"


def _ours(design: PrintedDesign, measured: Measured) -> Row:
    """Cells of the design on the family of the printed chip, or on another; cycles are those of
    all."""
    name, target = (design.width, design.design), target_of(design)
    cells, alone = (measured.cells.get((one, target)) for one in (name, multiplying_alone(name)))
    multiplier, run = compared(name, target).multiplier, measured.cycles.get(name)
    counted = f"Yosys for {target}, the core alone, before placement"
    said = f"multiplying alone {alone.lut} LUTs, {alone.ff} flip-flops" if alone else ""
    counted = "; ".join(filter(None, (design.notes.get("area"), said, counted)))
    latency, interval = multiplier.latency().mean, multiplier.interval().mean
    printed = {"dsps": design.dsp, "latency": design.latency, "interval": design.interval}
    told = printed if _first(design) else {}  # once for all chips
    return {
        "design": TableCell.circuit(None, f"{multiplier.title}, target {target}"),
        "luts": TableCell.ours(cells and cells.lut, counted, published=design.lut),
        "ffs": TableCell.ours(cells and cells.ff, counted, published=design.ff),
        "brams": TableCell.ours(
            cells and cells.ram_blocks, f"operands are in registers or LUTs; {counted}",
            published=design.ram_blocks,
        ),
        "dsps": TableCell.ours(
            cells and cells.dsp, design.notes.get("dsps", counted), published=told.get("dsps")
        ),
        "latency_cc": TableCell.circuit(
            told.get("latency"), latency, design.notes.get("cycles"), measured=run and run.latency
        ),
        "interval_cc": TableCell.circuit(
            told.get("interval"), interval, measured=run and run.interval
        ),
        "time8_cc": TableCell.circuit(
            None, multiplier.cycles_for(8), measured=run and run.cycles_for(8)
        ),
    }  # fmt: skip
