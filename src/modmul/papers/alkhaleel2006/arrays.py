"""Table IV, and all plain products side by side on three families."""

from __future__ import annotations

from collections.abc import Iterator

from modmul.implementation.levels import LABEL
from modmul.papers.alkhaleel2006.designs import (
    CHIP,
    HARD,
    MUX,
    MUX4,
    PRODUCTS,
    ROUTED,
    SCHEMES,
    TARGETS,
    WIDTHS,
    Design,
    is_there,
)
from modmul.papers.alkhaleel2006.formulas import polynomial
from modmul.papers.alkhaleel2006.measured import Measured
from modmul.papers.records import (
    Cell,
    Figure,
    Figures,
    MeasuredCell,
    Origin,
    Table,
    only_measured,
    rounded,
)

LUTS, DELAY, PRODUCT = "LUTs", "delay", "LUTs x delay"
SLICES = "here: max(LUT, FF) / 2, slices at least, as each has two of both"
ESTIMATE = f"{LABEL}: delays of cells, and one assumed delay for each net outside a slice"


def table4(figures: Figures, measured: Measured) -> Table:
    """The two multiplexer-based arrays: printed, and on three families."""
    rows: list[tuple[Figure | Cell, ...]] = []
    for row in figures["table_4"]:
        for scheme in ("mux", "mux4"):
            design, printed, k = SCHEMES[scheme], row[scheme], row["k"]
            chip = measured.mapped.get((design, k, CHIP))
            depth = polynomial(figures["model"]["depth"][scheme], k)
            levels = chip.levels if chip else None
            cells = [
                MeasuredCell(
                    printed["slices"],
                    None,
                    chip.slices if chip else None,
                    SLICES,
                    origin=Origin.MEASURED,
                ),
                MeasuredCell(
                    printed["luts"],
                    None,
                    chip.lut if chip else None,
                    COUNTED,
                    origin=Origin.MEASURED,
                ),
                Cell(printed["path_ns"], None, None, _PRINTED, origin=Origin.PRINT),
                MeasuredCell(None, rounded(depth), levels, _LEVELS, origin=Origin.ARITHMETIC),
            ]
            rows.append((k, design.label, *cells, *_of_targets(measured, design, k)))
    columns = (
        *("bits", "array", "slices", "LUTs", "path_ns", "levels", f"{CHIP}_estimate_ns"),
        *(column for target in TARGETS[1:] for column in _columns(target)),
    )
    title = "The multiplexer-based arrays; LUTs and levels on xc4v"
    return Table("IV", title, columns, tuple(rows))


def _of_targets(measured: Measured, design: Design, k: int) -> Iterator[Cell]:
    yield delay_cell(measured, design, k, CHIP)
    for target in TARGETS[1:]:
        yield from _cells(measured, design, k, target)


def _columns(target: str) -> tuple[str, ...]:
    delays = ("usable_ns", "routed_ns") if target == ROUTED else ("estimate_ns",)
    return tuple(f"{target}_{what}" for what in ("LUTs", "levels", *delays))


def _cells(measured: Measured, design: Design, k: int, target: str) -> tuple[Cell, ...]:
    netlist = measured.mapped.get((design, k, target))
    return (
        MeasuredCell(None, None, netlist.lut if netlist else None, origin=Origin.MEASURED),
        MeasuredCell(None, None, netlist.levels if netlist else None, origin=Origin.MEASURED),
        delay_cell(measured, design, k, target),
        *((routed_cell(measured, design, k),) if target == ROUTED else ()),
    )


def routed_cell(measured: Measured, design: Design, k: int) -> Cell:
    """The period of the routed clock, whatever the limits of hard blocks."""
    routed = measured.routed.get((design, k))
    remark = f"routed; seeds: {routed.seeds}" if routed else ""
    return only_measured(rounded(routed and routed.period, 4), remark)


