"""Product families that are a part of a target, and the chip that is meant by each.

Only specifications read it: which chip is meant changes no netlist."""

from __future__ import annotations

import re

from modmul.targets import names

# For each product family a chip of common boards.  A target's default may be of another family.
CHIPS = {
    "artix7": "XC7A100T",
    "kintex7": "XC7K325T",
    "virtex7": "XC7VX690T",
    "spartan7": "XC7S50",
    "zynq7": "XC7Z020",
    "zynq7000": "XC7Z020",
    "zynqultrascale+": "XCZU3EG",
    "kintexultrascale+": "XCKU5P",
    "virtexultrascale+": "XCVU9P",
}


def chip_of(name: str) -> str | None:
    """The chip that is taken for a product family, such as XC7A100T for Artix-7; None if the
    name means only a target."""
    return CHIPS.get(re.sub(r"[-_ ]", "", name.lower()))


def families(target: str) -> dict[str, str | None]:
    """The product families that mean a target, each with the chip that is taken for it;
    None: the default of the target."""
    return {family: CHIPS.get(family) for family in names.ALIASES.get(target, ())}
