"""The multipliers. An architecture is one file (or folder) and one line of the registry.

An architecture is imported when it is first used, so that nobody waits for the import of all."""

from __future__ import annotations

from modmul.multipliers.contract import Constant, Multiplier
from modmul.registry import Registry, of_modules

# For each name, the module below this package and the class, in the order of listings.
_PLACES = {
    "fpmm": ("fpmm", "Fpmm"),
    "fpmm-fixed": ("fpmm.fixed", "FpmmFixed"),
    "fips": ("fips", "Fips"),
    "interleaved": ("interleaved", "Interleaved"),
    "interleaved-redundant": ("radix2.interleaved_redundant", "InterleavedRedundant"),
    "montgomery-radix2": ("radix2.montgomery_radix2", "MontgomeryRadix2"),
    "montgomery-2csa": ("radix2.montgomery_2csa", "Montgomery2Csa"),
    "montgomery-1csa": ("radix2.montgomery_1csa", "Montgomery1Csa"),
    "scs-mm-1": ("radix2.scs_mm_1", "ScsMm1"),
    "scs-mm-2": ("radix2.scs_mm_2", "ScsMm2"),
    "mscs-mm": ("radix2.mscs_mm", "MscsMm"),
    "scs-mm-new": ("radix2.scs_mm_new", "ScsMmNew"),
    "fcs-mm-1": ("radix2.fcs_mm_1", "FcsMm1"),
    "fcs-mm-2": ("radix2.fcs_mm_2", "FcsMm2"),
    "fcs-mmm42": ("radix2.fcs_mmm42", "FcsMmm42"),
    "montgomery-lookahead": ("radix2.montgomery_lookahead", "MontgomeryLookahead"),
    "three-pass": ("three_pass", "ThreePass"),
    "cios": ("cios", "Cios"),
    "fios": ("fios", "Fios"),
    "fios-array": ("fios_array", "FiosArray"),
    "orup": ("orup", "Orup"),
    "iddmm": ("iddmm", "Iddmm"),
    "systolic-cios": ("systolic_cios", "SystolicCios"),
    "pseudo-mersenne": ("pseudo_mersenne", "PseudoMersenne"),
    "gf2m-serial": ("gf2m_serial", "Gf2mSerial"),
    "array-iterative": ("products.array_iterative", "ArrayIterative"),
    "array-5counter": ("products.array_5counter", "Array5Counter"),
    "array-booth": ("products.array_booth", "ArrayBooth"),
    "array-mux": ("products.array_mux", "ArrayMux"),
    "array-mux4": ("products.array_mux4", "ArrayMux4"),
    "tree-dadda": ("products.tree_dadda", "TreeDadda"),
    "inferred": ("products.inferred", "Inferred"),
}
NAMES = tuple(_PLACES)
REGISTRY: Registry[type[Multiplier]] = of_modules(__name__, _PLACES)


def find(name: str) -> type[Multiplier]:
    """Raises SpecError if there is no architecture of that name."""
    return REGISTRY.find("architecture", name)


__all__ = ["NAMES", "REGISTRY", "Constant", "Multiplier", "find"]
