"""Finding a chip of a family by name, and the chips that are large enough."""

from __future__ import annotations

import re

from modmul.arithmetic.words import ceil_div
from modmul.errors import SpecError, refusal
from modmul.targets.description import CellArea, Device, Limit, Target


def find_device(target: Target, name: str | None = None) -> Device | None:
    """The chip of that name: a whole part number, or the beginning of one ("LFE5U-25F",
    "LFE5U-25F-6"), which means the first that fits: fastest grade, largest package.

    name None: the first chip of the family, None if it has none.  Letters may be small; a hyphen
    behind the speed grade (XC2VP50-7-ff1517) and a temperature grade (C, I) at the end of a part
    number are ignored.  Raises SpecError if there is no such chip."""
    if name is None:
        return target.devices[0] if target.devices else None
    chip = re.sub(r"(-\d+)-", r"\1", re.sub(r"(?<=\d)[CI]$", "", name.upper()))
    for device in target.devices:
        if chip.startswith(_chip(device)) and device.name.startswith(chip):
            return device
    allowed = _allowed(target)
    raise refusal("device", name, allowed)


def check_size(target: Target, device: Device, area: CellArea) -> None:
    """Raise SpecError, which names the chips that are large enough, if `device` is too small."""
    if not (short := _short(device, area)):
        return
    enough = dict.fromkeys(_chip(larger) for larger in target.devices if not _short(larger, area))
    allowed = ", ".join(enough) or f"no {target.name} is large enough"
    raise SpecError(
        "device",
        device.name,
        allowed,
        f"device = {device.name}: too small, the design needs {'; '.join(short)}; "
        f"large enough: {allowed}",
    )


def limits(target: Target, device: Device | None, cells: set[str]) -> list[Limit]:
    """The clock limits of the hard blocks in `cells` and of the clock net, lowest first.

    A limit of the device's own speed grade replaces that of the fastest grade."""
    speed = device.speed if device else None
    slowest: dict[str, Limit] = {}
    for limit in target.limits:
        if limit.block not in cells | {"clock"} or limit.speed not in (None, speed):
            continue
        if limit.block not in slowest or limit.speed is not None:
            slowest[limit.block] = limit
    return sorted(slowest.values(), key=lambda limit: limit.mhz)


def slices_at_least(device: Device | None, lut: int, ff: int) -> int | None:
    """The fewest slices that hold so many LUTs and flip-flops, if all slices are full of
    LUTs or of flip-flops; a vendor's packer takes more.  None without a device, or if its slices
    are not recorded."""
    if device is None or device.slices is None or device.ffs is None:
        return None
    slices = device.slices
    return max(ceil_div(lut * slices, device.luts), ceil_div(ff * slices, device.ffs))


def _short(device: Device, area: CellArea) -> list[str]:
    """What the device has too little of, as texts."""
    pairs = (
        ("LUTs", area.lut, device.luts),
        ("flip-flops", area.ff, area.ff if device.ffs is None else device.ffs),
        ("DSP blocks", area.dsp, device.dsps),
        ("RAM blocks", area.ram_blocks, device.ram_blocks),
    )
    return [f"{needed} {kind} of {most}" for kind, needed, most in pairs if needed > most]


def _chip(device: Device) -> str:
    """The name of the chip without package and speed."""
    return device.name.rpartition("-")[0]


def _allowed(target: Target) -> str:
    if not target.devices:
        return f"absent: {target.name} names no chips"
    chips = dict.fromkeys(_chip(device) for device in target.devices)
    example = target.devices[0].name
    return f"one of {', '.join(chips)} (a part number such as {example} chooses more)"
