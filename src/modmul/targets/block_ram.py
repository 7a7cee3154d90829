"""Block RAMs of Xilinx: words of 36 bits, one write port, one read port, and the output register.

Yosys infers these blocks without their output register, and leaves it in fabric: 34 flip-flops for
each memory of an engine with words of 34 bits.  So they are instantiated.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from amaranth.hdl import Cat, ClockSignal, Const, Instance, Module, Signal, Value

from modmul.targets.memories import BlockMemory, MemoryWrite
from modmul.targets.primitives import ONE, ZERO, open_pins

WORD = 36  # bits of a word: 32 of data, then one of parity for every eight bits of data
DATA = 32
ROW = 256  # bits of a parameter INIT or INITP


class Pins(NamedTuple):
    """The signals at the ports of a block of `words` words.

    read, advance: address and enable of the read port.  data, parity: the word read. write, enable:
    address and enable of the write port.  comes, comes_parity: the word written."""

    words: int
    read: Value
    advance: Value
    data: Signal
    parity: Signal
    write: Value
    enable: Value
    comes: Value
    comes_parity: Value


class XilinxRam(BlockMemory, abc.ABC):
    """Block RAMs side by side, each with 36 bits of every word; the smallest block that is deep
    enough is used.  A deeper memory is left to inference."""

    depths: ClassVar[tuple[int, ...]] = (512,)  # words of each block of the family, rising

    @classmethod
    @abc.abstractmethod
    def block(cls, pins: Pins) -> tuple[str, dict[str, object]]:
        """The name of the cell, and its parameters and pins."""

    def place(
        self, m: Module, address: Value, write: MemoryWrite | None, advance: Value = ONE
    ) -> Value:
        words = next((words for words in self.depths if self.depth <= words), 0)
        if not words:
            return super().place(m, address, write, advance)
        bits = (words - 1).bit_length()
        read = Cat(address, Const(0, bits - len(address)))
        words_read: list[Value] = []
        for low in range(0, self.width, WORD):
            wide = min(WORD, self.width - low)
            data, parity = Signal(DATA, name="read_data"), Signal(WORD - DATA, name="read_parity")
            to, enable, comes = Const(0, bits), ZERO, Const(0, WORD)
            if write is not None:
                to, enable = Cat(write.address, Const(0, bits - len(write.address))), write.enable
                comes = Cat(write.data[low : low + wide], Const(0, WORD - wide))
            pins = Pins(words, read, advance, data, parity, to, enable, comes[:DATA], comes[DATA:])
            cell, connections = self.block(pins)
            connections |= {
                f"p_{name}": Const(value, ROW) for name, value in initial(self.init, low).items()
            }
            m.submodules[f"ram_{low // WORD}"] = Instance(cell, **connections)
            words_read.append(Cat(data, parity)[:wide])
        return Cat(words_read)


def initial(words: Sequence[int], low: int) -> dict[str, int]:
    """The parameters INIT and INITP of the block that holds bits `low` to `low` + 35 of the
    words; parameters that are 0 are left out."""
    values: dict[str, int] = {}
    for name, first, bits in (("INIT", low, DATA), ("INITP", low + DATA, WORD - DATA)):
        each = ROW // bits
        for row in range(0, len(words), each):
            parts = (
                (word >> first & (1 << bits) - 1) << bits * place
                for place, word in enumerate(words[row : row + each])
            )
            if value := sum(parts):
                values[f"{name}_{row // each:02X}"] = value
    return values


def _named(prefix: str, **values: object) -> dict[str, object]:
    return {f"{prefix}_{name}": value for name, value in values.items()}


class Ramb18e(XilinxRam):
    """RAMB18E1 or RAMB18E2 as simple dual port; each port carries half of the bits of a word."""

    cell: ClassVar[str]
    outputs: ClassVar[tuple[str, ...]] = ("DOADO", "DOBDO", "DOPADOP", "DOPBDOP")
    inputs: ClassVar[tuple[str, ...]] = ("DIADI", "DIBDI", "DIPADIP", "DIPBDIP")

    @classmethod
    def others(cls) -> dict[str, object]:
        """The parameters and pins that only this family's block has."""
        return {}

    @classmethod
    def block(cls, pins: Pins) -> tuple[str, dict[str, object]]:
        halves = {
            "o": (cls.outputs, pins.data, pins.parity),
            "i": (cls.inputs, pins.comes, pins.comes_parity),
        }
        data: dict[str, object] = {}
        for kind, (names, word, parity) in halves.items():
            parts = (word[:16], word[16:], parity[:2], parity[2:])
            data |= {f"{kind}_{name}": part for name, part in zip(names, parts, strict=True)}
        return cls.cell, {
            **_named(
                "p",
                READ_WIDTH_A=WORD,
                WRITE_WIDTH_A=0,
                READ_WIDTH_B=0,
                WRITE_WIDTH_B=WORD,
                DOA_REG=1,
                DOB_REG=1,
                WRITE_MODE_A="READ_FIRST",
                WRITE_MODE_B="READ_FIRST",
            ),
            **_named(
                "i",
                CLKARDCLK=ClockSignal(),
                CLKBWRCLK=ClockSignal(),
                ENARDEN=pins.advance,
                REGCEAREGCE=pins.advance,
                REGCEB=ZERO,
                ADDRARDADDR=Cat(Const(0, 5), pins.read),
                ENBWREN=pins.enable,
                ADDRBWRADDR=Cat(Const(0, 5), pins.write),
                WEA=Const(0, 2),
                WEBWE=Const(15, 4),
            ),
            **{
                f"i_{pin}": ZERO for pin in ("RSTRAMARSTRAM", "RSTRAMB", "RSTREGARSTREG", "RSTREGB")
            },
            **data,
            **cls.others(),
        }


