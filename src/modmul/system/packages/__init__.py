"""A delivery as packages of other tools: one file each, made from what the JSON says too."""

from __future__ import annotations

from collections.abc import Callable

from modmul.registry import Registry
from modmul.system.packages.delivered import Delivered

NAMES = ("fusesoc", "ipxact", "vivado", "quartus", "litex", "amaranth")

# A packager returns the texts of a package by file name.
Packager = Callable[[Delivered], dict[str, str]]
WHAT = {
    "fusesoc": "FuseSoC core",
    "ipxact": "IP-XACT component (IEEE 1685-2014)",
    "vivado": "script that packages an IP core, for Vivado",
    "quartus": "component for Platform Designer (Quartus)",
    "litex": "LiteX module",
    "amaranth": "Amaranth component",
}


def _imported(name: str) -> Packager:
    match name:
        case "fusesoc":
            from modmul.system.packages.fusesoc import package
        case "ipxact":
            from modmul.system.packages.ipxact import package
        case "vivado":
            from modmul.system.packages.vivado import package
        case "quartus":
            from modmul.system.packages.quartus import package
        case "litex":
            from modmul.system.packages.litex import package
        case _:
            from modmul.system.packages.amaranth import package
    return package


REGISTRY: Registry[Packager] = Registry(NAMES, _imported)
