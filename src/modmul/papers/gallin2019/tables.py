"""Tables I, III and IV, Figures 1, 4 and 7; Table II is in `implementations`, Table V in
`processors`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import msgspec

from modmul import targets
from modmul.implementation.result import Clock
from modmul.papers.columns import Entry, Row, tabulate
from modmul.papers.gallin2019.designs import (
    FIGURE4,
    ON_ECP5,
    Measured,
    Name,
    design,
    figure1_design,
)
from modmul.papers.printed import TARGETS, PrintedDesign, fpmm_rows, literature
from modmul.papers.records import Cell, Derived, Figures, Table, number, rounded
from modmul.verification.observed import Schedule

OTHER_FAMILY = "routed on a Lattice ECP5, another family: not to be compared as one chip"
ONLY_PUBLISHED = "a compared design: published only"
ROUNDED_CLOCK = "that clock is printed in whole MHz"
AT_CLOCK = f"{ONLY_PUBLISHED}; computed: its printed cycles at its printed clock; {ROUNDED_CLOCK}"
FIGURE7 = ("S44B", "F44B", "F44D")
PRODUCTS = 16  # of figure 7
ORDINALS = ("first", "second", "third")
_MISPRINT = "misprint: the other columns give the computed figure"
_INTERVAL = (
    "the drawing does not follow the paper's own formulas: "
    "latency - interval = alpha_min + epsilon + s - alpha"
)


def table1(figures: Figures) -> Table:
    """DSP slices."""

    def row(one: Mapping[str, str]) -> Row:
        target = targets.find(TARGETS[one["device"]])
        used = any(limit.block == one["slice"] for limit in target.limits)
        remark = f"the limit of the block on {target.name}" if used else ""
        labels = {key: one[key] for key in ("fpga", "slice", "device", "speed_grade")}
        return {**labels, "max_mhz": Cell.printed(one["max_mhz"], remark)}

    rows = map(row, figures["dsp_slices"])
    return tabulate("I", "DSP slices and their highest clock", rows)


def at_usable(clock: Clock) -> str:
    """A remark on a time of ours."""
    return f"at the usable clock, {clock.words}; {OTHER_FAMILY}"


def table3(figures: Figures) -> Table:
    """Multipliers from the literature."""

    def row(one: PrintedDesign) -> Row:
        printed = {
            "slices": one.slices, "luts": one.lut, "ffs": one.ff, "brams": one.ram_blocks,
            "bram_kbit": one.ram_kbit, "dsps": one.dsp, "freq_mhz": one.mhz,
            "latency_cc": one.latency,
        }  # fmt: skip
        estimate = "the paper multiplied one latency by eight" if one.estimated else ""
        remark = "; ".join(filter(None, (AT_CLOCK, estimate)))
        return {
            "n_bits": one.width,
            "ref": one.design,
            "fpga": one.fpga,
            **{key: Cell.printed(figure, ONLY_PUBLISHED) for key, figure in printed.items()},
            "time8_ns": Cell.arithmetic(
                one.eight_ns, rounded(one.ns_of(one.cycles_for(8))), remark
            ),
        }

    return tabulate("III", "Multipliers of the literature", map(row, literature(figures)))


def table4(figures: Figures, measured: Measured) -> Table:
    """Throughput per area: products per second in steady state per resource."""
    columns = tuple(figures["tpar"]["columns"])
    misprints = {
        (one["n_bits"], one["fpga"], one["unit"], one["column"])
        for one in figures["tpar"]["misprints"]
    }
    rows: list[Row] = []
    for values in figures["tpar"]["rows"]:
        row = dict(zip(columns, values, strict=True))
        labels = {key: row[key] for key in ("n_bits", "fpga", "unit")}
        ratios = _ratios(figures, *labels.values())
        ours = any(one.design == row["unit"] for one in fpmm_rows(figures))
        cells = {}
        for column in columns[3:]:
            wrong = (*labels.values(), column) in misprints
            printed, ratio = number(row[column]), ratios.get(column)
            remark = _MISPRINT if wrong else _off(printed, ratio)
            cells[column] = (Cell.mixed if ours else Cell.arithmetic)(
                printed, rounded(ratio), remark
            )
        rows.append({**labels, **cells})
    for width, unit in ON_ECP5:
        labels = {"n_bits": width, "fpga": "ECP5", "unit": unit}
        rows.append({**labels, **_tpar_on_ecp5((width, unit), measured, columns[3:])})
    return tabulate("IV", "Throughput per area (products per second)", rows)


def _off(printed: float | None, ratio: float | None) -> str | None:
    """Why a figure with one or two decimal places is not the rounded ratio."""
    if printed is None or ratio is None:
        return None
    places = len(repr(printed).partition(".")[2])
    if math.floor(ratio * 10**places) == round(printed * 10**places):
        return "printed without the further digits, not rounded"
    return f"at the published clock; {ROUNDED_CLOCK}"


def _ratios(figures: Figures, n_bits: int, fpga: str, unit: str) -> dict[str, float | None]:
    """Table IV computed from the published areas and clocks and the cycles per product."""
    label = (n_bits, fpga, unit)
    every = [*fpmm_rows(figures), *literature(figures)]
    row = next(one for one in every if (one.width, one.fpga, one.design) == label)
    cycles = design(n_bits, unit).cycles_per_product() if row.architecture else row.per_product
    assert cycles is not None
    return _per_area(1e9 / row.ns_of(cycles), _area(row))


def _area(row: PrintedDesign) -> dict[str, int | None]:
    """As in print; block RAMs are counted, their capacity stands elsewhere."""
    counts = (row.slices, row.lut, row.ff, row.ram_blocks, row.dsp)
    return dict(zip(("slices", "luts", "ffs", "brams", "dsps"), counts, strict=True))


def _per_area(rate: float, area: Mapping[str, float | None]) -> dict[str, float | None]:
    """rate: products per second.  The mean is over what is known of slices, LUTs, FFs and DSPs."""
    ratios = {key: rate / count for key, count in area.items() if count}
    mean = [ratios[key] for key in ("slices", "luts", "ffs", "dsps") if key in ratios]
    units = {"slices": ("k", 1e3), "luts": ("k", 1e3), "ffs": ("k", 1e3)}
    named = {}
    for key, ratio in ratios.items():
        letter, unit = units.get(key, ("m", 1e6))
        named[f"{key.removesuffix('s')}_{letter}"] = ratio / unit
    return {**named, "mean_m": sum(mean) / len(mean) / 1e6}


def _tpar_on_ecp5(name: Name, measured: Measured, columns: Iterable[str]) -> dict[str, Cell]:
    one = measured.ecp5.get(name)
    if one is None:
        return {column: Cell.ours(None) for column in columns}
    assert one.usable is not None and one.fmax_mhz is not None
    area = {"luts": one.lut, "ffs": one.ff, "brams": one.ram_blocks, "dsps": one.dsp}
    ratios = _per_area(one.usable.products_per_second, area)
    remark = at_usable(one.fmax_mhz)
    return {column: Cell.seen(rounded(ratios.get(column)), remark) for column in columns}


def figure1(figures: Figures, measured: Measured) -> Table:
    """Transfers with s = 2: in which cycle what is on the ports."""
    multiplier, run = figure1_design(), measured.first
    latency, interval = multiplier.latency().mean, multiplier.interval().mean
    printed = figures["figure1"]
    remark = (
        f"the drawing has 3 slots, too few to hide the pipeline with s = 2; here {multiplier.slots}"
    )
    cells: dict[str, Cell] = {}
    for k, ordinal in enumerate(ORDINALS):
        first, last = (1 + multiplier.theta * k, multiplier.theta * k + multiplier.words)
        taken = run.taken[k] if run else (None, None)
        drawn = printed["load_first_word_of_lm"][k]
        cells[f"first word of the {ordinal} pair in"] = (
            Cell.circuit(drawn, first, measured=taken[0])
            if k
            else Cell.printed(drawn, "where cycles are counted from")
        )
        cells[f"last word of the {ordinal} pair in"] = Cell.circuit(
            None, last, "not transcribed", measured=taken[1]
        )
    given = run.given[0] if run else (None, None)
    cells |= {
        "first word of the first result out": Cell.circuit(
            printed["first_result_word_cycle"], latency - 1, remark, measured=given[0]
        ),
        "last word of the first result out": Cell.circuit(None, latency, remark, measured=given[1]),
        "latency": Cell.circuit(printed["latency"], latency, remark, measured=run and run.latency),
        "interval of one slot": Cell.circuit(
            printed["interval"], interval, _INTERVAL, measured=run and run.interval
        ),
    }
    rows = (dict[str, Entry](event=event, cycle=cell) for event, cell in cells.items())
    return tabulate("Figure 1", "Transfers of three products, s = 2", rows)


def figure4(measured: Measured) -> Table:
    """Words of two products in consecutive slots, without and with latency reduction.  The drawing
    was not transcribed: there is nothing to compare with."""
    s = design(*FIGURE4["with"]).words

    def cell(key: str, cycle: int) -> Cell:
        run = measured.cycles.get(FIGURE4[key])
        computed = _word(cycle, [1, 1 + design(*FIGURE4[key]).theta], s)
        simulated = run and _word(cycle, [first for first, _ in run.taken[:2]], s)
        return Cell.circuit(None, computed, measured=simulated)

    rows: list[Row] = [
        {"cycle": cycle, **{f"{key}_latency_reduction": cell(key, cycle) for key in FIGURE4}}
        for cycle in range(1, 2 * (s + 1) + 1)
    ]
    title = "Two products before and after latency reduction; the drawing has no figures"
    return tabulate("Figure 4", title, rows)


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
    rows: list[Row] = []
    for count in range(1, PRODUCTS + 1):
        cells = {f"{name}_ns": _compared(one, count) for name, one in compared.items()}
        for name in FIGURE7:
            cells[f"{name}_ns"] = _fpmm(ours[name], count, measured.cycles.get((128, name)))
        if count == 2:
            ma16 = compared["MA16"].ns_of(compared["MA16"].cycles_for(count))
            cells["F44D_ns"] = _remarked(cells["F44D_ns"], ma16)
        on_ecp5 = _ecp5((128, "F44D"), count, measured)
        rows.append({"products": count, **cells, "F44D_ecp5_ns": on_ecp5})
    title = "Time for some 128-bit products; published: those for eight, of Tables II and III"
    return tabulate("Figure 7", title, rows, kind=Derived)


def _compared(row: PrintedDesign, count: int) -> Cell:
    published = row.eight_ns if count == 8 else None
    time = row.ns_of(row.cycles_for(count))
    where = "; on an Artix-7" if row.fpga == "A7" else ""
    return Cell.arithmetic(published, rounded(time), AT_CLOCK + where)


def _fpmm(row: PrintedDesign, count: int, run: Schedule | None) -> Cell:
    published = row.eight_ns if count == 8 else None
    computed = rounded(row.ns_of(design(128, row.design).cycles_for(count)))
    simulated = rounded(run and row.ns_of(run.cycles_for(count)))
    remark = f"cycles of this tool at the published clock; {ROUNDED_CLOCK}"
    return Cell.mixed(published, computed, remark, measured=simulated)


def _remarked(cell: Cell, ma16_ns: float) -> Cell:
    """The text has MA16 ahead for one or two products; for two it is not."""
    assert isinstance(cell.computed, (int, float))
    faster = "faster" if cell.computed < ma16_ns else "slower"
    remark = f"{faster} than MA16 ({rounded(ma16_ns)} ns); the text says slower"
    return msgspec.structs.replace(cell, remark=remark)


def _ecp5(name: Name, count: int, measured: Measured) -> Cell:
    one = measured.ecp5.get(name)
    clock = one.fmax_mhz if one else None
    if clock is None:
        return Cell.ours(None)
    time = rounded(1000 * design(*name, "ecp5").cycles_for(count) / clock.usable)
    return Cell.seen(time, f"declared cycles at the usable clock, {clock.words}; {OTHER_FAMILY}")
