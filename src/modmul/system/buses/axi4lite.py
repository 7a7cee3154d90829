"""AXI4-Lite (ARM IHI 0022): five channels, one access at a time."""

from __future__ import annotations

from typing import ClassVar

from amaranth.hdl import Module, Mux, Signal, Value

from modmul.blocks.part import wire
from modmul.system.buses.shell import BusPort, Shell

_ERROR = 0b10  # SLVERR


class Axi4Lite(Shell):
    """The AXI4-Lite side of the registers: passes each access on the bus on to their native port.

    Address and data of a write are taken in any order; each waits in registers of its own, which
    are free again when the write begins. If a write and a read wait at the same time, they take
    turns. The response is SLVERR if nothing can be read from the address, or written to it. No
    output depends on an input of the same cycle."""

    name = "axi4lite"
    title = "AXI4-Lite"
    data = ("s_axi_wdata", "s_axi_rdata")
    reset = "aresetn"
    enable = "aclken"
    handshake = ("valid", "ready")

    @classmethod
    def pins(cls, address: int) -> tuple[BusPort, ...]:
        unused = "not used"
        return (
            BusPort("s_axi_awvalid", 1, "input", "a write's address is offered"),
            BusPort("s_axi_awready", 1, "output", "the address is taken"),
            BusPort("s_axi_awaddr", address, "input", "byte address; bits 1 and 0 are not used"),
            BusPort("s_axi_awprot", 3, "input", unused),
            BusPort("s_axi_wvalid", 1, "input", "a write's data are offered"),
            BusPort("s_axi_wready", 1, "output", "the data are taken"),
            BusPort("s_axi_wdata", cls.data_bits, "input", "the data"),
            BusPort("s_axi_wstrb", cls.data_bits // 8, "input", "which bytes are written"),
            BusPort("s_axi_bvalid", 1, "output", "a write was done"),
            BusPort("s_axi_bready", 1, "input", "the answer is taken"),
            BusPort("s_axi_bresp", 2, "output", "0: OKAY; 2: SLVERR, nothing can be written there"),
            BusPort("s_axi_arvalid", 1, "input", "a read's address is offered"),
            BusPort("s_axi_arready", 1, "output", "the address is taken"),
            BusPort("s_axi_araddr", address, "input", "byte address; bits 1 and 0 are not used"),
            BusPort("s_axi_arprot", 3, "input", unused),
            BusPort("s_axi_rvalid", 1, "output", "a read was done"),
            BusPort("s_axi_rready", 1, "input", "the answer is taken"),
            BusPort("s_axi_rdata", cls.data_bits, "output", "what was read"),
            BusPort("s_axi_rresp", 2, "output", "0: OKAY; 2: SLVERR, nothing can be read there"),
        )

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "what the channels offered, until an access takes it": {
            "aw_full": "a write address is here",
            "w_full": "the data of a write are here",
            "ar_full": "a read address is here",
            "aw_addr": "that address",
            "ar_addr": "that address",
            "w_data": "those data",
            "w_strb": "the bytes of them that count",
            "*_started": "after the reset: this channel can be ready",
            "*_free": "the access takes it",
        },
        "accesses, one at a time": {
            "write_waits": "address and data of a write are here, and the answer has a place",
            "read_waits": "the address of a read is here, and the answer has a place",
            "idle": "no access waits for its answer",
            "read_is_next": "the last access was a write: a read goes first",
            "write_begins": "a write is asked for at the native port",
            "read_begins": "a read is asked for there",
            "write_asked": "a write was asked for in the cycle before",
            "read_asked": "a read was asked for in the cycle before",
            "write_done": "the write is answered",
            "read_done": "the read is answered",
            "*response": "0: OKAY; 2: SLVERR",
            "s_axi_bresp": "",
            "s_axi_rresp": "",
        },
    }

    def elaborate(self, platform: object) -> Module:
        m = Module()
        response = response_to(m, self.native_error, "response")
        writes = self._writes(m, response)
        reads = self._reads(m, self.native_rdata, response)
        writing, reading = Signal(name="write_asked"), Signal(name="read_asked")
        write, read = self._turns(m, writes, reads, writing | reading)
        m.d.comb += [
            writes["done"].eq(writing & self.native_ack),
            reads["done"].eq(reading & self.native_ack),
            self.native_en.eq(write | read),
            self.native_we.eq(write),
            self.native_addr.eq(Mux(write, writes["address"], reads["address"])),
            self.native_wdata.eq(writes["data"]),
            self.native_wstrb.eq(writes["strobes"]),
        ]
        m.d.sync += [writing.eq(write), reading.eq(read)]
        return m

    def _turns(
        self, m: Module, writes: dict[str, Signal], reads: dict[str, Signal], busy: Value
    ) -> tuple[Signal, Signal]:
        """Elaborate which access begins if none is `busy`: they take turns.  Return whether a write
        begins, and whether a read does."""
        turn, write, read, idle = (
            Signal(name=name) for name in ("read_is_next", "write_begins", "read_begins", "idle")
        )
        m.d.comb += [
            idle.eq(~busy),
            write.eq(writes["waits"] & idle & ~(turn & reads["waits"])),
            read.eq(reads["waits"] & idle & ~write),
            writes["begins"].eq(write),
            reads["begins"].eq(read),
        ]
        with m.If(write | read):
            m.d.sync += turn.eq(write)
        return write, read

    def _writes(self, m: Module, response: Value) -> dict[str, Signal]:
        """Elaborate registers for a write's address, data and response.  Return signals by name.
        response: to a write that is done."""
        address = self._place(m, "aw", {"addr": self.address})
        data = self._place(m, "w", {"data": self.data_bits, "strb": self.data_bits // 8})
        states = {name: Signal(name=f"write_{name}") for name in ("waits", "begins", "done")}
        m.d.comb += [
            states["waits"].eq(address["full"] & data["full"] & ~self.s_axi_bvalid),
            address["free"].eq(states["begins"]),
            data["free"].eq(states["begins"]),
        ]
        with m.If(self.s_axi_bready):
            m.d.sync += self.s_axi_bvalid.eq(0)
        with m.If(states["done"]):
            m.d.sync += [self.s_axi_bvalid.eq(1), self.s_axi_bresp.eq(response)]
        return {**states, "address": address["addr"], "data": data["data"], "strobes": data["strb"]}

    def _reads(self, m: Module, data: Value, response: Value) -> dict[str, Signal]:
        """Elaborate registers for a read's address and response.  Return signals by name.  data,
        response: of a read that is done."""
        address = self._place(m, "ar", {"addr": self.address})
        states = {name: Signal(name=f"read_{name}") for name in ("waits", "begins", "done")}
        m.d.comb += [
            states["waits"].eq(address["full"] & ~self.s_axi_rvalid),
            address["free"].eq(states["begins"]),
        ]
        with m.If(self.s_axi_rready):
            m.d.sync += self.s_axi_rvalid.eq(0)
        with m.If(self.s_axi_rvalid & self.s_axi_rready):
            m.d.sync += self.s_axi_rdata.eq(0)
        with m.If(states["done"]):
            m.d.sync += [
                self.s_axi_rvalid.eq(1),
                self.s_axi_rdata.eq(data),
                self.s_axi_rresp.eq(response),
            ]
        return {**states, "address": address["addr"]}

    def _place(self, m: Module, channel: str, members: dict[str, int]) -> dict[str, Signal]:
        """Elaborate registers that hold what a channel offered, until `free`."""
        place = {name: Signal(bits, name=f"{channel}_{name}") for name, bits in members.items()}
        full, free = Signal(name=f"{channel}_full"), Signal(name=f"{channel}_free")
        valid, ready = (getattr(self, f"s_axi_{channel}{end}") for end in ("valid", "ready"))
        started = Signal(name=f"{channel}_started")  # no ready during a reset
        m.d.sync += started.eq(1)
        m.d.comb += ready.eq(started & ~full)
        with m.If(free):
            m.d.sync += full.eq(0)
        with m.If(valid & ready):
            m.d.sync += full.eq(1)
            m.d.sync += [
                register.eq(getattr(self, f"s_axi_{channel}{name}"))
                for name, register in place.items()
            ]
        return {**place, "full": full, "free": free}


def response_to(m: Module, error: Value, name: str) -> Signal:
    """The response to an access that is done.  error: it was refused."""
    return wire(m, Mux(error, _ERROR, 0), name)
