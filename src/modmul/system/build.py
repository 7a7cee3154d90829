"""`build` with a bus, and with packages of other tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from modmul.errors import SpecError, quoted, refusal
from modmul.export import build as export
from modmul.export.addition import Addition
from modmul.export.build import BuildResult
from modmul.export.contents import Contents, name_of
from modmul.export.layout import LANGUAGES
from modmul.export.pins import KINDS, LEVELS, Pins
from modmul.spec import Spec
from modmul.system import buses, on_bus
from modmul.system import packages as kinds
from modmul.system.on_bus import Stands
from modmul.system.packages.texts import Delivered, package
from modmul.system.packets import longest
from modmul.system.register_map import register_map
from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import Report, silent


def build(
    spec: Spec,
    directory: Path | None = None,
    *,
    bus: str | None = None,
    banks: int = 0,
    data_bits: int = 32,
    packages: Sequence[str] = (),
    reset: str | None = None,
    reset_active: str | None = None,
    clock_enable: bool = False,
    no_initial_values: bool = False,
    language: str | None = None,
    simulate: bool = True,
    measure: Callable[[], Mapping[str, Any]] | None = None,
    cache: Cache | None = None,
    progress: Report = silent,
) -> BuildResult:
    """Build a design as `export.build.build` does, put it on a bus, and package it for other tools.

    bus: a name of `buses.NAMES`.  The module on the bus is the top module, in the file of the
    design.  If the bus has registers, their description in SystemRDL and a driver in C are
    delivered, too.  banks: how many operands or results a multiplier behind registers keeps, 0 to
    `MOST_BANKS`.  data_bits: of a bus with registers, 32, or 64 on AXI4-Lite.  packages: names of
    `packages.NAMES`.  reset, reset_active, clock_enable: see `pins_of`.  no_initial_values:
    registers and RAM have no values at power-up, as always on a target that has none.  language:
    of the files, one of `layout.LANGUAGES`; None for Verilog."""
    pins = pins_of(bus, reset, reset_active, clock_enable)
    language = language or LANGUAGES[0]
    check_delivery(spec, bus, banks, packages, pins)
    check_language(spec, language, bus, packages, pins)
    shell = buses.shell_of(bus, data_bits)
    without = no_initial_values and spec.design.chip.initial_values
    cache = cache or Cache()
    return export.build(
        spec,
        directory,
        name=name_of(spec, shell, banks, without, pins),
        bus=bus,
        without_initial_values=without,
        pins=pins,
        language=language,
        simulate=simulate,
        measure=measure,
        add=partial(
            addition,
            bus=bus,
            banks=banks,
            data_bits=data_bits,
            packages=packages,
            no_initial_values=no_initial_values,
            cache=cache,
        ),
        cache=cache,
        progress=progress,
    )


def addition(
    contents: Contents,
    *,
    bus: str | None,
    banks: int,
    data_bits: int,
    packages: Sequence[str],
    no_initial_values: bool,
    cache: Cache,
) -> Addition:
    """The addition to the contents of a design that puts it on a bus and packages it."""
    shell = buses.shell_of(bus, data_bits)
    if shell is None:
        stands = on_bus.alone(contents)
    elif shell == buses.STREAMED:
        stands = on_bus.streamed(contents)
    else:
        stands = on_bus.registered(contents, shell, banks, cache)
    options = {
        "bus": bus,
        "banks": banks,
        "data-bits": data_bits if data_bits != 32 else None,
        "package": ",".join(dict.fromkeys(packages)),
        "language": contents.language if contents.language != LANGUAGES[0] else None,
        **contents.pins.options,
        "no-initial-values": no_initial_values,
    }
    asked = {key: value for key, value in options.items() if value}
    return replace(_packaged(contents, bus, stands, packages), options=asked)


def _packaged(
    contents: Contents, bus: str | None, stands: Stands, packages: Sequence[str]
) -> Addition:
    """The addition together with the files of the packages, which the description lists."""
    if not packages:
        return stands.addition
    delivered = Delivered(
        contents.spec.design,
        contents.spec.title,
        contents.name,
        stands.top,
        stands.ports,
        bus,
        stands.regs,
        tuple(contents.places.synthesised),
        stands.simulated,
        stands.bench,
    )
    texts_of = {each: package(each, delivered) for each in dict.fromkeys(packages)}
    files, what = dict(stands.addition.files), dict(stands.addition.what)
    for each, texts in texts_of.items():
        files |= texts
        what |= dict.fromkeys(texts, kinds.WHAT[each])
    listed = {each: list(texts) for each, texts in texts_of.items()}
    described = {**stands.addition.described, "packages": listed}
    return replace(stands.addition, files=files, what=what, described=described)


def pins_of(
    bus: str | None,
    reset: str | None = None,
    reset_active: str | None = None,
    clock_enable: bool = False,
) -> Pins:
    """Clock and reset of the outermost module.  reset: sync or async; None for sync.
    reset_active: its level, high or low; None for that of the bus, or high.  clock_enable: it also
    has a clock enable.  Raises SpecError for what the bus does not allow."""
    if reset not in (None, *KINDS):
        raise refusal("reset", reset, f"one of {', '.join(KINDS)}")
    if reset_active not in (None, *LEVELS):
        raise refusal("reset-active", reset_active, f"one of {', '.join(LEVELS)}")
    if bus in buses.ACTIVE_LOW:
        if reset_active == "high":
            why = f"the standard of {bus} has a reset that is active low"
            raise refusal("reset-active", reset_active, "low", why)
        reset_active = None
    return Pins(reset_active == "low", reset == "async", clock_enable)


def check_language(
    spec: Spec, language: str, bus: str | None, packages: Sequence[str], pins: Pins
) -> None:
    """Raise SpecError for an unknown language, or for VHDL where there is none."""
    if language not in LANGUAGES:
        raise refusal("language", language, f"one of {', '.join(LANGUAGES)}")
    if language == LANGUAGES[0]:
        return
    without = {
        "on a bus": bus,
        "in packages of other tools": packages,
        "with an asynchronous reset": pins.asynchronous,
        "for standard cells": spec.design.chip.takes_library,
    }
    for where, asked in without.items():
        if asked:
            raise refusal("language", language, LANGUAGES[0], f"there is no VHDL {where}")


def check_bus(spec: Spec, bus: str | None, banks: int) -> None:
    """Raise SpecError for an unknown bus, an impossible number of banks, or a combination that does
    not work."""
    if bus is not None and bus not in buses.NAMES:
        raise buses.refused(bus)
    if bus is not None and spec.interface != "stream":
        why = "a bus waits, and the bare core cannot"
        message = f"interface = {spec.interface}: must be stream with a bus: {why}"
        raise SpecError("interface", spec.interface, "stream", message)
    if banks and bus not in buses.REGISTERED:
        allowed = f"0, or with the bus {', '.join(buses.REGISTERED)}"
        raise SpecError("banks", banks, allowed, f"banks = {banks}: must be {allowed}")
    if banks:
        register_map(spec.design, longest(spec), banks)


def check_delivery(
    spec: Spec, bus: str | None, banks: int, packages: Sequence[str], pins: Pins
) -> None:
    """Raise SpecError as `check_bus` does, for an unknown package, one that does not go with this
    bus, or options of clock and reset that do not go with the interface."""
    check_bus(spec, bus, banks)
    if (pins.reset_low or pins.asynchronous) and spec.interface != "stream":
        why, key = "the bare core has the usual reset", next(iter(pins.options))
        message = f"interface = {spec.interface}: must be stream with {key}: {why}"
        raise SpecError("interface", spec.interface, "stream", message)
    for each in packages:
        if each not in kinds.NAMES:
            allowed = f"one or several of {', '.join(kinds.NAMES)}, with commas between"
            message = f"package = {quoted(each)}: must be {allowed}"
            raise SpecError("package", each, allowed, message)
    if "litex" in packages and (bus not in kinds.LITEX_BUSES or spec.interface != "stream"):
        allowed = (
            f"with the bus {', '.join(name for name in kinds.LITEX_BUSES if name)}, or streams"
        )
        shown = bus or spec.interface
        message = f"package = litex: must be {allowed}; LiteX has no interface of {shown}"
        raise SpecError("package", "litex", allowed, message)
    if "litex" in packages and bus == "native" and pins.clock_enable:
        why = "the CSRs of LiteX in front of the native port have no clock enable"
        raise refusal("clock-enable", True, "absent with litex on the native port", why)
