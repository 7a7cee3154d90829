"""Table IV, and all plain products side by side on three families, with pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from modmul.implementation.result import LABEL
from modmul.papers.alkhaleel2006 import designs
from modmul.papers.alkhaleel2006.designs import (
    CHIP,
    MUX,
    MUX4,
    PRODUCTS,
    ROUTED,
    SCHEMES,
    TARGETS,
    WIDTHS,
    Circuit,
    Measured,
    Sized,
)
from modmul.papers.alkhaleel2006.sizes import polynomial
from modmul.papers.columns import Row, Rows, table
from modmul.papers.implemented import clock, lut_levels, slices
from modmul.papers.printed import alkhaleel2006
from modmul.papers.records import Figures, Picture, Series, TableCell, rounded

KINDS = LUTS, DELAY, PRODUCT = "LUTs", "delay", "LUTs x delay"
ESTIMATE = f"{LABEL}: delays of cells, and one assumed delay for each net outside a slice"
USABLE = "at the usable clock"


@table("IV")
def table4(figures: Figures, measured: Measured) -> Rows:
    """The two multiplexer-based arrays: printed, and on three families."""
    for row in alkhaleel2006(figures):
        design, k = designs.SCHEMES[row.design], row.width
        chip = measured.mapped.get((design, k, CHIP))
        depth = rounded(polynomial(figures["model"]["depth"][row.design], k))
        yield {
            "bits": k,
            "array": design.label,
            "slices": TableCell.ours(slices(chip), published=row.slices),
            "LUTs": TableCell.ours(chip and chip.lut, published=row.lut),
            "path_ns": TableCell.printed(row.period),
            "levels": TableCell.arithmetic(None, depth, measured=lut_levels(chip)),
            f"{CHIP}_estimate_ns": delay_cell(measured, design, k, CHIP),
            **_cells(measured, design, k, TARGETS[1:]),
        }


def _cells(
    measured: Measured, design: Circuit, k: int, of: Sequence[str], *, blocks: bool = False
) -> dict[str, TableCell]:
    """Area and delay on each target.  blocks: with the DSP blocks, of those that have some."""
    cells = {}
    for target in of:
        netlist = measured.mapped.get((design, k, target))
        if blocks:
            cells[f"{target}_DSPs"] = TableCell.seen((netlist.dsp if netlist else 0) or None)
        cells[f"{target}_LUTs"] = TableCell.ours(netlist and netlist.lut)
        cells[f"{target}_levels"] = TableCell.ours(lut_levels(netlist))
        delay = "usable_ns" if target == designs.ROUTED else "estimate_ns"
        cells[f"{target}_{delay}"] = delay_cell(measured, design, k, target)
        if target == designs.ROUTED:
            routed = measured.routed.get((design, k))
            remark = f"routed; seeds: {len(clock(routed).seeds)}" if routed else ""
            period = routed and 1000 / clock(routed).median
            cells[f"{target}_routed_ns"] = TableCell.ours(rounded(period, 4), remark)
    return cells


def delay_cell(measured: Measured, design: Circuit, k: int, target: str) -> TableCell:
    """The delay from register to register, as `Measured.delay` gives it."""
    netlist = measured.mapped.get((design, k, target))
    remark = ESTIMATE
    if netlist and netlist.dsp:
        remark = f"{ESTIMATE}; between registers inside a DSP block nothing is counted"
    if target == designs.ROUTED:
        routed = measured.routed.get((design, k))
        mhz, remark = routed and clock(routed), USABLE if routed else ""
        if mhz is not None and mhz.usable < mhz.median:
            remark = f"{USABLE}, limited by {mhz.limited_by}"
    return TableCell.ours(rounded(measured.delay(design, k, target), 4), remark)


@table("IV, speed-up")
def speed_up(figures: Figures, measured: Measured) -> Rows:
    """What the radix-4 array gains in speed and takes in size."""
    rows = alkhaleel2006(figures)
    for old, new in zip(rows[::2], rows[1::2], strict=True):
        k = old.width
        depth = [polynomial(figures["model"]["depth"][name], k) for name in ("mux", "mux4")]
        both = {t: [measured.mapped.get((d, k, t)) for d in (MUX4, MUX)] for t in TARGETS}
        luts = {t: more(*(n and n.lut for n in pair)) for t, pair in both.items()}
        more_cells = more(*map(slices, both[CHIP]))
        levels = more(*map(lut_levels, both[CHIP][::-1]))
        gained = more(old.period, new.period, digits=5)
        more_slices, more_luts = more(new.slices, old.slices), more(new.lut, old.lut)
        yield {
            "bits": k,
            "speed_%": TableCell.arithmetic(new.others["speed_up_pct"], gained),
            "speed_%_by_levels": TableCell.arithmetic(None, more(*depth), measured=levels),
            **{f"speed_%_{t}": TableCell.ours(_faster(measured, k, t), _how(t)) for t in TARGETS},
            "slices_%": TableCell.arithmetic(None, more_slices, measured=more_cells),
            "LUTs_%": TableCell.arithmetic(None, more_luts, measured=luts[CHIP]),
            **{f"LUTs_%_{t}": TableCell.ours(luts[t]) for t in TARGETS if t != CHIP},
        }


def _faster(measured: Measured, k: int, target: str) -> float | None:
    """How much longer the older array takes, in percent."""
    return more(*(measured.delay(design, k, target) for design in (MUX, MUX4)))


def more(figure: float | None, other: float | None, *, digits: int = 4) -> float | None:
    """How much larger `figure` is than `other`, in percent."""
    return rounded(100 * (figure / other - 1), digits) if figure and other else None


@table("All")
def everything(figures: Figures, measured: Measured) -> Rows:
    """All plain products on all targets."""
    rows: list[Row] = [
        {"bits": k, "design": design.label, **_cells(measured, design, k, TARGETS, blocks=True)}
        for k, design in product(WIDTHS, PRODUCTS)
    ]
    yield from rows


def ranked(measured: Measured, k: int, target: str, by: str) -> dict[Circuit, float]:
    """Designs in order, the best first.  LUTs are compared only among those without DSP blocks."""
    values = {}
    for design in PRODUCTS:
        netlist = measured.mapped.get((design, k, target))
        delay = 1.0 if by == LUTS else measured.delay(design, k, target)
        if netlist is None or delay is None or (by != DELAY and netlist.dsp):
            continue
        values[design] = delay if by == DELAY else delay * netlist.lut
    return dict(sorted(values.items(), key=lambda pair: pair[1]))


@table("Relative")
def relative(figures: Figures, measured: Measured) -> Rows:
    """Every figure over the best of its row."""
    names = {design: design.label.replace(" ", "_") for design in PRODUCTS}
    for target, k, by in product(TARGETS, WIDTHS, KINDS):
        values = ranked(measured, k, target, by)
        if len(values) > 1:
            best = min(values.values())
            cells = {
                name: TableCell.seen(round(values[design] / best, 2) if design in values else None)
                for design, name in names.items()
            }
            yield {"target": target, "bits": k, "by": by, **cells}


@table("Today")
def today(figures: Figures, measured: Measured) -> Rows:
    """Who wins, in words, at the widest width at which all products were measured."""
    for target, by in product(TARGETS, KINDS):
        available = sum(designs.is_there(design, target) for design in PRODUCTS)
        has_blocks = by != DELAY and designs.is_there(designs.HARD, target)
        whole = [
            k for k in WIDTHS if len(ranked(measured, k, target, by)) == available - has_blocks
        ]
        if whole:
            words = _words(measured, max(whole), target, by)
            yield {"target": target, "bits": max(whole), "by": by, "array-mux4_is": words}


def _words(measured: Measured, k: int, target: str, by: str) -> TableCell:
    """Place of array-mux4, the best, and the older scheme."""
    values = ranked(measured, k, target, by)
    best, second, *_ = values
    place = list(values).index(MUX4) + 1
    if place == 1:
        lead = values[second] / values[MUX4]
        against = f"{second.label} is next, with {lead:.2f} times its {by}"
    else:
        against = f"{values[MUX4] / values[best]:.2f} times the {by} of {best.label}"
    figures = ", ".join(f"{key.label} {rounded(value, 4):.12g}" for key, value in values.items())
    unit = f"{'LUT ns' if by == PRODUCT else 'ns'}, {USABLE if target == designs.ROUTED else LABEL}"
    remark = f"in order: {figures}" + ("" if by == LUTS else f" ({unit})")
    older = f"{values[MUX4] / values[MUX]:.2f} times that of array-mux"
    return TableCell.seen(f"{place} of {len(values)}; {against}; {older}", remark)


def _how(target: str) -> str:
    return f"{target}: {USABLE if target == designs.ROUTED else LABEL}"


@table("IV, claims")
def claims(figures: Figures, measured: Measured) -> Rows:
    """What the text says of the speed of the arrays: each claim, and where it holds."""
    in_print = ", ".join(str(k) for k in dict.fromkeys(r.width for r in alkhaleel2006(figures)))
    for entry in figures["speed_claim"]:
        first = designs.SCHEMES[entry["first"]]
        others = [designs.SCHEMES[scheme] for scheme in entry.get("others", ())]
        rest = others or [design for design in PRODUCTS if design != first]
        said = entry.get("said", in_print if others else None)
        where = {f"{t}_at_bits": TableCell.ours(_where(measured, first, rest, t)) for t in TARGETS}
        yield {"claim": entry["claim"], "said": TableCell.printed(said, entry["note"]), **where}


def _where(measured: Measured, own: Circuit, rest: Sequence[Circuit], target: str) -> str | None:
    """The widths at which `own` has the shortest delay, of those at which all are measured."""
    tried, holds = [], []
    for k in WIDTHS:
        delays = [measured.delay(d, k, target) for d in (own, *rest) if designs.is_there(d, target)]
        known = [delay for delay in delays if delay is not None]
        if len(known) == len(delays):
            tried.append(k)
            holds += [k] if known[0] < min(known[1:]) else []
    if not tried:
        return None
    return f"{', '.join(map(str, holds)) or 'none'} of {', '.join(map(str, tried))}"


def pictures(figures: Figures, measured: Measured) -> tuple[Picture, ...]:
    """LUTs on the paper's family, delays on each; markers: printed, of the vendor's tools."""
    sizes = {key[:2]: core.lut for key, core in measured.mapped.items() if key[2] == CHIP}
    drawn = [
        Picture(
            f"luts_{CHIP}",
            "alkhaleel2006: LUTs on xc4v; markers: printed",
            "curves",
            "bits of an operand",
            "LUTs of four inputs",
            tuple(_series(sizes, figures, "lut")),
            logarithmic=True,
        )
    ]
    for target in TARGETS:
        how = USABLE if target == ROUTED else LABEL
        delays = {(d, k): measured.delay(d, k, target) for d in PRODUCTS for k in WIDTHS}
        printed = "; markers: printed" if target == CHIP else ""
        drawn.append(
            Picture(
                f"delay_{target}",
                f"alkhaleel2006: delay on {target}, {how}{printed}",
                "curves",
                "bits of an operand",
                "ns from register to register",
                tuple(_series(delays, figures if printed else None, "period")),
                logarithmic=True,
            )
        )
    return tuple(line for line in drawn if line.series)


def _series(
    values: Mapping[Sized, float | None], figures: Figures | None, what: str
) -> Iterator[Series]:
    """A line for each design that was measured.  figures: printed, beside it; None: none are."""
    schemes = {design: scheme for scheme, design in SCHEMES.items()}
    for design in PRODUCTS:
        points = [(k, value) for k in WIDTHS if (value := values.get((design, k))) is not None]
        if not points:
            continue
        yield Series.curve(design.label, points)
        rows = alkhaleel2006(figures) if figures else []
        pairs = [(r.width, getattr(r, what)) for r in rows if r.design == schemes.get(design)]
        if pairs:
            yield Series.curve("", pairs, joined=False)
