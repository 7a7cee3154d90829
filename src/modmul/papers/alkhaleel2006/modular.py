"""Tables III and V: the modular multiplier; and what partitions cost and save."""

from __future__ import annotations

from modmul import targets
from modmul.blocks.arrays.unit_cells import MUX4
from modmul.implementation.fit import SHARE
from modmul.multipliers.products.array_mux4 import ArrayMux4
from modmul.multipliers.three_pass import ThreePass
from modmul.papers.alkhaleel2006.arrays import COUNTED, ESTIMATE, SLICES, more
from modmul.papers.alkhaleel2006.designs import (
    CHIP,
    CHIP_OF_TABLE_5,
    FITTED,
    FOLDED_WIDTH,
    PARTITIONS,
    Design,
    folded,
    modular,
    partitions,
)
from modmul.papers.alkhaleel2006.measured import EXAMPLE, Measured, Netlist
from modmul.papers.records import (
    Cell,
    Figure,
    Figures,
    MeasuredCell,
    Origin,
    Table,
    only_measured,
    rounded,
)

DIAGONAL = "digit_diagonal"  # the part with cells 2 to 4; other multiplexers are those of cells 1


def clocks(design: Design, width: int) -> int:
    """Of a modular product from start to done: 3L + 3, L clocks a pass."""
    multiplier = design.multiplier(width)
    assert isinstance(multiplier, ThreePass)
    return sum(one.maximum for name, one in multiplier.cycles().items() if name != "unload")


def product_ns(measured: Measured, design: Design, width: int) -> float | None:
    """Estimated clock times clocks."""
    netlist = measured.mapped.get((design, width, CHIP))
    if netlist is None or netlist.estimate_ns is None:
        return None
    return netlist.estimate_ns * clocks(design, width)


def table3(figures: Figures, measured: Measured) -> Table:
    """The modular multiplier on a Virtex-4."""
    rows: list[tuple[Figure | Cell, ...]] = []
    for row in figures["table_3"]:
        k = row["k"]
        count = partitions(figures)[k]
        design = modular(count)
        whole = measured.mapped.get((design, k, CHIP))
        unit = measured.mapped.get((folded(count), k, CHIP))
        shares = (
            (
                row[f"multiplier_{u}_pct"],
                rounded(100 * (row[u] - 4 * k) / row[u], 3),
                _share(unit, whole, what),
            )
            for u, what in (("slices", "slices"), ("luts", "lut"))
        )
        guess = None if "partitions" in row else _GUESS
        rows.append(
            (
                k,
                Cell(row.get("partitions"), count, None, guess, origin=Origin.ARITHMETIC),
                only_measured(whole and whole.slices, SLICES, published=row["slices"]),
                only_measured(whole and whole.lut, COUNTED, published=row["luts"]),
                only_measured(whole and whole.ff),
                *(MeasuredCell(*one, _SHARE, origin=Origin.ARITHMETIC) for one in shares),
                Cell(None, clocks(design, k), None, _CLOCKS, origin=Origin.CIRCUIT),
                Cell(row["path_ns"], None, None, _PATH, origin=Origin.PRINT),
                only_measured(whole and whole.levels),
                only_measured(whole and whole.estimate_ns, ESTIMATE),
                only_measured(rounded(product_ns(measured, design, k), 4), _TIMES),
            )
        )
    columns = (
        *("bits", "partitions", "slices", "LUTs", "FFs", "multiplier_slices_%"),
        *("multiplier_LUTs_%", "clocks", "path_ns", "LUT_levels", "estimated_clock_ns"),
        "estimated_product_ns",
    )
    return Table("III", "Modular multiplier; measured: three-pass on xc4v", columns, tuple(rows))


def _share(unit: Netlist | None, whole: Netlist | None, what: str) -> float | None:
    """Of the multiplier alone in the modular multiplier, in percent."""
    if unit is None or whole is None:
        return None
    return rounded(100 * getattr(unit, what) / getattr(whole, what), 3)


def table5(figures: Figures, measured: Measured) -> Table:
    """Against another modular multiplier."""
    rows: list[tuple[Figure | Cell, ...]] = []
    for row in figures["table_5"]:
        k = row["k"]
        design = modular(partitions(figures)[k])
        ours = product_ns(measured, design, k)
        there = measured.mapped.get((design, k, CHIP_OF_TABLE_5))
        printed = [f"on {row[f'{whose}_device']}: printed only" for whose in ("reference", "own")]
        same = row["reference_device"] == row["own_device"]
        rows.append(
            (
                k,
                Cell(row["reference_path_ns"], None, None, printed[0], origin=Origin.PRINT),
                Cell(row["own_path_ns"], None, None, printed[1], origin=Origin.PRINT),
                Cell(
                    row["speed_up_pct"],
                    more(row["reference_path_ns"], row["own_path_ns"]),
                    None,
                    None if same else _UNLIKE,
                    origin=Origin.ARITHMETIC,
                ),
                MeasuredCell(None, None, rounded(ours, 4), _OURS, origin=Origin.MEASURED),
                *_occupied(there, row["own_device"]),
            )
        )
    columns = (
        *("bits", "reference_ns", "printed_ns", "speed_up_%", "estimated_xc4v_ns"),
        *("xc2vp_LUTs", "xc2vp_FFs", "xc2vp_slices", "xc2vp_slices_%", "xc2vp_LUT_levels"),
    )
    return Table("V", "Modular product against another design, Virtex-II Pro", columns, tuple(rows))


