"""Chip families: one file each, one registry line each."""

from modmul.errors import SpecError, quoted
from modmul.targets import cells, ecp5, generic, names, xc2vp, xc4v, xc5v, xc6s, xc7, xcup, xcve
from modmul.targets.description import (
    UNVERIFIED,
    CellArea,
    Device,
    DspBlock,
    Limit,
    Target,
    clock_words,
)
from modmul.targets.devices import check_size, find_device, limits, slices_at_least

_ALL = (
    generic.TARGET,
    ecp5.TARGET,
    xc7.TARGET,
    xc4v.TARGET,
    xc5v.TARGET,
    xc6s.TARGET,
    xcup.TARGET,
    xcve.TARGET,
    xc2vp.TARGET,
    cells.TARGET,
)
REGISTRY = {target.name: target for target in _ALL}
NAMES = tuple(REGISTRY)


def find(name: str) -> Target:
    """The target of that name; SpecError if there is none."""
    if not isinstance(name, str) or name not in REGISTRY:
        allowed = ", ".join(NAMES)
        message = f"target = {quoted(name)}: must be one of {allowed}"
        raise SpecError("target", name, allowed, message)
    return REGISTRY[name]


def canonical(name: str) -> str:
    """The name of the target that is meant, such as xc7 for artix7, `names.ALIASES`; what means
    none comes back as it is.

    SpecError, with the right option, for a chip, and for what could mean several targets."""
    return names.canonical(name, REGISTRY)


__all__ = [
    "NAMES",
    "REGISTRY",
    "UNVERIFIED",
    "CellArea",
    "Device",
    "DspBlock",
    "Limit",
    "Target",
    "canonical",
    "check_size",
    "clock_words",
    "find",
    "find_device",
    "limits",
    "slices_at_least",
]