class Ramb18e1(Ramb18e):
    """RAMB18E1 of the 7 series, 512 words."""

    cell = "RAMB18E1"

    @classmethod
    def others(cls) -> dict[str, object]:
        return {"p_RAM_MODE": "SDP"}


class Ramb18e2(Ramb18e):
    """RAMB18E2 of UltraScale+, 512 words."""

    cell = "RAMB18E2"
    outputs = ("DOUTADOUT", "DOUTBDOUT", "DOUTPADOUTP", "DOUTPBDOUTP")
    inputs = ("DINADIN", "DINBDIN", "DINPADINP", "DINPBDINP")

    @classmethod
    def others(cls) -> dict[str, object]:
        unused = ("CASDOUTA", "CASDOUTB", "CASDOUTPA", "CASDOUTPB")
        cascade = ("CASDIMUX", "CASDOMUX", "CASDOMUXEN_", "CASOREGIMUX", "CASOREGIMUXEN_")
        return {
            **{f"i_ADDREN{port}": ONE for port in "AB"},
            "i_SLEEP": ZERO,
            **{f"i_{name}{port}": ZERO for name in cascade for port in "AB"},
            **{f"i_CASDIN{port}": Const(0, 16) for port in "AB"},
            **{f"i_CASDINP{port}": Const(0, 2) for port in "AB"},
            **open_pins(*unused),
        }


class Ramb18sdp(XilinxRam):
    """RAMB18SDP of Virtex-5, 512 words."""

    @classmethod
    def block(cls, pins: Pins) -> tuple[str, dict[str, object]]:
        return "RAMB18SDP", {
            "p_DO_REG": 1,
            **_named(
                "i",
                RDCLK=ClockSignal(),
                WRCLK=ClockSignal(),
                RDEN=pins.advance,
                REGCE=pins.advance,
                RDADDR=pins.read,
                SSR=ZERO,
                WREN=pins.enable,
                WE=Const(15, 4),
                WRADDR=pins.write,
                DI=pins.comes,
                DIP=pins.comes_parity,
            ),
            **_named("o", DO=pins.data, DOP=pins.parity),
        }


