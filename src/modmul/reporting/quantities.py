"""The figures of a point that can be an axis of a chart, and whether large or small ones are
better."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

from modmul.exploration.names import figure
from modmul.exploration.record import Record

Better = Literal["low", "high", "neither"]
Figures = Mapping[str, float]

KBIT = 1024
_SECONDS = {"ns": 1e-9, "ps": 1e-12, "us": 1e-6}  # a cell library may have other units


class Quantity(NamedTuple):
    """One figure.  unit: "area", "time" and "period" stand for the units of the point."""

    key: str
    label: str
    unit: str
    better: Better
    of: Callable[[Record], float | None]


def _figure(name: str) -> Callable[[Record], float | None]:
    return lambda record: figure(record, name)


def clock(record: Record) -> float | None:
    """The clock in MHz; None if the unit of time is a cell library's own."""
    if record.time is None or record.time.unit not in _SECONDS or not record.time.period:
        return None
    return 1e-6 / (record.time.period * _SECONDS[record.time.unit])


def rate(record: Record) -> float | None:
    """The products per second or, if the unit of time is a cell library's own, per that
    unit."""
    if record.time is None or not record.time.per_product:
        return None
    return 1 / (record.time.per_product * _SECONDS.get(record.time.unit, 1.0))


def units(record: Record) -> dict[str, str]:
    """The units of the record's areas and times.  period: the unit that throughput counts
    products in, seconds or that of a cell library."""
    time = record.time.unit if record.time else ""
    return {
        "area": record.area.unit if record.area else "",
        "time": time,
        "period": "s" if time in _SECONDS else time,
    }


def _per(count: Callable[[Record], float | None]) -> Callable[[Record], float | None]:
    def per_second(record: Record) -> float | None:
        each, products = count(record), rate(record)
        return products / each if each and products is not None else None

    return per_second


def _ram(record: Record) -> float | None:
    bits = figure(record, "ram_bits")
    return None if bits is None else bits / KBIT


def _area_time(record: Record) -> float | None:
    area, time = _area(record), _per_product(record)
    return None if area is None or time is None else area * time


_area, _per_product = _figure("area.value"), _figure("time.per_product")


QUANTITIES = (
    Quantity("area", "Area", "area", "low", _area),
    Quantity("lut", "LUTs", "", "low", _figure("lut")),
    Quantity("ff", "Flip-flops", "", "low", _figure("ff")),
    Quantity("dsp", "DSP blocks", "", "low", _figure("dsp")),
    Quantity("ram", "Block RAM", "kbit", "low", _ram),
    Quantity("per_product", "Time per product", "time", "low", _per_product),
    Quantity("latency", "Latency", "time", "low", _figure("time.latency")),
    Quantity("eight", "Time for eight products", "time", "low", _figure("time.eight")),
    Quantity("area_time", "Area times time per product", "area · time", "low", _area_time),
    Quantity("clock", "Clock", "MHz", "high", clock),
    Quantity("rate", "Throughput", "1/period", "high", rate),
    Quantity("rate_area", "Throughput per area", "1/period", "high", _per(_area)),
    Quantity("rate_lut", "Throughput per LUT", "1/period", "high", _per(_figure("lut"))),
    Quantity("rate_ff", "Throughput per flip-flop", "1/period", "high", _per(_figure("ff"))),
    Quantity("rate_dsp", "Throughput per DSP block", "1/period", "high", _per(_figure("dsp"))),
    Quantity("rate_ram", "Throughput per kbit of RAM", "1/period", "high", _per(_ram)),
    Quantity("cycles", "Cycles per product", "cycles", "low", _figure("cycles.per_product")),
    Quantity("latency_cycles", "Latency in cycles", "cycles", "low", _figure("cycles.latency")),
    Quantity("levels", "LUTs in series", "", "low", _figure("levels.lut_levels")),
    Quantity("slots", "Products in flight", "", "neither", _figure("slots")),
    Quantity("width", "Width", "bit", "neither", _figure("width")),
)
BY_KEY = {quantity.key: quantity for quantity in QUANTITIES}
EFFICIENCY = ("rate_lut", "rate_ff", "rate_dsp", "rate_ram", "rate_area", "rate")  # of the radar


def figures(record: Record) -> dict[str, float]:
    """Every quantity that the record has, by key."""
    values = {quantity.key: quantity.of(record) for quantity in QUANTITIES}
    return {key: float(value) for key, value in values.items() if value is not None}
