"""APB4 (ARM IHI 0024): accesses without wait states."""

from __future__ import annotations

from amaranth.hdl import Module

from modmul.system.buses.shell import BusPort, Shell
from modmul.system.channels import WORD


class Apb4(Shell):
    """The APB4 side of the registers: passes each access on the bus on to their native port.

    The registers are asked in the setup phase, so an access phase always takes one cycle (no wait
    states). `pslverr` is high if nothing can be read from the address, or written to it."""

    name = "apb4"
    title = "APB4"
    data = ("pwdata", "prdata")
    reset = "presetn"
    enable = "pclken"

    @classmethod
    def pins(cls, address: int) -> tuple[BusPort, ...]:
        return (
            BusPort("psel", 1, "input", "this target is selected"),
            BusPort("penable", 1, "input", "access phase"),
            BusPort("pwrite", 1, "input", "a write"),
            BusPort("paddr", address, "input", "byte address; bits 1 and 0 are not used"),
            BusPort("pwdata", WORD, "input", "what is written"),
            BusPort("pstrb", WORD // 8, "input", "which bytes are written"),
            BusPort("pprot", 3, "input", "not used"),
            BusPort("pready", 1, "output", "the access is done"),
            BusPort("prdata", WORD, "output", "what was read"),
            BusPort("pslverr", 1, "output", "nothing can be read, or written, at that address"),
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += [
            self.native_en.eq(self.psel & ~self.penable),
            self.native_we.eq(self.pwrite),
            self.native_addr.eq(self.paddr),
            self.native_wdata.eq(self.pwdata),
            self.native_wstrb.eq(self.pstrb),
            self.pready.eq(self.native_ack),
            self.prdata.eq(self.native_rdata),
            self.pslverr.eq(self.native_error),
        ]
        return m
