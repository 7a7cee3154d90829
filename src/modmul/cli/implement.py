"""modmul implement."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from modmul.cli.bus import Banks
from modmul.cli.common import Jobs, Json, Seeds, no_effect, processors
from modmul.cli.options import read_delivered, read_delivery, takes_spec
from modmul.cli.output import group, show, table
from modmul.errors import SpecError, quoted
from modmul.parameters import SEEDS, SHARE
from modmul.spec import Spec
from modmul.system import buses
from modmul.toolchain.quantities import time_words

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from modmul.implementation.on_bus import OnBusResult
    from modmul.implementation.result import (
        Attempt,
        CellsResult,
        Clock,
        CycleCounts,
        Estimate,
        Figure,
        ImplementResult,
        ModeTimes,
        PathLevels,
        Performance,
    )

_NO_ROUTER = "no open router for this target comes with pip"
_TWO = {"partitions": 2}  # a number of partitions that every width can be folded into


def _read(file: Path | None, options: dict[str, Any], others: dict[str, Any]) -> Spec:
    spec = _read_spec(file, options, others)
    read_delivery(file, others, ("bus", "banks"))
    return spec


def _read_spec(file: Path | None, options: dict[str, Any], others: dict[str, Any]) -> Spec:
    """Return the specification.  With --fit the partitions in the file are ignored, and none are
    needed, even if the whole array would be too wide."""
    if not others.get("fit"):
        return read_delivered(file, options, others)
    partitions = options.get("partitions")
    if partitions is not None:
        allowed = "absent with --fit"
        message = f"partitions = {quoted(partitions)}: --fit finds their number: leave one away"
        raise SpecError("partitions", partitions, allowed, message)
    try:
        return read_delivered(file, options, others)
    except SpecError as error:
        if error.key != "partitions":
            raise
    return read_delivered(file, options | _TWO, others)


@functools.partial(takes_spec, read=_read)
@no_effect(beside={"no_route": "seeds jobs"})
def implement_verb(
    spec: Spec,
    *,
    seeds: Seeds = SEEDS,
    no_route: bool = False,
    fit: Annotated[
        bool,
        Parameter(
            help="for folded multipliers, instead of --partitions: choose the fewest partitions"
            f" with which the design takes at most {SHARE:.0%} of the LUTs of the device"
        ),
    ] = False,
    bus: Annotated[
        str | None,
        Parameter(
            help="also measure the design on a bus, with its registers, as `modmul build` "
            f"delivers it: {', '.join(buses.NAMES)} (default: on no bus)"
        ),
    ] = None,
    banks: Banks = None,
    jobs: Jobs = None,
    json: Json = False,
) -> int:
    """Synthesise, place and route: area, clock, time per product.

    Args:
        no_route: only synthesise: area, but no clock
    """
    import msgspec  # not for the help

    from modmul.implementation.fit import smallest_partitions
    from modmul.implementation.on_bus import OnBusResult, implement
    from modmul.implementation.result import ImplementResult
    from modmul.toolchain import progress
    from modmul.toolchain.work import Work

    jobs = processors() if jobs is None else jobs
    tried: tuple[Attempt, ...] = ()
    with progress.bar() as report:
        if fit:
            spec, tried = smallest_partitions(spec, work=Work(progress=report))
        result = implement(
            spec,
            bus=bus,
            banks=banks or 0,
            seeds=seeds,
            jobs=jobs,
            route=not no_route,
            progress=report,
        )
    if isinstance(result, ImplementResult):
        result = msgspec.structs.replace(result, tried=tried)
    elif isinstance(result, OnBusResult) and isinstance(result.without_bus, ImplementResult):
        without = msgspec.structs.replace(result.without_bus, tried=tried)
        result = msgspec.structs.replace(result, without_bus=without)
    show(result, lambda: _text(spec, result), json)
    return 0


def _text(spec: Spec, result: ImplementResult | CellsResult | OnBusResult) -> RenderableType:
    from modmul.implementation.on_bus import OnBusResult
    from modmul.implementation.result import CellsResult

    if isinstance(result, OnBusResult):
        return group(_text(spec, result.without_bus), "", _on_bus(result))
    return _cells(spec, result) if isinstance(result, CellsResult) else _chip(spec, result)


def _on_bus(result: OnBusResult) -> RenderableType:
    """Return a table of the design on its bus, beside the design without one."""
    bus = result.on_bus.spec["bus"]
    facts = table(f"{result.module}: on {bus}", "what", f"on {bus}", "without a bus")
    rows = [_rows(made) for made in (result.on_bus, result.without_bus)]
    for name, value in rows[0].items():
        facts.add_row(name, value, rows[1][name])
    return facts


def _rows(made: ImplementResult | CellsResult) -> dict[str, str]:
    from modmul.implementation.result import CellsResult

    if isinstance(made, CellsResult):
        path = made.critical_path
        return {
            "area": f"{made.area.value:,.2f} {made.area.unit}",
            "flip-flops": str(made.flip_flops),
            "critical path": f"{path.value:g} {path.unit}" if path else "-",
        }
    clock, estimated = made.fmax_mhz, made.estimated_mhz
    rows = {
        "LUT": str(made.lut),
        "FF": str(made.ff),
        "DSP": str(made.dsp),
        "block RAM": f"{made.ram_blocks} ({made.ram_bits} bits)",
    }
    if clock is not None:
        rows["routed clock"] = f"median {clock.median:.6g} MHz, best {clock.best:.6g}"
        rows["usable clock"] = f"{clock.words}, limited by {clock.limited_by}"
    elif estimated is not None:
        rows["estimated clock"] = estimated.words
    return rows


def _cells(spec: Spec, result: CellsResult) -> RenderableType:
    facts = table(f"{spec.design.title} in cells of {result.library.asked}", "what", "value")
    area, cycles, path = result.area, result.cycles, result.critical_path
    facts.add_row(
        "area",
        f"{area.value:,.2f} {area.unit}, "
        f"{area.value / spec.design.width:,.2f} a bit of the modulus",
    )
    kinds = sorted(result.cells.items(), key=lambda kind: -kind[1])
    facts.add_row("cells", ", ".join(f"{count} {name}" for name, count in kinds))
    facts.add_row("flip-flops", str(result.flip_flops))
    if result.adapter:
        extra, longest = result.adapter.area, result.adapter.critical_path_with_core
        unit = result.critical_path.unit if result.critical_path else ""
        facts.add_row(
            "adapter, besides",
            f"{extra.value:,.2f} {extra.unit}; longest path with it {longest} {unit}",
        )
    facts.add_row("cycles", _cycles(spec, cycles))
    if path is not None:
        facts.add_row("critical path", f"{path.value:g} {path.unit}: {path.start} -> {path.end}")
        facts.add_row(
            "",
            " ".join(f"{stage.cell} {stage.delay:g}" for stage in path.stages)
            + (f" setup {path.setup:g}" if path.setup else ""),
        )
    for name, figure in (
        ("latency", result.latency),
        ("time per product", result.per_product),
        ("area x time", result.area_time),
    ):
        if figure is not None:
            facts.add_row(name, _time(figure))
    facts.add_row("delays", result.library.delay_model)
    return group(facts, *_modes(result.by_mode))


def _chip(spec: Spec, result: ImplementResult) -> RenderableType:
    from modmul.cli.published import published

    facts = table(f"{spec.design.title} on {result.device or result.target}", "what", "value")
    label = "area, core alone" if "core" in spec.design.interfaces else "area"
    facts.add_row(
        label,
        f"{result.lut} LUT, {result.ff} FF, {result.dsp} DSP, "
        f"{result.ram_blocks} block RAM ({result.ram_bits} bits)",
    )
    if result.slices:
        least = result.slices
        facts.add_row(
            "slices",
            f"at least {least.at_least} of {least.of} ({least.percent} %): "
            "LUTs or FFs, whichever are more, two in each; not placed",
        )
    if result.adapter:
        extra, mhz = result.adapter, result.adapter.mhz_with_core
        clock_of_both = "" if mhz is None else f"; routed clock with the core {mhz:.6g} MHz"
        facts.add_row(
            "adapter, besides",
            f"{extra.lut} LUT, {extra.ff} FF, {extra.ram_bits} bits{clock_of_both}",
        )
    cycles = result.cycles
    facts.add_row("cycles", _cycles(spec, cycles))
    clock = result.fmax_mhz
    if clock is None:
        why = "not asked for" if spec.design.chip.router else _NO_ROUTER
        facts.add_row("clock", f"nothing routed: {why}")
    else:
        _clock(facts, clock)
    path = result.critical_path
    if path is not None:
        facts.add_row("critical path", f"{path.start} -> {path.end}")
    if result.levels is not None:
        facts.add_row("LUT levels", _levels(result.levels))
    if result.estimate is not None:
        _estimate(facts, result.estimate)
    if result.estimated_mhz is not None:
        estimated = result.estimated_mhz
        facts.add_row("estimated clock", f"{estimated.words}, limited by {estimated.limited_by}")
        facts.add_row("", estimated.source)
    of = "Core alone" if result.adapter else ""
    one = _one(spec)
    eight = ["eight products"] if _overlaps(spec) else []
    times = table(
        of, "at", "latency", f"per {one}", *eight, f"{one}s/s", "per DSP", "per LUT", "per FF"
    )
    if clock and result.routed and result.usable:
        times.add_row(f"routed {clock.median:.6g} MHz", *_speed(spec, result.routed))
        times.add_row(f"usable {clock.words}", *_speed(spec, result.usable))
    speeds: list[RenderableType] = ["", times] if times.rows else []
    at = f"at the usable clock, {clock.words}" if clock else ""
    return group(
        *_tried(result), facts, *speeds, *_modes(result.by_mode, at), *published(spec, result)
    )


def _tried(result: ImplementResult) -> list[RenderableType]:
    if not result.tried:
        return []
    title = f"Partitions tried on {result.device}"
    listing = table(title, "partitions", "LUT", "of the device", "")
    for attempt in result.tried:
        verdict = "fits" if attempt.fits else "too large"
        listing.add_row(str(attempt.partitions), str(attempt.lut), f"{attempt.share:.1%}", verdict)
    return [listing, ""]


def _clock(facts: Table, clock: Clock) -> None:
    seeds = ", ".join(f"{seed.mhz:.6g}" for seed in clock.seeds)
    routed = f"median {clock.median:.6g} MHz, best {clock.best:.6g} ({seeds})"
    facts.add_row("routed clock", routed)
    facts.add_row("usable clock", f"{clock.words}, limited by {clock.limited_by}")


def _levels(path: PathLevels) -> str:
    plural = "s" if path.carry_chains > 1 else ""
    chains = f", {path.carry_bits} bits of {path.carry_chains} carry chain{plural} on the way"
    muxes = f", {path.wide_muxes} wide multiplexers"
    return (
        f"{path.lut_levels}{chains if path.carry_chains else ''}"
        f"{muxes if path.wide_muxes else ''}: {path.start} -> {path.end}"
    )


def _estimate(facts: Table, delay: Estimate) -> None:
    facts.add_row(
        f"delay ({delay.label})",
        f"{delay.delay_ns} ns: cells {delay.cells_ns} ns, "
        f"{delay.nets} nets of {delay.net_delay_ns} ns each (assumed)",
    )
    facts.add_row("its path", f"LUT levels {_levels(delay.path)}")
    doubt = "" if delay.verified else "; not all verified"
    facts.add_row(
        "its delays",
        f"{delay.source}, speed grade {delay.speed_grade}{doubt}; nets: {delay.net_source}",
    )


def _modes(by_mode: tuple[ModeTimes, ...], at: str = "") -> list[RenderableType]:
    """Return a table with the cycles of every mode, and with times if there is a clock.  at: the
    clock of the times, in words."""
    if not by_mode:
        return []
    timed = by_mode[0].latency_time is not None
    when = f"; times {at}" if at else ""
    title = f"\nBy mode (operation, field, words in use){when}"
    listing = table(
        title,
        "mode",
        "latency",
        "interval",
        "per product",
        *(("latency", "per product") if timed else ()),
    )
    for mode in by_mode:
        counts = (f"{cycles:.6g}" for cycles in (mode.latency, mode.interval, mode.per_product))
        times = (mode.latency_time, mode.per_product_time)
        listing.add_row(mode.mode, *counts, *(_time(time) for time in times if time is not None))
    return [listing]


def _time(figure: Figure) -> str:
    return time_words(figure.value, figure.unit)


def _overlaps(spec: Spec) -> bool:
    """Whether several independent products are under way at a time, so that the time for eight of
    them says more than that for one."""
    return spec.design.slots > 1


def _one(spec: Spec) -> str:
    """What the design does one after the other."""
    return "operation" if spec.design.role == "processor" else "product"


def _cycles(spec: Spec, cycles: CycleCounts) -> str:
    means = "" if spec.design.timing == "constant" else " (means: time depends on operands)"
    one = _one(spec)
    eight = f", {cycles.eight:g} for eight" if _overlaps(spec) else ""
    return (
        f"latency {cycles.latency:.6g}, interval {cycles.interval:.6g}, "
        f"{cycles.per_product:.6g} per {one}{eight}{means}"
    )


def _speed(spec: Spec, speed: Performance) -> list[str]:
    rates = (speed.products_per_second, speed.per_dsp, speed.per_lut, speed.per_ff)
    times = [speed.latency_ns, speed.per_product_ns]
    times += [speed.eight_ns] if _overlaps(spec) else []
    return [
        *(time_words(time, "ns") for time in times),
        *(
            "-" if rate is None else f"{rate:,.3g}" if rate < 100 else f"{rate:,.0f}"
            for rate in rates
        ),
    ]
