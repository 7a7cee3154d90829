"""Multipliers and processors that were printed with their area or time, read from the transcribed
tables.

The tables of gallin2019, the page of an exploration and the rows beside `modmul implement` all read
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
    "XC4VLX100": "xc4v", "XC5VLX110T": "xc5v", "XC6SLX75": "xc6s", "XC7VX690T": "xc7",
    "Artix-7": "xc7", "Zynq-7": "xc7", "Zynq-7020": "xc7", "Virtex-4": "xc4v",
    "TSMC 90 nm": "cells",
}  # fmt: skip
MARK = "[memory]"  # after the name of a design whose figures are quoted at second hand
_NOT_AT_HAND = "from memory"
_SURFACES = ("wrapped-multiply gaudry-schost", "point-multiply gaudry-schost")


class PrintedDesign(msgspec.Struct, frozen=True, kw_only=True):
    """One printed design.  None: not printed.

    source: the paper's key and the table.  design: its name there.  chip: what it was placed on, or
    the process of its cells; fpga: the paper's short name of that chip.  architecture: its name
    here, "" if it is not built here.  width: bits of an operand.  plain: a product that is not
    reduced.  does: operations and curves that it is compared with, by their names here.
    lut, ff, dsp, slices, ram_blocks: counts; ram_kbit: capacity of one block; um2: area of cells.
    mhz: the clock.  latency: cycles of one product; interval: cycles from a product to the next,
    None where it is the latency.  ns: of one product, in print or from clock and cycles.
    eight_ns: of eight products; estimated: the paper took it as eight times one.
    notes: remarks on figures, by their names."""

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
    latency: int | None = None
    interval: int | None = None
    ns: float
    eight_ns: float | None = None
    estimated: bool = False
    notes: Mapping[str, str] = {}

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
    """The printed designs of all papers."""
    figures = transcribed("gallin2019")
    return (
        *fpmm_rows(figures),
        *literature(figures),
        *_kuang2016(transcribed("kuang2016")),
        *_alkhaleel2006(transcribed("alkhaleel2006")),
        *_dualfips(transcribed("dualfips")),
        *_processors(transcribed("processors")),
        *kummer(figures),
    )


def fpmm_rows(figures: Figures) -> list[PrintedDesign]:
    """The 24 designs of Table II of gallin2019.  Their intervals are not printed."""
    return [
        _gallin2019("Table II", row["spec"], "fpmm", row, figures)
        for row in rows_of(figures["fpmm"])
    ]  # fmt: skip


def literature(figures: Figures) -> list[PrintedDesign]:
    """Table III of gallin2019, one for each design on each FPGA."""
    return [
        _gallin2019("Table III", row["ref"], "", row, figures)
        for entry in figures["literature"]
        for row in rows_of(entry)
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


def _gallin2019(
    table: str, design: str, architecture: str, row: Mapping[str, Any], figures: Figures
) -> PrintedDesign:
    return PrintedDesign(
        source=f"gallin2019, {table}", design=design, chip=figures["chips"][row["fpga"]],
        fpga=row["fpga"], architecture=architecture, width=row["n_bits"], slices=row.get("slices"),
        lut=row["luts"], ff=row.get("ffs"), dsp=row["dsps"], ram_blocks=row["brams"],
        ram_kbit=row.get("bram_kbit"), mhz=row["freq_mhz"], latency=row["latency_cc"],
        interval=row.get("interval_cc"), ns=1000 * row["latency_cc"] / row["freq_mhz"],
        eight_ns=row["time8_ns"], estimated=row.get("time8_estimated", False),
        notes={key.removesuffix("_note"): row[key] for key in row if key.endswith("_note")},
    )  # fmt: skip


def kummer(figures: Figures) -> list[PrintedDesign]:
    """Table V of gallin2019: processors for Kummer surfaces, on each FPGA."""
    return [
        PrintedDesign(
            source="gallin2019, Table V", design=row["architecture"],
            chip=figures["chips"][row["fpga"]], fpga=row["fpga"], width=127, does=_SURFACES,
            slices=row["slices"], lut=row["luts"], ff=row["ffs"], dsp=row["dsps"],
            ram_blocks=row["brams"], mhz=row["freq_mhz"], ns=1e6 * row["time_ms"],
        )
        for row in rows_of(figures["hecc"])
    ]  # fmt: skip


def _kuang2016(figures: Figures) -> Iterator[PrintedDesign]:
    """Table III: standard cells after layout, mean cycles."""
    for row in figures["table_3"]:
        name = row["multiplier"].lower().split("(")[0]
        yield PrintedDesign(
            source="kuang2016, Table III", design=row["multiplier"], chip="TSMC 90 nm",
            architecture=name if name in multipliers.REGISTRY else "", width=row["key_size"],
            um2=row["area"], mhz=1000 / row["delay"], latency=row["cycles"],
            ns=row["cycles"] * row["delay"],
        )  # fmt: skip


def _alkhaleel2006(figures: Figures) -> Iterator[PrintedDesign]:
    """Table IV: plain products, one combinational path from operands to result.  They use LUTs
    alone."""
    for row in figures["table_4"]:
        for scheme in ("mux", "mux4"):
            printed = row[scheme]
            yield PrintedDesign(
                source="alkhaleel2006, Table IV", design=scheme, chip=figures["meta"]["device"],
                architecture=f"array-{scheme}", width=row["k"], plain=True,
                slices=printed["slices"], lut=printed["luts"], dsp=0, ram_blocks=0,
                mhz=1000 / printed["path_ns"], ns=printed["path_ns"],
            )  # fmt: skip


def _dualfips(figures: Figures) -> Iterator[PrintedDesign]:
    """Table 2: 1024 bits, the row of its authors with the time of a multiplication (printed is
    that of a square)."""
    for row in figures["table2"]:
        own = row["design"] == "ours"
        yield PrintedDesign(
            source="dualfips, Table 2" + (" (corrected)" if own else ""),
            design="FIPS" if own else row["design"], chip="Artix-7" if own else "not said",
            architecture="fips" if own else "", width=1024, lut=row["luts"],
            ns=1000 * row.get("latency_us_corrected", row["latency_us"]),
        )  # fmt: skip


def _processors(figures: Figures) -> Iterator[PrintedDesign]:
    """Those of other sources that have an area in LUTs."""
    for peer in figures["peer"]:
        if "does" in peer:
            yield PrintedDesign(
                source="benchmark of processors", design=marked(peer), chip=peer["chip"],
                width=peer["width"], does=(peer["does"],), lut=peer["lut"], ff=peer.get("ff"),
                dsp=peer.get("dsp"), mhz=peer.get("mhz"), ns=1e6 * peer["ms"],
            )  # fmt: skip


def marked(peer: Mapping[str, Any]) -> str:
    """The name of a processor, with a mark if its figures were quoted at second hand."""
    doubt = str(peer.get("doubt", ""))
    return f"{peer['name']} {MARK}" if doubt.startswith(_NOT_AT_HAND) else str(peer["name"])
