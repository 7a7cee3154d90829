"""Processors: circuits around a multiplier of the registry that compute a whole cryptographic
operation, such as a power or a signature.  Each is one folder and one line of the registry.

A processor is imported when it is first used."""

from __future__ import annotations

from modmul.processors.contract import Load, Processor
from modmul.registry import Registry, of_modules

# The module below this package, and the class, by the name of the processor.
_PLACES = {
    "exponentiation": ("exponentiation", "Exponentiation"),
    "curve": ("curve", "PrimeCurve"),
    "binary-curve": ("binary_curve", "BinaryCurve"),
    "kummer": ("kummer", "Kummer"),
    "rsa": ("rsa", "Rsa"),
}
NAMES = tuple(_PLACES)
REGISTRY: Registry[type[Processor]] = of_modules(__name__, _PLACES)


def find(name: str) -> type[Processor]:
    """Raises SpecError if there is no processor of that name."""
    return REGISTRY.find("processor", name)


__all__ = ["NAMES", "REGISTRY", "Load", "Processor", "find"]
