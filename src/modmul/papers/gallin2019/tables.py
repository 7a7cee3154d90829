"""Tables I and IV, Figures 1, 4 and 7; Tables II and III are in `implementations`,
Table V in `processors`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from modmul import targets
from modmul.implementation.result import ImplementResult
from modmul.multipliers.fpmm import Fpmm
from modmul.papers.columns import Claims, Row, Rows, claims, table
from modmul.papers.gallin2019 import designs
from modmul.papers.gallin2019.designs import FIGURE4, ON_ECP5, Measured, Name, design, on_one_chip
from modmul.papers.gallin2019.implementations import usable_remark
from modmul.papers.implemented import at_usable, clock
from modmul.papers.printed import TARGETS, PrintedDesign, find, fpmm_rows
from modmul.papers.records import Figures, TableCell, number, rounded
from modmul.verification.observed import ProductSchedule

FIGURE7 = ("S44B", "F44B", "F44D")
PRODUCTS = 16  # of figure 7
ORDINALS = ("first", "second", "third")


@table("I")
def table1(figures: Figures, measured: Measured) -> Rows:
    """DSP slices."""
    for entry in figures["dsp_slices"]:
        target = targets.find(TARGETS[entry["device"]])
        used = any(limit.block == entry["slice"] for limit in target.limits)
        remark = f"the limit of the block on {target.name}" if used else ""
        labels = {key: entry[key] for key in ("fpga", "slice", "device", "speed_grade")}
        yield {**labels, "max_mhz": TableCell.printed(entry["max_mhz"], remark)}


@table("IV")
def table4(figures: Figures, measured: Measured) -> Rows:
    """Throughput per area: products per second in steady state per resource."""
    table = figures["tpar"]
    labels, columns = table["columns"][:3], table["columns"][3:]
    keys = ("n_bits", "fpga", "unit", "column")
    misprints = {tuple(cell[key] for key in keys): cell["note"] for cell in table["misprints"]}
    names = {row.design for row in fpmm_rows(figures)}
    for values in table["rows"]:
        label, ratios = values[:3], _ratios(figures, *values[:3])
        kind = TableCell.mixed if label[2] in names else TableCell.arithmetic
        cells = {}
        for column, figure in zip(columns, map(number, values[3:]), strict=True):
            ratio = ratios.get(column)
            remark = misprints.get((*label, column)) or _off(figures, figure, ratio)
            cells[column] = kind(figure, rounded(ratio), remark)
        yield {**dict(zip(labels, label, strict=True)), **cells}
    for width, unit in (*ON_ECP5, *on_one_chip()):
        on_ecp5 = dict(zip(labels, (width, "ECP5", unit), strict=True))
        yield {**on_ecp5, **_tpar_on_ecp5(measured.ecp5.get((width, unit)), columns)}


def _off(figures: Figures, printed: float | None, ratio: float | None) -> str | None:
    """Why a figure with one or two decimal places is not the rounded ratio."""
    if printed is None or ratio is None:
        return None
    places = len(repr(printed).partition(".")[2])
    if math.floor(ratio * 10**places) == round(printed * 10**places):
        return str(figures["tpar"]["not_rounded"])
    return f"at the published clock; {figures['literature_notes']['rounded_clock']}"


def _ratios(figures: Figures, n_bits: int, fpga: str, unit: str) -> dict[str, float | None]:
    """Table IV computed from the published areas and clocks and the cycles per product."""
    row = find(figures, n_bits, unit, fpga)
    cycles = design(n_bits, unit).cycles_per_product() if row.architecture else row.per_product
    assert cycles is not None
    return _per_area(1e9 / row.ns_of(cycles), _area(row))


def _area(row: PrintedDesign) -> dict[str, int | None]:
    """The areas of a row as in print.  Block RAMs are counted; their capacity stands elsewhere."""
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


def _tpar_on_ecp5(core: ImplementResult | None, columns: Iterable[str]) -> dict[str, TableCell]:
    if core is None:
        return {column: TableCell.ours(None) for column in columns}
    area = {"luts": core.lut, "ffs": core.ff, "brams": core.ram_blocks, "dsps": core.dsp}
    ratios = _per_area(at_usable(core).products_per_second, area)
    remark = usable_remark(clock(core))
    return {column: TableCell.seen(rounded(ratios.get(column)), remark) for column in columns}


@claims("Figure 1", "event", "cycle")
def figure1(figures: Figures, measured: Measured) -> Claims:
    """Transfers with s = 2: in which cycle what is on the ports."""
    multiplier, run = designs.figure1_design(), measured.cycles.get(designs.FIGURE1)
    printed = figures["figure1"]
    latency, interval = multiplier.latency().mean, multiplier.interval().mean
    slots = (
        f"the drawing has 3 slots, too few to hide the pipeline with s = 2; here {multiplier.slots}"
    )
    cells: dict[str, TableCell] = {}
    for k, ordinal in enumerate(ORDINALS):
        taken = run.taken[k] if run else (None, None)
        drawn, start = printed["load_first_word_of_lm"][k], multiplier.issue_slot_period * k
        cells[f"first word of the {ordinal} pair in"] = (
            TableCell.circuit(drawn, start + 1, measured=taken[0])
            if k
            else TableCell.printed(drawn)
        )
        cells[f"last word of the {ordinal} pair in"] = TableCell.circuit(
            None, start + multiplier.words, measured=taken[1]
        )
    first, last = run.given[0] if run else (None, None)
    cells |= {
        "first word of the first result out": TableCell.circuit(
            printed["first_result_word_cycle"], latency - 1, slots, measured=first
        ),
        "last word of the first result out": TableCell.circuit(None, latency, slots, measured=last),
        "latency": TableCell.circuit(
            printed["latency"], latency, slots, measured=run and run.latency
        ),
        "interval of one slot": TableCell.circuit(
            printed["interval"], interval, measured=run and run.interval
        ),
    }
    return cells


@table("Figure 4")
def figure4(figures: Figures, measured: Measured) -> Rows:
    """Words of two products in consecutive slots, without and with latency reduction.  The drawing
    was not transcribed: there is nothing to compare with."""
    s = design(*FIGURE4["with"]).words

    def cell(key: str, cycle: int) -> TableCell:
        run = measured.cycles.get(FIGURE4[key])
        computed = _word(cycle, [1, 1 + design(*FIGURE4[key]).theta], s)
        simulated = run and _word(cycle, [first for first, _ in run.taken[:2]], s)
        return TableCell.circuit(None, computed, measured=simulated)

    rows: list[Row] = [
        {"cycle": cycle, **{f"{key}_latency_reduction": cell(key, cycle) for key in FIGURE4}}
        for cycle in range(1, 2 * (s + 1) + 1)
    ]
    yield from rows


def _word(cycle: int, starts: list[int], s: int) -> str:
    """What the ports hold in a cycle: product and word, or nothing (the bubble of the carry)."""
    for product, start in enumerate(starts, 1):
        if start <= cycle < start + s:
            return f"product {product} word {cycle - start}"
    return "bubble" if cycle < starts[-1] else "free"


@table("Figure 7")
def figure7(figures: Figures, measured: Measured) -> Rows:
    """Time for some products, 128 bits, Virtex-7."""
    chips = {"MA16": "V7", "MR8": "A7"}
    compared = {name: find(figures, 128, name, fpga) for name, fpga in chips.items()}
    ours = {name: find(figures, 128, name, "V7") for name in FIGURE7}
    ma16 = compared["MA16"]

    def other(printed: PrintedDesign, count: int) -> TableCell:
        published = printed.eight_ns if count == 8 else None
        return TableCell.arithmetic(published, _ns(printed, printed, count))

    def fpmm(name: str, count: int) -> TableCell:
        printed, run = ours[name], measured.cycles.get((128, name))
        published = printed.eight_ns if count == 8 else None
        time = _ns(printed, design(128, name), count)
        remark = None
        if (name, count) == ("F44D", 2):  # the text has MA16 ahead for one or two products
            against = _ns(ma16, ma16, count)
            faster = "faster" if time < against else "slower"
            remark = f"{faster} than MA16 ({against} ns); the text says slower"
        return TableCell.mixed(published, time, remark, measured=run and _ns(printed, run, count))

    for count in range(1, PRODUCTS + 1):
        others = {f"{name}_ns": other(printed, count) for name, printed in compared.items()}
        cells = {f"{name}_ns": fpmm(name, count) for name in FIGURE7}
        on_ecp5 = _ecp5((128, "F44D"), count, measured)
        yield {"products": count, **others, **cells, "F44D_ecp5_ns": on_ecp5}


def _ns(row: PrintedDesign, run: PrintedDesign | Fpmm | ProductSchedule, count: int) -> float:
    """Time for some products at the printed clock, in the cycles that `run` takes."""
    return rounded(row.ns_of(run.cycles_for(count))) or 0


def _ecp5(name: Name, count: int, measured: Measured) -> TableCell:
    core = measured.ecp5.get(name)
    if core is None:
        return TableCell.ours(None)
    time = rounded(1000 * design(*name, "ecp5").cycles_for(count) / clock(core).usable)
    return TableCell.seen(time, f"declared cycles {usable_remark(clock(core))}")
