"""Words in block RAM and in shift registers: ports, behaviour in plain HDL."""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import memory

from modmul.targets.primitives import ONE


class MemoryWrite(NamedTuple):
    """What is written into a memory at the next clock edge."""

    enable: Value
    address: Value
    data: Value


class BlockMemory:
    """Words in block RAM: one write port, or a content that stays, and one read port.

    The word at an address is there two cycles later: one in the block, one in its output register.
    A word that is written in the cycle in which it is read may come as anything.

    width, depth: of the words.  init: the first words; 0 behind them.  attributes: of the
    memory."""

    def __init__(
        self, width: int, depth: int, init: Sequence[int] = (),
        attributes: Mapping[str, str] | None = None,
    ):  # fmt: skip
        self.width, self.depth, self.init = width, depth, list(init)
        self.attributes = dict(attributes or {})

    def place(
        self, m: Module, address: Value, write: MemoryWrite | None, advance: Value = ONE
    ) -> Value:
        """The word read; the logic is added to `m`.  advance: both registers keep what they have
        without it."""
        m.submodules.ram = ram = memory.Memory(
            shape=self.width, depth=self.depth, init=self.init, attrs=self.attributes
        )
        if write is not None:
            port = ram.write_port()
            m.d.comb += [port.en.eq(write.enable), port.addr.eq(write.address),
                         port.data.eq(write.data)]  # fmt: skip
        read = ram.read_port()
        m.d.comb += [read.addr.eq(address), read.en.eq(advance)]
        word = Signal(self.width, name="read_register", reset_less=True)
        with m.If(advance):
            m.d.sync += word.eq(read.data)
        return word


class PortOfTwo(NamedTuple):
    """What a port of a memory with two ports is given.

    advance: without it both registers of the read keep what they have.  write: the word at the
    address is replaced by `data` at the next clock edge, and the port reads the new word; None: it
    only reads."""

    address: Value
    advance: Value = ONE
    write: Value | None = None
    data: Value | None = None


class MemoryPair(abc.ABC):
    """Two memories in one block, each on a port of its own, that reads or writes.  A word read is
    there two cycles later."""

    @staticmethod
    def begins(depths: tuple[int, int]) -> int:
        """Where the second memory begins: no address of the first one leads there."""
        return 1 << max(1, (depths[0] - 1).bit_length())

    @staticmethod
    @abc.abstractmethod
    def saves(width: int, depths: tuple[int, int]) -> bool:
        """Whether two memories of these depths fit, the second from `begins` on, and take less
        in it than in blocks of their own."""

    @staticmethod
    @abc.abstractmethod
    def shares(depth: int) -> bool:
        """Whether a memory of so many words is no larger in it than in a block with one port for
        writes and one for reads."""

    @staticmethod
    @abc.abstractmethod
    def place(
        m: Module, width: int, ports: tuple[PortOfTwo, PortOfTwo], init: Sequence[int] = ()
    ) -> tuple[Value, Value]:
        """The words read; the logic is added to `m`.  Several blocks side by side if the words are
        wider.  init: the first words of the memory; 0 behind them."""


class ShiftedWords(abc.ABC):
    """Words in shift registers, of which the one that came some words before the last is read."""

    most: ClassVar[int]  # words

    @staticmethod
    @abc.abstractmethod
    def place(m: Module, enable: Value, data: Value, before: Value) -> Value:
        """The word read, in the same cycle; the logic is added to `m`.  With `enable` a word comes
        at the next clock edge.  before: 0 for the last word that came, at most `most` - 1."""
