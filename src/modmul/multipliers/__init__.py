"""The multipliers: one file (or folder) an architecture, one registry line each."""

from modmul.errors import SpecError, quoted
from modmul.multipliers.contract import Constant, Cycles, Mode, Multiplier
from modmul.multipliers.fips import Fips
from modmul.multipliers.fpmm import Fpmm
from modmul.multipliers.interleaved import Interleaved
from modmul.multipliers.products import PRODUCTS
from modmul.multipliers.radix2.fcs_mm_1 import FcsMm1
from modmul.multipliers.radix2.fcs_mm_2 import FcsMm2
from modmul.multipliers.radix2.fcs_mmm42 import FcsMmm42
from modmul.multipliers.radix2.interleaved_redundant import InterleavedRedundant
from modmul.multipliers.radix2.montgomery_1csa import Montgomery1Csa
from modmul.multipliers.radix2.montgomery_2csa import Montgomery2Csa
from modmul.multipliers.radix2.montgomery_lookahead import MontgomeryLookahead
from modmul.multipliers.radix2.montgomery_radix2 import MontgomeryRadix2
from modmul.multipliers.radix2.mscs_mm import MscsMm
from modmul.multipliers.radix2.scs_mm_1 import ScsMm1
from modmul.multipliers.radix2.scs_mm_2 import ScsMm2
from modmul.multipliers.radix2.scs_mm_new import ScsMmNew
from modmul.multipliers.three_pass import ThreePass

_ARCHITECTURES: tuple[type[Multiplier], ...] = (
    Fpmm,
    Fips,
    Interleaved,
    InterleavedRedundant,
    MontgomeryRadix2,
    Montgomery2Csa,
    Montgomery1Csa,
    ScsMm1,
    ScsMm2,
    MscsMm,
    ScsMmNew,
    FcsMm1,
    FcsMm2,
    FcsMmm42,
    MontgomeryLookahead,
    ThreePass,
    *PRODUCTS.values(),
)
REGISTRY = {architecture.name: architecture for architecture in _ARCHITECTURES}
NAMES = tuple(REGISTRY)


def find(name: str) -> type[Multiplier]:
    """The architecture of that name; SpecError if there is none."""
    if not isinstance(name, str) or name not in REGISTRY:
        allowed = ", ".join(NAMES)
        message = f"architecture = {quoted(name)}: must be one of {allowed}"
        raise SpecError("architecture", name, allowed, message)
    return REGISTRY[name]


__all__ = ["NAMES", "REGISTRY", "Constant", "Cycles", "Mode", "Multiplier", "find"]
