"""Other names of targets: those of product families, and words that are used in their place."""

from __future__ import annotations

import re
from collections.abc import Mapping

from modmul.errors import SpecError, quoted
from modmul.targets.description import Target
from modmul.targets.devices import find_device

# Names of families that mean one target only, by target; case, spaces, - and _ do not matter.
ALIASES = {
    "xc7": ("artix7", "kintex7", "virtex7", "spartan7", "zynq7", "zynq7000", "7series"),
    "xc6s": ("spartan6",),
    "xc5v": ("virtex5",),
    "xc4v": ("virtex4",),
    "xcup": (
        "ultrascale+",
        "ultrascaleplus",
        "zynqultrascale+",
        "kintexultrascale+",
        "virtexultrascale+",
        "artixultrascale+",
    ),
    "xcve": ("virtexe",),
    "xc2vp": ("virtex2pro", "virtexiipro"),
}
# Names that mean several targets, or none: the targets that may be meant, and why.
_NEAR = {
    "lattice": (("ecp5",), "Lattice makes other families, too"),
    "xilinx": (("xc7", "xcup", "xc6s", "xc5v", "xc4v"), "it makes many families"),
    "amd": (("xc7", "xcup"), "it makes many families"),
    "virtex": (("xc7", "xc5v", "xc4v", "xcve", "xc2vp"), "each generation is another one"),
    "spartan": (("xc7", "xc6s"), "each generation is another one"),
    "zynq": (("xc7", "xcup"), "Zynq-7000, or Zynq UltraScale+"),
    "ultrascale": (("xcup",), "it is UltraScale+; UltraScale itself has no target"),
}
_ECP5 = re.compile(r"(?:ecp5)?(12|25|45|85)[kf]?")


def canonical(name: str, registry: Mapping[str, Target]) -> str:
    """The name of the target that is meant; a name without a meaning is returned as it is.

    Raises SpecError, which names the right option, for a chip and for a name of several targets."""
    if name in registry:
        return name
    plain = re.sub(r"[-_ ]", "", name.lower())
    if plain in registry:
        return plain
    for target, others in ALIASES.items():
        if plain in others:
            return target
    _refuse_near(name, plain)
    _refuse_chip(name, plain, registry)
    return name


def _refuse_near(name: str, plain: str) -> None:
    """Raise SpecError for the name of a maker or of several families."""
    if plain in _NEAR:
        meant, why = _NEAR[plain]
        allowed = " or ".join(meant)
        message = f"target = {quoted(name)}: must be the name of a family, {allowed} ({why})"
        raise SpecError("target", name, allowed, message)


def _refuse_chip(name: str, plain: str, registry: Mapping[str, Target]) -> None:
    """Raise SpecError, which names the target, for the name of a chip."""
    sold = _ECP5.fullmatch(plain)
    chip = f"LFE5U-{sold[1]}F" if sold else name
    for target in registry.values():
        try:
            device = find_device(target, chip)
        except SpecError:
            continue
        if device is not None:
            allowed = f"{target.name}, with the device {chip.upper()}"
            message = f"target = {quoted(name)}: is a chip: must be {allowed}"
            raise SpecError("target", name, allowed, message)
