"""Two memories in one block RAM of Xilinx, each on a port that reads or writes.

They are instantiated, as those of `block_ram`: Yosys leaves their output registers in fabric."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import ClassVar

from amaranth.hdl import Cat, ClockSignal, Const, Instance, Module, Signal, Value

from modmul.targets.block_ram import DATA, ROW, WORD, initial
from modmul.targets.memories import MemoryPair, PortOfTwo
from modmul.targets.primitives import ONE, ZERO, open_pins


class XilinxPair(MemoryPair):
    """A block of 512 words of 36 bits, both of whose ports are 36 bits wide."""

    cell: ClassVar[str]
    words: ClassVar[int] = 512
    halves: ClassVar[int] = 0  # words of the block of half the size, 0 if the family has none

    @classmethod
    def saves(cls, width: int, depths: tuple[int, int]) -> bool:
        fits = width <= WORD and cls.begins(depths) + depths[1] <= cls.words
        return fits and max(depths) > cls.halves

    @classmethod
    def shares(cls, depth: int) -> bool:
        return cls.halves < depth <= cls.words

    @classmethod
    @abc.abstractmethod
    def pins(cls, name: str, address: Value) -> dict[str, object]:
        """The parameters and pins of port A or B that differ between the families'
        blocks."""

    @classmethod
    @abc.abstractmethod
    def others(cls) -> dict[str, object]:
        """The parameters and pins that belong to no port."""

    @classmethod
    def place(
        cls, m: Module, width: int, ports: tuple[PortOfTwo, PortOfTwo], init: Sequence[int] = ()
    ) -> tuple[Value, Value]:
        parts = [
            cls._block(m, low, min(WORD, width - low), ports, init) for low in range(0, width, WORD)
        ]
        if len(parts) == 1:
            return parts[0]
        first, last = zip(*parts, strict=True)
        return Cat(first), Cat(last)

    @classmethod
    def _block(
        cls, m: Module, low: int, wide: int, ports: tuple[PortOfTwo, PortOfTwo], init: Sequence[int]
    ) -> tuple[Value, Value]:
        """Place the block with bits `low` to `low + wide - 1` of all words; return what it
        reads."""
        bits, words = (cls.words - 1).bit_length(), list[Value]()
        connections: dict[str, object] = cls.others()
        for name, port in zip("AB", ports, strict=True):
            address = Cat(port.address, Const(0, bits - len(port.address)))
            data, parity = Signal(DATA, name="read_data"), Signal(WORD - DATA, name="read_parity")
            write = ZERO if port.write is None else port.write
            comes = Const(0, WORD)
            if port.data is not None:
                comes = Cat(port.data[low : low + wide], Const(0, WORD - wide))
            connections |= {
                f"p_DO{name}_REG": 1,
                f"p_WRITE_MODE_{name}": "WRITE_FIRST",
                f"i_CLK{name}": ClockSignal(),
                f"i_EN{name}": port.advance,
                f"i_REGCE{name}": port.advance,
                f"i_WE{name}": write.replicate(4),
                f"i_DI{name}": comes[:DATA],
                f"i_DIP{name}": comes[DATA:],
                f"o_DO{name}": data,
                f"o_DOP{name}": parity,
                **cls.pins(name, address),
            }
            words.append(Cat(data, parity)[:wide])
        connections |= {
            f"p_{name}": Const(value, ROW) for name, value in initial(init, low).items()
        }
        m.submodules["ram" if not low else f"ram_{low // WORD}"] = Instance(cls.cell, **connections)
        first, last = words
        return first, last


class Ramb16Pair(XilinxPair):
    """RAMB16 of Virtex-4."""

    cell = "RAMB16"

    @classmethod
    def pins(cls, name: str, address: Value) -> dict[str, object]:
        return {
            f"p_READ_WIDTH_{name}": WORD,
            f"p_WRITE_WIDTH_{name}": WORD,
            f"i_ADDR{name}": Cat(Const(0, 5), address, ONE),
            f"i_SSR{name}": ZERO,
            f"i_CASCADEIN{name}": ZERO,
            **open_pins(f"CASCADEOUT{name}"),
        }

    @classmethod
    def others(cls) -> dict[str, object]:
        return {}


class Spartan6Pair(XilinxPair):
    """RAMB16BWER of Spartan-6.  Half of it, RAMB8BWER, has 256 words, but its ports of 36 bits only
    read or only write."""

    cell, halves = "RAMB16BWER", 256

    @classmethod
    def pins(cls, name: str, address: Value) -> dict[str, object]:
        return {
            f"p_DATA_WIDTH_{name}": WORD,
            f"i_ADDR{name}": Cat(Const(0, 5), address),
            f"i_RST{name}": ZERO,
        }

    @classmethod
    def others(cls) -> dict[str, object]:
        return {"p_RSTTYPE": "SYNC"}
