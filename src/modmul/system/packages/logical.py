"""The ports of a bus by the names that its standard gives them, and the standard's own name."""

from __future__ import annotations

from typing import NamedTuple

from modmul.export.ports import Port
from modmul.system.buses import STREAMED
from modmul.system.packages.delivered import Delivered


class Interface(NamedTuple):
    """One interface of a module.  name: prefix of its ports.  kind: a bus of `STANDARDS`.  ports:
    by the logical names of the standard.  inward: whether the other side is the master, or
    sends."""

    name: str
    kind: str
    ports: dict[str, Port]
    inward: bool


# Vendor, library, name and version of the bus and abstraction definitions by ARM (IP-XACT).
STANDARDS = {
    "axi4lite": ("amba.com", "AMBA4", "AXI4-Lite", "r0p0_0"),
    "axi4stream": ("amba.com", "AMBA4", "AXI4Stream", "r0p0_1"),
    "apb4": ("amba.com", "AMBA4", "APB4", "r0p0_0"),
}


def interfaces(delivered: Delivered) -> list[Interface]:
    """The interfaces of the module; none for a bus that IP-XACT does not define."""
    if delivered.bus == "axi4lite":
        ports = {
            port.name.removeprefix("s_axi_").upper(): port
            for port in delivered.pins
            if port.name.startswith("s_axi_")
        }
        return [Interface("s_axi", "axi4lite", ports, True)]
    if delivered.bus == "apb4":
        named = {port.name.upper(): port for port in delivered.pins if port.name != "irq"}
        named["PSELx"] = named.pop("PSEL")
        return [Interface("s_apb", "apb4", named, True)]
    if delivered.bus == STREAMED:
        return [
            Interface(
                begin,
                "axi4stream",
                {port.name.rpartition("_")[2].upper(): port for port in ports},
                begin.startswith("s_"),
            )
            for begin, ports in delivered.channels().items()
        ]
    return []
