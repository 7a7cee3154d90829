"""The registers: banks of their own for products and sums, each read at two ports.

A bank has as many copies as there are ports, so that every memory has one writer and one reader."""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from modmul.blocks.delay import delay
from modmul.blocks.memory import BlockRam, SimpleDualPort
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
    are in `a` and `b`."""

    def __init__(self, build: Build):
        self.build = build
        self.beats, self.word = build.beats, build.word
        number = (instruction_set().registers - 1).bit_length()
        super().__init__({
            "place": In(bits_of(build.beats)),
            **{f"register_{port}": In(number) for port in PORTS},
            **{port: Out(build.word) for port in PORTS},
            **{f"write_{bank}": In(write_layout(build)) for bank in BANKS},
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        for port in PORTS:
            in_sums = delay(m, getattr(self, f"register_{port}")[-1], 2, f"{port}_in_sums")
            words = [self._memory(m, place, bank, port) for place, bank in enumerate(BANKS)]
            m.d.comb += getattr(self, port).eq(Mux(in_sums, words[1], words[0]))
        return m

    def _memory(self, m: Module, place: int, bank: str, port: str) -> Value:
        """What one copy of a bank gives, two cycles after the address."""
        build = self.build
        size = build.registers(place) << bits_of(self.beats)
        chip, holds = build.multiplier.chip, f"{bank}, for port {port}"
        if build.storage == "block":
            ram: BlockRam | SimpleDualPort = BlockRam(chip, self.word, size, holds)
        else:
            ram = SimpleDualPort(chip, self.word, size, build.storage, 2, holds)
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
