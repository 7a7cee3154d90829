"""Table 2: area, latency, and area times the square of time, printed, on xc7 and on ecp5."""

from __future__ import annotations

from collections.abc import Mapping

from modmul.implementation.result import ImplementResult
from modmul.multipliers.fips import Fips
from modmul.operation import Mode
from modmul.papers import printed
from modmul.papers.columns import Row, Rows, table, waiting
from modmul.papers.dualfips.designs import BITS, WORDS, clocks
from modmul.papers.dualfips.measured import AREAS, ROUTED, Measured, spec_of
from modmul.papers.implemented import clock, path
from modmul.papers.printed import PrintedDesign
from modmul.papers.records import Figures, TableCell, rounded


@table("2")
def table2(figures: Figures, measured: Measured) -> Rows:
    """Printed rows, then ours on xc7 and on ecp5."""
    yield from (_printed(row, figures) for row in printed.dualfips(figures))
    yield from (_ours(name, figures, measured) for name in AREAS)


def _printed(row: PrintedDesign, figures: Figures) -> Row:
    luts, us, at2 = row.lut or 0, row.others["latency_us"], row.others["at2_luts_us2"]
    if not row.architecture:
        note = figures["table2_notes"]["others"]
        return {
            "design": f"printed: {row.design}",
            "fields": "not said",
            "LUTs": TableCell.printed(luts, note),
            "latency_us": TableCell.printed(us, note),
            "A_T^2": TableCell.arithmetic(at2, _to_cents(luts * us**2)),
        }
    count = _product_clocks(Fips(width=BITS))
    right = round(_at_the_clock(count, figures), 3)
    return {
        "design": "printed: Ours",
        "fields": "GF(p), GF(2^m)",
        "LUTs": TableCell.printed(luts, row.notes["luts"]),
        "clocks": TableCell.circuit(None, count),
        "latency_us": TableCell.mixed(us, right, row.notes["latency"]),
        "A_T^2": TableCell.mixed(at2, _to_cents(luts * right**2), row.notes["at2"]),
    }


def _ours(name: str, figures: Figures, measured: Measured) -> Row:
    multiplier = spec_of(name, "xc7").multiplier
    assert isinstance(multiplier, Fips)
    xc7, count = measured.xc7.get(name), _product_clocks(multiplier)
    us, note = _at_the_clock(count, figures), figures["table2_notes"]["ours"]
    fields = {"both": "GF(p), GF(2^m)", "prime": "GF(p)", "binary": "GF(2^m)"}[multiplier.field]
    routed = waiting(figures, "2", "ecp5_") if name in ROUTED else {}
    if name in measured.ecp5:
        routed = _on_ecp5(measured.ecp5[name], multiplier, figures["table2_notes"])
    return {
        "design": f"here: {name}",
        "fields": fields,
        "LUTs": TableCell.ours(xc7 and xc7.lut),
        "FFs": TableCell.ours(xc7 and xc7.ff),
        "DSPs": TableCell.ours(xc7 and xc7.dsp),
        "clocks": TableCell.circuit(None, count),
        "latency_us": TableCell.mixed(None, round(us, 3), note),
        "A_T^2": TableCell.mixed(None, rounded(xc7 and xc7.lut * us**2, 6), note),
        **routed,
    }


def _on_ecp5(
    core: ImplementResult, multiplier: Fips, notes: Mapping[str, str]
) -> dict[str, TableCell]:
    """On an ECP5, at its usable clock: the clocks that the paper counts, and all."""
    mhz = clock(core)
    us = _product_clocks(multiplier) / mhz.usable
    all_us = multiplier.latency(Mode(words=WORDS)).maximum / mhz.usable
    route = f"median over seeds: {len(mhz.seeds)}; path {path(core)}"
    return {
        "ecp5_LUT4s": TableCell.seen(core.lut, notes["ecp5"]),
        "ecp5_FFs": TableCell.seen(core.ff),
        "ecp5_DSPs": TableCell.seen(core.dsp, notes["dsps"]),
        "ecp5_routed_MHz": TableCell.seen(rounded(mhz.median, 4), route),
        "ecp5_usable_MHz": TableCell.seen(rounded(mhz.usable, 4), mhz.limited_by),
        "ecp5_latency_us": TableCell.seen(rounded(us, 4), notes["counted"]),
        "ecp5_A_T^2": TableCell.seen(rounded(core.lut * us**2, 5), notes["lut4"]),
        "ecp5_all_us": TableCell.seen(rounded(all_us, 4), notes["all"]),
        "ecp5_all_A_T^2": TableCell.seen(rounded(core.lut * all_us**2, 5), notes["lut4"]),
    }


def _product_clocks(multiplier: Fips) -> int:
    """Clocks of a product of 1024 bits in GF(p)."""
    return clocks(multiplier, Mode(words=WORDS))


def _to_cents(value: float) -> float:
    """Two decimals, halves upwards, as printed."""
    return round(value + 1e-6, 2)


def _at_the_clock(count: int, figures: Figures) -> float:
    """us at the paper's clock."""
    return float(count / figures["meta"]["clock_mhz"])


def place(figures: Figures, *, corrected: bool) -> int:
    """The place of the paper's own design, from 1, by area times the square of time, in print."""
    column = "at2_luts_us2"
    (own,) = [row.others for row in printed.dualfips(figures) if row.architecture]
    mine = own[f"{column}_corrected" if corrected else column]
    others = [row for row in printed.dualfips(figures) if not row.architecture]
    return 1 + sum(bool(row.others[column] < mine) for row in others)
