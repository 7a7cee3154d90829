"""Processors built on the multipliers of the registry: one folder each, one line each here.

One is imported when it is first asked for."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from modmul.errors import SpecError
from modmul.processors.contract import Load, Processor
from modmul.registry import Registry

# By name, the module below this package and the class.
_PLACES = {
    "exponentiation": ("exponentiation", "Exponentiation"),
    "curve": ("curve", "PrimeCurve"),
    "binary-curve": ("binary_curve", "BinaryCurve"),
    "kummer": ("kummer", "Kummer"),
    "rsa": ("rsa", "Rsa"),
}
NAMES = tuple(_PLACES)


def _imported(name: str) -> type[Processor]:
    module, of_class = _PLACES[name]
    processor: type[Processor] = getattr(importlib.import_module(f"{__name__}.{module}"), of_class)
    return processor


REGISTRY: Mapping[str, type[Processor]] = Registry(NAMES, _imported)


def find(name: str) -> type[Processor]:
    """The processor of that name; SpecError if there is none."""
    if name not in NAMES:
        allowed = ", ".join(NAMES)
        raise SpecError(
            "processor", name, allowed, f"processor = {name!r}: must be one of {allowed}"
        )
    return REGISTRY[name]


__all__ = ["NAMES", "REGISTRY", "Load", "Processor", "find"]
