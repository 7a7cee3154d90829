"""The text of `modmul implement`: area, clock and times of a design, beside the figures of its
papers."""

from __future__ import annotations

from rich.console import RenderableType
from rich.text import Text

from modmul.cli.output import facts, group, table
from modmul.implementation.on_bus import OnBusResult
from modmul.implementation.result import (
    Adapter,
    CellPath,
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
from modmul.multipliers import Multiplier
from modmul.papers.beside import ours, published_designs
from modmul.spec import Spec
from modmul.toolchain.quantities import cycle_words, time_words

_NO_ROUTER = "no open router for this target comes with pip"
_PRINTED = "Published: routed clocks of their own chips, no adapter."
_WITH = "core + adapter: interface stream, nobody pauses; core alone: what the papers print."


def text(spec: Spec, result: ImplementResult | CellsResult | OnBusResult) -> RenderableType:

    if isinstance(result, OnBusResult):
        return group(text(spec, result.without_bus), "", _on_bus(result))
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
    area, path, adapter = result.area, result.critical_path, result.adapter
    unit = path.unit if path else ""
    kinds = sorted(result.cells.items(), key=lambda kind: -kind[1])
    listing = facts(
        f"{spec.design.title} in cells of {result.library.asked}",
        ("area", f"{_amount(area)}, {area.value / spec.design.width:,.2f} a bit of the modulus"),
        ("cells", ", ".join(f"{count} {name}" for name, count in kinds)),
        ("flip-flops", str(result.flip_flops)),
        (
            "adapter, besides",
            f"{_amount(adapter.area)}; "
            f"longest path with it {adapter.critical_path_with_core} {unit}"
            if adapter
            else None,
        ),
        ("cycles", _cycles(spec, result.cycles)),
        (
            "critical path",
            f"{path.value:g} {path.unit}: {path.start} -> {path.end}" if path else None,
        ),
        ("", _stages(path) if path else None),
        ("latency", _time(result.latency)),
        ("time per product", _time(result.per_product)),
        ("area x time", _time(result.area_time)),
        ("delays", result.library.delay_model),
    )
    return group(listing, *_modes(result.by_mode))


def _amount(area: Figure) -> str:
    return f"{area.value:,.2f} {area.unit}"


def _stages(path: CellPath) -> str:
    setup = f" setup {path.setup:g}" if path.setup else ""
    return " ".join(f"{stage.cell} {stage.delay:g}" for stage in path.stages) + setup


def _chip(spec: Spec, result: ImplementResult) -> RenderableType:
    clock, path, estimated = result.fmax_mhz, result.critical_path, result.estimated_mhz
    least = result.slices
    why = "not asked for" if spec.design.chip.router else _NO_ROUTER
    listing = facts(
        f"{spec.design.title} on {result.device or result.target}",
        (
            "area, core alone" if "core" in spec.design.interfaces else "area",
            f"{result.lut} LUT, {result.ff} FF, {result.dsp} DSP, "
            f"{result.ram_blocks} block RAM ({result.ram_bits} bits)",
        ),
        (
            "slices",
            f"at least {least.at_least} of {least.of} ({least.percent} %): "
            "LUTs or FFs, whichever are more, two in each; not placed"
            if least
            else None,
        ),
        ("adapter, besides", _adapter(result.adapter) if result.adapter else None),
        ("cycles", _cycles(spec, result.cycles)),
        *(_clock(clock) if clock else [("clock", f"nothing routed: {why}")]),
        ("critical path", f"{path.start} -> {path.end}" if path else None),
        ("LUT levels", _levels(result.levels) if result.levels else None),
        *(_estimate(result.estimate) if result.estimate else []),
        *(
            [
                ("estimated clock", f"{estimated.words}, limited by {estimated.limited_by}"),
                ("", estimated.source),
            ]
            if estimated
            else []
        ),
    )
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
        *_tried(result), listing, *speeds, *_modes(result.by_mode, at), *_published(spec, result)
    )


def _adapter(extra: Adapter) -> str:
    mhz = extra.mhz_with_core
    both = "" if mhz is None else f"; routed clock with the core {mhz:.6g} MHz"
    return f"{extra.lut} LUT, {extra.ff} FF, {extra.ram_bits} bits{both}"


def _tried(result: ImplementResult) -> list[RenderableType]:
    if not result.tried:
        return []
    title = f"Partitions tried on {result.device}"
    listing = table(title, "partitions", "LUT", "of the device", "")
    for attempt in result.tried:
        verdict = "fits" if attempt.fits else "too large"
        listing.add_row(str(attempt.partitions), str(attempt.lut), f"{attempt.share:.1%}", verdict)
    return [listing, ""]


