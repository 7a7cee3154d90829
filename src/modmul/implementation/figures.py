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
from modmul.spec import Spec
from modmul.targets import CellArea, Device

EQUIVALENTS = "LUT equivalents"  # LUTs, and for a DSP block as many as `luts_per_dsp` says
CRITICAL_PATH = "critical path"

# ---- cycles and times ----------------------------------------------------------------------------


def cycle_counts(spec: Spec) -> CycleCounts:
    """What the design declares, before anything is built."""
    design, mode = spec.design, spec.headline
    return CycleCounts(
        latency=design.latency(mode).mean,
        interval=design.interval(mode).mean,
        per_product=design.cycles_per_product(mode),
        eight=design.cycles_for(8, mode),
    )


def by_mode(spec: Spec, period: Figure | None) -> tuple[ModeTimes, ...]:
    """The times of all modes at a clock of that period, those of the spec's modulus first; empty if
    there is only one mode."""
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
    """All times at a clock of that period."""
    counts = (cycles.latency, cycles.per_product, cycles.eight)
    figures = (round(count * period.value, 3) for count in counts)
    return Times(kind, period.unit, round(period.value, 4), *figures)


def time(result: ImplementResult | CellsResult) -> Times | None:
    """Times at the clock at which designs are compared; None where there is none."""
    if isinstance(result, CellsResult):
        path = result.critical_path
        if path is None:
            return None
        return times(CRITICAL_PATH, Figure(path.value, path.unit), result.cycles)
    if result.fmax_mhz is not None:
        return times("usable", Figure(result.fmax_mhz.period, "ns"), result.cycles)
    if result.estimate is not None:
        return times("estimate", Figure(result.estimate.delay_ns, "ns"), result.cycles)
    return None


class CellTimes(NamedTuple):
    """See `CellsResult`."""

    latency: Figure | None
    per_product: Figure | None
    area_time: Figure | None


def cell_times(
    period: Figure | None, cycles: CycleCounts, area: float, area_unit: str
) -> CellTimes:
    """Times at a clock whose period is the longest path; all None where there is no path."""
    if period is None:
        return CellTimes(None, None, None)
    unit, each = period.unit, period.value * cycles.per_product
    return CellTimes(
        Figure(rounded(period.value * cycles.latency), unit),
        Figure(rounded(each), unit),
        Figure(rounded(each * area), f"{area_unit} {unit}"),
    )


def rounded(value: float) -> float:
    """A figure of cells of a library with as many digits as are shown."""
    return round(value, 4)


def core_and_adapter(result: ImplementResult, added: int) -> ImplementResult:
    """The core with its adapter, at the lower clock of both.  added: cycles, if nobody pauses,
    apart from the wait until the core takes the product."""
    adapter, cycles, clock = result.adapter, result.cycles, result.fmax_mhz
    assert adapter is not None
    both = replace(
        result, lut=result.lut + adapter.lut, ff=result.ff + adapter.ff,
        ram_bits=result.ram_bits + adapter.ram_bits,
        cycles=replace(cycles, latency=cycles.latency + added, eight=cycles.eight + added),
    )  # fmt: skip
    mhz = adapter.mhz_with_core
    if clock is None or mhz is None:
        return both
    if mhz < clock.usable:
        clock = replace(clock, usable=mhz, limited_by="the adapter", verified=True)
    clock = replace(clock, median=min(clock.median, mhz))
    area = CellArea(both.lut, both.ff, both.dsp, both.ram_blocks, both.ram_bits)
    return replace(
        both, fmax_mhz=clock, routed=performance(clock.median, both.cycles, area),
        usable=performance(clock.usable, both.cycles, area),
    )  # fmt: skip


# ---- area ----------------------------------------------------------------------------------------


def area(spec: Spec, result: ImplementResult | CellsResult) -> Area:
    """The area of the core alone, as one figure.  spec: the one of the result."""
    if isinstance(result, CellsResult):
        return Area(result.area.value, result.area.unit)
    return equivalents(result.lut, result.dsp, luts_per_dsp(spec))


def equivalents(lut: int, dsp: int, per_dsp: float) -> Area:
    """An area in LUT equivalents, with what a DSP counts in it."""
    return Area(round(in_luts(lut, dsp, per_dsp), 1), EQUIVALENTS, round(per_dsp, 4))


def in_luts(lut: int, dsp: int, per_dsp: float) -> float:
    """The same, not rounded."""
    return lut + dsp * per_dsp


def full_slices(result: ImplementResult) -> float:
    """Slices that are full of what there is more of, LUTs or flip-flops, where a slice has two of
    both, as on ECP5; as `Slices`, but not rounded up."""
    return max(result.lut, result.ff) / 2


def luts_per_dsp(spec: Spec) -> float:
    """What a DSP counts in LUTs: as many as its device has for each; 0 where there is none."""
    return luts_per_dsp_of(targets.find_device(spec.design.chip, spec.device))


def luts_per_dsp_of(device: Device | None) -> float:
    """The same of a device."""
    return device.luts / device.dsps if device and device.dsps else 0.0


def area_words(unit: str, factors: Iterable[float | None]) -> str:
    """A unit of area for people: of LUT equivalents what a DSP counts, in some designs."""
    known = sorted({f"{factor:.4g}" for factor in factors if factor is not None}, key=float)
    if unit != EQUIVALENTS or not known:
        return unit
    if known == ["0"]:
        return f"{unit}, DSP blocks count nothing"
    return f"{unit}, 1 DSP = {' or '.join(known)} LUT"
