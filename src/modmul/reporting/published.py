"""Turns published designs into points to show beside those measured here."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping

import msgspec
from msgspec.structs import replace

from modmul import targets
from modmul.exploration.record import MULTIPLY
from modmul.implementation.figures import EQUIVALENTS, equivalents
from modmul.implementation.result import Area
from modmul.papers.gallin2019 import designs
from modmul.papers.printed import PrintedDesign, printed_designs
from modmul.reporting.points import PLAIN, PRIME, Point
from modmul.targets import Device, Target

COUNTS = 32  # the most products in the chart of time against number of products
_ON_CHIP = {"area": EQUIVALENTS, "time": "ns", "period": "s"}
_IN_CELLS = {**_ON_CHIP, "area": "um^2"}


class Published(msgspec.Struct, frozen=True, kw_only=True):
    """One printed design.

    family: the target of the same chip family, "" if there is none.
    does: the operations that it is compared with, see `Point.does`.
    architecture: its name here, "" if it is not built here.
    arithmetic, figures, units: as in `Point`.
    luts_per_dsp, luts_per_ram: the LUTs that a DSP block and a block RAM count as in its area, on
    its chip, else on the family's first chip with DSP blocks; None if the area is in another unit,
    or unknown.
    ram_blocks: blocks of the family that hold its memory.
    counted: ns for 1, 2 ... products, if the printed figures give them."""

    source: str
    design: str
    chip: str
    family: str
    architecture: str
    width: int
    does: tuple[str, ...] = (MULTIPLY,)
    arithmetic: str = PRIME
    figures: dict[str, float]
    units: dict[str, str]
    luts_per_dsp: float | None = None
    luts_per_ram: float | None = None
    ram_blocks: int = 0
    counted: list[float] | None = None


@functools.cache
def published() -> tuple[Published, ...]:
    """Every printed design that has an area in LUTs or cells, and a time."""
    return tuple(map(_published, printed_designs()))


def comparable(points: Iterable[Point]) -> list[Published]:
    """The published designs with the width and operation of at least one of these points,
    their areas in the unit of the points of their family, where these have one."""
    points = list(points)
    shown = {(point.record.width, point.does) for point in points}
    prices: dict[str, set[tuple[float | None, float | None]]] = {}
    for point in points:
        of_family = prices.setdefault(point.record.target, set())
        of_family.add((point.luts_per_dsp, point.luts_per_ram))
    return [
        _priced(one, prices.get(one.family, set()))
        for one in published()
        if any((one.width, does) in shown for does in one.does)
    ]


def _priced(one: Published, prices: set[tuple[float | None, float | None]]) -> Published:
    """A published design with an area in which DSP blocks and block RAMs count as many LUTs
    as these prices say; as it is where they are several, or unknown."""
    per_dsp, per_ram = next(iter(prices)) if len(prices) == 1 else (None, None)
    if per_dsp is None or per_ram is None or one.luts_per_dsp is None or "area" not in one.figures:
        return one
    figures = one.figures
    area = round(figures["lut"] + figures["dsp"] * per_dsp + one.ram_blocks * per_ram, 1)
    priced = _complete({**figures, "area": area}, figures["rate"])
    return replace(one, figures=priced, luts_per_dsp=per_dsp, luts_per_ram=per_ram)


def _published(row: PrintedDesign) -> Published:
    """Convert a printed design.  Its rates, and its times for several products, assume products
    that follow each other without pause."""
    each, per_product, counted = _of_many(row)
    area = _area(row)
    figures = {
        "lut": row.lut,
        "ff": row.ff,
        "dsp": row.dsp,
        "ram": _ram_kbit(row),
        "area": area.value if area else None,
        "per_product": per_product,
        "latency": row.ns,
        "eight": 8 * row.ns if row.eight_ns is None else row.eight_ns,
        "clock": row.mhz,
        "cycles": each,
        "latency_cycles": row.latency,
    }
    return Published(
        source=row.source,
        design=row.design,
        chip=row.chip,
        family=row.target,
        architecture=row.architecture,
        width=row.width,
        does=row.does,
        arithmetic=PLAIN if row.plain else PRIME,
        figures=_complete(figures, 1e9 / per_product),
        units=_ON_CHIP if row.um2 is None else _IN_CELLS,
        luts_per_dsp=area.luts_per_dsp if area else None,
        luts_per_ram=area.luts_per_ram if area else None,
        ram_blocks=_ram_blocks(row) or 0,
        counted=counted,
    )


def _of_many(printed: PrintedDesign) -> tuple[float | None, float, list[float] | None]:
    """The cycles of one product among many, its time in ns, and the ns for 1, 2 ...
    products.  The interval of an FPMM is not printed, so the formulas of its paper give it.  An
    operation of a processor occupies all of it, so k operations take k times as long."""
    counts = range(1, COUNTS + 1)
    if printed.does != (MULTIPLY,):
        return None, printed.ns, [printed.ns * count for count in counts]
    if printed.mhz is None or printed.latency is None:
        return None, printed.ns, None
    if printed.architecture == "fpmm":
        design = designs.design(printed.width, printed.design)
        each, cycles = design.cycles_per_product(), [design.cycles_for(k) for k in counts]
    else:
        each, cycles = float(printed.per_product or 0), [printed.cycles_for(k) for k in counts]
    return each, printed.ns_of(each), [printed.ns_of(count) for count in cycles]


def _ram_kbit(printed: PrintedDesign) -> int | None:
    """The size of all block RAMs; None if their capacity is not printed."""
    if not printed.ram_blocks:
        return printed.ram_blocks
    return None if printed.ram_kbit is None else printed.ram_blocks * printed.ram_kbit


def _complete(known: Mapping[str, float | None], rate: float) -> dict[str, float]:
    """The known figures with those that follow from area and rate (products per second)."""
    figures = {key: float(value) for key, value in known.items() if value is not None}
    figures["rate"] = rate
    for key in ("area", "lut", "ff", "dsp", "ram"):
        if figures.get(key):
            figures[f"rate_{key}"] = rate / figures[key]
    if "area" in figures:
        figures["area_time"] = figures["area"] * figures["per_product"]
    return figures


def _area(row: PrintedDesign) -> Area | None:
    """The area of cells, or LUT equivalents as for a point; None if a number of blocks, or
    the LUTs that each counts as, are unknown."""
    if row.um2 is not None:
        return Area(row.um2, "um^2")
    device = _device(row)
    if row.lut is None or row.dsp is None or (row.dsp and device is None):
        return None
    blocks = _ram_blocks(row)
    return None if blocks is None else equivalents(row.lut, row.dsp, blocks, device)


def _ram_blocks(row: PrintedDesign) -> int | None:
    """The block RAMs of the family that hold the printed memory; None if its size is not
    known."""
    if not row.ram_blocks or _device(row) is None:
        return 0
    kbit = _ram_kbit(row)
    return None if kbit is None else targets.find(row.target).ram_blocks(kbit * 1024)


def _device(row: PrintedDesign) -> Device | None:
    """The printed chip if it is known here, else the family's first device with DSP blocks;
    None if there is none."""
    target: Target | None = targets.REGISTRY.get(row.target)
    devices = [device for device in target.devices if device.dsps] if target else []
    devices.sort(key=lambda device: not device.name.startswith(f"{row.chip}-"))
    return devices[0] if devices else None