def _clock(clock: Clock) -> list[tuple[str, str]]:
    seeds = ", ".join(f"{seed.mhz:.6g}" for seed in clock.seeds)
    routed = f"median {clock.median:.6g} MHz, best {clock.best:.6g} ({seeds})"
    return [
        ("routed clock", routed),
        ("usable clock", f"{clock.words}, limited by {clock.limited_by}"),
    ]


def _levels(path: PathLevels) -> str:
    plural = "s" if path.carry_chains > 1 else ""
    chains = f", {path.carry_bits} bits of {path.carry_chains} carry chain{plural} on the way"
    muxes = f", {path.wide_muxes} wide multiplexers"
    return (
        f"{path.lut_levels}{chains if path.carry_chains else ''}"
        f"{muxes if path.wide_muxes else ''}: {path.start} -> {path.end}"
    )


def _estimate(delay: Estimate) -> list[tuple[str, str]]:
    doubt = "" if delay.verified else "; not all verified"
    return [
        (
            f"delay ({delay.label})",
            f"{delay.delay_ns} ns: cells {delay.cells_ns} ns, "
            f"{delay.nets} nets of {delay.net_delay_ns} ns each (assumed)",
        ),
        ("its path", f"LUT levels {_levels(delay.path)}"),
        (
            "its delays",
            f"{delay.source}, speed grade {delay.speed_grade}{doubt}; nets: {delay.net_source}",
        ),
    ]


def _modes(by_mode: tuple[ModeTimes, ...], at: str = "") -> list[RenderableType]:
    """Return a table with the cycles of every mode, and with times if there is a clock.  at: the
    clock of the times, in words."""
    if not by_mode:
        return []
    when = f"; times {at}" if at else ""
    title = f"\nBy mode (operation, field, words in use){when}"
    times = ("latency", "per product") if by_mode[0].latency_time is not None else ()
    listing = table(title, "mode", "latency", "interval", "per product", *times)
    for mode in by_mode:
        counts = map(cycle_words, (mode.latency, mode.interval, mode.per_product))
        known = (mode.latency_time, mode.per_product_time)
        listing.add_row(mode.mode, *counts, *(_time(time) for time in known if time))
    return [listing]


def _time(figure: Figure | None) -> str | None:
    return time_words(figure.value, figure.unit) if figure else None


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
    eight = f", {cycle_words(cycles.eight)} for eight" if _overlaps(spec) else ""
    return (
        f"latency {cycle_words(cycles.latency)}, interval {cycle_words(cycles.interval)}, "
        f"{cycle_words(cycles.per_product)} per {one}{eight}{means}"
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


def _published(spec: Spec, result: ImplementResult) -> list[RenderableType]:
    """Return a table of this design beside those that the papers of its architecture printed for
    the same width, and notes; our times are at the usable clock.  Empty if the papers print
    none."""
    printed = published_designs(spec.multiplier) if isinstance(spec.design, Multiplier) else []
    if not printed:
        return []
    columns = ("source", "design", "chip", "LUT", "FF", "DSP", "f_max MHz", "routed MHz")
    listing = table("\nBeside the published", *columns, "latency", "eight products")
    for parts, own in ours(spec, result).items():
        clock, times = own.fmax_mhz, own.usable
        usable = clock.words.replace(" MHz", "") if clock else "-"
        eight = f"{times.eight_ns:.1f} ns" if times else "-"
        routed, latency = _mhz(clock.median if clock else None), cycle_words(own.cycles.latency)
        cells = (own.lut, own.ff, own.dsp, usable, routed, latency, eight)
        title, chip = f"{spec.multiplier.title}, {parts}", result.device or result.target
        listing.add_row("here", title, chip, *map(str, cells))
    for row in printed:
        figures = (
            row.lut,
            row.ff,
            row.dsp,
            "-",
            _mhz(row.mhz),
            row.latency,
            f"{row.eight_ns:g} ns",
        )
        listing.add_row(row.source, row.design, row.chip, *map(str, figures))
    notes = [_WITH] if result.adapter else []
    if clock := result.fmax_mhz:
        notes.append(f"Here: times at the usable clock, the core's limited by {clock.limited_by}.")
    return [listing, *map(Text, [*notes, _PRINTED])]


def _mhz(mhz: float | None) -> str:
    return "-" if mhz is None else f"{mhz:.6g}"