class Ramb16(XilinxRam):
    """RAMB16 of Virtex-4, 512 words: port A reads, port B writes."""

    @classmethod
    def block(cls, pins: Pins) -> tuple[str, dict[str, object]]:
        low, high = Const(0, 5), ONE  # the highest bit of an address serves cascades only
        return "RAMB16", {
            **_named(
                "p",
                READ_WIDTH_A=WORD,
                WRITE_WIDTH_A=0,
                READ_WIDTH_B=0,
                WRITE_WIDTH_B=WORD,
                DOA_REG=1,
                DOB_REG=0,
                WRITE_MODE_A="READ_FIRST",
                WRITE_MODE_B="READ_FIRST",
            ),
            **_named(
                "i",
                CLKA=ClockSignal(),
                CLKB=ClockSignal(),
                ENA=pins.advance,
                REGCEA=pins.advance,
                REGCEB=ZERO,
                ADDRA=Cat(low, pins.read, high),
                WEA=Const(0, 4),
                DIA=Const(0, 32),
                DIPA=Const(0, 4),
                ENB=pins.enable,
                WEB=Const(15, 4),
                ADDRB=Cat(low, pins.write, high),
                DIB=pins.comes,
                DIPB=pins.comes_parity,
            ),
            **{f"i_{pin}": ZERO for pin in ("SSRA", "SSRB", "CASCADEINA", "CASCADEINB")},
            **_named("o", DOA=pins.data, DOPA=pins.parity),
            **open_pins("DOB", "DOPB", "CASCADEOUTA", "CASCADEOUTB"),
        }


class RambSpartan6(XilinxRam):
    """RAMB8BWER (256 words, port A writes) and RAMB16BWER (512 words, port B writes) of
    Spartan-6."""

    depths = (256, 512)

    @classmethod
    def block(cls, pins: Pins) -> tuple[str, dict[str, object]]:
        read, write = (Cat(Const(0, 5), pin) for pin in (pins.read, pins.write))
        comes, parity = pins.comes, pins.comes_parity
        common: dict[str, object] = {
            **_named(
                "p",
                DATA_WIDTH_A=WORD,
                DATA_WIDTH_B=WORD,
                DOA_REG=1,
                DOB_REG=1,
                RSTTYPE="SYNC",
                WRITE_MODE_A="READ_FIRST",
                WRITE_MODE_B="READ_FIRST",
            ),
            "i_RSTA": ZERO,
        }
        if pins.words == 256:
            return "RAMB8BWER", {
                **common,
                "p_RAM_MODE": "SDP",
                **_named(
                    "i",
                    CLKAWRCLK=ClockSignal(),
                    CLKBRDCLK=ClockSignal(),
                    REGCEA=ZERO,
                    ENBRDEN=pins.advance,
                    REGCEBREGCE=pins.advance,
                    ADDRBRDADDR=read,
                    RSTBRST=ZERO,
                    ENAWREN=pins.enable,
                    WEAWEL=Const(3, 2),
                    WEBWEU=Const(3, 2),
                    ADDRAWRADDR=write,
                    DIADI=comes[:16],
                    DIBDI=comes[16:],
                    DIPADIP=parity[:2],
                    DIPBDIP=parity[2:],
                ),
                **_named(
                    "o",
                    DOADO=pins.data[:16],
                    DOBDO=pins.data[16:],
                    DOPADOP=pins.parity[:2],
                    DOPBDOP=pins.parity[2:],
                ),
            }
        return "RAMB16BWER", {
            **common,
            **_named(
                "i",
                CLKA=ClockSignal(),
                CLKB=ClockSignal(),
                ENA=pins.advance,
                REGCEA=pins.advance,
                REGCEB=ZERO,
                ADDRA=read,
                RSTB=ZERO,
                WEA=Const(0, 4),
                DIA=Const(0, 32),
                DIPA=Const(0, 4),
                ENB=pins.enable,
                WEB=Const(15, 4),
                ADDRB=write,
                DIB=comes,
                DIPB=parity,
            ),
            **_named("o", DOA=pins.data, DOPA=pins.parity),
            **open_pins("DOB", "DOPB"),
        }
