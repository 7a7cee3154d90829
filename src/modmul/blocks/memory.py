"""Simple dual-port memory with a registered read, in block or distributed RAM."""

from amaranth.hdl import Module, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from modmul.targets.description import Target

# What the synthesis tools call the two kinds: Yosys and Vivado, Lattice and Synplify.
STYLES = {"block": ("block", "block_ram"), "distributed": ("distributed", "distributed")}


class SimpleDualPort(wiring.Component):
    """`depth` words of `width` bits, one write port, one read port.

    Written at the clock edge; the word at `read_address` is in `read_data` `registers` cycles
    later: 0 (distributed RAM only), 1 (distributed only) or 2.  `read_enable` holds the last
    register, `read_clear` (below the enable) zeroes it.  Which RAM is asked for only where the chip
    is known: some have but one kind, and their tools stop at the other's name."""

    def __init__(self, chip: Target, width: int, depth: int, storage: str, registers: int):
        if storage == "block" and registers < 2:
            raise ValueError("block RAM needs its output register")
        self.width, self.depth = width, depth
        self.storage, self.registers = storage, registers
        style, lattice = STYLES[storage]
        attributes = {"ram_style": style, "syn_ramstyle": lattice}
        self.attributes = attributes if chip.ram_styles else {}
        bits = max(1, (depth - 1).bit_length())
        super().__init__(
            {
                "write_enable": In(1),
                "write_address": In(bits),
                "write_data": In(width),
                "read_address": In(bits),
                "read_enable": In(1, init=1),
                "read_clear": In(1),
                "read_data": Out(width),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.ram = ram = memory.Memory(
            shape=self.width, depth=self.depth, init=[], attrs=self.attributes
        )
        write = ram.write_port()
        read = ram.read_port(domain="sync" if self.storage == "block" else "comb")
        m.d.comb += [
            write.en.eq(self.write_enable),
            write.addr.eq(self.write_address),
            write.data.eq(self.write_data),
            read.addr.eq(self.read_address),
        ]
        data = read.data
        if self.storage == "distributed" and self.registers == 2:
            latch = Signal(self.width, reset_less=True)
            m.d.sync += latch.eq(data)
            data = latch
        if not self.registers:
            m.d.comb += self.read_data.eq(data)
            return m
        out = Signal(self.width, name="read_register", reset_less=True)
        with m.If(self.read_enable):
            m.d.sync += out.eq(data)
            with m.If(self.read_clear):
                m.d.sync += out.eq(0)
        m.d.comb += self.read_data.eq(out)
        return m
