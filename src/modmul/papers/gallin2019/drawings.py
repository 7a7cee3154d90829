"""Figures 6, 8 and 9: area and time of eight products, their schedule, throughput per unit."""

from __future__ import annotations

from collections.abc import Sequence

from modmul.papers.columns import Claims, Rows, claims, table
from modmul.papers.gallin2019.designs import BUILT, FIGURE6, WIDTH, Measured, Name, compared, design
from modmul.papers.printed import PrintedDesign, find, fpmm_rows
from modmul.papers.records import Figures, TableCell, rounded

FIGURE8 = ("F44D", "F44B", "S44B", "MA16", "MR8")
_AREA = {"slices": "slices", "LUTs": "lut", "flip-flops": "ff", "DSP blocks": "dsp"}
_RINGS = {"slice_k": "slices", "lut_k": "lut", "ff_k": "ff", "dsp_m": "dsp"}


@claims("Figure 6", "statement", "design or figure")
def figure6(figures: Figures, measured: Measured) -> Claims:
    """Which designs are fastest and smallest, and how far the areas go apart."""
    said = figures["figure6"]
    rows = {
        chip: [row for row in fpmm_rows(figures) if (row.width, row.fpga) == (128, chip)]
        for chip in ("V7", "V4")
    }
    with_ram = [row for row in rows["V7"] if row.design.endswith("B")]
    without = [row for row in rows["V7"] if row.design.endswith("D")]
    cells = {
        "fastest on V7 with block RAM": _first(said["fastest_v7_with_bram"], with_ram, "eight_ns"),
        "fastest on V7 without": _first(said["fastest_v7_without_bram"], without, "eight_ns"),
        "smallest on V7": _first(said["smallest_v7"], rows["V7"], "lut"),
        "fastest on V4": _first(said["fastest_v4"], rows["V4"], "eight_ns"),
        "smallest on V4": _first(said["smallest_v4"], rows["V4"], "lut"),
    }
    for chip, published in said["lut_variation_percent"].items():
        ours = measured.cells
        target = rows[chip][0].target
        luts = [ours[key].lut for key in FIGURE6 if key in ours and key[1] == target]
        whole = len(luts) == sum(built_for == target for _, built_for in FIGURE6)
        spread = rounded(100 * (max(luts) / min(luts) - 1), 3) if whole else None
        cells[f"variation of LUTs over all designs, {chip}, %"] = TableCell.ours(
            spread, published=published
        )
    return cells


def _first(published: str, rows: Sequence[PrintedDesign], key: str) -> TableCell:
    """The design with the least of something, by Table II."""
    least = min(rows, key=lambda row: getattr(row, key))
    return TableCell.arithmetic(published, least.design)


def _compared(figures: Figures) -> dict[str, PrintedDesign]:
    """The designs of Figure 8 on Virtex-7, MR8 on Artix-7."""
    chips = {"MR8": "A7"}
    return {name: find(figures, WIDTH, name, chips.get(name, "V7")) for name in FIGURE8}


@table("Figure 8")
def figure8(figures: Figures, measured: Measured) -> Rows:
    """When each of eight products is out, and what that costs next to F44D.

    The drawing's own figures are those of Tables II and III."""
    rows = _compared(figures)
    for count in range(1, 9):
        cells = {name: _out(row, count, figures, measured) for name, row in rows.items()}
        yield {"what": f"cycle of product {count}", **cells, **_built(count, measured)}
    time = {
        name: TableCell.arithmetic(row.eight_ns, rounded(row.ns_of(_cycles(row, 8)), 4))
        for name, row in rows.items()
    }
    yield {"what": "time of the last, ns", **time}
    base = rows["F44D"]
    for what, key in _AREA.items():
        ratios = {
            name: TableCell.arithmetic(None, rounded(getattr(row, key) / getattr(base, key), 3))
            for name, row in rows.items()
        }
        yield {"what": f"{what}, over those of F44D", **ratios}


def _built(count: int, measured: Measured) -> dict[str, TableCell]:
    """The compared ones as they are built here."""
    cells = {}
    for name in ((WIDTH, label) for label in FIGURE8 if (WIDTH, label) in BUILT):
        run = measured.cycles.get(name)
        cycles = compared(name, "generic").multiplier.cycles_for(count)
        cells[f"{name[1]}_built"] = TableCell.circuit(
            None, cycles, measured=run and run.cycles_for(count)
        )
    return cells


def _cycles(row: PrintedDesign, count: int) -> int:
    name: Name = (row.width, row.design)
    return design(*name).cycles_for(count) if row.architecture else row.cycles_for(count)


def _out(
    printed_design: PrintedDesign, count: int, figures: Figures, measured: Measured
) -> TableCell:
    """The cycle of the last word of a product: ours as declared and simulated, others by print."""
    cycles = _cycles(printed_design, count)
    if not printed_design.architecture:
        return TableCell.arithmetic(None, cycles, figures["literature_notes"]["by_print"])
    run = measured.cycles.get((printed_design.width, printed_design.design))
    return TableCell.circuit(None, cycles, measured=run and run.cycles_for(count))


@claims("Figure 9", "ring", "rate")
def figure9(figures: Figures, measured: Measured) -> Claims:
    """The outer ring of each axis is the most of all designs, the inner one half of it."""
    said, rates = figures["figure9"], {}
    rows = _compared(figures)
    for name, printed in rows.items():
        per_product = design(128, name).cycles_per_product() if printed.architecture else None
        rates[name] = 1e9 / printed.ns_of(per_product or printed.per_product or 1)
    cells: dict[str, TableCell] = {}
    for key, field in _RINGS.items():
        most = max(rates[name] / getattr(row, field) for name, row in rows.items())
        cells |= _rings(key, said[key], most)
    kbit = {name: (row.ram_blocks or 0) * (row.ram_kbit or 0) for name, row in rows.items()}
    most = max(rates[name] / bits for name, bits in kbit.items() if bits)
    return cells | _rings("bram_k", said["bram_k"], most)


def _rings(key: str, printed: Sequence[float], most: float) -> dict[str, TableCell]:
    unit = 1e6 if key.endswith("_m") else 1e3
    ends = most / 2 / unit, most / unit
    return {
        f"{ring} ring, {key}": TableCell.mixed(published, rounded(figure, 4))
        for ring, published, figure in zip(("inner", "outer"), printed, ends, strict=True)
    }
