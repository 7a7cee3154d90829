"""Tables I to V."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from modmul import targets
from modmul.implementation.result import Clock
from modmul.papers.gallin2019.designs import CHIPS, WORD, design
from modmul.papers.gallin2019.measured import Measured, Name
from modmul.papers.records import Cell, Figure, Measurable, Table, number, rounded

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
                Cell(row["max_mhz"], remark=remark),
            )
        )
    columns = ("fpga", "slice", "device", "speed_grade", "max_mhz")
    return Table("I", "DSP slices and their highest clock", columns, tuple(rows))


def table2(figures: Figures, measured: Measured) -> Table:
    """The designs of the paper."""
    columns = (
        *("n_bits", "spec", "fpga", "slices", "luts", "ffs", "brams", "bram_kbit", "dsps"),
        *("freq_mhz", "latency_cc", "interval_cc", "cycles_per_product", "time8_cc", "time8_ns"),
        *("dsp_occupancy_percent", "chip_latency_cc", "ecp5_latency_cc", "ecp5_luts", "ecp5_ffs"),
        *("ecp5_routed_mhz", "ecp5_usable_mhz", "ecp5_time8_ns"),
    )
    rows = []
    for row in fpmm_rows(figures):
        cells = {
            **_area(row, measured),
            **_cycles(row, measured),
            **_on_ecp5(row, measured),
        }
        labels = {key: row[key] for key in ("n_bits", "spec", "fpga")}
        rows.append(tuple({**labels, **cells}[column] for column in columns))
    return Table("II", f"FPMM designs, w = {WORD}", columns, tuple(rows))


def _area(row: Mapping[str, Any], measured: Measured) -> dict[str, Cell]:
    """Areas, each on the family of the paper's chip, with the pipeline made for it."""
    name, target = (row["n_bits"], row["spec"]), CHIPS[row["fpga"]]
    found, multiplier = measured.cells.get((name, target)), design(*name, target)
    ours = {
        "luts": found.lut if found else None,
        "ffs": found.ff if found else None,
        "brams": found.ram_blocks if found else None,
        "dsps": found.dsp if found else None,
    }
    remark = f"Yosys for {target}, the core alone, before placement"
    cells: dict[str, Cell] = {
        key: Measurable(row[key], None, value, remark) for key, value in ours.items()
    }
    cells["dsps"] = Measurable(row["dsps"], multiplier.dsps, ours["dsps"], remark)
    latency = multiplier.latency().mean
    cells["chip_latency_cc"] = Cell(None, latency, None, f"of the pipeline made for {target}")
    cells["slices"] = Cell(row["slices"], remark="Yosys does not pack slices")
    cells["bram_kbit"] = Cell(
        row["bram_kbit"],
        measured=_block_kbit(target) if found and found.ram_blocks else None,
        remark="capacity of one block RAM",
    )
    return cells


def _block_kbit(target: str) -> int:
    """Capacity of the smallest block RAM of a family."""
    blocks = [area for area in targets.find(target).cells.values() if area.ram_blocks == 1]
    return min(area.ram_bits for area in blocks) // 1024


def _cycles(row: Mapping[str, Any], measured: Measured) -> dict[str, Cell]:
    """Cycle figures as declared and as simulated; times at the published clock."""
    n_bits, spec, mhz = row["n_bits"], row["spec"], row["freq_mhz"]
    multiplier, run = design(n_bits, spec), measured.cycles[n_bits, spec]
    interval, eight = multiplier.interval().mean, multiplier.cycles_for(8)
    at_clock = f"cycles of this tool at the published clock; {ROUNDED_CLOCK}"
    return {
        "freq_mhz": Cell(mhz, remark="no open router for this family: no clock is claimed"),
        "latency_cc": Measurable(
            row["latency_cc"], multiplier.latency().mean, run and run.latency
        ),
        "interval_cc": Measurable(
            None, interval, run and run.interval, "by section 3; not printed"
        ),
        "cycles_per_product": Measurable(
            None,
            rounded(multiplier.cycles_per_product()),
            rounded(run and run.interval / run.slots),
            "not printed",
        ),
        "time8_cc": Measurable(None, eight, run and run.cycles_for(8), "not printed"),
        "time8_ns": Measurable(
            row["time8_ns"],
            rounded(1000 * eight / mhz),
            rounded(run and 1000 * run.cycles_for(8) / mhz),
            at_clock,
        ),
        "dsp_occupancy_percent": Cell(
            None, rounded(100 * multiplier.dsp_occupancy), None, "(8s+3)/(9 theta); not printed"
        ),
    }


def _on_ecp5(row: Mapping[str, Any], measured: Measured) -> dict[str, Cell]:
    """Beside the Virtex-7, the paper's fastest."""
    name = (row["n_bits"], row["spec"])
    found = measured.ecp5.get(name) if row["fpga"] == "V7" else None
    keys = ("latency_cc", "luts", "ffs", "routed_mhz", "usable_mhz", "time8_ns")
    if found is None or found.fmax_mhz is None or found.usable is None:
        kind = Measurable if row["fpga"] == "V7" and name in measured.ecp5 else Cell
        return {f"ecp5_{key}": kind() for key in keys}
    clock = found.fmax_mhz
    values: dict[str, tuple[Figure | None, str]] = {
        "luts": (found.lut, OTHER_FAMILY),
        "ffs": (found.ff, OTHER_FAMILY),
        "routed_mhz": (clock.median, f"median over seeds: {len(clock.seeds)}; {OTHER_FAMILY}"),
        "usable_mhz": (clock.usable, f"{clock.limited_by}; {OTHER_FAMILY}"),
        "time8_ns": (rounded(found.usable.eight_ns), _at_usable(clock)),
    }
    latency = Cell(None, found.cycles.latency, None, "of the pipeline made for ecp5")
    cells = {f"ecp5_{key}": Cell(None, None, *pair) for key, pair in values.items()}
    return {"ecp5_latency_cc": latency, **cells}


def _at_usable(clock: Clock) -> str:
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
        )
        cells = (Cell(entry.get(key), remark=ONLY_PUBLISHED) for key in printed)
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
        cells = []
        for column in columns[3:]:
            wrong = (row["n_bits"], row["fpga"], row["unit"], column) in misprints
            printed, ratio = number(row[column]), ratios.get(column)
            remark = _MISPRINT if wrong else _off(printed, ratio)
            cells.append(Cell(printed, rounded(ratio), None, remark))
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
        return (name[0], "ECP5", name[1], *(Measurable() for _ in columns))
    assert found.usable is not None and found.fmax_mhz is not None
    area = {"luts": found.lut, "ffs": found.ff, "brams": found.ram_blocks, "dsps": found.dsp}
    ratios = _per_area(found.usable.products_per_second, area)
    remark = _at_usable(found.fmax_mhz)
    cells = (Cell(None, None, rounded(ratios.get(column)), remark) for column in columns)
    return (name[0], "ECP5", name[1], *cells)


def table5(figures: Figures) -> Table:
    """HECC processors: published only."""
    columns = tuple(figures["hecc"]["columns"])
    rows = tuple(
        (*row[:3], *(Cell(value, remark="processors: published only, so far") for value in row[3:]))
        for row in figures["hecc"]["rows"]
    )
    return Table("V", "128-bit HECC processors with F44B", columns, rows)
