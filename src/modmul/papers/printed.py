"""Multipliers and processors that were printed with their area or time, read from the transcribed
tables.

The tables of the papers, the page of an exploration and the rows beside `modmul implement` all read
this one type."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from modmul import multipliers
from modmul.multipliers.operations import MULTIPLY
from modmul.papers.records import Figures
from modmul.papers.transcribed import transcribed

# Targets that stand for the chips of the papers; a chip that is missing has none here.
TARGETS = {
    "XC4VLX100": "xc4v",
    "XC5VLX110T": "xc5v",
    "XC6SLX75": "xc6s",
    "XC7VX690T": "xc7",
    "Artix-7": "xc7",
    "Zynq-7": "xc7",
    "Zynq-7020": "xc7",
    "Virtex-4": "xc4v",
    "TSMC 90 nm": "cells",
}
MARK = "[memory]"  # after the name of a design whose figures are quoted at second hand
_NOT_AT_HAND = "from memory"
_SURFACES = ("wrapped-multiply gaudry-schost", "point-multiply gaudry-schost")
# Columns of transcribed tables, and the fields that they are.
_FIELDS = {
    "n_bits": "width",
    "key_size": "width",
    "k": "width",
    "fpga": "fpga",
    "spec": "design",
    "ref": "design",
    "multiplier": "design",
    "slices": "slices",
    "luts": "lut",
    "ffs": "ff",
    "dsps": "dsp",
    "brams": "ram_blocks",
    "bram_kbit": "ram_kbit",
    "area": "um2",
    "freq_mhz": "mhz",
    "delay": "period",
    "path_ns": "period",
    "latency_cc": "latency",
    "cycles": "latency",
    "interval_cc": "interval",
    "time8_ns": "eight_ns",
    "time8_estimated": "estimated",
}


class PrintedDesign(msgspec.Struct, frozen=True, kw_only=True):
    """One printed design.  None: not printed.

    source: the paper's key and the table.  design: its name there.  chip: what it was placed on, or
    the process of its cells; fpga: the paper's short name of that chip.  architecture: its name
    here, "" if it is not built here.  width: bits of an operand.  plain: a product that is not
    reduced.  does: operations and curves that it is compared with, by their names here.
    lut, ff, dsp, slices, ram_blocks: counts; ram_kbit: capacity of one block; um2: area of cells.
    mhz: the clock; period: ns, where that is printed.  latency: cycles of one product; interval:
    cycles from a product to the next, None where it is the latency.  ns: of one product, in print
    or from clock and cycles.  eight_ns: of eight products; estimated: the paper took it as eight
    times one.  notes: remarks on figures, by their names.  others: the transcribed row, for
    figures that only the tables of its own paper have."""

    source: str
    design: str
    chip: str
    fpga: str = ""
    architecture: str = ""
    width: int
    plain: bool = False
    does: tuple[str, ...] = (MULTIPLY,)
    slices: int | None = None
    lut: int | None = None
    ff: int | None = None
    dsp: int | None = None
    ram_blocks: int | None = None
    ram_kbit: int | None = None
    um2: float | None = None
    mhz: float | None = None
    period: float | None = None
    latency: int | None = None
    interval: int | None = None
    ns: float
    eight_ns: float | None = None
    estimated: bool = False
    notes: Mapping[str, str] = {}
    others: Mapping[str, Any] = {}

    @property
    def target(self) -> str:
        """The target of the same chip family, "" if there is none."""
        return TARGETS.get(self.chip, "")

    @property
    def per_product(self) -> int | None:
        """Cycles from a product to the next, among many."""
        return self.latency if self.interval is None else self.interval

    def ns_of(self, cycles: float) -> float:
        """Time of some cycles at the printed clock."""
        assert self.mhz is not None
        return 1000 * cycles / self.mhz

    def cycles_for(self, count: int) -> int:
        """Cycles for `count` products one after the other, of a design whose cycles are printed."""
        assert self.latency is not None and self.per_product is not None
        return self.latency + (count - 1) * self.per_product


@functools.cache
def printed_designs() -> tuple[PrintedDesign, ...]:
    figures = transcribed("gallin2019")
    return (
        *fpmm_rows(figures),
        *literature(figures),
        *kuang2016(transcribed("kuang2016")),
        *alkhaleel2006(transcribed("alkhaleel2006")),
        *dualfips(transcribed("dualfips")),
        *_processors(transcribed("processors")),
        *kummer(figures),
    )


def fpmm_rows(figures: Figures) -> list[PrintedDesign]:
    """The 24 designs of Table II of gallin2019.  Their intervals are not printed."""
    return [_of_gallin2019("Table II", row, figures, "fpmm") for row in rows_of(figures["fpmm"])]


def literature(figures: Figures) -> list[PrintedDesign]:
    """Table III of gallin2019, one for each design on each FPGA."""
    rows = (row for entry in figures["literature"] for row in rows_of(entry))
    return [_of_gallin2019("Table III", row, figures) for row in rows]


def kummer(figures: Figures) -> list[PrintedDesign]:
    """Table V of gallin2019: processors for Kummer surfaces, on each FPGA."""
    return [
        _design(
            "gallin2019, Table V",
            row,
            design=row["architecture"],
            width=127,
            does=_SURFACES,
            chip=figures["chips"][row["fpga"]],
            ns=1e6 * row["time_ms"],
        )
        for row in rows_of(figures["hecc"])
    ]


def find(figures: Figures, width: int, design: str, fpga: str) -> PrintedDesign:
    """A row of Table II or III of gallin2019."""
    every = [*fpmm_rows(figures), *literature(figures)]
    label = (width, design, fpga)
    return next(row for row in every if (row.width, row.design, row.fpga) == label)


def fastest(figures: Figures, other: PrintedDesign) -> PrintedDesign | None:
    """The fastest FPMM of the same width on the same family, for eight products."""
    same = (other.width, other.target)
    rows = [row for row in fpmm_rows(figures) if (row.width, row.target) == same]
    return min(rows, key=lambda row: row.eight_ns or 0, default=None)


def rows_of(table: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Rows of a table with columns, each with what all of them share; itself if it has no rows."""
    common = {key: table[key] for key in table if key not in ("columns", "rows")}
    for row in table.get("rows", [()]):
        yield {**common, **dict(zip(table.get("columns", ()), row, strict=True))}


