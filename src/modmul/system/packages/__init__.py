"""A delivery as packages of other tools: one file each, made from what the JSON says too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from modmul.design import Design
from modmul.export.ports import Port
from modmul.registry import Registry
from modmul.system.registers import RegisterMap

NAMES = ("fusesoc", "ipxact", "vivado", "quartus", "litex", "amaranth")


@dataclass(frozen=True)
class Delivered:
    """What is packaged.  name: of the delivery.  top: the outermost module, with `ports`, the first
    two of which are clock and reset.  bus: its name, None: the design's own streams.  told: the
    registers, None where there are none.  synthesised, simulated: files in order, the latter with
    models and the testbench, whose modules begin with `bench`."""

    design: Design
    name: str
    top: str
    ports: tuple[Port, ...]
    bus: str | None
    told: RegisterMap | None
    synthesised: tuple[str, ...]
    simulated: tuple[str, ...]
    bench: str

    @property
    def version(self) -> str:
        """Of the package, as most tools want it."""
        return "1.0"

    @property
    def clock(self) -> str:
        return self.ports[0].name

    @property
    def reset(self) -> str:
        return self.ports[1].name

    @property
    def reset_low(self) -> bool:
        return "active low" in self.ports[1].meaning

    @property
    def pins(self) -> tuple[Port, ...]:
        """Without clock and reset."""
        return self.ports[2:]

    def channels(self) -> dict[str, list[Port]]:
        """The ports of a bus with several interfaces, by what their names begin with."""
        found: dict[str, list[Port]] = {}
        for port in self.pins:
            found.setdefault(port.name.rpartition("_")[0], []).append(port)
        return found


# Makes the texts of a package, by the names of their files.
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