def delay_cell(measured: Measured, design: Design, k: int, target: str) -> Cell:
    """From register to register, as of `Measured.delay`."""
    delay, routed = measured.delay(design, k, target), measured.routed.get((design, k))
    remark = ESTIMATE
    netlist = measured.mapped.get((design, k, target))
    if netlist and netlist.dsp:
        remark = f"{ESTIMATE}; between registers inside a DSP block nothing is counted"
    if target == ROUTED:
        remark = USABLE if routed else ""
        if routed and delay and delay > routed.period and netlist:
            remark = f"{USABLE}, limited by {netlist.limited_by}"
    return MeasuredCell(None, None, rounded(delay, 4), remark, origin=Origin.MEASURED)


def speed_up(figures: Figures, measured: Measured) -> Table:
    """What the radix-4 array gains in speed and takes in size."""
    rows: list[tuple[Figure | Cell, ...]] = []
    for row in figures["table_4"]:
        k, old, new = row["k"], row["mux"], row["mux4"]
        depth = [polynomial(figures["model"]["depth"][one], k) for one in ("mux", "mux4")]
        gained = more(old["path_ns"], new["path_ns"], digits=5)
        sizes = [[measured.mapped.get((one, k, t)) for one in (MUX4, MUX)] for t in TARGETS]
        slices = [one.slices if one else None for one in sizes[0]]
        luts = [[one.lut if one else None for one in pair] for pair in sizes]
        levels = [one.levels if one else None for one in sizes[0][::-1]]
        rows.append(
            (
                k,
                Cell(row["speed_up_pct"], gained, None, _SPEED, origin=Origin.ARITHMETIC),
                MeasuredCell(None, more(*depth), more(*levels), _DEPTH, origin=Origin.ARITHMETIC),
                *(only_measured(_faster(measured, k, target), _how(target)) for target in TARGETS),
                *(
                    MeasuredCell(None, *pair, _PENALTY, origin=Origin.ARITHMETIC)
                    for pair in (
                        (more(new["slices"], old["slices"]), more(*slices)),
                        (more(new["luts"], old["luts"]), more(*luts[0])),
                    )
                ),
                *(only_measured(more(*pair)) for pair in luts[1:]),
            )
        )
    columns = (
        *("bits", "speed_%", "speed_%_by_levels", *(f"speed_%_{target}" for target in TARGETS)),
        *("slices_%", *("LUTs_%" if t == CHIP else f"LUTs_%_{t}" for t in TARGETS)),
    )
    title = "array-mux4 against array-mux: speed gained, size added; slices and LUTs on xc4v"
    return Table("IV, speed-up", title, columns, tuple(rows))


def _faster(measured: Measured, k: int, target: str) -> float | None:
    """How much longer the older array takes, in percent."""
    return more(*(measured.delay(design, k, target) for design in (MUX, MUX4)))


def more(one: float | None, other: float | None, *, digits: int = 4) -> float | None:
    """How much larger `one` is, in percent."""
    return rounded(100 * (one / other - 1), digits) if one and other else None


def everything(measured: Measured) -> Table:
    """All plain products on all targets."""
    rows: list[tuple[Figure | Cell, ...]] = []
    for k in WIDTHS:
        for design in PRODUCTS:
            cells = []
            for target in TARGETS:
                netlist = measured.mapped.get((design, k, target))
                hard = Cell(
                    None,
                    None,
                    netlist.dsp if netlist and netlist.dsp else None,
                    origin=Origin.MEASURED,
                )
                cells += [hard, *_cells(measured, design, k, target)]
            rows.append((k, design.label, *cells))
    columns = ["bits", "design"]
    for target in TARGETS:
        columns += [f"{target}_DSPs", *_columns(target)]
    title = "All plain products, a register at each end; wide ones as far as they were measured"
    return Table("All", title, tuple(columns), tuple(rows))


