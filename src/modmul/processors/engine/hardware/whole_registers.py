"""Registers that are read and written as whole numbers.

They are in a memory with a copy for each operand, or in one of whose two ports each reads or
writes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from modmul.blocks.delay import delay
from modmul.blocks.memory import BlockRam, SharedRam, SimpleDualPort, bits_of
from modmul.processors.engine.hardware.build import EngineBuild
from modmul.processors.engine.hardware.register_ports import (
    OPERANDS,
    chosen,
    read_ports,
    write_signature,
)
from modmul.targets.memories import MemoryWrite


class WholeRegisters(wiring.Component):
    """The register file of the engine: numbers of {beats} beats of {word} bits in a memory that
    reads or writes a whole number in one cycle, and converters from numbers to the beats of the
    ports and back.

    A number is written in the cycle after its last beat came. Programs write at most one number in
    a cycle{but}.

    Ports; with several read ports the names end in their numbers:

      `begins`: the numbers in `register_a` and `register_b` are read from now on
      `a`, `b`: from two cycles later on, the beat of these numbers that `place` said two cycles
        before
      `write_products`, `write_sums`: a beat of a number that will be written, if `enable` is
        high: `register` (its number in the bank), `place` (of the beat), `data`
    """

    def __init__(self, build: EngineBuild):
        self.build = build
        self.beats, self.word = build.beats, build.stored
        self.but = ", or a product and a sum where none is read" if build.machine.shared else ""
        super().__init__(
            {
                **{f"begins{port}": In(1) for port in build.port_names},
                **read_ports(build),
                **{f"write_{bank}": In(write_signature(build)) for bank in build.bank_names},
            }
        )

    def elaborate(self, platform: object) -> Module:
        self.m = m = Module()
        banks = self.build.bank_names
        numbers = None
        if self.build.machine.shared:
            numbers = self._shared(
                [
                    self._gather(kind, [bank for bank in banks if kind in bank])
                    for kind in ("products", "sums")
                ]
            )
        else:
            self.write = self._gather("", banks)
        fresh = [
            delay(m, getattr(self, f"begins{port}"), 2, f"begins{port}")
            for port in self.build.port_names
        ]
        for operand in OPERANDS:
            number = self._memory(operand) if numbers is None else numbers[operand]
            for port, comes in zip(self.build.port_names, fresh, strict=True):
                self._split(f"{operand}{port}", port, comes, number)
        return m

    def _address(self, operand: str) -> Value:
        """The address of the number that the port that begins now reads for an operand."""
        first, *others = self.build.port_names
        address = getattr(self, f"register_{operand}{first}")
        for port in others:
            mine = getattr(self, f"register_{operand}{port}")
            address = Mux(getattr(self, f"begins{port}"), mine, address)
        return address

    @property
    def _size(self) -> int:
        """The numbers in the memory."""
        last = len(self.build.bank_names) - 1
        return self.build.machine.bank_size * last + self.build.registers(last)

    def _shared(self, writes: Sequence[MemoryWrite]) -> dict[str, Value]:
        """Both operands of the port that began two cycles before, from one memory.  Products
        are written on the port of the first operand, sums on that of the second."""
        m, build = self.m, self.build
        ram = SharedRam(build.multiplier.chip, self.word * self.beats, self._size, "all registers")
        m.submodules.numbers = ram
        for place, (operand, write) in enumerate(zip(OPERANDS, writes, strict=True), 1):
            address = Mux(write.enable, write.address, self._address(operand))
            m.d.comb += [
                getattr(ram, f"address_{place}").eq(address),
                getattr(ram, f"write_{place}").eq(write.enable),
                getattr(ram, f"write_data_{place}").eq(write.data),
            ]
        return {
            operand: getattr(ram, f"read_data_{place}") for place, operand in enumerate(OPERANDS, 1)
        }

    def _memory(self, operand: str) -> Value:
        """One operand of the port that began two cycles before."""
        m, build = self.m, self.build
        address, size = self._address(operand), self._size
        chip, wide = build.multiplier.chip, self.word * self.beats
        holds = f"all registers, as read for operand {operand}"
        if build.storage == "block":
            ram: BlockRam | SimpleDualPort = BlockRam(chip, wide, size, holds)
        else:
            ram = SimpleDualPort(chip, wide, size, build.storage, 2, holds)
        m.submodules[f"numbers_{operand}"] = ram
        m.d.comb += [
            ram.write_enable.eq(self.write.enable),
            ram.write_address.eq(self.write.address),
            ram.write_data.eq(self.write.data),
            ram.read_address.eq(address),
        ]
        return ram.read_data

    def _split(self, name: str, port: str, comes: Value, number: Value) -> None:
        """Elaborate the beats of a number, which is kept from the cycle on in which it comes."""
        m = self.m
        kept = Signal(len(number), name=f"{name}_kept", reset_less=True)
        with m.If(comes):
            m.d.sync += kept.eq(number)
        place = delay(m, getattr(self, f"place{port}"), 2, f"place{port}_{name}")
        beat = Mux(comes, number[: self.word], kept.word_select(place, self.word))
        m.d.comb += getattr(self, name).eq(beat)

    def _gather(self, kind: str, banks: Sequence[str]) -> MemoryWrite:
        """The number that is written, of the bank among these whose last beat came.  kind:
        for names."""
        m, every = self.m, self.build.bank_names
        suffix = kind and f"_of_{kind}"
        bank = Signal(bits_of(len(every)), name=f"bank_that_writes{suffix}")
        enable = Signal(name=f"number_there{suffix}")
        written, codes, registers, numbers = [], [], [], []
        for name in banks:
            place = every.index(name)
            write = getattr(self, f"write_{name}")
            register = Signal(len(write.register), name=f"{name}_register", reset_less=True)
            number = Signal(self.word * self.beats, name=f"{name}_number", reset_less=True)
            with m.If(write.enable):
                m.d.sync += [
                    number.eq(Cat(number, write.data)[self.word :]),
                    register.eq(write.register),
                ]
            last = write.enable & (write.place == self.beats - 1)
            written.append(last)
            codes.append(last.replicate(len(bank)) & place)
            registers.append(register)
            numbers.append(number)
        m.d.sync += [enable.eq(Cat(written).any()), bank.eq(reduce(or_, codes))]
        which = bank[: (len(banks) - 1).bit_length()]
        return MemoryWrite(enable, Cat(chosen(registers, which), bank), chosen(numbers, which))
