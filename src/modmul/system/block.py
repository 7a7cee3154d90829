"""The registers of a design in Amaranth: a native port on one side, its streams on the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modmul.blocks.part import wire
from modmul.system.banks import Banks
from modmul.system.channels import FAULT, WORD, Channel
from modmul.system.registers import FIRST_LIVE, RegisterMap
from modmul.system.streams import RESULT, InputWindows, ResultWindows, any_of
from modmul.system.transfer import address_bits


def native_port(address: int) -> dict[str, wiring.Member]:
    """The members of the native port, seen from the registers.  address: width of a byte
    address, in bits."""
    return {
        "en": In(1),
        "we": In(1),
        "addr": In(address),
        "wdata": In(WORD),
        "wstrb": In(WORD // 8),
        "ack": Out(1),
        "rdata": Out(WORD),
        "error": Out(1),
    }


def stream_ports(channel: Channel) -> dict[str, wiring.Member]:
    """The ports of one stream, seen from the registers, with the beat of each window."""
    forward, back = (Out, In) if channel.direction == "input" else (In, Out)
    return {
        f"{channel.name}_valid": forward(1),
        f"{channel.name}_ready": back(1),
        f"{channel.name}_first": forward(1),
        f"{channel.name}_last": forward(1),
        **{
            channel.name_for(f"{channel.name}_beat", lane.name): forward(channel.bits)
            for lane in channel.lanes
        },
        **({f"{channel.name}_flag": forward(len(channel.flags))} if channel.flags else {}),
    }


class Registers(wiring.Component):
    """The registers of a design on a bus: accesses to them on one side, the streams of the design
    on the other.

    Each stream has windows of 32-bit words, in which its packets stand. To send a packet, write its
    windows and then the register of that stream that ends in `send`; a result stays in its windows
    until 1 is written to `take` in the register `control`. The datasheet has the register map. What
    is not possible, or asked for too early (to write a window or send a packet while one of that
    stream is being sent, or to take a result that is not there), is not done, and sets `error` in
    the register `events`. After a reset, and after a 1 in `wipe` of `control`, all windows are
    zeroed, a word in a cycle, while the core is kept in reset.

    Ports; those of streams have the names of the streams:

      `en`: asks for one access in this cycle, a write of the bytes whose bits in `wstrb` are high
        if `we` is high, else a read
      `ack`: the access of the cycle before is answered, a read by `rdata`
      `error`: with `ack`: there is nothing at that address, or nothing that can be read, or
        written
    """

    PORT_NOTES: Mapping[str, str] = {
        "core_reset": "resets the core",
        "irq": "an enabled event has happened",
    }

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "addresses": {
            "writes": "the access is a write",
            "at_registers": "the access is to a register, if there is one at the address",
            "at_*": "the access is to this register or window",
            "written_bits": "what is written; bytes without a strobe are 0",
        },
        "wiping, a word in a cycle": {
            "wiping": "windows are zeroed, and the core is in reset",
            "wiped_address": "the word that is zeroed",
            "wiped": "it is the last one",
        },
        "streams": {
            "*busy": "a packet of this stream is being sent",
            "*refused": "an access to its windows had no effect",
            "*_done": "its last beat is taken",
            "done": "a whole result has come",
            "held": "a result is in its windows",
            "beats": "beats of the result that have come",
            "operand_take": "the result was used and is no longer needed",
            "uses": "the packet being sent depends on the result",
            "chain_*": "word of the result, as an operand",
            "take": "1 is written to take of control",
            "take_refused": "take was asked for without a result",
            "*_send": "the send register of this stream is written",
        },
        "events": {
            "events": "what has happened, by bits",
            "enables": "which of these raise irq",
        },
        "answer, in the cycle after an access": {
            "read_register": "what the register held",
            "read_value": "what it holds",
            "is_possible": "it can be read, or written",
            "reads_*": "this window was read",
            "read_result": "word of the result",
        },
    }

    def __init__(self, regs: RegisterMap):
        self._regs = regs
        super().__init__(
            {
                **native_port(regs.address_bits),
                "irq": Out(1),
                "core_reset": Out(1),
                **{
                    port: flow
                    for channel in regs.channels
                    for port, flow in stream_ports(channel).items()
                },
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = self._m = Module()
        regs = self._regs
        self._wiping = Signal(init=1, name="wiping")
        self._writes = wire(m, self.en & self.we, "writes")
        self._data = Signal(WORD, name="written_bits")  # bytes without a strobe are 0 here
        m.d.comb += self._data.eq(self.wdata & Cat(*(bit.replicate(8) for bit in self.wstrb)))
        self._at = self._decoded()
        cleared = self._wiper()
        inputs = {channel.name: self._input(channel, cleared) for channel in regs.inputs}
        if inputs["operand"].sized:
            more = inputs["modulus"].longest - inputs["operand"].longest
            m.d.comb += inputs["operand"].length.eq(inputs["modulus"].packet - more)
        result = self._result(inputs, cleared)
        refusals = [port.refused for port in inputs.values()]
        if regs.banks:
            refusals.append(self._banks(inputs["operand"], result, cleared).refused)
        self._events(inputs, result, refusals)
        values = {
            (register.name, field.name): Const(field.value, field.width)
            for register in regs.registers
            for field in register.fields
            if register.address < FIRST_LIVE
        }
        values[("status", "result")] = result.held
        values[("status", "wiping")] = self._wiping
        if regs.protected:
            values[("status", FAULT)] = self.result_flag
        values |= {("status", f"{name}_busy"): port.busy for name, port in inputs.items()}
        if regs.banks:
            values[("status", "computing")] = inputs["operand"].computing
        values[("result_beats", "beats")] = result.beats
        for place, bits in enumerate(regs.by_name["events"].fields):
            values[("events", bits.name)] = self._happened[place]
            values[("enables", bits.name)] = self._enabled[place]
        self._answer(values, result)
        return m

    def _decoded(self) -> dict[str, Signal]:
        """A signal for each register, by its name, and each window, as `NAME_window`:
        whether the address is in it."""
        m, regs, hits = self._m, self._regs, {}
        shift = (regs.unit - 1).bit_length()
        page, word = self.addr[shift:], self.addr[2:shift]
        among = wire(m, page == 0, "at_registers")
        for register in regs.registers:
            hits[register.name] = Signal(name=f"at_{register.name}")
            m.d.comb += hits[register.name].eq(among & (word == register.address // 4))
        for window in regs.windows:
            name = f"{window.name}_window"
            hits[name] = Signal(name=f"at_{name}")
            within = (page == window.address // regs.unit) & (word < window.words)
            m.d.comb += hits[name].eq(within)
        return hits

    def _written(self, name: str) -> Value:
        """Whether a register or window is being written."""
        return self._writes & self._at[name]

    def _pulse(self, register: str, name: str) -> Value:
        """Whether a 1 is being written to a bit."""
        return self._written(register) & self._data[self._regs.bits(register, name).low]

    def _wiper(self) -> Signal:
        """Elaborate the wiping of all windows.  Return the address of the word that is zeroed."""
        m, most = self._m, self._regs.wiped
        cleared = Signal(address_bits(most), name="wiped_address")
        self._wiped = Signal(name="wiped")
        m.d.comb += [
            self._wiped.eq(self._wiping & (cleared == most - 1)),
            self.core_reset.eq(self._wiping),
        ]
        with m.If(self._wiping):
            m.d.sync += cleared.eq(Mux(self._wiped, 0, cleared + 1))
            m.d.sync += self._wiping.eq(~self._wiped)
        with m.Elif(self._pulse("control", "wipe")):
            m.d.sync += self._wiping.eq(1)
        return cleared

    def _input(self, channel: Channel, cleared: Signal) -> InputWindows:
        m, name = self._m, channel.name
        windows = m.submodules[name] = InputWindows(self._regs, channel)
        send = f"{name}_send"
        m.d.comb += [
            windows.send.eq(self._written(send)),
            windows.address.eq(self.addr[2:]),
            windows.data.eq(Mux(self._at[send], self._data, self.wdata)),
            windows.strobes.eq(self.wstrb),
            windows.clear.eq(self._wiping),
            windows.clear_address.eq(cleared),
            windows.ready.eq(getattr(self, f"{name}_ready")),
            getattr(self, f"{name}_valid").eq(windows.valid),
            getattr(self, f"{name}_first").eq(windows.begins),
            getattr(self, f"{name}_last").eq(windows.ends),
        ]
        for lane in channel.lanes:
            select = getattr(windows, channel.name_for("select", lane.name))
            beat = getattr(windows, channel.name_for("beat", lane.name))
            m.d.comb += [
                select.eq(self._written(f"{lane.name}_window")),
                getattr(self, channel.name_for(f"{name}_beat", lane.name)).eq(beat),
            ]
        if channel.flags:
            m.d.comb += getattr(self, f"{name}_flag").eq(windows.flag)
        return windows

    def _result(self, inputs: Mapping[str, InputWindows], cleared: Signal) -> ResultWindows:
        m, channel, name = self._m, self._regs.result, self._regs.result.name
        windows = m.submodules[name] = ResultWindows(self._regs)
        take = wire(m, self._pulse("control", "take"), "take")
        self._refused = Signal(name="take_refused")
        m.d.comb += [
            windows.address.eq(self.addr[2:]),
            windows.clear.eq(self._wiping),
            windows.clear_address.eq(cleared),
            windows.valid.eq(getattr(self, f"{name}_valid")),
            windows.ends.eq(getattr(self, f"{name}_last")),
            getattr(self, f"{name}_ready").eq(windows.ready),
        ]
        used, release = Const(0, 1), Const(0, 1)
        if windows.chained:
            user = inputs["operand"]
            used, release = user.uses, user.take
            m.d.comb += [user.held.eq(windows.held), windows.chain_address.eq(user.chain_address)]
        m.d.comb += [
            self._refused.eq(take & (~windows.held | used)),
            windows.take.eq((take & ~used) | release),
        ]
        for lane in channel.lanes:
            beat = getattr(self, channel.name_for(f"{name}_beat", lane.name))
            m.d.comb += getattr(windows, channel.name_for("beat", lane.name)).eq(beat)
            if windows.chained:
                chain = f"chain_{lane.name}"
                m.d.comb += getattr(inputs["operand"], chain).eq(getattr(windows, chain))
        return windows

    def _banks(self, user: InputWindows, result: ResultWindows, cleared: Signal) -> Banks:
        """Elaborate the banks, between the operand stream, which selects them, and the result."""
        m, regs = self._m, self._regs
        banks = m.submodules.banks = Banks(regs)
        m.d.comb += [
            user.came.eq(result.done),
            banks.busy.eq(user.busy),
            banks.stored.eq(user.computing & user.result_bank.any()),
            banks.writes.eq(result.writes),
            banks.write_address.eq(result.write_address),
            banks.address.eq(self.addr[2:]),
            banks.data.eq(self.wdata),
            banks.strobes.eq(self.wstrb),
            banks.read_address.eq(user.chain_address),
            banks.clear.eq(self._wiping),
            banks.clear_address.eq(cleared),
        ]
        for name in ("a_bank", "b_bank", "result_bank"):
            m.d.comb += getattr(banks, name).eq(getattr(user, name))
        for window in regs.windows:
            if window.bank:
                select = getattr(banks, f"select_{window.name}")
                m.d.comb += select.eq(self._written(f"{window.name}_window"))
        for lane in regs.result.lanes:
            written = getattr(result, f"written_{lane.name}")
            m.d.comb += getattr(banks, f"word{lane.name.removeprefix(RESULT)}").eq(written)
        for lane in regs.channels[-2].lanes:
            m.d.comb += getattr(user, f"banked_{lane.name}").eq(getattr(banks, lane.name))
        return banks

    def _events(
        self, inputs: Mapping[str, InputWindows], result: ResultWindows, refusals: list[Value]
    ) -> None:
        """Elaborate the registers `events` and `enables`, and the interrupt."""
        m, fields = self._m, self._regs.by_name["events"].fields
        refused = any_of([self._refused, *refusals])
        now = {"result": result.done, "error": refused, "wiped": self._wiped}
        now |= {FAULT: self.result_flag} if self._regs.protected else {}
        now |= {f"{name}_sent": port.done for name, port in inputs.items()}
        self._happened = Signal(len(fields), name="events")
        self._enabled = Signal(len(fields), name="enables")
        cleared = Cat(*(self._pulse("events", event.name) for event in fields))
        happens = Cat(*(now[event.name] for event in fields))
        m.d.sync += self._happened.eq((self._happened & ~cleared) | happens)
        m.d.comb += self.irq.eq((self._happened & self._enabled).any())
        for place, field in enumerate(fields):
            with m.If(self._written("enables") & self.wstrb[field.low // 8]):
                m.d.sync += self._enabled[place].eq(self.wdata[field.low])

    def _answer(self, values: Mapping[tuple[str, str], Value], result: ResultWindows) -> None:
        """Elaborate the answer to an access, in the cycle after it."""
        m, regs = self._m, self._regs
        value, good = Signal(WORD, name="read_value"), Signal(name="is_possible")
        for register in regs.registers:
            with m.If(self._at[register.name]):
                m.d.comb += good.eq(Mux(self.we, int(register.writable), int(register.readable)))
                for bits in register.fields:
                    if bits.access != "pulse":
                        field = values[(register.name, bits.name)]
                        m.d.comb += value[bits.low : bits.low + bits.width].eq(field)
        for window in regs.windows:
            with m.If(self._at[f"{window.name}_window"]):
                m.d.comb += good.eq(self.we if window.access == "write" else ~self.we)
        registered, words = Signal(WORD, name="read_register"), []
        m.d.sync += [self.ack.eq(self.en), self.error.eq(self.en & ~good)]
        m.d.sync += registered.eq(Mux(self.en & ~self.we, value, 0))
        for lane in regs.result.lanes:
            reads = Signal(name=f"reads_{lane.name}")
            m.d.sync += reads.eq(self.en & ~self.we & self._at[f"{lane.name}_window"])
            words.append(getattr(result, f"read_{lane.name}") & reads.replicate(WORD))
        m.d.comb += self.rdata.eq(any_of([registered, *words]))
