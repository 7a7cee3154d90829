"""AXI4-Lite with data of 64 bits: two registers or words of a window in each access."""

from __future__ import annotations

from typing import ClassVar

from amaranth.hdl import Cat, Module, Mux, Signal

from modmul.system.buses.axi4lite import Axi4Lite, response_to
from modmul.system.channels import WORD

_BYTES = WORD // 8


class Axi4Lite64(Axi4Lite):
    """The AXI4-Lite side of the registers, with data of 64 bits: passes the halves of an access on
    to their native port, one after the other.

    Registers and words of windows have 32 bits. The one at an address that is a multiple of 8 is in
    the lower half of the data, the next one in the upper half. A write writes the halves that have
    strobes; the response is SLVERR if one of them cannot be written. A read from an address with
    bit 2 reads the upper half alone. Other reads read both halves; the upper half is 0 if nothing
    can be read there, and the response is about the lower half. No output depends on an input of
    the same cycle."""

    data_bits = 2 * WORD

    NOTES: ClassVar[dict[str, dict[str, str]]] = Axi4Lite.NOTES | {
        "halves of an access": {
            "write_both": "the write has strobes in both halves",
            "second_write": "the upper half of a write of both is asked for",
            "second_read": "the upper half of a read of both is asked for",
            "write_upper": "the half of a write that is asked for is the upper one",
            "read_upper": "the half of a read that is asked for is the upper one",
            "has_first_data": "a read of both halves: the lower one was answered before",
            "first_data": "that answer",
            "first_error": "the half before was refused",
            "upper_data": "0 if nothing can be read there",
            "read_data": "what a read gives",
            "is_upper": "the half that is asked for is the upper one",
            "access_address": "of the access, as the bus gave it",
        },
    }

    def elaborate(self, platform: object) -> Module:
        m = Module()
        first_error, first_data = Signal(name="first_error"), Signal(WORD, name="first_data")
        twice, upper = Signal(name="has_first_data"), Signal(WORD, name="upper_data")
        m.d.comb += upper.eq(Mux(self.native_error, 0, self.native_rdata))
        data = Signal(self.data_bits, name="read_data")
        m.d.comb += data.eq(Cat(Mux(twice, first_data, 0), upper))
        refused = self.native_error | first_error
        writes = self._writes(m, response_to(m, refused, "write_response"))
        refused = Mux(twice, first_error, self.native_error)
        reads = self._reads(m, data, response_to(m, refused, "read_response"))
        writing, reading = Signal(name="write_asked"), Signal(name="read_asked")
        second_write, second_read = Signal(name="second_write"), Signal(name="second_read")
        write, read = self._turns(m, writes, reads, writing | reading | second_write | second_read)
        lower_strobes, upper_strobes = writes["strobes"][:_BYTES], writes["strobes"][_BYTES:]
        lower, higher = lower_strobes.any(), upper_strobes.any()
        from_upper = Mux(lower | higher, ~lower, writes["address"][2])
        write_upper, read_upper = Signal(name="write_upper"), Signal(name="read_upper")
        both = Signal(name="write_both")
        address = Signal(self.address, name="access_address")
        high = Signal(name="is_upper")
        m.d.comb += [
            writes["done"].eq(writing & self.native_ack),
            reads["done"].eq(reading & self.native_ack),
            both.eq(lower & higher),
            write_upper.eq(second_write | from_upper),
            read_upper.eq(second_read | reads["address"][2]),
            self.native_en.eq(write | read | second_write | second_read),
            self.native_we.eq(write | second_write),
            high.eq(Mux(self.native_we, write_upper, read_upper)),
            address.eq(Mux(self.native_we, writes["address"], reads["address"])),
            self.native_addr.eq(address),
            self.native_addr[2].eq(high),
            self.native_wdata.eq(Mux(write_upper, writes["data"][WORD:], writes["data"][:WORD])),
            self.native_wstrb.eq(Mux(write_upper, upper_strobes, lower_strobes)),
        ]
        m.d.sync += [
            second_write.eq(write & both),
            second_read.eq(read & ~reads["address"][2]),
            writing.eq((write & ~both) | second_write),
            reading.eq((read & reads["address"][2]) | second_read),
            twice.eq(second_read),
            first_error.eq(0),
            first_data.eq(0),
        ]
        with m.If(second_write | second_read):
            m.d.sync += [first_error.eq(self.native_error), first_data.eq(self.native_rdata)]
        return m
