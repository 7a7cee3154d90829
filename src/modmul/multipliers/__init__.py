"""The multipliers: one file (or folder) an architecture, one registry line each."""

from modmul.errors import SpecError
from modmul.multipliers.contract import Constant, Cycles, Mode, Multiplier
from modmul.multipliers.fpmm import Fpmm
from modmul.multipliers.interleaved import Interleaved
from modmul.multipliers.radix2.scs_mm_1 import ScsMm1

REGISTRY: dict[str, type[Multiplier]] = {
    architecture.name: architecture for architecture in (Fpmm, Interleaved, ScsMm1)
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
