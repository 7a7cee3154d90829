"""Finds every design, multiplier or processor, by its name."""

from __future__ import annotations

from modmul import multipliers, processors
from modmul.design import Design
from modmul.registry import Registry

NAMES = (*multipliers.NAMES, *processors.NAMES)


def _found(name: str) -> type[Design]:
    if name in multipliers.REGISTRY:
        return multipliers.REGISTRY[name]
    return processors.REGISTRY[name]


REGISTRY: Registry[type[Design]] = Registry(NAMES, _found)


def find(name: str) -> type[Design]:
    """The design of that name; raise SpecError if there is none."""
    return REGISTRY.find("architecture", name)