def _design(source: str, row: Mapping[str, Any], **fields: Any) -> PrintedDesign:
    """One row of a transcribed table.  fields: what its columns do not give."""
    read = {field: row[key] for key, field in _FIELDS.items() if key in row}
    notes = {key.removesuffix("_note"): row[key] for key in row if key.endswith("_note")}
    return PrintedDesign(**{"source": source, "notes": notes, "others": row, **read, **fields})


def _of_gallin2019(
    table: str, row: Mapping[str, Any], figures: Figures, architecture: str = ""
) -> PrintedDesign:
    return _design(
        f"gallin2019, {table}",
        row,
        architecture=architecture,
        chip=figures["chips"][row["fpga"]],
        ns=1000 * row["latency_cc"] / row["freq_mhz"],
    )


def kuang2016(figures: Figures) -> list[PrintedDesign]:
    """Table III: standard cells after layout, mean cycles."""
    names = [row["multiplier"].lower().split("(")[0] for row in figures["table_3"]]
    return [
        _design(
            "kuang2016, Table III",
            row,
            chip="TSMC 90 nm",
            architecture=name if name in multipliers.REGISTRY else "",
            mhz=1000 / row["delay"],
            ns=row["cycles"] * row["delay"],
        )
        for name, row in zip(names, figures["table_3"], strict=True)
    ]


def alkhaleel2006(figures: Figures) -> list[PrintedDesign]:
    """Table IV: plain products, one combinational path from operands to result, in LUTs alone; at
    each width the older array and then the new one."""
    return [
        _design(
            "alkhaleel2006, Table IV",
            row[scheme],
            design=scheme,
            architecture=f"array-{scheme}",
            chip=figures["meta"]["device"],
            width=row["k"],
            plain=True,
            dsp=0,
            ram_blocks=0,
            mhz=1000 / row[scheme]["path_ns"],
            ns=row[scheme]["path_ns"],
            others=row,
        )
        for row in figures["table_4"]
        for scheme in ("mux", "mux4")
    ]


def dualfips(figures: Figures) -> Iterator[PrintedDesign]:
    """Table 2: 1024 bits, the row of its authors with the time of a multiplication (printed is
    that of a square)."""
    for row in figures["table2"]:
        own = row["design"] == "ours"
        yield _design(
            "dualfips, Table 2" + (" (corrected)" if own else ""),
            row,
            width=1024,
            design="FIPS" if own else row["design"],
            chip="Artix-7" if own else "not said",
            architecture="fips" if own else "",
            ns=1000 * row.get("latency_us_corrected", row["latency_us"]),
        )


def _processors(figures: Figures) -> Iterator[PrintedDesign]:
    """Those of other sources that have an area in LUTs."""
    for peer in figures["peer"]:
        if "does" in peer:
            yield PrintedDesign(
                source="benchmark of processors",
                design=marked(peer),
                chip=peer["chip"],
                width=peer["width"],
                does=(peer["does"],),
                lut=peer["lut"],
                ff=peer.get("ff"),
                dsp=peer.get("dsp"),
                mhz=peer.get("mhz"),
                ns=1e6 * peer["ms"],
            )


def marked(peer: Mapping[str, Any]) -> str:
    """The name of a processor, with a mark if its figures were quoted at second hand."""
    doubt = str(peer.get("doubt", ""))
    return f"{peer['name']} {MARK}" if doubt.startswith(_NOT_AT_HAND) else str(peer["name"])
