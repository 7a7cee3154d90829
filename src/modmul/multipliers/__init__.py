"""The multipliers: one file (or folder) an architecture, one registry line each."""

from modmul.errors import SpecError
from modmul.multipliers.contract import Constant, Cycles, Mode, Multiplier
from modmul.multipliers.fpmm import Fpmm
from modmul.multipliers.interleaved import Interleaved

REGISTRY: dict[str, type[Multiplier]] = {
    architecture.name: architecture for architecture in (Fpmm, Interleaved)
}
NAMES = tuple(REGISTRY)


def find(name: str) -> type[Multiplier]:
    """The architecture of that name; SpecError if there is none."""
    if name not in REGISTRY:
        allowed = ", ".join(NAMES)
        raise SpecError(
            "architecture", name, allowed, f"architecture = {name!r}: must be one of {allowed}"
        )
    return REGISTRY[name]


__all__ = ["NAMES", "REGISTRY", "Constant", "Cycles", "Mode", "Multiplier", "find"]
