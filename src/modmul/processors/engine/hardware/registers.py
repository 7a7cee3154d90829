"""The registers: banks of their own for products and sums, and for each port, read at all ports.

A bank has as many copies as there are readers, so that every memory has one writer and one
reader.  With one writer all banks are in one memory, with a copy for each reader; so they are where
the interconnect has whole operands, with a copy for each operand."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from modmul.blocks.delay import delay
from modmul.blocks.memory import BlockRam, SimpleDualPort, bits_of
from modmul.processors.engine.hardware.build import EngineBuild
from modmul.processors.engine.instructions import instruction_set

OPERANDS = ("a", "b")


def write_layout(build: EngineBuild, banks: int = 1) -> data.StructLayout:
    """One beat that is written into a bank, or into one of several that follow each other."""
    return data.StructLayout({
        "enable": 1, "register": bits_of(build.machine.bank_size * banks),
        "place": bits_of(build.beats), "data": build.word,
    })  # fmt: skip


def read_ports(build: EngineBuild) -> dict[str, In | Out]:
    """What is read: an address, and a beat two cycles later; of several ports each has these, with
    its number behind them."""
    number = (instruction_set().registers - 1).bit_length()
    reads = [f"{operand}{port}" for port in build.port_names for operand in OPERANDS]
    return {
        **{f"place{port}": In(bits_of(build.beats)) for port in build.port_names},
        **{f"register_{operand}": In(number) for operand in reads},
        **{operand: Out(build.word) for operand in reads},
    }


def chosen(values: Sequence[Value], which: Value) -> Value:
    """Selects one of as many values as `which` can number."""
    left = list(values)
    for bit in which:
        pairs = zip(left[::2], left[1::2], strict=True)
        left = [Mux(bit, high, low) for low, high in pairs]
    return left[0]


class Registers(wiring.Component):
    """Registers of {beats} beats of {word} bits, in banks for products and for sums; the highest
    bits of a register's number say which.

    `register_a` and `register_b` with `place` (the beat) are addresses; two cycles later the beats
    are in `a` and `b`.  Of several ports each has these, with its number behind them."""

    def __init__(self, build: EngineBuild):
        self.build = build
        self.beats, self.word = build.beats, build.word
        super().__init__({
            **read_ports(build),
            **{f"write_{bank}": In(write_layout(build)) for bank in build.bank_names},
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        for port in self.build.port_names:
            for operand in OPERANDS:
                self._read(m, port, f"{operand}{port}")
        return m

    def _read(self, m: Module, port: str, operand: str) -> None:
        """One operand of one port: a copy of each bank, and which of them is meant."""
        banks = self.build.bank_names
        bits = bits_of(len(banks))
        number = getattr(self, f"register_{operand}")
        which = delay(m, number[len(number) - bits :], 2, f"{operand}_bank")
        copies = [self._memory(m, place, port, operand) for place in range(len(banks))]
        m.d.comb += getattr(self, operand).eq(chosen(copies, which))

    def _memory(self, m: Module, place: int, port: str, operand: str) -> Value:
        """What one copy of a bank gives, two cycles after the address."""
        build, bank = self.build, self.build.bank_names[place]
        size = build.registers(place) << bits_of(self.beats)
        chip, holds = build.multiplier.chip, f"{bank}, for port {operand}"
        if build.storage == "block":
            ram: BlockRam | SimpleDualPort = BlockRam(chip, self.word, size, holds)
        else:
            ram = SimpleDualPort(chip, self.word, size, build.storage, 2, holds)
        m.submodules[f"{bank}_{operand}"] = ram
        write = getattr(self, f"write_{bank}")
        number = getattr(self, f"register_{operand}")
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


class OneBank(wiring.Component):
    """Registers of {beats} beats of {word} bits, all in one memory, with a copy for each reader.

    Ports as `Registers`.  Never two beats are written in one cycle; where none is written into a
    bank of products, its `data` may be anything, that of sums is 0 then."""

    def __init__(self, build: EngineBuild):
        self.build = build
        self.beats, self.word = build.beats, build.word
        super().__init__({
            **read_ports(build),
            **{f"write_{bank}": In(write_layout(build)) for bank in build.bank_names},
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        self.m = m = Module()
        build, shift = self.build, bits_of(self.beats)
        enable, address, word = self._gather()
        size = build.machine.bank_size * (build.machine.banks - 1)
        size = size + build.registers(build.machine.banks - 1) << shift
        for port in build.port_names:
            for operand in OPERANDS:
                ram = BlockRam(build.multiplier.chip, self.word, size, f"port {operand}{port}")
                m.submodules[f"registers_{operand}{port}"] = ram
                number = getattr(self, f"register_{operand}{port}")
                m.d.comb += [
                    ram.write_enable.eq(enable), ram.write_address.eq(address),
                    ram.write_data.eq(word),
                    ram.read_address.eq(getattr(self, f"place{port}") | (number << shift)),
                    getattr(self, f"{operand}{port}").eq(ram.read_data),
                ]
        return m

    def _gather(self) -> tuple[Value, Value, Value]:
        """Whether a beat is written, where, and the beat: the OR of those of all banks, of which
        the others are 0."""
        banks = self.build.bank_names
        bits = bits_of(len(banks))
        enables, addresses, words = [], [], []
        for place, name in enumerate(banks):
            write = getattr(self, f"write_{name}")
            to = Cat(write.place, write.register, Const(place, bits))
            enables.append(write.enable)
            addresses.append(Mux(write.enable, to, 0))
            always = name.startswith("sums")
            words.append(write.data if always else Mux(write.enable, write.data, 0))
        return Cat(enables).any(), reduce(or_, addresses), reduce(or_, words)


class WholeRegisters(wiring.Component):
    """Registers of {beats} beats of {word} bits in one memory, which reads and writes whole
    numbers; converters between these and the beats of the ports.

    `begins` of a port: the address is that of a number that is read from now on.  Two cycles later
    it is kept, and its beat `place` is in `a` and `b`, for addresses as they were two cycles
    before.  A number is written in the cycle after its last beat came; never two in one cycle."""

    def __init__(self, build: EngineBuild):
        self.build = build
        self.beats, self.word = build.beats, build.word
        super().__init__({
            **{f"begins{port}": In(1) for port in build.port_names}, **read_ports(build),
            **{f"write_{bank}": In(write_layout(build)) for bank in build.bank_names},
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        self.m = m = Module()
        self.write_enable, self.write_address, self.write_data = self._gather()
        fresh = [delay(m, getattr(self, f"begins{port}"), 2, f"begins{port}")
                 for port in self.build.port_names]  # fmt: skip
        for operand in OPERANDS:
            number = self._memory(operand)
            for port, comes in zip(self.build.port_names, fresh, strict=True):
                self._split(f"{operand}{port}", port, comes, number)
        return m

    def _memory(self, operand: str) -> Value:
        """The number that one operand of the port which began two cycles before is."""
        m, build = self.m, self.build
        first, *others = build.port_names
        address = getattr(self, f"register_{operand}{first}")
        for port in others:
            mine = getattr(self, f"register_{operand}{port}")
            address = Mux(getattr(self, f"begins{port}"), mine, address)
        size = build.machine.bank_size * (len(build.bank_names) - 1)
        size += build.registers(len(build.bank_names) - 1)
        chip, wide = build.multiplier.chip, self.word * self.beats
        if build.storage == "block":
            ram: BlockRam | SimpleDualPort = BlockRam(chip, wide, size, f"numbers for {operand}")
        else:
            ram = SimpleDualPort(chip, wide, size, build.storage, 2, f"numbers for {operand}")
        m.submodules[f"numbers_{operand}"] = ram
        m.d.comb += [
            ram.write_enable.eq(self.write_enable), ram.write_address.eq(self.write_address),
            ram.write_data.eq(self.write_data), ram.read_address.eq(address),
        ]  # fmt: skip
        return ram.read_data

    def _split(self, name: str, port: str, comes: Value, number: Value) -> None:
        """The beats of a number, which is kept from the cycle on in which it comes."""
        m = self.m
        kept = Signal(len(number), name=f"{name}_kept", reset_less=True)
        with m.If(comes):
            m.d.sync += kept.eq(number)
        place = delay(m, getattr(self, f"place{port}"), 2, f"place{port}_{name}")
        beat = Mux(comes, number[: self.word], kept.word_select(place, self.word))
        m.d.comb += getattr(self, name).eq(beat)

    def _gather(self) -> tuple[Value, Value, Value]:
        """Whether a number is written, where, and the number: of the bank whose last beat came."""
        m, banks = self.m, self.build.bank_names
        bank = Signal(bits_of(len(banks)), name="bank_that_writes")
        enable = Signal(name="number_there")
        written, codes, registers, numbers = [], [], [], []
        for place, name in enumerate(banks):
            write = getattr(self, f"write_{name}")
            register = Signal(len(write.register), name=f"{name}_register", reset_less=True)
            number = Signal(self.word * self.beats, name=f"{name}_number", reset_less=True)
            with m.If(write.enable):
                m.d.sync += [number.eq(Cat(number, write.data)[self.word :]),
                             register.eq(write.register)]  # fmt: skip
            last = write.enable & (write.place == self.beats - 1)
            written.append(last)
            codes.append(last.replicate(len(bank)) & place)
            registers.append(register)
            numbers.append(number)
        m.d.sync += [enable.eq(Cat(written).any()), bank.eq(reduce(or_, codes))]
        return enable, Cat(chosen(registers, bank), bank), chosen(numbers, bank)


def registers_of(build: EngineBuild) -> Registers | OneBank | WholeRegisters:
    """The registers of an engine."""
    if build.machine.gathers:
        return WholeRegisters(build)
    return OneBank(build) if build.machine.one_writer else Registers(build)
