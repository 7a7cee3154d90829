"""The constant store: what a modulus is loaded as."""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modmul.blocks.delay import delay
from modmul.blocks.memory import BlockRam
from modmul.processors.engine.hardware.build import Build, bits_of


class Constants(wiring.Component):
    """{size} beats of {word} bits: multiples of the modulus, constants, what the multiplier loads.

    `write` stores the next beat of a modulus, `write_first` the first one.  `begin`: the address is
    that of beat `at`, and then counts; two cycles after an address its beat is in `out`, and three
    cycles after it in `multiple`, which is 0 if `zero` was high with `begin`."""

    def __init__(self, build: Build, only_multiples: bool = False):
        """only_multiples: those of the modulus, which come first, for another adder."""
        self.size, self.word, self.build = build.store_size, build.word, build
        bits = bits_of(self.size)
        if only_multiples:
            self.size = build.sets * build.rows_of_modulus << build.row_bits
        self.only_multiples = only_multiples
        self.ram = BlockRam(build.multiplier.chip, self.word, self.size, "constants")
        super().__init__({
            "write": In(1), "write_first": In(1), "data": In(build.word),
            "begin": In(1), "at": In(bits), "zero": In(1), "out": Out(build.word),
            "multiple": Out(build.word),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.ram = ram = self.ram
        next_place = Signal.like(self.at, name="next_place")
        place = Mux(self.write_first, 0, next_place)
        with m.If(self.write):
            m.d.sync += next_place.eq(self._after(place))
        inside = place < self.size if self.only_multiples else 1
        address = Signal.like(self.at, name="read_place")
        zero = Signal(name="gives_zero")
        with m.If(self.begin):
            m.d.sync += [address.eq(self.at), zero.eq(self.zero)]
        with m.Else():
            m.d.sync += address.eq(address + 1)
        m.d.comb += [
            ram.write_enable.eq(self.write & inside), ram.write_address.eq(place),
            ram.write_data.eq(self.data), ram.read_address.eq(address),
            self.out.eq(ram.read_data),
        ]  # fmt: skip
        zero_read = delay(m, zero, 2, "gives_zero_read")
        multiple = Signal(self.word, name="multiple_reg", reset_less=True)
        m.d.sync += multiple.eq(self.out)
        with m.If(zero_read):
            m.d.sync += multiple.eq(0)
        m.d.comb += self.multiple.eq(multiple)
        return m

    def _after(self, place: Value) -> Value:
        """The address of the next beat: in the next row, if this one is full."""
        bits, last = self.build.row_bits, self.build.beats - 1
        if last == (1 << bits) - 1:
            return place + 1
        full = (place[:bits] == last) & (place[bits:] < self.build.rows)
        return Mux(full, (place[bits:] + 1) << bits, place + 1)
