"""Table II: the designs of the paper, each beside designs of ours.

A printed row has the cycles of a pipeline and the cells of a chip.  Our pipeline depends on the
target, so no design of ours has both: that for `generic` has the registers of the paper and no
cells, that for the family of the paper's chip has cells and a shorter pipeline.  The columns
`generic_...`, `chip_...` and `ecp5_...` are of one design each, named in the first of them; a
printed figure stands beside the one that it can be compared with."""

from __future__ import annotations

from modmul import targets
from modmul.multipliers.fpmm import Fpmm
from modmul.papers.gallin2019.designs import ON_ECP5, WORD, design
from modmul.papers.gallin2019.measured import Measured
from modmul.papers.gallin2019.tables import (
    OTHER_FAMILY,
    ROUNDED_CLOCK,
    at_usable,
)
from modmul.papers.printed import PrintedDesign, fpmm_rows
from modmul.papers.records import (
    EMPTY,
    Cell,
    Figure,
    Figures,
    MeasuredCell,
    Origin,
    Table,
    only_measured,
    rounded,
)

COLUMNS = (
    *("n_bits", "spec", "fpga", "slices", "freq_mhz"),
    *("generic_design", "generic_latency_cc", "generic_interval_cc", "generic_cycles_per_product"),
    *("generic_time8_cc", "generic_time8_ns", "generic_dsps", "generic_dsp_occupancy_percent"),
    *("chip_design", "chip_luts", "chip_ffs", "chip_brams", "chip_bram_kbit", "chip_dsps"),
    *("chip_latency_cc", "chip_interval_cc", "chip_cycles_per_product", "chip_time8_cc"),
    *("ecp5_design", "ecp5_luts", "ecp5_ffs", "ecp5_dsps", "ecp5_latency_cc"),
    *("ecp5_routed_mhz", "ecp5_usable_mhz", "ecp5_time8_ns"),
)
WHOLE = f"w = {WORD}, pipeline full; all figures of the columns that begin like this are of it"


def table2(figures: Figures, measured: Measured) -> Table:
    """The designs of the paper."""
    rows: list[tuple[Figure | Cell, ...]] = []
    for row in fpmm_rows(figures):
        cells: dict[str, Figure | Cell] = {
            "n_bits": row.width,
            "spec": row.design,
            "fpga": row.fpga,
            "slices": Cell(row.slices, remark="Yosys does not pack slices", origin=Origin.PRINT),
            "freq_mhz": Cell(row.mhz, remark=_NO_CLOCK, origin=Origin.PRINT),
            **_generic(row, figures, measured),
            **_on_chip(row, measured),
            **_on_ecp5(row, measured),
        }
        rows.append(tuple(cells[column] for column in COLUMNS))
    return Table("II", f"FPMM designs, w = {WORD}", COLUMNS, tuple(rows))


def _named(multiplier: Fpmm) -> Cell:
    """Which design it is."""
    name = f"{multiplier.title}, target {multiplier.target}"
    return Cell(None, name, None, WHOLE, origin=Origin.CIRCUIT)


def _generic(
    row: PrintedDesign, figures: Figures, measured: Measured
) -> dict[str, Figure | Cell]:
    """Cycles with the registers of the paper, as declared and as simulated; times at the published
    clock.  There is no chip, so there are no cells and no clock."""
    n_bits, spec = row.width, row.design
    multiplier, run = design(n_bits, spec), measured.cycles.get((n_bits, spec))
    eight, simulated = multiplier.cycles_for(8), run and run.cycles_for(8)
    abstract = figures["text"]["abstract_f44d_v7"]["cycles_for_8"]
    said = abstract if (n_bits, spec, row.fpga) == (128, "F44D", "V7") else None
    compared = {
        "latency_cc": (row.latency, multiplier.latency().mean, run and run.latency, None),
        "interval_cc": (None, multiplier.interval().mean, run and run.interval, _SECTION_3),
        "cycles_per_product": (
            None,
            rounded(multiplier.cycles_per_product()),
            rounded(run and run.interval / run.slots),
            "not printed",
        ),
        "time8_cc": (said, eight, simulated, "printed in the abstract, of one design"),
    }
    time, found = (rounded(one and row.ns_of(one)) for one in (eight, simulated))
    occupancy = rounded(100 * multiplier.dsp_occupancy)
    return {
        "generic_design": _named(multiplier),
        **{
            f"generic_{key}": MeasuredCell(*cell, origin=Origin.CIRCUIT)
            for key, cell in compared.items()
        },
        "generic_time8_ns": MeasuredCell(
            row.eight_ns, time, found, _AT_CLOCK, origin=Origin.MIXED
        ),
        "generic_dsps": Cell(None, multiplier.dsps, None, _NO_CELLS, origin=Origin.CIRCUIT),
        "generic_dsp_occupancy_percent": Cell(
            None, occupancy, None, "(8s+3)/(9 theta); not printed", origin=Origin.CIRCUIT
        ),
    }


