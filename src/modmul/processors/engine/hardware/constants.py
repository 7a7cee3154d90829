"""The constant store, into which a modulus is loaded."""

from __future__ import annotations

from typing import ClassVar

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modmul.blocks.delay import delay
from modmul.blocks.memory import BlockRam, SimpleDualPort, bits_of
from modmul.blocks.parity import is_damaged
from modmul.processors.engine.hardware.build import EngineBuild

_CHECKED = {name: In(1) for name in ("adds", "loads", "write_last")}
_CHECKED |= {name: Out(1) for name in ("damaged", "misplaced")}


class Constants(wiring.Component):
    """The constant store of the engine: {size} words of {word} bits, loaded with every modulus.

    It holds multiples of the modulus, which the adder takes, the constants of the programs, and
    what the multiplier loads; with `only_multiples` just the multiples, for the adder of a further
    port. A word is one beat of a number, the lowest first.{places}

    Ports:

      `write`, `write_first`, `data`: stores a beat in the next place, with `write_first` in the
        first
      `start`: reads the beat in the place `at`, then a beat in each cycle
      `out`: the beats that are read; the first one comes three cycles after `start`
      `multiple`: the same a cycle later, or 0 if `zero` was high with `start`
      `adds`, `loads`, `damaged` (with protection): an adder takes the beat at `out`; a multiplier
        loads it; it was changed
      `write_last`, `misplaced` (with protection): the beat is the last one of a modulus; it is not
        written in the last place
    """

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "the next beat that is written or read": {
            "next_place": "where it is written",
            "read_place": "where it is read",
            "read_place_d[0-9]*": "the same, so many cycles later",
            "place": "where it is written or read",
            "reads": "beats are read, one in a cycle",
            "gives_zero": "the number that is read counts as 0",
            "gives_zero_read_d[0-9]*": "the same of the beat that comes so many cycles later",
            "multiple_reg": "the beat, or 0",
        },
    }

    def __init__(self, build: EngineBuild, only_multiples: bool = False):
        """only_multiples: store only the multiples of the modulus, which come first."""
        self.size, self.word, self.build = build.store_size, build.stored, build
        bits = bits_of(self.size)
        if only_multiples:
            self.size = build.sets * build.rows_of_modulus << build.row_bits
        self.only_multiples = only_multiples
        self.places = (
            "  The words are in a memory outside, together with the programs: "
            "`store_word` is that at `store_address` two cycles before.  Nothing is "
            "read while it is written."
            if build.paired and not only_multiples
            else ""
        )
        self._shared = build.paired and not only_multiples
        self.ram = None if self._shared else self._memory()
        outside = {"store_address": Out(bits), "store_write": Out(1), "store_word": In(self.word)}
        super().__init__(
            {
                **(outside if self._shared else {}),
                "write": In(1),
                "write_first": In(1),
                "data": In(self.word),
                "start": In(1),
                "at": In(bits),
                "zero": In(1),
                "out": Out(self.word),
                "multiple": Out(build.word),
                **(_CHECKED if build.protected else {}),
            }
        )

    def _memory(self) -> BlockRam | SimpleDualPort:
        """A block RAM, or, for a few multiples alone, look-up tables, whose address is
        delayed by two cycles."""
        chip = self.build.multiplier.chip
        if not self.only_multiples or self.size > chip.shallow:
            return BlockRam(chip, self.word, self.size, "constants")
        return SimpleDualPort(
            chip,
            self.word,
            self.size,
            "distributed",
            0,
            "multiples of the modulus",
            in_order=self._whole_rows,
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        if self.ram is None:
            return self._outside(m)
        m.submodules.ram = ram = self.ram
        next_place = Signal.like(self.at, name="next_place")
        place = Mux(self.write_first, 0, next_place)
        with m.If(self.write):
            m.d.sync += next_place.eq(self._after(place))
        inside = place < self.size if self.only_multiples else 1
        address = Signal.like(self.at, name="read_place")
        zero = Signal(name="gives_zero")
        with m.If(self.start):
            m.d.sync += [address.eq(self.at), zero.eq(self.zero)]
        with m.Else():
            m.d.sync += address.eq(address + 1)
        late = 0 if isinstance(ram, BlockRam) else 2
        m.d.comb += [
            ram.write_enable.eq(self.write & inside),
            ram.write_address.eq(place),
            ram.write_data.eq(self.data),
            ram.read_address.eq(delay(m, address, late, "read_place")),
            self.out.eq(ram.read_data),
        ]
        return self._multiple(m, zero, place)

    def _outside(self, m: Module) -> Module:
        """Elaborate one address, of the next beat that is written or read."""
        address, reads = Signal.like(self.at, name="place"), Signal(name="reads")
        zero = Signal(name="gives_zero")
        place = Mux(self.write & self.write_first, 0, address)
        with m.If(self.start):
            m.d.sync += [reads.eq(1), zero.eq(self.zero)]
        with m.Elif(self.write):
            m.d.sync += reads.eq(0)
        following = Mux(self.write, self._after(place), place + 1)
        if self._whole_rows:
            following = place + 1
        with m.If(self.start):
            m.d.sync += address.eq(self.at)
        with m.Elif(self.write | reads):
            m.d.sync += address.eq(following)
        m.d.comb += [
            self.store_write.eq(self.write),
            self.store_address.eq(place),
            self.out.eq(self.store_word),
        ]
        return self._multiple(m, zero, place)

    def _multiple(self, m: Module, zero: Value, place: Value) -> Module:
        """Elaborate `multiple` from `out`.  zero: whether the number that is read counts as 0.
        place: of the beat that is written."""
        zero_read = delay(m, zero, 2, "gives_zero_read")
        multiple = Signal(self.build.word, name="multiple_reg", reset_less=True)
        m.d.sync += multiple.eq(self.out[: len(multiple)])
        with m.If(zero_read):
            m.d.sync += multiple.eq(0)
        m.d.comb += self.multiple.eq(multiple)
        if self.build.protected:
            m.d.comb += [
                self.damaged.eq((self.adds | self.loads) & is_damaged(self.out)),
                self.misplaced.eq(self.write & self.write_last & (place != self.build.last_place)),
            ]
        return m

    @property
    def _whole_rows(self) -> bool:
        """Whether there are no gaps between the rows."""
        return self.build.beats == 1 << self.build.row_bits

    def _after(self, place: Value) -> Value:
        """The address of the next beat: in the next row, if this one is full."""
        bits, last = self.build.row_bits, self.build.beats - 1
        if self._whole_rows:
            return place + 1
        full = (place[:bits] == last) & (place[bits:] < self.build.rows)
        return Mux(full, (place[bits:] + 1) << bits, place + 1)
