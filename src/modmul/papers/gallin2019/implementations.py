"""Table II: the designs of the paper, each beside designs of ours.

A printed row has the cycles of a pipeline and the cells of a chip.  Our pipeline depends on the
target, so no design of ours has both: that for `generic` has the registers of the paper and no
cells, that for the family of the paper's chip has cells and a shorter pipeline.  The columns
`generic_...`, `chip_...` and `ecp5_...` are of one design each, named in the first of them; a
printed figure stands beside the one that it can be compared with."""

from __future__ import annotations

from modmul import targets
from modmul.multipliers.fpmm import Fpmm
from modmul.papers.columns import Row, tabulate, waiting
from modmul.papers.gallin2019.designs import ON_ECP5, WORD, Measured, design
from modmul.papers.gallin2019.tables import OTHER_FAMILY, usable_remark
from modmul.papers.implemented import at_usable, clock
from modmul.papers.printed import PrintedDesign, fpmm_rows
from modmul.papers.records import Figures, Table, TableCell, rounded

WHOLE = f"w = {WORD}, pipeline full; all figures of the columns that begin like this are of it"


def table2(figures: Figures, measured: Measured) -> Table:
    """The designs of the paper."""
    rows = (
        {
            "n_bits": row.width,
            "spec": row.design,
            "fpga": row.fpga,
            "slices": TableCell.printed(row.slices),
            "freq_mhz": TableCell.printed(row.mhz),
            **_generic(row, figures, measured),
            **_on_chip(row, measured),
            **_on_ecp5(row, figures, measured),
        }
        for row in fpmm_rows(figures)
    )
    return tabulate(figures, "II", rows)


def _named(multiplier: Fpmm) -> TableCell:
    """Which design it is."""
    return TableCell.circuit(None, f"{multiplier.title}, target {multiplier.target}", WHOLE)


def _generic(row: PrintedDesign, figures: Figures, measured: Measured) -> Row:
    """Cycles with the registers of the paper, as declared and as simulated; times at the published
    clock.  There is no chip, so there are no cells and no clock."""
    name = (row.width, row.design)
    multiplier, run = design(*name), measured.cycles.get(name)
    eight, simulated = multiplier.cycles_for(8), run and run.cycles_for(8)
    abstract = figures["text"]["abstract_f44d_v7"]["cycles_for_8"]
    said = abstract if (*name, row.fpga) == (128, "F44D", "V7") else None
    return {
        "generic_design": _named(multiplier),
        "generic_latency_cc": TableCell.circuit(
            row.latency, multiplier.latency().mean, measured=run and run.latency
        ),
        "generic_interval_cc": TableCell.circuit(
            None, multiplier.interval().mean, measured=run and run.interval
        ),
        "generic_cycles_per_product": TableCell.circuit(
            None, rounded(multiplier.cycles_per_product()),
            measured=rounded(run and run.interval / run.slots),
        ),
        "generic_time8_cc": TableCell.circuit(said, eight, measured=simulated),
        "generic_time8_ns": TableCell.mixed(
            row.eight_ns, rounded(row.ns_of(eight)),
            measured=rounded(simulated and row.ns_of(simulated)),
        ),
        "generic_dsps": TableCell.circuit(None, multiplier.dsps),
        "generic_dsp_occupancy_percent": TableCell.circuit(
            None, rounded(100 * multiplier.dsp_occupancy)
        ),
    }  # fmt: skip


def _on_chip(row: PrintedDesign, measured: Measured) -> Row:
    """The design for the family of the paper's chip: its cells, and its own cycles."""
    name, target = (row.width, row.design), row.target
    cells, multiplier = measured.cells.get((name, target)), design(*name, target)
    remark = f"Yosys for {target}, the core alone, before placement"
    kbit = block_kbit(target) if row.ram_blocks else None
    return {
        "chip_design": _named(multiplier),
        "chip_luts": TableCell.ours(cells and cells.lut, remark, published=row.lut),
        "chip_ffs": TableCell.ours(cells and cells.ff, remark, published=row.ff),
        "chip_brams": TableCell.ours(cells and cells.ram_blocks, remark, published=row.ram_blocks),
        "chip_bram_kbit": TableCell.arithmetic(row.ram_kbit, kbit),
        "chip_dsps": TableCell.circuit(
            row.dsp, multiplier.dsps, remark, measured=cells and cells.dsp
        ),
        "chip_latency_cc": TableCell.circuit(None, multiplier.latency().mean),
        "chip_interval_cc": TableCell.circuit(None, multiplier.interval().mean),
        "chip_cycles_per_product": TableCell.circuit(
            None, rounded(multiplier.cycles_per_product())
        ),
        "chip_time8_cc": TableCell.circuit(None, multiplier.cycles_for(8)),
    }


def block_kbit(target: str) -> int:
    """Capacity of the smallest block RAM of a family."""
    blocks = [area for area in targets.find(target).cells.values() if area.ram_blocks == 1]
    return min(area.ram_bits for area in blocks) // 1024


def _on_ecp5(row: PrintedDesign, figures: Figures, measured: Measured) -> Row:
    """The cells for ECP5, beside those of the Virtex-7, the paper's fastest chip."""
    name = (row.width, row.design)
    if row.fpga != "V7" or name not in ON_ECP5:
        return {}
    core = measured.ecp5.get(name)
    if core is None:
        return waiting(figures, "II", "ecp5_")
    mhz = clock(core)
    median = f"median over seeds: {len(mhz.seeds)}; {OTHER_FAMILY}"
    return {
        "ecp5_design": _named(design(*name, "ecp5")),
        "ecp5_luts": TableCell.seen(core.lut, OTHER_FAMILY),
        "ecp5_ffs": TableCell.seen(core.ff, OTHER_FAMILY),
        "ecp5_dsps": TableCell.seen(core.dsp, "18 x 18 bits"),
        "ecp5_latency_cc": TableCell.circuit(None, core.cycles.latency),
        "ecp5_routed_mhz": TableCell.seen(mhz.median, median),
        "ecp5_usable_mhz": TableCell.seen(mhz.usable, mhz.limited_by),
        "ecp5_time8_ns": TableCell.seen(rounded(at_usable(core).eight_ns), usable_remark(mhz)),
    }
