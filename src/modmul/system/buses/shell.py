"""What the shells of all buses have in common: ports, clock and reset, and the native port."""

from __future__ import annotations

from typing import ClassVar, Literal, NamedTuple

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modmul.export.pins import USUAL, Pins
from modmul.export.ports import Port, clock_and_reset, masked
from modmul.system.block import native_port
from modmul.system.channels import WORD


class BusPort(NamedTuple):
    """One port of a bus, seen from the target."""

    name: str
    width: int
    direction: Literal["input", "output"]
    meaning: str


class Shell(wiring.Component):
    """Base class: a bus on one side, and the native port of the registers on the other.

    A subclass defines `pins` and `elaborate`.  data: the pins of data written and data read.
    reset: the name of a reset that is active low by the standard of the bus.  enable: the name that
    the bus has for a clock enable.  handshake: the ends of the names of outputs with which a master
    waits that does not know the clock enable; none if it has to know.
    data_bits: the width of its data."""

    name: ClassVar[str]
    title: ClassVar[str]
    data: ClassVar[tuple[str, str]]
    reset: ClassVar[str | None] = None
    enable: ClassVar[str | None] = None
    handshake: ClassVar[tuple[str, ...]] = ()
    data_bits: ClassVar[int] = WORD

    def __init__(self, address: int):
        """address: width of a byte address, in bits."""
        self.address = address
        pins = {
            pin.name: (In if pin.direction == "input" else Out)(pin.width)
            for pin in self.pins(address)
        }
        native = {f"native_{name}": member.flip() for name, member in native_port(address).items()}
        super().__init__({**pins, **native})

    @classmethod
    def pins(cls, address: int) -> tuple[BusPort, ...]:
        """The ports of the bus, in order, without clock, reset and interrupt."""
        raise NotImplementedError

    @classmethod
    def ports(cls, address: int, pins: Pins = USUAL) -> tuple[Port, ...]:
        """All ports of a module on this bus, in order."""
        own = (Port(*pin, None, pin.name) for pin in cls.pins(address))
        if pins.clock_enable and cls.handshake:
            own = (masked(p) if p.name.endswith(cls.handshake) else p for p in own)
        return (
            *clock_and_reset(pins, cls.reset, cls.enable),
            *own,
            Port(
                "irq",
                1,
                "output",
                "interrupt: an enabled event has happened, until it is cleared",
                None,
                "irq",
            ),
        )
