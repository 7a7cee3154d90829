"""Finds every design, multiplier or processor, by its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from modmul import multipliers, processors
from modmul.design import Design
from modmul.registry import Registry

NAMES = (*multipliers.NAMES, *processors.NAMES)


def _found(name: str) -> type[Design]:
    if name in multipliers.REGISTRY:
        return multipliers.REGISTRY[name]
    return processors.REGISTRY[name]


REGISTRY: Registry[type[Design]] = Registry(NAMES, _found)


def of_options(options: Mapping[str, Any]) -> tuple[type[Design], ...]:
    """Return the classes of the designs that the complete options of a spec describe: the
    architecture itself, and the multiplier that it is built on."""
    design = find(options["architecture"])
    name = options.get("multiplier")
    return (design,) if name is None else (design, multipliers.find(name))


def find(name: str) -> type[Design]:
    """Return the design of that name; raise SpecError if there is none."""
    return REGISTRY.find("architecture", name)
