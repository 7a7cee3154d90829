"""Designs that the papers printed, as points beside those measured here."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from modmul import multipliers, targets
from modmul.exploration.record import EQUIVALENTS
from modmul.papers import gallin2019
from modmul.papers.gallin2019 import tables
from modmul.papers.transcribed import transcribed
from modmul.reporting.points import PLAIN, PRIME
from modmul.targets import Target

COUNTS = 32  # products of the chart of time against their number
# Chips of the papers, and the targets that stand for their families here (none: no such target).
_CHIPS = {
    "V4": ("XC4VLX100", "xc4v"),
    "V5": ("XC5VLX110T", "xc5v"),
    "S6": ("XC6SLX75", "xc6s"),
    "V7": ("XC7VX690T", "xc7"),
    "A7": ("Artix-7", "xc7"),
    "I2": ("IGLOO 2", ""),
}
_CELLS = "TSMC 90 nm"
_ON_CHIP = {"area": EQUIVALENTS, "time": "ns", "period": "s"}
_IN_CELLS = {**_ON_CHIP, "area": "um^2"}


class Published(msgspec.Struct, frozen=True, kw_only=True):
    """One printed design.  family: target of the same chip family, "" if there is none.

    architecture: its name here, "" if it is not built here.  arithmetic, figures, units: as of a
    point.
    luts_per_dsp: what a DSP counts in its area, that of the family's first device here; None where
    the area is in another unit, or unknown.
    counted: ns for 1, 2 ... products, where what is printed tells."""

    source: str
    design: str
    chip: str
    family: str
    architecture: str
    width: int
    arithmetic: str = PRIME
    figures: dict[str, float]
    units: dict[str, str]
    luts_per_dsp: float | None = None
    counted: list[float] | None = None


@functools.cache
def published() -> tuple[Published, ...]:
    """Every printed design with an area in LUTs or cells, and a time."""
    return (*_gallin2019(), *_kuang2016(), *_alkhaleel2006(), *_dualfips())


def beside(widths: Iterable[int]) -> list[Published]:
    """Those of these widths."""
    wanted = set(widths)
    return [one for one in published() if one.width in wanted]


def _gallin2019() -> Iterator[Published]:
    """Tables II and III.  Rates are those of products one after the other without pause."""
    printed = gallin2019.figures()
    for row in tables.fpmm_rows(printed):
        design = gallin2019.designs.design(row["n_bits"], row["spec"])
        cycles = [design.cycles_for(k) for k in range(1, COUNTS + 1)]
        each = design.cycles_per_product()
        yield _of_gallin2019("Table II", row["spec"], "fpmm", row, cycles, each)
    for entry in tables.literature(printed):
        cycles = [tables.cycles_for(entry, k) for k in range(1, COUNTS + 1)]
        each = float(entry.get("interval_cc", entry["latency_cc"]))
        yield _of_gallin2019("Table III", entry["ref"], "", entry, cycles, each)


def _of_gallin2019(
    table: str, design: str, architecture: str, row: Mapping[str, Any], cycles: list[int],
    each: float,
) -> Published:  # fmt: skip
    chip, family = _CHIPS[row["fpga"]]
    ns, rate = 1000 / row["freq_mhz"], row["freq_mhz"] * 1e6 / each
    kbit = row.get("bram_kbit", 0 if row.get("brams") == 0 else None)
    ram = None if kbit is None else kbit * row["brams"]
    counts = {"lut": row["luts"], "ff": row.get("ffs"), "dsp": row["dsps"], "ram": ram}
    figures = {
        **counts, "area": _equivalents(family, row["luts"], row["dsps"]),
        "per_product": each * ns, "latency": row["latency_cc"] * ns, "eight": row["time8_ns"],
        "clock": row["freq_mhz"], "cycles": each, "latency_cycles": row["latency_cc"],
    }  # fmt: skip
    return Published(
        source=f"gallin2019, {table}", design=design, chip=chip, family=family,
        architecture=architecture, width=row["n_bits"], figures=_complete(figures, rate),
        units=_ON_CHIP, luts_per_dsp=_luts_per_dsp(family), counted=[k * ns for k in cycles],
    )  # fmt: skip


def _kuang2016() -> Iterator[Published]:
    """Table III: standard cells after layout, mean cycles."""
    for row in transcribed("kuang2016")["table_3"]:
        time = row["cycles"] * row["delay"]
        figures = {
            "area": row["area"], "per_product": time, "latency": time, "eight": 8 * time,
            "clock": 1000 / row["delay"], "cycles": row["cycles"], "latency_cycles": row["cycles"],
        }  # fmt: skip
        name = row["multiplier"].lower().split("(")[0]
        yield Published(
            source="kuang2016, Table III", design=row["multiplier"], chip=_CELLS, family="cells",
            architecture=name if name in multipliers.REGISTRY else "", width=row["key_size"],
            figures=_complete(figures, 1e9 / time), units=_IN_CELLS,
            counted=[k * time for k in range(1, COUNTS + 1)],
        )  # fmt: skip


def _alkhaleel2006() -> Iterator[Published]:
    """Table IV: plain products, one combinational path from operands to result."""
    for row in transcribed("alkhaleel2006")["table_4"]:
        for scheme in ("mux", "mux4"):
            one = row[scheme]
            time = one["path_ns"]
            figures = {
                "lut": one["luts"], "dsp": 0, "ram": 0, "area": one["luts"], "per_product": time,
                "latency": time, "eight": 8 * time, "clock": 1000 / time,
            }  # fmt: skip
            yield Published(
                source="alkhaleel2006, Table IV", design=scheme, chip="Virtex-4", family="xc4v",
                architecture=f"array-{scheme}", width=row["k"],
                arithmetic=PLAIN, figures=_complete(figures, 1e9 / time),
                units=_ON_CHIP, luts_per_dsp=_luts_per_dsp("xc4v"),
            )  # fmt: skip


def _dualfips() -> Iterator[Published]:
    """Table 2: 1024 bits, the row of its authors with the time of a multiplication (printed is
    that of a square)."""
    for row in transcribed("dualfips")["table2"]:
        own = row["design"] == "ours"
        time = 1000 * row.get("latency_us_corrected", row["latency_us"])
        figures = {"lut": row["luts"], "per_product": time, "latency": time, "eight": 8 * time}
        yield Published(
            source="dualfips, Table 2" + (" (corrected)" if own else ""),
            design="FIPS" if own else row["design"],
            chip="Artix-7" if own else "not said", family="xc7" if own else "",
            architecture="fips" if own else "", width=1024, figures=_complete(figures, 1e9 / time),
            units=_ON_CHIP,
        )  # fmt: skip


def _complete(known: Mapping[str, float | None], rate: float) -> dict[str, float]:
    """With what follows from area and rate (products per second)."""
    found = {key: float(value) for key, value in known.items() if value is not None}
    found["rate"] = rate
    for key in ("area", "lut", "ff", "dsp", "ram"):
        if found.get(key):
            found[f"rate_{key}"] = rate / found[key]
    if "area" in found:
        found["area_time"] = found["area"] * found["per_product"]
    return found


def _equivalents(family: str, luts: float, dsps: float) -> float | None:
    """LUT equivalents, as of a point; None where nobody knows what a DSP counts."""
    each = _luts_per_dsp(family)
    if not dsps:
        return luts
    return None if each is None else luts + dsps * each


def _luts_per_dsp(family: str) -> float | None:
    """What a DSP counts: by the family's first device here; None where there is none."""
    target: Target | None = targets.REGISTRY.get(family)
    devices = [one for one in target.devices if one.dsps] if target else []
    return round(devices[0].luts / devices[0].dsps, 4) if devices else None
