"""The registers: banks of their own for products and sums, each read at two ports.

A bank has as many copies as there are ports, so that every memory has one writer and one reader."""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from modmul.blocks.memory import SimpleDualPort
from modmul.processors.engine.hardware.build import Build, bits_of
from modmul.processors.engine.instructions import instruction_set

BANKS = ("products", "sums")
PORTS = ("a", "b")


def write_layout(build: Build) -> data.StructLayout:
    """One beat that is written into a bank."""
    return data.StructLayout({
        "enable": 1, "register": bits_of(build.machine.bank_size),
        "place": bits_of(build.beats), "data": build.word,
    })  # fmt: skip


class Registers(wiring.Component):
    """Registers of {beats} beats of {word} bits, in a bank for products and one for sums; the
    highest bit of a register's number says which.

    `register_a` and `register_b` with `place` (the beat) are addresses; two cycles later the beats
    are in `a` and `b`.  In the cycle between, `take_a` and `take_b` say whether they are that, or
    0; `invert_b` inverts."""

    def __init__(self, build: Build):
        self.build = build
        self.beats, self.word = build.beats, build.word
        number = (instruction_set().registers - 1).bit_length()
        super().__init__({
            "place": In(bits_of(build.beats)),
            **{f"register_{port}": In(number) for port in PORTS},
            **{f"take_{port}": In(1) for port in PORTS}, "invert_b": In(1),
            **{port: Out(build.word) for port in PORTS},
            **{f"write_{bank}": In(write_layout(build)) for bank in BANKS},
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        for port in PORTS:
            number = getattr(self, f"register_{port}")
            in_sums = Signal(name=f"{port}_in_sums")
            m.d.sync += in_sums.eq(number[-1])
            words = [self._memory(m, place, bank, port) for place, bank in enumerate(BANKS)]
            chosen = Mux(in_sums, words[1], words[0])
            if port == "b":
                chosen ^= self.invert_b.replicate(self.word)
            pins = Signal(self.word, name=f"{port}_pins", reset_less=True)
            m.d.sync += pins.eq(chosen)
            with m.If(~getattr(self, f"take_{port}")):
                m.d.sync += pins.eq(0)
            m.d.comb += getattr(self, port).eq(pins)
        return m

    def _memory(self, m: Module, place: int, bank: str, port: str) -> Value:
        """What one copy of a bank gives, a cycle after the address."""
        build = self.build
        size = build.registers(place) << bits_of(self.beats)
        block = build.storage == "block"
        ram = (
            SimpleDualPort(
                build.multiplier.chip, self.word, size, build.storage, 1, f"{bank}, for port {port}"
            )
            if not block
            else _BlockCopy(build, size, f"{bank}, for port {port}")
        )
        m.submodules[f"{bank}_{port}"] = ram
        write = getattr(self, f"write_{bank}")
        number = getattr(self, f"register_{port}")
        bits = len(ram.read_address)
        shift = bits_of(self.beats)
        m.d.comb += [
            ram.write_enable.eq(write.enable),
            ram.write_address.eq(write.place | (write.register << shift)),
            ram.write_data.eq(write.data),
            ram.read_address.eq(self.place | (number[: max(1, bits - shift)] << shift)),
        ]
        return ram.read_data


class _BlockCopy(wiring.Component):
    """{holds}: {depth} words of {width} bits in block RAM.  The word at `read_address` is in
    `read_data` in the next cycle."""

    def __init__(self, build: Build, depth: int, holds: str):
        from amaranth.lib import memory

        self.width, self.depth = build.word, depth
        self.holds = holds[0].upper() + holds[1:]
        attrs = {"ram_style": "block", "syn_ramstyle": "block_ram"}
        self.ram = memory.Memory(
            shape=self.width,
            depth=depth,
            init=[],
            attrs=attrs if build.multiplier.chip.ram_styles else {},
        )
        super().__init__({
            "write_enable": In(1), "write_address": In(bits_of(depth)),
            "write_data": In(self.width), "read_address": In(bits_of(depth)),
            "read_data": Out(self.width),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.ram = self.ram
        write, read = self.ram.write_port(), self.ram.read_port()
        m.d.comb += [
            write.en.eq(self.write_enable), write.addr.eq(self.write_address),
            write.data.eq(self.write_data), read.addr.eq(self.read_address),
            self.read_data.eq(read.data),
        ]  # fmt: skip
        return m
