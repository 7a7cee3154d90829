"""Processors built on the multipliers of the registry: one folder each, one registry line each."""

from modmul.errors import SpecError
from modmul.processors.contract import Beat, Beats, Processor, Stream
from modmul.processors.exponentiation import Exponentiation

_PROCESSORS: tuple[type[Processor], ...] = (Exponentiation,)
REGISTRY = {processor.name: processor for processor in _PROCESSORS}
NAMES = tuple(REGISTRY)


def find(name: str) -> type[Processor]:
    """The processor of that name; SpecError if there is none."""
    if name not in REGISTRY:
        allowed = ", ".join(NAMES)
        raise SpecError(
            "processor", name, allowed, f"processor = {name!r}: must be one of {allowed}"
        )
    return REGISTRY[name]


__all__ = [
    "NAMES",
    "REGISTRY",
    "Beat",
    "Beats",
    "Exponentiation",
    "Processor",
    "Stream",
    "find",
]
