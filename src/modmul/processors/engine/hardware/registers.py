"""The registers: banks of their own for products and sums, and for each port, read at all ports.

A bank has as many copies as there are readers, so that every memory has one writer and one
reader."""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from modmul.blocks.delay import delay
from modmul.blocks.memory import BlockRam, SimpleDualPort
from modmul.processors.engine.hardware.build import Build, bits_of
from modmul.processors.engine.instructions import instruction_set

OPERANDS = ("a", "b")


def write_layout(build: Build, banks: int = 1) -> data.StructLayout:
    """One beat that is written into a bank, or into one of several that follow each other."""
    return data.StructLayout({
        "enable": 1, "register": bits_of(build.machine.bank_size * banks),
        "place": bits_of(build.beats), "data": build.word,
    })  # fmt: skip


class Registers(wiring.Component):
    """Registers of {beats} beats of {word} bits, in banks for products and for sums; the highest
    bits of a register's number say which.

    `register_a` and `register_b` with `place` (the beat) are addresses; two cycles later the beats
    are in `a` and `b`.  Of several ports each has these, with its number behind them."""

    def __init__(self, build: Build):
        self.build = build
        self.beats, self.word = build.beats, build.word
        number = (instruction_set().registers - 1).bit_length()
        reads = [f"{operand}{port}" for port in build.port_names for operand in OPERANDS]
        super().__init__({
            **{f"place{port}": In(bits_of(build.beats)) for port in build.port_names},
            **{f"register_{one}": In(number) for one in reads},
            **{one: Out(build.word) for one in reads},
            **{f"write_{bank}": In(write_layout(build)) for bank in build.bank_names},
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        for port in self.build.port_names:
            for operand in OPERANDS:
                self._read(m, port, f"{operand}{port}")
        return m

    def _read(self, m: Module, port: str, one: str) -> None:
        """One operand of one port: a copy of each bank, and which of them is meant."""
        banks = self.build.bank_names
        bits = bits_of(len(banks))
        number = getattr(self, f"register_{one}")
        chosen = delay(m, number[len(number) - bits :], 2, f"{one}_bank")
        found = [self._memory(m, place, port, one) for place in range(len(banks))]
        for bit in range(bits):
            pairs = zip(found[::2], found[1::2], strict=True)
            found = [Mux(chosen[bit], high, low) for low, high in pairs]
        m.d.comb += getattr(self, one).eq(found[0])

    def _memory(self, m: Module, place: int, port: str, one: str) -> Value:
        """What one copy of a bank gives, two cycles after the address."""
        build, bank = self.build, self.build.bank_names[place]
        size = build.registers(place) << bits_of(self.beats)
        chip, holds = build.multiplier.chip, f"{bank}, for port {one}"
        if build.storage == "block":
            ram: BlockRam | SimpleDualPort = BlockRam(chip, self.word, size, holds)
        else:
            ram = SimpleDualPort(chip, self.word, size, build.storage, 2, holds)
        m.submodules[f"{bank}_{one}"] = ram
        write = getattr(self, f"write_{bank}")
        number = getattr(self, f"register_{one}")
        bits = len(ram.read_address)
        shift = bits_of(self.beats)
        beat = getattr(self, f"place{port}")
        m.d.comb += [
            ram.write_enable.eq(write.enable),
            ram.write_address.eq(write.place | (write.register << shift)),
            ram.write_data.eq(write.data),
            ram.read_address.eq(beat | (number[: max(1, bits - shift)] << shift)),
        ]
        return ram.read_data
