"""Tables II and III, and both on one ECP5: designs that are implemented, beside print.

In Table II a printed row has the cycles of a pipeline and the cells of a chip.  Ours depends
on the target, so no design of ours has both: that for `generic` has the registers of the paper and
no cells, that for the family of the paper's chip has cells and a shorter pipeline.  The columns
`generic_...`, `chip_...` and `ecp5_...` are of one design each, named in the first of them; a
printed figure stands beside the one that it can be compared with.

Designs that the paper compares itself with are reconstructed from the few figures in print: the
module of each architecture says which these are.  Their cells are counted on the family of the
printed chip; clocks of these chips are not ours.  The paper compares designs of different papers,
chips and tools; on one ECP5 each of them, as far as it is built, and the FPMM of the same width are
placed and routed with the same seeds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from modmul import targets
from modmul.implementation.result import Clock, ImplementResult
from modmul.multipliers import Multiplier
from modmul.multipliers.fpmm import Fpmm
from modmul.papers.columns import Row, Rows, remarks_of, table, waiting
from modmul.papers.gallin2019.designs import (
    ON_ECP5,
    ONE_CHIP,
    WITHOUT,
    Measured,
    Name,
    compared,
    design,
    multiplying_alone,
    on_one_chip,
    target_of,
)
from modmul.papers.implemented import at_usable, clock
from modmul.papers.printed import PrintedDesign, fastest, fpmm_rows, literature
from modmul.papers.records import Figures, TableCell, rounded

OTHER_FAMILY = "routed on a Lattice ECP5, another family: not to be compared as one chip"


def usable_remark(clock: Clock) -> str:
    """A remark on a time of ours."""
    return f"at the usable clock, {clock.words}; {OTHER_FAMILY}"


@table("II")
def table2(figures: Figures, measured: Measured) -> Rows:
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
    yield from rows


def _named(multiplier: Fpmm) -> TableCell:
    return TableCell.circuit(None, f"{multiplier.title}, target {multiplier.target}")


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
            None,
            rounded(multiplier.cycles_per_product()),
            measured=rounded(run and run.interval / run.slots),
        ),
        "generic_time8_cc": TableCell.circuit(said, eight, measured=simulated),
        "generic_time8_ns": TableCell.mixed(
            row.eight_ns,
            rounded(row.ns_of(eight)),
            measured=rounded(simulated and row.ns_of(simulated)),
        ),
        "generic_dsps": TableCell.circuit(None, multiplier.dsps),
        "generic_dsp_occupancy_percent": TableCell.circuit(
            None, rounded(100 * multiplier.dsp_occupancy)
        ),
    }


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
        "ecp5_design": TableCell.circuit(
            None,
            f"{design(*name, 'ecp5').title}, target ecp5",
            remarks_of(figures, "II")["generic_design"],
        ),
        "ecp5_luts": TableCell.seen(core.lut, OTHER_FAMILY),
        "ecp5_ffs": TableCell.seen(core.ff, OTHER_FAMILY),
        "ecp5_dsps": TableCell.seen(core.dsp, "18 x 18 bits"),
        "ecp5_latency_cc": TableCell.circuit(None, core.cycles.latency),
        "ecp5_routed_mhz": TableCell.seen(mhz.median, median),
        "ecp5_usable_mhz": TableCell.seen(mhz.usable, mhz.limited_by),
        "ecp5_time8_ns": TableCell.seen(rounded(at_usable(core).eight_ns), usable_remark(mhz)),
    }


@table("III")
def table3(figures: Figures, measured: Measured) -> Rows:
    """Multipliers from the literature."""
    yield from (_beside_print(row, figures, measured) for row in literature(figures))


def _beside_print(row: PrintedDesign, figures: Figures, measured: Measured) -> Row:
    notes = figures["literature_notes"]
    remark = "; ".join([notes["at_clock"], *([notes["estimated"]] if row.estimated else [])])
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
            cells and cells.ram_blocks,
            f"operands are in registers or LUTs; {counted}",
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
    }


@table("One chip")
def one_chip(figures: Figures, measured: Measured) -> Rows:
    """By width, the FPMM first."""
    rows = [row for fpmm in ON_ECP5 for row in _of_width(fpmm, figures, measured)]
    yield from rows


def _of_width(fpmm: Name, figures: Figures, measured: Measured) -> Iterator[Row]:
    base = measured.ecp5.get(fpmm)
    yield _row(fpmm, design(*fpmm, ONE_CHIP), base, base, {}, figures)
    for name, spec in on_one_chip().items():
        if name[0] == fpmm[0]:
            printed, core = _printed(name, figures), measured.ecp5.get(name)
            yield _row(name, spec.multiplier, core, base, printed, figures)


def _row(
    name: Name,
    multiplier: Multiplier,
    core: ImplementResult | None,
    base: ImplementResult | None,
    printed: Mapping[str, float],
    figures: Figures,
) -> Row:
    declared: dict[str, int | str | TableCell] = {
        "n_bits": name[0],
        "ref": name[1],
        "design": TableCell.circuit(None, multiplier.title),
        "latency_cc": TableCell.circuit(None, multiplier.latency().maximum),
        "cycles_per_product": TableCell.circuit(None, rounded(multiplier.cycles_per_product())),
    }
    if core is None or base is None:
        rest = waiting(figures, "One chip", "")
        return {**rest, **declared}
    mhz, other, fpmm = clock(core), at_usable(core), at_usable(base)
    ours = {
        "time8": other.eight_ns / fpmm.eight_ns,
        "luts": core.lut / base.lut,
        "dsps": core.dsp / base.dsp if base.dsp else None,
        "rate": other.products_per_second / fpmm.products_per_second,
    }
    return {
        **declared,
        "luts": TableCell.seen(core.lut),
        "ffs": TableCell.seen(core.ff),
        "dsps": TableCell.seen(core.dsp),
        "routed_mhz": TableCell.seen(mhz.median, f"median over seeds: {len(mhz.seeds)}"),
        "usable_mhz": TableCell.seen(mhz.usable, mhz.limited_by),
        "time8_ns": TableCell.seen(rounded(other.eight_ns)),
        "products_m": TableCell.seen(rounded(other.products_per_second / 1e6, 4)),
        "per_dsp_k": TableCell.seen(rounded(other.per_dsp and other.per_dsp / 1e3, 4)),
        "per_lut_k": TableCell.seen(rounded(other.per_lut and other.per_lut / 1e3, 4)),
        **{
            f"{key}_over_fpmm": TableCell.arithmetic(
                None, rounded(printed.get(key), 3), measured=rounded(figure, 3)
            )
            for key, figure in ours.items()
        },
    }


def _printed(name: Name, figures: Figures) -> dict[str, float]:
    """A compared design over the fastest FPMM of its width on the same family, as printed; nothing
    where there is no such pair."""
    label = name[0], name[1].removesuffix(WITHOUT)
    rows = [row for row in literature(figures) if (row.width, row.design) == label]
    pairs = [(row, fastest(figures, row)) for row in rows]
    built = [(row, best) for row, best in pairs if best is not None]
    if not built:
        return {}
    row, best = built[-1]  # Virtex-7 where there are several
    counts = {"luts": (row.lut, best.lut), "dsps": (row.dsp, best.dsp)}
    ratios = {key: a / b for key, (a, b) in counts.items() if a and b}
    rate = best.ns_of(design(best.width, best.design).cycles_per_product())
    assert row.eight_ns and best.eight_ns and row.per_product
    return {
        **ratios,
        "time8": row.eight_ns / best.eight_ns,
        "rate": rate / row.ns_of(row.per_product),
    }
