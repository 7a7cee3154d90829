"""The registers: banks of their own for products and sums, and for each port, read at all ports.

A bank has as many copies as there are readers, so that every memory has one writer and one
reader.  With one writer all banks are in one memory, with a copy for each reader, with two those of
products in one and those of sums in another."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import ClassVar

from amaranth.hdl import Cat, Const, Module, Mux, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from modmul.blocks.delay import delay
from modmul.blocks.memory import BlockRam, SimpleDualPort, bits_of
from modmul.blocks.part import wire
from modmul.processors.engine.hardware.build import EngineBuild
from modmul.processors.engine.hardware.register_ports import (
    OPERANDS,
    chosen,
    read_ports,
    write_signature,
)
from modmul.processors.engine.hardware.whole_registers import WholeRegisters
from modmul.targets.memories import MemoryWrite


class _Banks(wiring.Component):
    """Base class: the ports of registers in banks."""

    def __init__(self, build: EngineBuild):
        self.build = build
        self.beats, self.word = build.beats, build.stored
        super().__init__(
            {
                **read_ports(build),
                **{f"write_{bank}": In(write_signature(build)) for bank in build.bank_names},
            }
        )

    def _copy(
        self, m: Module, bank: str, size: int, write: MemoryWrite, port: str, operand: str
    ) -> Value:
        """What a copy of a block RAM of `size` beats gives for one operand of one port, two
        cycles after the address."""
        read = f"{operand}{port}"
        holds = f"all {bank}, as read at {read}"
        ram = BlockRam(self.build.multiplier.chip, self.word, size, holds)
        m.submodules[f"{bank}_{read}"] = ram
        shift = bits_of(self.beats)
        number = getattr(self, f"register_{read}")[: len(ram.read_address) - shift]
        m.d.comb += [
            ram.write_enable.eq(write.enable),
            ram.write_address.eq(write.address),
            ram.write_data.eq(write.data),
            ram.read_address.eq(getattr(self, f"place{port}") | (number << shift)),
        ]
        return ram.read_data


class Registers(_Banks):
    """The register file of the engine: numbers of {beats} beats of {word} bits, in banks.

    Products and sums of each port are written into banks of their own; the highest bits of a
    register's number say which bank it is in. Every bank has a copy for each operand that is read.

    Ports; with several read ports the names end in their numbers:

      `register_a`, `register_b`, `place`: registers that are read, and which beat of both
      `a`, `b`: these beats, two cycles later
      `write_products`, `write_sums`: a beat that is written at the end of the cycle, if
        `enable` is high: `register` (its number in the bank), `place` (its number), `data`
    """

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "bank of each operand": {
            "*_bank_d[0-9]*": "the bank of the register that was named so many cycles ago",
        },
        "copies of the banks": {
            "written_*": "of the beat that is written: number of the register, then of the beat",
            "*_read_address": "of the beat that is read",
            "*_read_data": "the beat in this copy",
        },
    }

    def elaborate(self, platform: object) -> Module:
        m, shift = Module(), bits_of(self.beats)
        self.written = {}
        for bank in self.build.bank_names:
            write = getattr(self, f"write_{bank}")
            address = write.place | (write.register << shift)
            self.written[bank] = wire(m, address, f"written_{bank}")
        for port in self.build.port_names:
            for operand in OPERANDS:
                self._read(m, port, f"{operand}{port}")
        return m

    def _read(self, m: Module, port: str, operand: str) -> None:
        """Elaborate one operand of one port: a copy of each bank, and the selection of a bank."""
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
        chip, holds = build.multiplier.chip, f"bank {bank}, as read at {operand}"
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
            ram.write_address.eq(self.written[bank]),
            ram.write_data.eq(write.data),
            ram.read_address.eq(beat | (number[: max(1, bits - shift)] << shift)),
        ]
        return ram.read_data


class OneBank(_Banks):
    """The register file of the engine: numbers of {beats} beats of {word} bits, all in one memory,
    with a copy of it for each operand that is read.

    Ports as of `Registers`: addresses `register_a`, `register_b` and `place` (the number of the
    beat), beats `a` and `b` two cycles later, and beats to be written. Programs write at most one
    beat in a cycle. `data` of a bank of sums has to be 0 in cycles without `enable`."""

    def elaborate(self, platform: object) -> Module:
        self.m = m = Module()
        build, last = self.build, self.build.machine.banks - 1
        write = gathered(self, build.bank_names)
        size = build.machine.bank_size * last + build.registers(last) << bits_of(self.beats)
        for port in build.port_names:
            for operand in OPERANDS:
                beat = self._copy(m, "registers", size, write, port, operand)
                m.d.comb += getattr(self, f"{operand}{port}").eq(beat)
        return m


class TwoBanks(_Banks):
    """The register file of the engine: numbers of {beats} beats of {word} bits, products in one
    memory and sums in another, each with a copy for each operand that is read.

    Ports as of `Registers`: addresses `register_a`, `register_b` and `place` (the number of the
    beat), beats `a` and `b` two cycles later, and beats to be written. Programs write at most one
    beat of a product and one of a sum in a cycle. `data` of a bank of sums has to be 0 in cycles
    without `enable`."""

    def elaborate(self, platform: object) -> Module:
        self.m = m = Module()
        build, ports = self.build, self.build.machine.ports
        kinds = {"products": build.bank_names[:ports], "sums": build.bank_names[ports:]}
        writes = {kind: gathered(self, banks) for kind, banks in kinds.items()}
        for port in build.port_names:
            for operand in OPERANDS:
                number = getattr(self, f"register_{operand}{port}")
                which = delay(m, number[-1], 2, f"{operand}{port}_sums")
                products, sums = (self._memory(kind, writes[kind], port, operand) for kind in kinds)
                m.d.comb += getattr(self, f"{operand}{port}").eq(Mux(which, sums, products))
        return m

    def _memory(self, kind: str, write: MemoryWrite, port: str, operand: str) -> Value:
        """What a copy of the memory of one kind gives, two cycles after the address."""
        build, ports = self.build, self.build.machine.ports
        last = ports * (1 + (kind == "sums")) - 1
        size = build.machine.bank_size * (ports - 1) + build.registers(last) << bits_of(self.beats)
        return self._copy(self.m, kind, size, write, port, operand)


def gathered(registers: OneBank | TwoBanks, banks: Sequence[str]) -> MemoryWrite:
    """The beat that is written into one of these banks, as the OR of the beats of all; those
    that are not there are 0."""
    bits = (len(banks) - 1).bit_length()
    enables, addresses, words = [], [], []
    for place, name in enumerate(banks):
        write = getattr(registers, f"write_{name}")
        to = Cat(write.place, write.register, Const(place, bits))
        enables.append(write.enable)
        addresses.append(Mux(write.enable, to, 0))
        always = name.startswith("sums")
        words.append(write.data if always else Mux(write.enable, write.data, 0))
    return MemoryWrite(Cat(enables).any(), reduce(or_, addresses), reduce(or_, words))


def registers_of(build: EngineBuild) -> Registers | OneBank | TwoBanks | WholeRegisters:
    if build.machine.gathers:
        return WholeRegisters(build)
    if build.machine.writers == "each":
        return Registers(build)
    return OneBank(build) if build.machine.writers == "one" else TwoBanks(build)