def _occupied(netlist: Netlist | None, part: str) -> list[Cell]:
    """LUTs, flip-flops, slices at least, these in percent of the printed chip, LUTs in series."""
    device = targets.find_device(targets.find(CHIP_OF_TABLE_5), part)
    assert device is not None and device.slices is not None
    if netlist is None:
        return [only_measured(None)] * 5
    slices = targets.slices_at_least(device, netlist.lut, netlist.ff)
    assert slices is not None
    remark = f"of the {device.slices} of {device.name}; no area is printed.  {SLICES}"
    return [
        only_measured(netlist.lut, _COUNTED_5),
        only_measured(netlist.ff, _COUNTED_5),
        only_measured(slices, SLICES),
        only_measured(rounded(100 * slices / device.slices, 3), remark),
        only_measured(netlist.levels, _LEVELS_5),
    ]


def cells_1(width: int, count: int) -> int:
    """In the main partition, by formula: 2(P - 1)H^2 + H(H - 1), H = k/2/P rows."""
    rows, left = divmod(width // 2, count)
    if left:
        raise ValueError(f"{count} partitions of {width} bits are not of equal height")
    return 2 * (count - 1) * rows**2 + rows * (rows - 1)


def partition_table(measured: Measured) -> Table:
    """Area and time against the number of partitions."""
    rows: list[tuple[Figure | Cell, ...]] = []
    sizes = [(FOLDED_WIDTH, count) for count in PARTITIONS]
    for width, count in ((EXAMPLE[0], 1), EXAMPLE, *sizes):
        design = folded(count)
        multiplier = design.multiplier(width)
        assert isinstance(multiplier, ArrayMux4)
        netlist = measured.mapped.get((design, width, CHIP))
        estimate = netlist.estimate_ns if netlist else None
        cells = cells_1(width, count), _built(measured, design, width)
        share, drawn = cells[0] / cells_1(width, 1), (width, count) == EXAMPLE
        time = rounded(multiplier.clocks * estimate, 4) if estimate else None
        rows.append(
            (
                width,
                count,
                Cell(None, multiplier.rows, origin=Origin.CIRCUIT),
                MeasuredCell(None, *cells, _MAIN if drawn else None, origin=Origin.ARITHMETIC),
                Cell(
                    None, rounded(100 * share, 3), None, "of k(k - 2)/4", origin=Origin.ARITHMETIC
                ),
                Cell(None, multiplier.clocks, None, _PHASES, origin=Origin.CIRCUIT),
                only_measured(netlist and netlist.lut),
                only_measured(netlist and netlist.ff),
                only_measured(netlist and netlist.levels),
                only_measured(estimate, ESTIMATE),
                only_measured(time, _TIMES),
            )
        )
    columns = (
        *("bits", "partitions", "rows_of_a_band", "cells_1", "cells_1_%", "clocks", "LUTs", "FFs"),
        *("LUT_levels", "estimated_clock_ns", "estimated_product_ns"),
    )
    title = "array-mux4 in partitions, on xc4v; cells 1: computed, and counted in our netlist"
    return Table("Partitions", title, columns, tuple(rows))


def _built(measured: Measured, design: Design, width: int) -> int | None:
    """Cells 1, each of two multiplexers, that are counted."""
    found = measured.cells.get((design, width))
    return (found.cells[MUX4] - found.of(DIAGONAL)[MUX4]) // 2 if found else None


def fits(figures: Figures, measured: Measured) -> Table:
    """The fewest partitions with which three-pass fits chips of ECP5."""
    rows: list[tuple[Figure | Cell, ...]] = []
    for width in partitions(figures):
        for chip in FITTED:
            one = measured.fitted.get((width, chip))
            if one is None:
                continue
            some = one.partitions
            rows.append(
                (
                    width,
                    chip,
                    Cell(
                        None, None, some or "none fits", one.tried or None, origin=Origin.MEASURED
                    ),
                    Cell(None, None, one.lut if some else None, origin=Origin.MEASURED),
                    Cell(
                        None,
                        None,
                        rounded(100 * one.share, 3) if some else None,
                        origin=Origin.MEASURED,
                    ),
                    Cell(
                        None,
                        clocks(modular(some), width) if some else None,
                        None,
                        _CLOCKS,
                        origin=Origin.CIRCUIT,
                    ),
                )
            )
    columns = ("bits", "chip", "partitions", "LUTs", "LUTs_%", "clocks")
    title = f"Fewest partitions of three-pass in at most {SHARE:.0%} of the LUTs of an ECP5"
    return Table("Fits", title, columns, tuple(rows))


_GUESS = (
    "computed: our guess, from what would fit the printed areas; the paper does not say how many"
)
_SHARE = (
    "computed: all but 4k slices and 4k LUTs, which is what Table IV leaves at 128 bits; measured: "
    "array-mux4 with its registers, alone, over three-pass"
)
_CLOCKS = "start to done, 3L + 3; with partitions L = P + 2, without L = 1; the paper has no clocks"
_PATH = "of a whole modular multiplication of three passes, not of a clock"
_TIMES = f"{ESTIMATE}; times the clocks"
_UNLIKE = "of different devices; the one of the paper's own design has a slower grade"
_OURS = f"{ESTIMATE}; times the clocks; on a Virtex-4, so not to be compared as one chip"
_COUNTED_5 = f"here: counted by Yosys for {CHIP_OF_TABLE_5}, before placement"
_LEVELS_5 = "LUTs in series; no open router and no delays for this family: nothing of ours is timed"
_MAIN = "the example of Figs. 5 and 6, which draw the cells and give no numbers"
_PHASES = "between the registers at the ends: bands, and with partitions one before and one behind"
