"""Block RAMs of Xilinx: words of 36 bits, one write port, one read port, and the output register;
and two memories in one block, each on a port that reads or writes.

Yosys infers these blocks without their output register, and leaves it in fabric: 34 flip-flops for
each memory of an engine with words of 34 bits.  So they are instantiated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple

from amaranth.hdl import Cat, ClockSignal, Const, Instance, Module, Signal, Value

from modmul.targets.memories import BlockMemory, MemoryPair, MemoryWrite, PortOfTwo
from modmul.targets.primitives import ONE, ZERO, open_pins

WORD = 36  # bits of a word: 32 of data, then one of parity for every eight bits of data
DATA = 32
ROW = 256  # bits of a parameter INIT or INITP
LOW = 5  # bits of an address below those of a word


class Cell(NamedTuple):
    """A block RAM with a write and a read port.

    pins: their names by what they are connected to, separated by spaces.  A signal is spread over
    the pins of its name, the lowest bits on the first; those of `clock`, `advance` and `zero` are
    all connected to the same bit.  constants: values and widths of inputs.  open_outputs: the other
    outputs.  words: of 36 bits."""

    name: str
    parameters: Mapping[str, object]
    pins: Mapping[str, str]
    constants: Mapping[str, tuple[int, int]]
    open_outputs: tuple[str, ...] = ()
    words: int = 512
    addresses: tuple[int, int] = (LOW, 0)  # bits below and above those of a word


_READ_FIRST = {
    "DOA_REG": 1,
    "DOB_REG": 1,
    "WRITE_MODE_A": "READ_FIRST",
    "WRITE_MODE_B": "READ_FIRST",
}
_A_READS = {"READ_WIDTH_A": WORD, "WRITE_WIDTH_A": 0, "READ_WIDTH_B": 0, "WRITE_WIDTH_B": WORD}
_SPARTAN6 = {
    "DATA_WIDTH_A": WORD,
    "DATA_WIDTH_B": WORD,
    "DOA_REG": 1,
    "DOB_REG": 1,
    "RSTTYPE": "SYNC",
    "WRITE_MODE_A": "READ_FIRST",
    "WRITE_MODE_B": "READ_FIRST",
}

# Simple dual port: each port carries half of the bits of a word.
_RAMB18E1 = Cell(
    "RAMB18E1",
    {**_A_READS, **_READ_FIRST, "RAM_MODE": "SDP"},
    {
        "clock": "CLKARDCLK CLKBWRCLK",
        "advance": "ENARDEN REGCEAREGCE",
        "read": "ADDRARDADDR",
        "data": "DOADO DOBDO",
        "parity": "DOPADOP DOPBDOP",
        "enable": "ENBWREN",
        "write": "ADDRBWRADDR",
        "written": "DIADI DIBDI",
        "written_parity": "DIPADIP DIPBDIP",
        "zero": "REGCEB RSTRAMARSTRAM RSTRAMB RSTREGARSTREG RSTREGB",
    },
    {"WEA": (0, 2), "WEBWE": (15, 4)},
)
_CASCADE = ("CASDIMUX", "CASDOMUX", "CASDOMUXEN_", "CASOREGIMUX", "CASOREGIMUXEN_")
_RAMB18E2 = Cell(
    "RAMB18E2",
    {**_A_READS, **_READ_FIRST},
    {
        **_RAMB18E1.pins,
        "data": "DOUTADOUT DOUTBDOUT",
        "parity": "DOUTPADOUTP DOUTPBDOUTP",
        "written": "DINADIN DINBDIN",
        "written_parity": "DINPADINP DINPBDINP",
    },
    {
        **_RAMB18E1.constants,
        **{f"ADDREN{port}": (1, 1) for port in "AB"},
        "SLEEP": (0, 1),
        **{f"{pin}{port}": (0, 1) for pin in _CASCADE for port in "AB"},
        **{f"CASDIN{port}": (0, 16) for port in "AB"},
        **{f"CASDINP{port}": (0, 2) for port in "AB"},
    },
    ("CASDOUTA", "CASDOUTB", "CASDOUTPA", "CASDOUTPB"),
)
_RAMB18SDP = Cell(
    "RAMB18SDP",
    {"DO_REG": 1},
    {
        "clock": "RDCLK WRCLK",
        "advance": "RDEN REGCE",
        "read": "RDADDR",
        "data": "DO",
        "parity": "DOP",
        "enable": "WREN",
        "write": "WRADDR",
        "written": "DI",
        "written_parity": "DIP",
        "zero": "SSR",
    },
    {"WE": (15, 4)},
    addresses=(0, 0),
)
# Port A reads, port B writes.
_TWO_PORTS = {
    "clock": "CLKA CLKB",
    "advance": "ENA REGCEA",
    "read": "ADDRA",
    "data": "DOA",
    "parity": "DOPA",
    "enable": "ENB",
    "write": "ADDRB",
    "written": "DIB",
    "written_parity": "DIPB",
}
_A_WRITES_NOTHING = {"WEA": (0, 4), "DIA": (0, 32), "DIPA": (0, 4), "WEB": (15, 4)}
_RAMB16 = Cell(
    "RAMB16",
    {**_A_READS, **_READ_FIRST, "DOB_REG": 0},
    {**_TWO_PORTS, "zero": "REGCEB SSRA SSRB CASCADEINA CASCADEINB"},
    _A_WRITES_NOTHING,
    ("DOB", "DOPB", "CASCADEOUTA", "CASCADEOUTB"),
    addresses=(LOW, 1),  # the highest bit serves cascades only
)
_RAMB16BWER = Cell(
    "RAMB16BWER",
    _SPARTAN6,
    {**_TWO_PORTS, "zero": "REGCEB RSTA RSTB"},
    _A_WRITES_NOTHING,
    ("DOB", "DOPB"),
)
# Port A writes, port B reads.
_RAMB8BWER = Cell(
    "RAMB8BWER",
    {**_SPARTAN6, "RAM_MODE": "SDP"},
    {
        "clock": "CLKAWRCLK CLKBRDCLK",
        "advance": "ENBRDEN REGCEBREGCE",
        "read": "ADDRBRDADDR",
        "data": "DOADO DOBDO",
        "parity": "DOPADOP DOPBDOP",
        "enable": "ENAWREN",
        "write": "ADDRAWRADDR",
        "written": "DIADI DIBDI",
        "written_parity": "DIPADIP DIPBDIP",
        "zero": "REGCEA RSTA RSTBRST",
    },
    {"WEAWEL": (3, 2), "WEBWEU": (3, 2)},
    words=256,
)


class XilinxRam(BlockMemory):
    """Block RAMs side by side, each with 36 bits of every word; the smallest block that is deep
    enough is used.  A deeper memory is left to inference."""

    cells: ClassVar[tuple[Cell, ...]]  # of the family, the shallowest first

    def place(
        self, m: Module, address: Value, write: MemoryWrite | None, advance: Value = ONE
    ) -> Value:
        cell = next((cell for cell in self.cells if self.depth <= cell.words), None)
        if cell is None:
            return super().place(m, address, write, advance)
        bits = (cell.words - 1).bit_length()
        words_read: list[Value] = []
        for low in range(0, self.width, WORD):
            wide = min(WORD, self.width - low)
            data, parity = Signal(DATA, name="read_data"), Signal(WORD - DATA, name="read_parity")
            written: Value = Const(0, WORD)
            if write is not None:
                written = Cat(write.data[low : low + wide], Const(0, WORD - wide))
            signals = {
                "clock": ClockSignal(),
                "advance": advance,
                "read": _address(address, bits, cell.addresses),
                "data": data,
                "parity": parity,
                "enable": write.enable if write else ZERO,
                "write": _address(write.address if write else Const(0, 0), bits, cell.addresses),
                "written": written[:DATA],
                "written_parity": written[DATA:],
                "zero": ZERO,
            }
            connections: dict[str, object] = {f"p_{name}": v for name, v in cell.parameters.items()}
            for role, names in cell.pins.items():
                connections |= _spread(names.split(), signals[role], role in ("data", "parity"))
            connections |= {
                f"i_{pin}": Const(*constant) for pin, constant in cell.constants.items()
            }
            connections |= open_pins(*cell.open_outputs)
            connections |= _contents(self.init, low)
            m.submodules[f"ram_{low // WORD}"] = Instance(cell.name, **connections)
            words_read.append(Cat(data, parity)[:wide])
        return Cat(words_read)


def _address(word: Value, bits: int, around: tuple[int, int]) -> Value:
    below, above = around
    return Cat(Const(0, below), word, Const(0, bits - len(word)), Const((1 << above) - 1, above))


def _spread(pins: Sequence[str], signal: Value, output: bool) -> dict[str, object]:
    """Connect pins to equal parts of a signal, or all of them to one bit."""
    kind, size = "o" if output else "i", len(signal) // len(pins)
    parts = [signal[k * size : (k + 1) * size] if size else signal for k in range(len(pins))]
    return {f"{kind}_{pin}": part for pin, part in zip(pins, parts, strict=True)}


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


def _contents(words: Sequence[int], low: int) -> dict[str, object]:
    return {f"p_{name}": Const(value, ROW) for name, value in initial(words, low).items()}


class Ramb18e1(XilinxRam):
    """RAMB18E1 of the 7 series, 512 words."""

    cells = (_RAMB18E1,)


class Ramb18e2(XilinxRam):
    """RAMB18E2 of UltraScale+, 512 words."""

    cells = (_RAMB18E2,)


class Ramb18sdp(XilinxRam):
    """RAMB18SDP of Virtex-5, 512 words."""

    cells = (_RAMB18SDP,)


class Ramb16(XilinxRam):
    """RAMB16 of Virtex-4, 512 words."""

    cells = (_RAMB16,)


class RambSpartan6(XilinxRam):
    """RAMB8BWER (256 words) and RAMB16BWER (512 words) of Spartan-6."""

    cells = (_RAMB8BWER, _RAMB16BWER)


class XilinxPair(MemoryPair):
    """A block of 512 words of 36 bits, both of whose ports are 36 bits wide.

    port_parameters, port_constants: of each port, by the beginnings of their names, to which A or B
    is added."""

    cell: ClassVar[Cell]
    port_parameters: ClassVar[tuple[str, ...]]  # widths
    zero: ClassVar[tuple[str, ...]]
    parameters: ClassVar[Mapping[str, object]] = {}
    open_outputs: ClassVar[tuple[str, ...]] = ()
    halves: ClassVar[int] = 0  # words of the block of half the size, 0 if the family has none

    @classmethod
    def saves(cls, width: int, depths: tuple[int, int]) -> bool:
        fits = width <= WORD and cls.begins(depths) + depths[1] <= cls.cell.words
        return fits and max(depths) > cls.halves

    @classmethod
    def shares(cls, depth: int) -> bool:
        return cls.halves < depth <= cls.cell.words

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
        bits, words = (cls.cell.words - 1).bit_length(), list[Value]()
        connections: dict[str, object] = {f"p_{name}": v for name, v in cls.parameters.items()}
        for name, port in zip("AB", ports, strict=True):
            data, parity = Signal(DATA, name="read_data"), Signal(WORD - DATA, name="read_parity")
            write = ZERO if port.write is None else port.write
            written: Value = Const(0, WORD)
            if port.data is not None:
                written = Cat(port.data[low : low + wide], Const(0, WORD - wide))
            connections |= {
                f"p_DO{name}_REG": 1,
                f"p_WRITE_MODE_{name}": "WRITE_FIRST",
                f"i_CLK{name}": ClockSignal(),
                f"i_EN{name}": port.advance,
                f"i_REGCE{name}": port.advance,
                f"i_WE{name}": write.replicate(4),
                f"i_DI{name}": written[:DATA],
                f"i_DIP{name}": written[DATA:],
                f"o_DO{name}": data,
                f"o_DOP{name}": parity,
                f"i_ADDR{name}": _address(port.address, bits, cls.cell.addresses),
                **{f"p_{parameter}{name}": WORD for parameter in cls.port_parameters},
                **{f"i_{pin}{name}": ZERO for pin in cls.zero},
                **open_pins(*(f"{pin}{name}" for pin in cls.open_outputs)),
            }
            words.append(Cat(data, parity)[:wide])
        connections |= _contents(init, low)
        m.submodules["ram" if not low else f"ram_{low // WORD}"] = Instance(
            cls.cell.name, **connections
        )
        first, last = words
        return first, last


class Ramb16Pair(XilinxPair):
    """RAMB16 of Virtex-4."""

    cell = _RAMB16
    port_parameters = ("READ_WIDTH_", "WRITE_WIDTH_")
    zero = ("SSR", "CASCADEIN")
    open_outputs = ("CASCADEOUT",)


class Spartan6Pair(XilinxPair):
    """RAMB16BWER of Spartan-6.  Half of it, RAMB8BWER, has 256 words, but its ports of 36 bits only
    read or only write."""

    cell, halves = _RAMB16BWER, _RAMB8BWER.words
    port_parameters = ("DATA_WIDTH_",)
    zero = ("RST",)
    parameters = {"RSTTYPE": "SYNC"}
