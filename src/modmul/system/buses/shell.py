"""What the shells of all buses have in common: ports, clock and reset, and the native port."""

from __future__ import annotations

from typing import ClassVar, Literal, NamedTuple

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modmul.export.ports import CLOCK, RESET, RESET_LOW, Port
from modmul.system.block import native_port


class BusPort(NamedTuple):
    """One port of a bus, seen from the target."""

    name: str
    width: int
    direction: Literal["input", "output"]
    meaning: str


class Shell(wiring.Component):
    """Base class: a bus on one side, and the native port of the registers on the other.

    A subclass defines `pins` and `elaborate`.  data: the pins of data written and data read.
    reset: name of the reset port.  active_low: its polarity."""

    name: ClassVar[str]
    title: ClassVar[str]
    data: ClassVar[tuple[str, str]]
    reset: ClassVar[str] = "rst"
    active_low: ClassVar[bool] = False

    def __init__(self, address: int):
        """address: width of a byte address, in bits."""
        self.address = address
        pins = {pin.name: (In if pin.direction == "input" else Out)(pin.width)
                for pin in self.pins(address)}  # fmt: skip
        native = {f"native_{name}": member.flip() for name, member in native_port(address).items()}
        super().__init__({**pins, **native})

    @classmethod
    def pins(cls, address: int) -> tuple[BusPort, ...]:
        """The ports of the bus, in order, without clock, reset and interrupt."""
        raise NotImplementedError

    @classmethod
    def ports(cls, address: int) -> tuple[Port, ...]:
        """All ports of a module on this bus, in order."""
        level = "low" if cls.active_low else "high"
        return (
            Port("clk", 1, "input", "clock, rising edge", None, CLOCK),
            Port(cls.reset, 1, "input", f"synchronous reset, active {level}", None,
                 RESET_LOW if cls.active_low else RESET),
            *(Port(*pin, None, pin.name) for pin in cls.pins(address)),
            Port("irq", 1, "output", "interrupt: an enabled event has happened, until it is "
                 "cleared", None, "irq"),
        )  # fmt: skip
