"""The constant store: what a modulus is loaded as."""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modmul.processors.engine.hardware.build import Build, bits_of


class Constants(wiring.Component):
    """{size} beats of {word} bits: multiples of the modulus, constants, what the multiplier loads.

    `write` stores the next beat of a modulus, `write_first` the first one.  `begin`: the address is
    that of beat `at`, and then counts; two cycles after an address its beat is in `out`, or 0 if
    `zero` was high with `begin`."""

    def __init__(self, build: Build):
        from amaranth.lib import memory

        self.size, self.word, self.build = build.store_beats, build.word, build
        attrs = {"ram_style": "block", "syn_ramstyle": "block_ram"}
        self.ram = memory.Memory(
            shape=build.word,
            depth=self.size,
            init=[],
            attrs=attrs if build.multiplier.chip.ram_styles else {},
        )
        bits = bits_of(self.size)
        super().__init__({
            "write": In(1), "write_first": In(1), "data": In(build.word),
            "begin": In(1), "at": In(bits), "zero": In(1), "out": Out(build.word),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.ram = self.ram
        write, read = self.ram.write_port(), self.ram.read_port()
        next_place = Signal.like(self.at, name="next_place")
        place = Mux(self.write_first, 0, next_place)
        with m.If(self.write):
            m.d.sync += next_place.eq(place + 1)
        address = Signal.like(self.at, name="read_place")
        zero, zero_read = Signal(name="gives_zero"), Signal(name="gives_zero_read")
        with m.If(self.begin):
            m.d.sync += [address.eq(self.at), zero.eq(self.zero)]
        with m.Else():
            m.d.sync += address.eq(address + 1)
        m.d.sync += zero_read.eq(zero)
        m.d.comb += [
            write.en.eq(self.write), write.addr.eq(place), write.data.eq(self.data),
            read.addr.eq(address),
        ]  # fmt: skip
        out = Signal(self.word, name="constant", reset_less=True)
        m.d.sync += out.eq(read.data)
        with m.If(zero_read):
            m.d.sync += out.eq(0)
        m.d.comb += self.out.eq(out)
        return m
