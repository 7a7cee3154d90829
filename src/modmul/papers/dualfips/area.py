"""Table 2: area, time, and area times the square of time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from modmul.design import Mode
from modmul.multipliers.fips import Fips
from modmul.papers.dualfips.designs import BITS, WORDS, clocks
from modmul.papers.dualfips.measured import AREAS, ROUTED, Measured, spec_of
from modmul.papers.implemented import Counted, Routed
from modmul.papers.records import EMPTY, Cell, Figure, Figures, MeasuredCell, Origin, Table, rounded

OURS = "ours"  # the paper's own row
COLUMNS = (
    *("design", "fields", "LUTs", "FFs", "DSPs", "clocks", "latency_us", "A_T^2"),
    *("ecp5_LUT4s", "ecp5_FFs", "ecp5_DSPs", "ecp5_routed_MHz", "ecp5_usable_MHz"),
    *("ecp5_latency_us", "ecp5_A_T^2", "ecp5_all_us", "ecp5_all_A_T^2"),
)


def table2(figures: Figures, measured: Measured) -> Table:
    """Printed rows, then ours on xc7 and on ecp5."""
    rows = [_printed(row, figures) for row in figures["table2"]]
    rows += [_ours(name, figures, measured) for name in AREAS]
    title = f"{BITS}-bit modular multiplication; A: LUTs alone, T: us; ours on xc7, then ecp5"
    return Table("2", title, COLUMNS, tuple(rows))


def _printed(row: Mapping[str, Any], figures: Figures) -> tuple[Figure | Cell, ...]:
    own = row["design"] == OURS
    us = row["latency_us"]
    right = round(_at_the_clock(_product_clocks(Fips(width=BITS)), figures), 3) if own else us
    cells = {
        "LUTs": Cell(row["luts"], None, None, _OWN if own else _OTHERS, origin=Origin.PRINT),
        "latency_us": Cell(us, remark=_OTHERS, origin=Origin.PRINT),
        "A_T^2": Cell(
            row["at2_luts_us2"],
            _to_cents(row["luts"] * right**2),
            None,
            _CORRECTED if own else None,
            origin=Origin.MIXED if own else Origin.ARITHMETIC,
        ),
    }
    if own:
        clocks = _product_clocks(Fips(width=BITS))
        cells["clocks"] = Cell(None, clocks, origin=Origin.CIRCUIT)
        cells["latency_us"] = Cell(us, right, None, _SQUARE, origin=Origin.MIXED)
    name = "printed: Ours" if own else f"printed: {row['design']}"
    return _row(name, "GF(p), GF(2^m)" if own else "not said", cells)


def _ours(name: str, figures: Figures, measured: Measured) -> tuple[Figure | Cell, ...]:
    multiplier = spec_of(name, "xc7").multiplier
    assert isinstance(multiplier, Fips)
    xc7, count = measured.xc7.get(name), _product_clocks(multiplier)
    us = _at_the_clock(count, figures)
    cells = {
        **_area(xc7),
        "clocks": Cell(None, count, origin=Origin.CIRCUIT),
        "latency_us": Cell(None, round(us, 3), None, _NO_CLOCK, origin=Origin.MIXED),
        "A_T^2": Cell(
            None, rounded(xc7 and xc7.lut * us**2, 6), None, _NO_CLOCK, origin=Origin.MIXED
        ),
    }
    if name in measured.ecp5:
        cells |= _routed(measured.ecp5[name], multiplier)
    elif name in ROUTED:
        waiting = MeasuredCell(origin=Origin.MEASURED)
        cells |= {column: waiting for column in COLUMNS if column.startswith("ecp5")}
    fields = {"both": "GF(p), GF(2^m)", "prime": "GF(p)", "binary": "GF(2^m)"}[multiplier.field]
    return _row(f"here: {name}", fields, cells)


def _row(name: str, fields: str, cells: Mapping[str, Cell]) -> tuple[Figure | Cell, ...]:
    return (name, fields, *(cells.get(column, EMPTY) for column in COLUMNS[2:]))


def _area(xc7: Counted | None) -> dict[str, Cell]:
    counts = {
        "LUTs": xc7 and xc7.lut,
        "FFs": xc7 and xc7.ff,
        "DSPs": xc7 and xc7.dsp,
    }
    return {
        name: MeasuredCell(None, None, count, _COUNTED, origin=Origin.MEASURED)
        for name, count in counts.items()
    }


def _routed(ecp5: Routed, multiplier: Fips) -> dict[str, Cell]:
    """On an ECP5, at its usable clock: the clocks that the paper counts, and all."""
    us = _product_clocks(multiplier) / ecp5.usable
    everything = multiplier.latency(Mode(words=WORDS)).maximum / ecp5.usable
    seeds = f"median over seeds: {ecp5.seeds}"
    figures: dict[str, tuple[Figure | None, str | None]] = {
        "ecp5_LUT4s": (ecp5.lut, _OTHER),
        "ecp5_FFs": (ecp5.ff, None),
        "ecp5_DSPs": (ecp5.dsp, "18 x 18 bits"),
        "ecp5_routed_MHz": (rounded(ecp5.mhz, 4), f"{seeds}; path {ecp5.path}"),
        "ecp5_usable_MHz": (rounded(ecp5.usable, 4), ecp5.limited_by),
        "ecp5_latency_us": (rounded(us, 4), "clocks as the paper counts"),
        "ecp5_A_T^2": (rounded(ecp5.lut * us**2, 5), _LUT4),
        "ecp5_all_us": (rounded(everything, 4), _ALL),
        "ecp5_all_A_T^2": (rounded(ecp5.lut * everything**2, 5), _LUT4),
    }
    return {
        name: Cell(None, None, *figure, origin=Origin.MEASURED) for name, figure in figures.items()
    }


def _product_clocks(multiplier: Fips) -> int:
    """Of a product of 1024 bits in GF(p)."""
    return clocks(multiplier, Mode(words=WORDS))


def _to_cents(value: float) -> float:
    """Two decimals, halves upwards, as printed."""
    return round(value + 1e-6, 2)


def _at_the_clock(count: int, figures: Figures) -> float:
    """us at the paper's clock."""
    return float(count / figures["meta"]["clock_mhz"])


def place(figures: Figures, *, corrected: bool) -> int:
    """Of the paper's own design among those printed, by area times the square of time, from 1."""
    column = "at2_luts_us2"
    (own,) = [row for row in figures["table2"] if row["design"] == OURS]
    mine = float(own[f"{column}_corrected" if corrected else column])
    others = [float(row[column]) for row in figures["table2"] if row is not own]
    return 1 + sum(one < mine for one in others)


_SQUARE = "misprint: 3.18 us are 1588 clocks of 2 ns, those of a square; a product takes 2084"
_OWN = "printed only; ours on a chip of that family stand below"
_OTHERS = "a compared design: printed only"
_CORRECTED = "printed: of the latency of a square; computed: with that of a product"
_COUNTED = "measured: counted by Yosys for xc7, the family of the paper's Artix-7, before placement"
_NO_CLOCK = (
    "of ours: at the paper's 500 MHz, only to compare; no open router for this family, no clock "
    "is claimed"
)
_OTHER = "routed on a Lattice ECP5: LUTs of four inputs, not to be compared as one chip"
_LUT4 = "in LUTs of four inputs"
_ALL = "first operand word in to last result word out: loading, final subtraction, unloading, too"
