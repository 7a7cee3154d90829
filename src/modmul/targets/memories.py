"""Words in block RAM and in shift registers: ports, behaviour in plain HDL."""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import memory

from modmul.targets.primitives import ONE


class MemoryWrite(NamedTuple):
    """The signals of a write port: with `enable`, `data` is written at the next clock edge."""

    enable: Value
    address: Value
    data: Value


class BlockMemory:
    """Words in block RAM: one read port, and one write port or a constant content.

    The word at an address is available two cycles later: one cycle for the block, one for its
    output register.  A word that is read in the cycle in which it is written is undefined.

    width, depth: bits of a word, number of words.  init: the first words; the others are 0.
    attributes: of the memory in the emitted text."""

    note: ClassVar[str] = ""  # what a reader of the emitted text would stumble over

    def __init__(
        self,
        width: int,
        depth: int,
        init: Sequence[int] = (),
        attributes: Mapping[str, str] | None = None,
    ):
        self.width, self.depth, self.init = width, depth, list(init)
        self.attributes = dict(attributes or {})

    def place(
        self, m: Module, address: Value, write: MemoryWrite | None, advance: Value = ONE
    ) -> Value:
        """Add the logic to `m` and return the word read.  advance: without it, both registers of
        the read keep their values."""
        m.submodules.ram = ram = memory.Memory(
            shape=self.width, depth=self.depth, init=self.init, attrs=self.attributes
        )
        if write is not None:
            port = ram.write_port()
            m.d.comb += [
                port.en.eq(write.enable),
                port.addr.eq(write.address),
                port.data.eq(write.data),
            ]
        read = ram.read_port()
        m.d.comb += [read.addr.eq(address), read.en.eq(advance)]
        found = Signal(self.width, name="found")
        m.d.comb += found.eq(read.data)
        word = Signal(self.width, name="read_register", reset_less=True)
        with m.If(advance):
            m.d.sync += word.eq(found)
        return word


class PortOfTwo(NamedTuple):
    """The inputs of one port of a memory with two ports.

    advance: without it, both registers of the read keep their values.  write: `data` replaces the
    word at the address at the next clock edge, and the port reads the new word; None: the port only
    reads."""

    address: Value
    advance: Value = ONE
    write: Value | None = None
    data: Value | None = None


class MemoryPair(abc.ABC):
    """Two memories in one block, each on its own port, which reads or writes.  A word that is read
    is available two cycles later."""

    @staticmethod
    def begins(depths: tuple[int, int]) -> int:
        """The first address of the second memory, which no address of the first leads to."""
        return 1 << max(1, (depths[0] - 1).bit_length())

    @staticmethod
    @abc.abstractmethod
    def saves(width: int, depths: tuple[int, int]) -> bool:
        """Whether two memories of these depths fit, the second from `begins` on, and take less
        block RAM so than in blocks of their own."""

    @staticmethod
    @abc.abstractmethod
    def shares(depth: int) -> bool:
        """Whether a memory of so many words takes no more block RAM than with a write and a read
        port."""

    @staticmethod
    @abc.abstractmethod
    def place(
        m: Module, width: int, ports: tuple[PortOfTwo, PortOfTwo], init: Sequence[int] = ()
    ) -> tuple[Value, Value]:
        """Add the logic to `m` and return the words read.  Words that are wider than a block are
        split over several blocks.  init: the first words of the memory; the others are 0."""


class ShiftedWords(abc.ABC):
    """Words in shift registers; the one that came a given number of words before the last is
    read."""

    most: ClassVar[int]  # words

    @staticmethod
    @abc.abstractmethod
    def place(m: Module, enable: Value, data: Value, before: Value) -> Value:
        """Add the logic to `m` and return the word read, in the same cycle.  With `enable`, `data`
        enters at the next clock edge.  before: 0 reads the last word that entered; below `most`."""
