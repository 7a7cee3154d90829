"""Figures 1, 4 and 7 as tables."""

from __future__ import annotations

import msgspec

from modmul.papers.gallin2019.designs import FIGURE4, Name, design, figure1_design
from modmul.papers.gallin2019.measured import Measured
from modmul.papers.gallin2019.tables import AT_CLOCK, OTHER_FAMILY, ROUNDED_CLOCK
from modmul.papers.printed import PrintedDesign, fpmm_rows, literature
from modmul.papers.records import (
    Cell,
    Derived,
    Figure,
    Figures,
    MeasuredCell,
    Origin,
    Table,
    rounded,
)
from modmul.verification.observed import Schedule

FIGURE7 = ("S44B", "F44B", "F44D")
PRODUCTS = 16  # of figure 7
ORDINALS = ("first", "second", "third")


def figure1(figures: Figures, measured: Measured) -> Table:
    """Transfers with s = 2: in which cycle what is on the ports."""
    multiplier, run = figure1_design(), measured.first
    latency, interval = multiplier.latency().mean, multiplier.interval().mean
    printed = figures["figure1"]
    remark = (
        f"the drawing has 3 slots, too few to hide the pipeline with s = 2; here {multiplier.slots}"
    )
    rows: list[tuple[Figure | Cell, ...]] = []
    for k, ordinal in enumerate(ORDINALS):
        first, last = (1 + multiplier.theta * k, multiplier.theta * k + multiplier.words)
        taken = run.taken[k] if run else (None, None)
        drawn = printed["load_first_word_of_lm"][k]
        entering: Cell = MeasuredCell(drawn, first, taken[0], origin=Origin.CIRCUIT)
        if k == 0:
            entering = Cell(drawn, remark="where cycles are counted from", origin=Origin.PRINT)
        leaving = MeasuredCell(None, last, taken[1], "not transcribed", origin=Origin.CIRCUIT)
        rows.append((f"first word of the {ordinal} pair in", entering))
        rows.append((f"last word of the {ordinal} pair in", leaving))
    given = run.given[0] if run else (None, None)
    events = {
        "first word of the first result out": (
            printed["first_result_word_cycle"], latency - 1, given[0], remark,
        ),
        "last word of the first result out": (None, latency, given[1], remark),
        "latency": (printed["latency"], latency, run and run.latency, remark),
        "interval of one slot": (printed["interval"], interval, run and run.interval, _INTERVAL),
    }  # fmt: skip
    rows += [(event, MeasuredCell(*cell, origin=Origin.CIRCUIT)) for event, cell in events.items()]
    return Table("Figure 1", "Transfers of three products, s = 2", ("event", "cycle"), tuple(rows))


def figure4(measured: Measured) -> Table:
    """Words of two products in consecutive slots, without and with latency reduction.  The drawing
    was not transcribed: there is nothing to compare with."""
    s = design(*FIGURE4["with"]).words
    rows: list[tuple[Figure | Cell, ...]] = []
    for cycle in range(1, 2 * (s + 1) + 1):
        cells = []
        for key in ("without", "with"):
            computed = _word(cycle, [1, 1 + design(*FIGURE4[key]).theta], s)
            run = measured.cycles.get(FIGURE4[key])
            seen = run and _word(cycle, [first for first, _ in run.taken[:2]], s)
            cells.append(MeasuredCell(None, computed, seen, origin=Origin.CIRCUIT))
        rows.append((cycle, *cells))
    columns = ("cycle", "without_latency_reduction", "with_latency_reduction")
    title = "Two products before and after latency reduction; the drawing has no figures"
    return Table("Figure 4", title, columns, tuple(rows))


def _word(cycle: int, starts: list[int], s: int) -> str:
    """What the ports hold in a cycle: product and word, or nothing (the bubble of the carry)."""
    for product, start in enumerate(starts, 1):
        if start <= cycle < start + s:
            return f"product {product} word {cycle - start}"
    return "bubble" if cycle < starts[-1] else "free"


def figure7(figures: Figures, measured: Measured) -> Table:
    """Time for some products, 128 bits, Virtex-7."""
    compared = {
        row.design: row
        for row in literature(figures)
        if row.width == 128 and row.fpga in ("V7", "A7")
    }
    ours = {
        row.design: row
        for row in fpmm_rows(figures)
        if (row.width, row.fpga) == (128, "V7") and row.design in FIGURE7
    }
    columns = ("products", *(f"{name}_ns" for name in (*compared, *FIGURE7)), "F44D_ecp5_ns")
    rows: list[tuple[Figure | Cell, ...]] = []
    for count in range(1, PRODUCTS + 1):
        cells = [_compared(entry, count) for entry in compared.values()]
        cells += [_fpmm(ours[name], count, measured.cycles.get((128, name))) for name in FIGURE7]
        ma16 = compared["MA16"].ns_of(compared["MA16"].cycles_for(count))
        if count == 2:
            cells[-1] = _remarked(cells[-1], ma16)
        rows.append((count, *cells, _ecp5((128, "F44D"), count, measured)))
    title = "Time for some 128-bit products; published: those for eight, of Tables II and III"
    return Derived("Figure 7", title, columns, tuple(rows))


def _compared(row: PrintedDesign, count: int) -> Cell:
    published = row.eight_ns if count == 8 else None
    time = row.ns_of(row.cycles_for(count))
    where = "; on an Artix-7" if row.fpga == "A7" else ""
    return Cell(published, rounded(time), None, AT_CLOCK + where, origin=Origin.ARITHMETIC)


def _fpmm(row: PrintedDesign, count: int, run: Schedule | None) -> Cell:
    published = row.eight_ns if count == 8 else None
    computed = rounded(row.ns_of(design(128, row.design).cycles_for(count)))
    simulated = rounded(run and row.ns_of(run.cycles_for(count)))
    remark = f"cycles of this tool at the published clock; {ROUNDED_CLOCK}"
    return MeasuredCell(published, computed, simulated, remark, origin=Origin.MIXED)


def _remarked(cell: Cell, ma16_ns: float) -> Cell:
    """The text has MA16 ahead for one or two products; for two it is not."""
    assert isinstance(cell.computed, (int, float))
    faster = "faster" if cell.computed < ma16_ns else "slower"
    remark = f"{faster} than MA16 ({rounded(ma16_ns)} ns); the text says slower"
    return msgspec.structs.replace(cell, remark=remark)


def _ecp5(name: Name, count: int, measured: Measured) -> Cell:
    found = measured.ecp5.get(name)
    if found is None:
        return MeasuredCell(origin=Origin.MEASURED)
    assert found.fmax_mhz is not None
    cycles = design(*name, "ecp5").cycles_for(count)
    clock = found.fmax_mhz
    time = rounded(1000 * cycles / clock.usable)
    remark = f"declared cycles at the usable clock, {clock.words}; {OTHER_FAMILY}"
    return Cell(None, None, time, remark, origin=Origin.MEASURED)


_INTERVAL = (
    "the drawing does not follow the paper's own formulas: "
    "latency - interval = alpha_min + epsilon + s - alpha"
)
