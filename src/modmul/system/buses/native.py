"""The native port of the registers itself: an access a cycle, each answered in the next one."""

from __future__ import annotations

from amaranth.hdl import Module

from modmul.system.buses.shell import BusPort, Shell
from modmul.system.channels import WORD


class Native(Shell):
    """The native port of the registers, as it is, at the ports of the module.

    In each cycle with `en` one access is asked for, a write of the bytes whose bits in `wstrb` are
    high if `we` is high, else a read. `ack` answers it in the next cycle."""

    name = "native"
    title = "native port"
    data = ("wdata", "rdata")

    @classmethod
    def pins(cls, address: int) -> tuple[BusPort, ...]:
        return (
            BusPort("en", 1, "input", "an access is asked for"),
            BusPort("we", 1, "input", "it is a write"),
            BusPort("addr", address, "input", "byte address; bits 1 and 0 are not used"),
            BusPort("wdata", WORD, "input", "what is written"),
            BusPort("wstrb", WORD // 8, "input", "which bytes are written"),
            BusPort("ack", 1, "output", "answers the access of the cycle before"),
            BusPort("rdata", WORD, "output", "what was read; 0 without a read"),
            BusPort("error", 1, "output", "nothing can be read, or written, at that address"),
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        for pin in self.pins(self.address):
            inner, outer = getattr(self, f"native_{pin.name}"), getattr(self, pin.name)
            m.d.comb += inner.eq(outer) if pin.direction == "input" else outer.eq(inner)
        return m
