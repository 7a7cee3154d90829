"""Tables III and V: the modular multiplier; and what partitions cost and save."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product

from modmul import targets
from modmul.blocks.arrays.unit_cells import MUX4
from modmul.implementation.result import ImplementResult
from modmul.multipliers.products.array_mux4 import ArrayMux4
from modmul.multipliers.three_pass import ThreePass
from modmul.papers.alkhaleel2006 import designs
from modmul.papers.alkhaleel2006.arrays import more
from modmul.papers.alkhaleel2006.designs import (
    CHIP,
    EXAMPLE,
    Circuit,
    Fitted,
    Measured,
    folded,
    modular,
    partitions,
)
from modmul.papers.columns import Claims, Row, Rows, claims, table, waiting
from modmul.papers.implemented import estimate_ns, lut_levels, slices
from modmul.papers.records import Figures, TableCell, rounded
from modmul.parameters import SHARE

Counts = Callable[[ImplementResult | None], int | None]
DIAGONAL = "digit_diagonal"  # the part with cells 2 to 4; other multiplexers are those of cells 1


def clocks(design: Circuit, width: int) -> int:
    """Clocks of a modular product from start to done: 3L + 3, with L clocks a pass."""
    multiplier = design.multiplier(width)
    assert isinstance(multiplier, ThreePass)
    return sum(cycle.maximum for name, cycle in multiplier.cycles().items() if name != "unload")


def product_ns(measured: Measured, design: Circuit, width: int) -> float | None:
    """Estimated clock times clocks."""
    clock = estimate_ns(measured.mapped.get((design, width, CHIP)))
    return clock and clock * clocks(design, width)


@table("III")
def table3(figures: Figures, measured: Measured) -> Rows:
    """The modular multiplier on a Virtex-4."""
    for entry in figures["table_3"]:
        k = entry["k"]
        count = partitions(figures)[k]
        design = modular(count)
        whole = measured.mapped.get((design, k, CHIP))
        unit = measured.mapped.get((folded(count), k, CHIP))
        guess = None if "partitions" in entry else figures["model"]["partitions_note"]

        percent = {}
        for heading, of in (("slices", slices), ("luts", lambda core: core and core.lut)):
            left = rounded(100 * (entry[heading] - 4 * k) / entry[heading], 3)
            percent[heading] = TableCell.arithmetic(
                entry[f"multiplier_{heading}_pct"], left, measured=_share(of(unit), of(whole))
            )
        yield {
            "bits": k,
            "partitions": TableCell.arithmetic(entry.get("partitions"), count, guess),
            "slices": TableCell.ours(slices(whole), published=entry["slices"]),
            "LUTs": TableCell.ours(whole and whole.lut, published=entry["luts"]),
            "FFs": TableCell.ours(whole and whole.ff),
            "multiplier_slices_%": percent["slices"],
            "multiplier_LUTs_%": percent["luts"],
            "clocks": TableCell.circuit(None, clocks(design, k)),
            "path_ns": TableCell.printed(entry["path_ns"]),
            "LUT_levels": TableCell.ours(lut_levels(whole)),
            "estimated_clock_ns": TableCell.ours(estimate_ns(whole)),
            "estimated_product_ns": TableCell.ours(rounded(product_ns(measured, design, k), 4)),
        }


def _share(unit: int | None, whole: int | None) -> float | None:
    """The share of the multiplier alone in the modular multiplier, in percent."""
    return rounded(100 * unit / whole, 3) if unit and whole else None


@claims("III, claims")
def fits_one_chip(figures: Figures, measured: Measured) -> Claims:
    """Abstract and section V: what fits on one Virtex-4.  Print does not name its chip."""
    largest = max(device.luts for device in targets.find(CHIP).devices)
    luts = {entry["k"]: entry["luts"] for entry in figures["table_3"]}
    cells = {}
    for width, said in figures["fits_one_chip"].items():
        k = int(width)
        count = partitions(figures)[k]
        core = measured.mapped.get((modular(count), k, CHIP))

        def fits(lut: int, count: int = count) -> str:
            how = "without partitions" if count == 1 else "in partitions"
            return how if lut <= largest else "no"

        cells[f"{k} bits fit on one chip"] = TableCell.arithmetic(
            said,
            fits(luts[k]),
            f"{100 * luts[k] / largest:.1f} % of the {largest} LUTs of the largest Virtex-4, by "
            f"Table III; measured: three-pass, partitions: {count}, before placement",
            measured=fits(core.lut) if core else None,
        )
    return cells


@table("V")
def table5(figures: Figures, measured: Measured) -> Rows:
    """Against another modular multiplier."""
    for entry in figures["table_5"]:
        k = entry["k"]
        design = modular(partitions(figures)[k])
        ours = rounded(product_ns(measured, design, k), 4)
        reference, own = (entry[f"{whose}_path_ns"] for whose in ("reference", "own"))
        mapped = measured.mapped.get((design, k, designs.CHIP_OF_TABLE_5))
        on_chip = mapped and _on_chip(mapped, entry["own_device"], figures["table_5_notes"])
        device = entry["reference_device"]
        yield {
            "bits": k,
            "reference_ns": TableCell.printed(reference, f"on {device}: printed only"),
            "printed_ns": TableCell.printed(own, f"on {entry['own_device']}: printed only"),
            "speed_up_%": TableCell.arithmetic(
                entry["speed_up_pct"], more(reference, own), entry.get("speed_up_note")
            ),
            "estimated_xc4v_ns": TableCell.ours(ours),
            **(on_chip or waiting(figures, "V", designs.CHIP_OF_TABLE_5)),
        }


def _on_chip(core: ImplementResult, chip: str, notes: Mapping[str, str]) -> dict[str, TableCell]:
    device = targets.find_device(targets.find(designs.CHIP_OF_TABLE_5), chip)
    least = slices(core)
    assert device is not None and device.slices is not None and least is not None
    share = f"of the {device.slices} of {device.name}; no area is printed.  {notes['slices']}"
    return {
        "xc2vp_LUTs": TableCell.ours(core.lut, notes["counted"]),
        "xc2vp_FFs": TableCell.ours(core.ff, notes["counted"]),
        "xc2vp_slices": TableCell.ours(least, notes["slices"]),
        "xc2vp_slices_%": TableCell.ours(rounded(100 * least / device.slices, 3), share),
        "xc2vp_LUT_levels": TableCell.ours(lut_levels(core), notes["levels"]),
    }


def cells_1(width: int, count: int) -> int:
    """Cells in the main partition, by formula: 2(P - 1)H^2 + H(H - 1), H = k/2/P rows."""
    rows, left = divmod(width // 2, count)
    if left:
        raise ValueError(f"{count} partitions of {width} bits are not of equal height")
    return 2 * (count - 1) * rows**2 + rows * (rows - 1)


@table("Partitions")
def partition_table(figures: Figures, measured: Measured) -> Rows:
    """Area and time against the number of partitions."""

    def row(width: int, count: int) -> Row:
        design = folded(count)
        multiplier = design.multiplier(width)
        assert isinstance(multiplier, ArrayMux4)
        netlist = measured.mapped.get((design, width, CHIP))
        estimate = estimate_ns(netlist)
        cells, built = cells_1(width, count), _built(measured, design, width)
        share = rounded(100 * cells / cells_1(width, 1), 3)
        drawn = figures["model"]["example_note"] if (width, count) == EXAMPLE else None
        time = rounded(multiplier.clocks * estimate, 4) if estimate else None
        return {
            "bits": width,
            "partitions": count,
            "rows_of_a_band": TableCell.circuit(None, multiplier.rows),
            "cells_1": TableCell.arithmetic(None, cells, drawn, measured=built),
            "cells_1_%": TableCell.arithmetic(None, share),
            "clocks": TableCell.circuit(None, multiplier.clocks),
            "LUTs": TableCell.ours(netlist and netlist.lut),
            "FFs": TableCell.ours(netlist and netlist.ff),
            "LUT_levels": TableCell.ours(lut_levels(netlist)),
            "estimated_clock_ns": TableCell.ours(estimate),
            "estimated_product_ns": TableCell.ours(time),
        }

    folds = ((designs.FOLDED_WIDTH, count) for count in designs.PARTITIONS)
    sizes = ((EXAMPLE[0], 1), EXAMPLE, *folds)
    yield from (row(*size) for size in sizes)


def _built(measured: Measured, design: Circuit, width: int) -> int | None:
    """Cells 1, each of two multiplexers, that are counted."""
    counted = measured.cells.get((design, width))
    return (counted.cells[MUX4] - counted.of(DIAGONAL)[MUX4]) // 2 if counted else None


@table("Fits", share=SHARE)
def fits(figures: Figures, measured: Measured) -> Rows:
    """The fewest partitions with which three-pass fits chips of ECP5."""

    def row(width: int, chip: str, fitted: Fitted) -> Row:
        some = fitted.partitions
        return {
            "bits": width,
            "chip": chip,
            "partitions": TableCell.seen(some or "none fits", fitted.tried or None),
            "LUTs": TableCell.seen(fitted.lut if some else None),
            "LUTs_%": TableCell.seen(rounded(100 * fitted.share, 3) if some else None),
            "clocks": TableCell.circuit(None, clocks(modular(some), width) if some else None),
        }

    places = product(partitions(figures), designs.FITTED)
    rows = [row(*place, measured.fitted[place]) for place in places if place in measured.fitted]
    yield from rows
