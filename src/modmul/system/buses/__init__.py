"""The buses that registers can be put on: thin shells around the native port, one a file; and
AXI4-Stream, which has no registers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from modmul.errors import SpecError, refusal
from modmul.registry import Registry, of_modules

if TYPE_CHECKING:
    from modmul.system.buses.shell import Shell

REGISTERED = ("native", "axi4lite", "wishbone", "apb4")
STREAMED = "axi4stream"
NAMES = (*REGISTERED, STREAMED)
AT_ONCE = ("native", "apb4")  # an access is asked for in one cycle only
WIDE = {"axi4lite": "axi4lite64"}  # with data of 64 bits
DATA_BITS = (32, 64)
ACTIVE_LOW = ("axi4lite", "apb4", STREAMED)  # resets of these are, by their standards
# Buses that are not built, and how a design is put on them.
_INSTEAD = {
    "axi4": "AXI4 has bursts, which registers do not need; take axi4lite, which an interconnect "
    "joins to AXI4",
    "apb3": "take apb4, and tie its PSTRB to ones and its PPROT to zeros",
    "ahb": "take apb4, behind a bridge from AHB to APB",
    "avalon": "take axi4lite, which Platform Designer joins to Avalon",
}


def refused(name: str) -> SpecError:
    """The error about a bus that is not built."""
    instead = _INSTEAD.get(name.lower(), "")
    allowed = f"one of {', '.join(NAMES)}"
    return refusal("bus", name, allowed, instead, names=() if instead else NAMES)


def shell_of(bus: str | None, data_bits: int) -> str | None:
    """The name in `REGISTRY` of a bus with data of this width, `STREAMED`, or None.  Raises
    SpecError for a width that the bus does not have."""
    if data_bits not in DATA_BITS:
        raise refusal("data-bits", data_bits, "32 or 64")
    if data_bits == 32:
        return bus
    if bus not in WIDE:
        raise refusal("data-bits", data_bits, f"32, or with the bus {', '.join(WIDE)}")
    return WIDE[bus]


REGISTRY: Registry[type[Shell]] = of_modules(
    __name__,
    {
        "native": ("native", "Native"),
        "axi4lite": ("axi4lite", "Axi4Lite"),
        "wishbone": ("wishbone", "Wishbone"),
        "apb4": ("apb4", "Apb4"),
        "axi4lite64": ("axi4lite64", "Axi4Lite64"),
    },
)