def ranked(measured: Measured, k: int, target: str, by: str) -> list[tuple[Design, float]]:
    """Designs in order, the best first.  LUTs are compared only among those without DSP blocks."""
    found = []
    for design in PRODUCTS:
        netlist = measured.mapped.get((design, k, target))
        delay = measured.delay(design, k, target)
        if netlist is None or (by != LUTS and delay is None) or (by != DELAY and netlist.dsp):
            continue
        value = {LUTS: 1.0, DELAY: delay, PRODUCT: delay}[by] or 0.0
        found.append((design, value if by == DELAY else value * netlist.lut))
    return sorted(found, key=lambda one: one[1])


def relative(measured: Measured) -> Table:
    """Every figure over the best of its row."""
    rows: list[tuple[Figure | Cell, ...]] = []
    for target in TARGETS:
        for k in WIDTHS:
            for by in (LUTS, DELAY, PRODUCT):
                order = ranked(measured, k, target, by)
                if len(order) < 2:
                    continue
                values = dict(order)
                ratios = (
                    round(values[one] / order[0][1], 2) if one in values else None
                    for one in PRODUCTS
                )
                cells = (Cell(None, None, one, origin=Origin.MEASURED) for one in ratios)
                rows.append((target, k, by, *cells))
    columns = ("target", "bits", "by", *(one.label.replace(" ", "_") for one in PRODUCTS))
    title = "The same over the best of each row; LUTs only among designs without DSP blocks"
    return Table("Relative", title, columns, tuple(rows))


def today(measured: Measured) -> Table:
    """Who wins, in words, at the widest width at which all products were measured."""
    rows: list[tuple[Figure | Cell, ...]] = []
    for target in TARGETS:
        there = sum(is_there(one, target) for one in PRODUCTS)
        for by in (LUTS, DELAY, PRODUCT):
            besides = there - (by != DELAY and is_there(HARD, target))  # it has DSP blocks
            whole = [k for k in WIDTHS if len(ranked(measured, k, target, by)) == besides]
            if whole:
                rows.append((target, max(whole), by, _words(measured, max(whole), target, by)))
    columns = ("target", "bits", "by", "array-mux4_is")
    title = "Where array-mux4 stands, at the widest width at which all were measured"
    return Table("Today", title, columns, tuple(rows))


def _words(measured: Measured, k: int, target: str, by: str) -> Cell:
    """Place of array-mux4, the best, and the older scheme."""
    order = ranked(measured, k, target, by)
    values, names = dict(order), [design for design, _ in order]
    best, place = names[0], names.index(MUX4) + 1
    if place == 1:
        lead = values[names[1]] / values[MUX4]
        against = f"{names[1].label} is next, with {lead:.2f} times its {by}"
    else:
        against = f"{values[MUX4] / values[best]:.2f} times the {by} of {best.label}"
    figures = ", ".join(f"{design.label} {rounded(values[design], 4):.12g}" for design in names)
    remark = f"in order: {figures}" + ("" if by == LUTS else f" ({unit(target, by)})")
    older = f"{values[MUX4] / values[MUX]:.2f} times that of array-mux"
    words = f"{place} of {len(order)}; {against}; {older}"
    return Cell(None, None, words, remark, origin=Origin.MEASURED)


def unit(target: str, by: str) -> str:
    """What a figure is in."""
    how = USABLE if target == ROUTED else LABEL
    return f"{'LUT ns' if by == PRODUCT else 'ns'}, {how}"


def _how(target: str) -> str:
    return f"{target}: {USABLE if target == ROUTED else LABEL}"


USABLE = "at the usable clock"
COUNTED = "here: counted by Yosys for xc4v, before placement"
_PRINTED = (
    "of the vendor's tools, size and speed grade not printed: nothing of ours is measured that way"
)
_LEVELS = (
    "computed: full adders, multiplexers and carry selections in series, in a model of the printed "
    "cells; measured: LUTs in series, a carry chain counted as one"
)
_SPEED = "old time / new time - 1, so 153.74 % are 60.6 % of the time"
_DEPTH = "computed and measured: levels of Table IV"
_PENALTY = "said to be a minor penalty; computed: from the printed sizes; measured: on xc4v"
