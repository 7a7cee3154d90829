"""Table V: the processors for Kummer surfaces, beside those that are built here.

A2 has one multiplier F44B and an adder, A3 and A4 have two of each.  Ours with two has a port for
each multiplier.  Words of 34 bits go between registers and units, in A3 whole operands of 136, out
of one memory and into it.  What joins A4's two memories is in another paper: here a result is
written into both.  For fewer blocks the registers of A2 are in one bank, those of A4 in two (on
Virtex-4 in one), and the multipliers of A4 are F44D."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from modmul.arithmetic import curves
from modmul.papers.columns import Entry, Row, Rows, table
from modmul.papers.gallin2019.designs import (
    MULTIPLIERS,
    WIDTH,
    Measured,
    design,
    processor,
)
from modmul.papers.printed import PrintedDesign, kummer
from modmul.papers.records import Figures, TableCell, rounded
from modmul.processors.contract import Load
from modmul.processors.engine.program import Loop

BITS = 256  # of a scalar
PRINTED_MULTIPLIER = "F44B"
OURS = "xc7"  # of the cycles beside those that print implies


@table("V")
def table5(figures: Figures, measured: Measured) -> Rows:
    """HECC processors."""
    yield from (_row(row, figures, measured) for row in kummer(figures))


def _row(row: PrintedDesign, figures: Figures, measured: Measured) -> Row:
    name, target = row.design, row.target
    cells = measured.processors.get((name, target))
    bit, whole = cycles(name, target)
    built = processor(name, target)
    dsps = built.units * design(WIDTH, MULTIPLIERS[name], target).dsps
    low, high = figures["hecc"]["implied_cycles_per_bit"][name]
    told = f"a step of the loop; by time and clock in print {low} to {high}"
    if built.register_file != "block":
        other, _ = cycles(name, target, register_file="block")
        told += f"; {other} with a bank for each unit, in more block RAM"
    remark = f"Yosys for {target}, the whole processor, before placement"
    if MULTIPLIERS[name] != PRINTED_MULTIPLIER:
        remark += f"; with {MULTIPLIERS[name]}, where print has {PRINTED_MULTIPLIER}"
    blocks = f"{remark}; blocks as Yosys counts them, of 18 kbit where a block can be halved"
    return {
        "fpga": row.fpga,
        "architecture": name,
        "interconnect_bits": row.others["interconnect_bits"],
        "slices": TableCell.printed(row.slices),
        "luts": TableCell.ours(cells and cells.lut, remark, published=row.lut),
        "ffs": TableCell.ours(cells and cells.ff, remark, published=row.ff),
        "brams": TableCell.ours(cells and cells.ram_blocks, blocks, published=row.ram_blocks),
        "dsps": TableCell.circuit(row.dsp, dsps, remark, measured=cells and cells.dsp),
        "freq_mhz": TableCell.printed(row.mhz),
        "time_ms": TableCell.mixed(row.ns / 1e6, rounded(row.ns_of(whole) / 1e6)),
        "cycles_per_bit": TableCell.circuit(None, bit, told),
    }


@cache
def cycles(name: str, target: str, **others: Any) -> tuple[int, int]:
    """Cycles of a step of the loop, and of a multiplication of a point by a scalar of 256 bits:
    that for 251 bits, with a few steps more in each of its two loops.  others: options of the
    processor in the place of its own."""
    kummer, surface = processor(name, target, **others), curves.find("gaudry-schost")
    mode = kummer.mode("wrapped-multiply", Load.of(surface))
    step = next(
        each.length
        for each in kummer.image(mode).placed
        if isinstance(each.section, Loop) and each.section.counter is not None
    )
    more = BITS - 2 * kummer.steps(mode.operation, surface)
    return step, kummer.latency(mode).maximum + more * step


@table("V, cycles")
def implied(figures: Figures, measured: Measured) -> Rows:
    """Cycles of a scalar multiplication that agree with the rounding of all four chips: with the
    clock as it is printed, and with that rounded, too.  Ours are those of the Zynq."""
    rows = []
    for name, told in figures["hecc"]["implied_cycles"].items():
        wider = figures["hecc"]["implied_cycles_clock_rounded"][name]
        bounds = _implied(figures, name, 0), _implied(figures, name, 0.5)
        ours = cycles(name, OURS)
        row: dict[str, Entry] = {"architecture": name}
        for column, printed, ends in (
            ("time_rounded", told, bounds[0]),
            ("time_and_clock_rounded", wider, bounds[1]),
        ):
            for end, figure, computed in zip(("from", "to"), printed, ends, strict=True):
                row[f"{column}_{end}"] = TableCell.arithmetic(figure, computed)
        row["cycles_of_ours"] = TableCell.circuit(None, ours[1])
        row["per_bit_from"] = TableCell.arithmetic(None, rounded(bounds[1][0] / BITS, 4))
        row["per_bit_to"] = TableCell.arithmetic(None, rounded(bounds[1][1] / BITS, 4))
        row["per_bit_of_ours"] = TableCell.circuit(None, ours[0])
        rows.append(row)
    yield from rows


def _implied(figures: Figures, name: str, clock: float) -> tuple[int, int]:
    """The intersection, over the chips, of clock times time.  clock: MHz that it may be off by;
    times are printed to 0.01 ms."""
    rows = (row for row in kummer(figures) if row.design == name)
    ends = [(row.mhz or 0, row.others["time_ms"]) for row in rows]
    low = max(1000 * (mhz - clock) * (ms - 0.005) for mhz, ms in ends)
    high = min(1000 * (mhz + clock) * (ms + 0.005) for mhz, ms in ends)
    return math.floor(low + 0.5 + 1e-6), math.floor(high + 0.5 + 1e-6)  # 0.5 is rounded up
