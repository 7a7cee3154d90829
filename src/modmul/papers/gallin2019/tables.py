"""Tables I and III to V; Table II is in `implementations`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from modmul import targets
from modmul.implementation.result import Clock
from modmul.papers.gallin2019.designs import CHIPS, design
from modmul.papers.gallin2019.measured import Measured, Name
from modmul.papers.records import Cell, Figure, Measurable, Origin, Table, number, rounded

Figures = Mapping[str, Any]  # of figures/gallin2019.toml
OTHER_FAMILY = "routed on a Lattice ECP5, another family: not to be compared as one chip"
ON_ECP5: tuple[Name, ...] = ((128, "F44D"), (256, "F28D"))  # the fastest of their width
ONLY_PUBLISHED = "a compared design: published only"
ROUNDED_CLOCK = "that clock is printed in whole MHz"
AT_CLOCK = f"{ONLY_PUBLISHED}; computed: its printed cycles at its printed clock; {ROUNDED_CLOCK}"
_MISPRINT = "misprint: the other columns give the computed figure"


def fpmm_rows(figures: Figures) -> list[dict[str, Any]]:
    """The 24 designs of Table II."""
    table = figures["fpmm"]
    return [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]


def table1(figures: Figures) -> Table:
    """DSP slices."""
    rows = []
    for row in figures["dsp_slices"]:
        target = targets.find(CHIPS[row["fpga"]])
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


def literature(figures: Figures) -> list[dict[str, Any]]:
    """Table III, one entry for each design on each FPGA."""
    found = []
    for entry in figures["literature"]:
        common = {key: entry[key] for key in entry if key not in ("columns", "rows")}
        for row in entry.get("rows", [()]):
            found.append({**common, **dict(zip(entry.get("columns", ()), row, strict=True))})
    return found


def cycles_for(entry: Mapping[str, Any], count: int) -> int:
    """Cycles for `count` products of a design of Table III, as the paper counts them."""
    latency = int(entry["latency_cc"])
    return latency + (count - 1) * int(entry.get("interval_cc", latency))


def table3(figures: Figures) -> Table:
    """Multipliers from the literature."""
    labels = ("n_bits", "ref", "fpga")
    printed = ("slices", "luts", "ffs", "brams", "bram_kbit", "dsps", "freq_mhz", "latency_cc")
    rows = []
    for entry in literature(figures):
        estimate = "the paper multiplied one latency by eight" if entry["time8_estimated"] else ""
        time8 = Cell(
            entry["time8_ns"],
            rounded(1000 * cycles_for(entry, 8) / entry["freq_mhz"]),
            remark="; ".join(filter(None, (AT_CLOCK, estimate))),
            origin=Origin.ARITHMETIC,
        )
        cells = (
            Cell(entry.get(key), remark=ONLY_PUBLISHED, origin=Origin.PRINT) for key in printed
        )
        rows.append((*(entry[key] for key in labels), *cells, time8))
    columns = (*labels, *printed, "time8_ns")
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
        ours = any(one["spec"] == row["unit"] for one in fpmm_rows(figures))
        origin = Origin.MIXED if ours else Origin.ARITHMETIC
        cells = []
        for column in columns[3:]:
            wrong = (row["n_bits"], row["fpga"], row["unit"], column) in misprints
            printed, ratio = number(row[column]), ratios.get(column)
            remark = _MISPRINT if wrong else _off(printed, ratio)
            cells.append(Cell(printed, rounded(ratio), None, remark, origin=origin))
        rows.append((row["n_bits"], row["fpga"], row["unit"], *cells))
    rows += [_tpar_on_ecp5(name, measured, columns[3:]) for name in sorted(measured.ecp5)]
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
    for row in [*fpmm_rows(figures), *literature(figures)]:
        if (row["n_bits"], row["fpga"], row.get("spec", row.get("ref"))) == (n_bits, fpga, unit):
            break
    if "spec" in row:
        cycles: float = design(n_bits, unit).cycles_per_product()
    else:
        cycles = row.get("interval_cc", row["latency_cc"])
    area = {key: row.get(key) for key in ("slices", "luts", "ffs", "brams", "dsps")}
    return _per_area(row["freq_mhz"] * 1e6 / cycles, area)


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
    found = measured.ecp5[name]
    if found is None:
        waiting = Measurable(origin=Origin.MEASURED)
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