def _on_chip(row: PrintedDesign, measured: Measured) -> dict[str, Figure | Cell]:
    """The design for the family of the paper's chip: its cells, and its own cycles."""
    name, target = (row.width, row.design), row.target
    found, multiplier = measured.cells.get((name, target)), design(*name, target)
    remark = f"Yosys for {target}, the core alone, before placement"
    counts = {
        "luts": (row.lut, found.lut if found else None),
        "ffs": (row.ff, found.ff if found else None),
        "brams": (row.ram_blocks, found.ram_blocks if found else None),
    }
    cycles = {
        "latency_cc": multiplier.latency().mean,
        "interval_cc": multiplier.interval().mean,
        "cycles_per_product": rounded(multiplier.cycles_per_product()),
        "time8_cc": multiplier.cycles_for(8),
    }
    dsps = (row.dsp, multiplier.dsps, found.dsp if found else None, remark)
    return {
        "chip_design": _named(multiplier),
        **{
            f"chip_{key}": only_measured(count, remark, published=printed)
            for key, (printed, count) in counts.items()
        },
        "chip_dsps": MeasuredCell(*dsps, origin=Origin.CIRCUIT),
        "chip_bram_kbit": Cell(
            row.ram_kbit,
            _block_kbit(target) if row.ram_blocks else None,
            remark="capacity of one block RAM, of the data sheet",
            origin=Origin.ARITHMETIC,
        ),
        **{
            f"chip_{key}": Cell(None, count, None, _OWN_CYCLES, origin=Origin.CIRCUIT)
            for key, count in cycles.items()
        },
    }


def _block_kbit(target: str) -> int:
    """Capacity of the smallest block RAM of a family."""
    blocks = [area for area in targets.find(target).cells.values() if area.ram_blocks == 1]
    return min(area.ram_bits for area in blocks) // 1024


def _on_ecp5(row: PrintedDesign, measured: Measured) -> dict[str, Figure | Cell]:
    """Beside the Virtex-7, the paper's fastest."""
    name = (row.width, row.design)
    keys = [column for column in COLUMNS if column.startswith("ecp5_")]
    if row.fpga != "V7" or name not in ON_ECP5:
        return dict.fromkeys(keys, EMPTY)
    found = measured.ecp5.get(name)
    if found is None or found.fmax_mhz is None or found.usable is None:
        return dict.fromkeys(keys, MeasuredCell(origin=Origin.MEASURED))
    clock = found.fmax_mhz
    values: dict[str, tuple[Figure | None, str]] = {
        "luts": (found.lut, OTHER_FAMILY),
        "ffs": (found.ff, OTHER_FAMILY),
        "dsps": (found.dsp, "18 x 18 bits"),
        "routed_mhz": (clock.median, f"median over seeds: {len(clock.seeds)}; {OTHER_FAMILY}"),
        "usable_mhz": (clock.usable, clock.limited_by),
        "time8_ns": (rounded(found.usable.eight_ns), at_usable(clock)),
    }
    return {
        "ecp5_design": _named(design(*name, "ecp5")),
        "ecp5_latency_cc": Cell(None, found.cycles.latency, origin=Origin.CIRCUIT),
        **{
            f"ecp5_{key}": Cell(None, None, *pair, origin=Origin.MEASURED)
            for key, pair in values.items()
        },
    }


_NO_CLOCK = "no open router for this family: no clock is claimed"
_NO_CELLS = "by formula; target generic has no cells: LUTs, flip-flops and DSP blocks are a chip's"
_SECTION_3 = "by section 3; not printed"
_AT_CLOCK = f"cycles of this tool at the published clock; {ROUNDED_CLOCK}"
_OWN_CYCLES = "of this design, whose pipeline is not the paper's: nothing printed to compare with"
