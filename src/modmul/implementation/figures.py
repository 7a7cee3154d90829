"""Computes figures of area and time from what tools report and what a design declares."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from msgspec.structs import replace

from modmul import targets
from modmul.implementation.result import (
    Area,
    CellsResult,
    CycleCounts,
    Figure,
    ImplementResult,
    ModeTimes,
    Performance,
    Times,
)
from modmul.operation import Mode
from modmul.spec import Spec
from modmul.targets import CellArea, Device

# LUTs, plus `luts_per_dsp` LUTs for each DSP block and `luts_per_ram` for each block RAM
EQUIVALENTS = "LUT equivalents"
ESTIMATED = "estimated"
CRITICAL_PATH = "critical path"

# ---- cycles and times ----------------------------------------------------------------------------


def cycle_counts(spec: Spec, mode: Mode | None = None) -> CycleCounts:
    """The cycles that the design declares; they are known before anything is built.

    mode: of an operation; None: the headline."""
    design, mode = spec.design, mode or spec.headline
    return CycleCounts(
        latency=design.latency(mode).mean,
        interval=design.interval(mode).mean,
        per_product=design.cycles_per_product(mode),
        eight=design.cycles_for(8, mode),
    )


def by_mode(spec: Spec, period: Figure | None) -> tuple[ModeTimes, ...]:
    """The times of all modes at a clock of this period, those of the spec's modulus first;
    empty if there is only one mode."""
    design, modes = spec.design, []

    def time(cycles: float) -> Figure | None:
        return None if period is None else Figure(round(cycles * period.value, 4), period.unit)

    for mode in spec.modes if len(spec.modes) > 1 else ():
        latency, interval = design.latency(mode).mean, design.interval(mode).mean
        each = design.cycles_per_product(mode)
        modes.append(ModeTimes(mode.name, latency, interval, each, time(latency), time(each)))
    return tuple(modes)


def performance(mhz: float, cycles: CycleCounts, area: CellArea) -> Performance:
    """Times and rates at a clock (MHz)."""
    ns = 1000 / mhz
    rate = mhz * 1e6 / cycles.per_product

    def per(count: int) -> float | None:
        return rate / count if count else None

    return Performance(
        mhz=mhz,
        latency_ns=cycles.latency * ns,
        per_product_ns=cycles.per_product * ns,
        eight_ns=cycles.eight * ns,
        products_per_second=rate,
        per_dsp=per(area.dsp),
        per_lut=per(area.lut),
        per_ff=per(area.ff),
        per_ram_bit=per(area.ram_bits),
    )


def times(kind: str, period: Figure, cycles: CycleCounts) -> Times:
    counts = (cycles.latency, cycles.per_product, cycles.eight)
    figures = (round(count * period.value, 3) for count in counts)
    return Times(kind, period.unit, round(period.value, 4), *figures)


def time(result: ImplementResult | CellsResult) -> Times | None:
    """The times at the clock at which designs are compared; None if there is none."""
    if isinstance(result, CellsResult):
        path = result.critical_path
        if path is None:
            return None
        return times(CRITICAL_PATH, Figure(path.value, path.unit), result.cycles)
    if result.fmax_mhz is not None:
        return times("usable", Figure(result.fmax_mhz.period, "ns"), result.cycles)
    if result.estimated_mhz is not None:
        return times(ESTIMATED, Figure(result.estimated_mhz.period, "ns"), result.cycles)
    return None


class CellTimes(NamedTuple):
    """Times and area x time of a design in library cells; see `CellsResult`."""

    latency: Figure | None
    per_product: Figure | None
    area_time: Figure | None


def cell_times(
    period: Figure | None, cycles: CycleCounts, area: float, area_unit: str
) -> CellTimes:
    """The times at a clock whose period is the longest path; all None if there is no
    path."""
    if period is None:
        return CellTimes(None, None, None)
    unit, each = period.unit, period.value * cycles.per_product
    return CellTimes(
        Figure(rounded(period.value * cycles.latency), unit),
        Figure(rounded(each), unit),
        Figure(rounded(each * area), f"{area_unit} {unit}"),
    )


def rounded(value: float) -> float:
    """Round a figure about library cells to the digits that are shown."""
    return round(value, 4)


def core_and_adapter(result: ImplementResult, added: int) -> ImplementResult:
    """The figures of the core with its adapter, at the lower of both clocks.  added: the
    cycles that the adapter adds if nobody pauses, without the wait until the core takes the
    product."""
    adapter, cycles, clock = result.adapter, result.cycles, result.fmax_mhz
    assert adapter is not None
    both = replace(
        result,
        lut=result.lut + adapter.lut,
        ff=result.ff + adapter.ff,
        ram_bits=result.ram_bits + adapter.ram_bits,
        cycles=replace(cycles, latency=cycles.latency + added, eight=cycles.eight + added),
    )
    mhz = adapter.mhz_with_core
    if clock is None or mhz is None:
        return both
    if mhz < clock.usable:
        clock = replace(clock, usable=mhz, limited_by="the adapter", verified=True)
    clock = replace(clock, median=min(clock.median, mhz))
    area = CellArea(both.lut, both.ff, both.dsp, both.ram_blocks, both.ram_bits)
    return replace(
        both,
        fmax_mhz=clock,
        routed=performance(clock.median, both.cycles, area),
        usable=performance(clock.usable, both.cycles, area),
    )


# ---- area ----------------------------------------------------------------------------------------


def area(spec: Spec, result: ImplementResult | CellsResult) -> Area:
    """The area of the core alone as one figure.  spec: the one of the result."""
    if isinstance(result, CellsResult):
        return Area(result.area.value, result.area.unit)
    device = targets.find_device(spec.design.chip, spec.device)
    return equivalents(result.lut, result.dsp, result.ram_blocks, device)


def equivalents(lut: int, dsp: int, ram_blocks: int, device: Device | None) -> Area:
    """An area in LUT equivalents, and the LUTs that each DSP block and each block RAM counts
    as in it."""
    per_dsp, per_ram = luts_per_dsp_of(device), luts_per_ram_of(device)
    value = lut + dsp * per_dsp + ram_blocks * per_ram
    return Area(round(value, 1), EQUIVALENTS, round(per_dsp, 4), round(per_ram, 4))


def full_slices(result: ImplementResult) -> float:
    """The slices that the LUTs or the flip-flops fill, whichever are more, if a slice has
    two of each, as on ECP5.  Unlike `Slices` this is not rounded up."""
    return max(result.lut, result.ff) / 2


def luts_per_dsp_of(device: Device | None) -> float:
    """The LUTs over the DSP blocks of a device, or 0 if it has none."""
    return device.luts / device.dsps if device and device.dsps else 0.0


def luts_per_ram_of(device: Device | None) -> float:
    """The LUTs over the block RAMs of a device, or 0 if it has none."""
    return device.luts / device.ram_blocks if device and device.ram_blocks else 0.0


def area_words(
    unit: str, per_dsp: Iterable[float | None], per_ram: Iterable[float | None] = ()
) -> str:
    """A unit of area in words; with LUT equivalents, the LUTs that a DSP block and a block
    RAM count as."""
    if unit != EQUIVALENTS:
        return unit
    prices = []
    for block, factors in (("DSP", per_dsp), ("block RAM", per_ram)):
        known = sorted({f"{factor:.4g}" for factor in factors if factor is not None}, key=float)
        if known == ["0"]:
            prices.append(f"{block} counts nothing")
        elif known:
            prices.append(f"1 {block} = {' or '.join(known)} LUT")
    return ", ".join([unit, *prices])
