"""Tables I and III to V; Table II is in `implementations`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from modmul import targets
from modmul.implementation.result import Clock
from modmul.papers.gallin2019.designs import ON_ECP5, Name, design
from modmul.papers.gallin2019.measured import Measured
from modmul.papers.printed import TARGETS, PrintedDesign, fpmm_rows, literature
from modmul.papers.records import (
    Cell,
    Figure,
    Figures,
    MeasuredCell,
    Origin,
    Table,
    number,
    rounded,
)

OTHER_FAMILY = "routed on a Lattice ECP5, another family: not to be compared as one chip"
ONLY_PUBLISHED = "a compared design: published only"
ROUNDED_CLOCK = "that clock is printed in whole MHz"
AT_CLOCK = f"{ONLY_PUBLISHED}; computed: its printed cycles at its printed clock; {ROUNDED_CLOCK}"
_MISPRINT = "misprint: the other columns give the computed figure"


def table1(figures: Figures) -> Table:
    """DSP slices."""
    rows = []
    for row in figures["dsp_slices"]:
        target = targets.find(TARGETS[row["device"]])
        used = any(limit.block == row["slice"] for limit in target.limits)
        remark = f"the limit of the block on {target.name}" if used else ""
        rows.append(
            (
                row["fpga"],
                row["slice"],
                row["device"],
                row["speed_grade"],
                Cell(row["max_mhz"], remark=remark, origin=Origin.PRINT),
            )
        )
    columns = ("fpga", "slice", "device", "speed_grade", "max_mhz")
    return Table("I", "DSP slices and their highest clock", columns, tuple(rows))


def at_usable(clock: Clock) -> str:
    """A remark on a time of ours."""
    return f"at the usable clock, {clock.words}; {OTHER_FAMILY}"


def table3(figures: Figures) -> Table:
    """Multipliers from the literature."""
    rows: list[tuple[Figure | Cell, ...]] = []
    for row in literature(figures):
        estimate = "the paper multiplied one latency by eight" if row.estimated else ""
        time8 = Cell(
            row.eight_ns,
            rounded(row.ns_of(row.cycles_for(8))),
            remark="; ".join(filter(None, (AT_CLOCK, estimate))),
            origin=Origin.ARITHMETIC,
        )
        printed = (
            *(row.slices, row.lut, row.ff, row.ram_blocks, row.ram_kbit, row.dsp),
            *(row.mhz, row.latency),
        )
        cells = (Cell(figure, remark=ONLY_PUBLISHED, origin=Origin.PRINT) for figure in printed)
        rows.append((row.width, row.design, row.fpga, *cells, time8))
    columns = (
        *("n_bits", "ref", "fpga", "slices", "luts", "ffs", "brams", "bram_kbit", "dsps"),
        *("freq_mhz", "latency_cc", "time8_ns"),
    )
    return Table("III", "Multipliers of the literature", columns, tuple(rows))


def table4(figures: Figures, measured: Measured) -> Table:
    """Throughput per area: products per second in steady state per resource."""
    columns = tuple(figures["tpar"]["columns"])
    misprints = {
        (one["n_bits"], one["fpga"], one["unit"], one["column"])
        for one in figures["tpar"]["misprints"]
    }
    rows: list[tuple[Figure | Cell, ...]] = []
    for values in figures["tpar"]["rows"]:
        row = dict(zip(columns, values, strict=True))
        ratios = _ratios(figures, row["n_bits"], row["fpga"], row["unit"])
        ours = any(one.design == row["unit"] for one in fpmm_rows(figures))
        origin = Origin.MIXED if ours else Origin.ARITHMETIC
        cells = []
        for column in columns[3:]:
            wrong = (row["n_bits"], row["fpga"], row["unit"], column) in misprints
            printed, ratio = number(row[column]), ratios.get(column)
            remark = _MISPRINT if wrong else _off(printed, ratio)
            cells.append(Cell(printed, rounded(ratio), None, remark, origin=origin))
        rows.append((row["n_bits"], row["fpga"], row["unit"], *cells))
    rows += [_tpar_on_ecp5(name, measured, columns[3:]) for name in ON_ECP5]
    return Table("IV", "Throughput per area (products per second)", columns, tuple(rows))


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


def _tpar_on_ecp5(
    name: Name, measured: Measured, columns: Iterable[str]
) -> tuple[Figure | Cell, ...]:
    found = measured.ecp5.get(name)
    if found is None:
        waiting = MeasuredCell(origin=Origin.MEASURED)
        return (name[0], "ECP5", name[1], *(waiting for _ in columns))
    assert found.usable is not None and found.fmax_mhz is not None
    area = {"luts": found.lut, "ffs": found.ff, "brams": found.ram_blocks, "dsps": found.dsp}
    ratios = _per_area(found.usable.products_per_second, area)
    remark = at_usable(found.fmax_mhz)
    found_ratios = (rounded(ratios.get(column)) for column in columns)
    cells = (Cell(None, None, one, remark, origin=Origin.MEASURED) for one in found_ratios)
    return (name[0], "ECP5", name[1], *cells)


def table5(figures: Figures) -> Table:
    """HECC processors: published only."""
    columns = tuple(figures["hecc"]["columns"])
    remark = "processors: published only, so far"
    rows: list[tuple[Figure | Cell, ...]] = []
    for row in figures["hecc"]["rows"]:
        cells = (Cell(value, remark=remark, origin=Origin.PRINT) for value in row[3:])
        rows.append((*row[:3], *cells))
    return Table("V", "128-bit HECC processors with F44B", columns, tuple(rows))
