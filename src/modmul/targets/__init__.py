"""Chip families and libraries of standard cells, for which designs are made: each is one file and
one line of the registry.

A family is imported when it is first used: its hard blocks are Amaranth components."""

from __future__ import annotations

from modmul.registry import Registry, of_modules
from modmul.targets import names
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

NAMES = ("generic", "ecp5", "xc7", "xc4v", "xc5v", "xc6s", "xcup", "xcve", "xc2vp", "cells")


REGISTRY: Registry[Target] = of_modules(__name__, {name: (name, "TARGET") for name in NAMES})


def find(name: str) -> Target:
    """Raises SpecError if there is none."""
    return REGISTRY.find("target", name)


def canonical(name: str) -> str:
    """The name of the target that is meant, such as xc7 for artix7 (`names.ALIASES`); a name
    that means no target is returned as it is.

    Raises SpecError, which names the right option, for a chip and for a name of several targets."""
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
