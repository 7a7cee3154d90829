"""Wishbone B4, classic cycles: one access at a time."""

from __future__ import annotations

from amaranth.hdl import Module, Signal

from modmul.system.buses.shell import BusPort, Shell
from modmul.system.channels import WORD


class Wishbone(Shell):
    """The Wishbone side of the registers (B4, classic cycles): passes each access on the bus on to
    their native port.

    An access is answered in the cycle after it was asked for, by `wb_ack_o`, or by `wb_err_o` if
    nothing can be read from its address, or written to it. The master keeps `wb_cyc_i` and
    `wb_stb_i` high until then."""

    name = "wishbone"
    title = "Wishbone B4, classic"
    data = ("wb_dat_i", "wb_dat_o")
    handshake = ("ack_o", "err_o")

    @classmethod
    def pins(cls, address: int) -> tuple[BusPort, ...]:
        return (
            BusPort("wb_cyc_i", 1, "input", "a bus cycle is under way"),
            BusPort("wb_stb_i", 1, "input", "an access is asked for"),
            BusPort("wb_we_i", 1, "input", "it is a write"),
            BusPort("wb_adr_i", address, "input", "byte address; bits 1 and 0 are not used"),
            BusPort("wb_dat_i", WORD, "input", "what is written"),
            BusPort("wb_sel_i", WORD // 8, "input", "which bytes are written"),
            BusPort("wb_dat_o", WORD, "output", "what was read"),
            BusPort("wb_ack_o", 1, "output", "the access is done"),
            BusPort("wb_err_o", 1, "output", "nothing can be read, or written, at that address"),
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        asked = Signal(name="asked")
        selected = self.wb_cyc_i & self.wb_stb_i
        m.d.sync += asked.eq(self.native_en)
        m.d.comb += [
            self.native_en.eq(selected & ~asked),
            self.native_we.eq(self.wb_we_i),
            self.native_addr.eq(self.wb_adr_i),
            self.native_wdata.eq(self.wb_dat_i),
            self.native_wstrb.eq(self.wb_sel_i),
            self.wb_dat_o.eq(self.native_rdata),
            self.wb_ack_o.eq(selected & self.native_ack & ~self.native_error),
            self.wb_err_o.eq(selected & self.native_ack & self.native_error),
        ]
        return m
