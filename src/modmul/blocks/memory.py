"""Memories with a write port and a read port, in block or distributed RAM."""

from collections.abc import Sequence

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from modmul.blocks.delay import delay
from modmul.blocks.part import whole
from modmul.targets.description import Target
from modmul.targets.memories import MemoryPair, MemoryWrite, PortOfTwo
from modmul.targets.primitives import ONE, ZERO

# Names of the two kinds of RAM for synthesis: of Yosys and Vivado, of Lattice and Synplify.
STYLES = {"block": ("block", "block_ram"), "distributed": ("distributed", "distributed")}


_READ = {
    0: "The word at read_address is in read_data in the same cycle.",
    1: "The word at read_address is in the register read_data in the next cycle.",
    2: "The word at read_address is in the register read_data two cycles later.",
}
_CONTROLS = {
    (): "",
    ("read_enable",): "  Without read_enable read_data stays as it is.",
    ("read_clear",): "  With read_clear read_data becomes 0 instead.",
    ("read_enable", "read_clear"): "  Without read_enable read_data stays as it is; with both "
    "read_enable and read_clear it becomes 0.",
}

_RAM = (
    "A word is written at the clock edge where write_enable is high.  The word at read_address is "
    "in read_data two cycles later; if it is written in the cycle of its address, read_data may be "
    "anything."
)
_ROM = (
    "The word at read_address is in read_data after two cycles with advance; without advance "
    "neither register of the read changes."
)


def style_of(chip: Target, storage: str) -> dict[str, str]:
    """The attributes of a memory that ask for this kind of RAM."""
    style, lattice = STYLES[storage]
    return {"ram_style": style, "syn_ramstyle": lattice} if chip.ram_styles else {}


class BlockRam(wiring.Component):
    """{depth} words of {width} bits in block RAM; width of an address: {address}. {usage}

    {listing}"""

    def __init__(
        self,
        chip: Target,
        width: int,
        depth: int,
        holds: str,
        init: Sequence[int] | None = None,
        listing: str = "",
    ):
        """init: its content; then it has no write port, but the port `advance`, without which both
        registers of the read keep their values.  holds: what is in it, in a few words.  listing:
        lines about its content, which begin with blanks."""
        self.listing = listing
        self.chip, self.width, self.depth, self.init = chip, width, depth, init
        self.holds = holds
        usage = _RAM if init is None else _ROM
        self.usage = f"{usage} {chip.block_memory.note}".rstrip()
        self.address = bits = bits_of(depth)
        written = {"write_enable": In(1), "write_address": In(bits), "write_data": In(width)}
        super().__init__(
            {
                **({"advance": In(1)} if init is not None else written),
                "read_address": In(bits),
                "read_data": Out(width),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        style = style_of(self.chip, "block")
        if style and self.init is not None:  # Vivado's name of the attribute of a constant memory
            style["rom_style"] = style["ram_style"]
        ram = self.chip.block_memory(self.width, self.depth, self.init or (), style)
        if self.init is None:
            write = MemoryWrite(self.write_enable, self.write_address, self.write_data)
            word = ram.place(m, self.read_address, write)
        else:
            word = ram.place(m, self.read_address, None, self.advance)
        m.d.comb += self.read_data.eq(whole(word))
        return m


class _TwoPorts(wiring.Component):
    """A block RAM whose two ports each read or write."""

    def __init__(
        self,
        chip: Target,
        width: int,
        places: tuple[int, int],
        holds: str,
        init: Sequence[int] | None = None,
    ):
        """places: the number of addresses of each port.  init: the words at the end of the second
        port, which then has no write, but `advance`.  holds: what is in it, in a few words."""
        self.chip, self.width, self.places, self.init = chip, width, places, init
        self.holds = holds
        writers = (1, 2) if init is None else (1,)
        super().__init__(
            {
                **{f"address_{port}": In(bits_of(depth)) for port, depth in enumerate(places, 1)},
                **{f"write_{port}": In(1) for port in writers},
                **{f"write_data_{port}": In(width) for port in writers},
                **{f"read_data_{port}": Out(width) for port in (1, 2)},
                **({} if init is None else {"advance_2": In(1)}),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        assert self.chip.pair_block is not None
        first = PortOfTwo(self.address_1, ONE, self.write_1, self.write_data_1)
        contents: list[int] = []
        if self.init is None:
            second = PortOfTwo(self.address_2, ONE, self.write_2, self.write_data_2)
        else:
            second = PortOfTwo(self.address_2, self.advance_2)
            contents = [*[0] * (self.places[1] - len(self.init)), *self.init]
        words = self.chip.pair_block.place(m, self.width, (first, second), contents)
        m.d.comb += [self.read_data_1.eq(whole(words[0])), self.read_data_2.eq(whole(words[1]))]
        return m


class PairedRam(_TwoPorts):
    """Words of {width} bits in one block RAM with two ports. The first port uses {first} words, the
    second port {second} words, from address {begins} on.

    The word at `address_1` is in `read_data_1` two cycles later, and likewise on port 2.
    {written}{pausing}

    {listing}"""

    def __init__(
        self,
        chip: Target,
        width: int,
        depths: tuple[int, int],
        holds: str,
        init: Sequence[int] | None = None,
        listing: str = "",
    ):
        """init: the words on the second port; then it has no write, but `advance`, without which
        both registers of its read keep their values.  holds: what is in it, in a few words.
        listing: lines about its content, which begin with blanks."""
        self.listing = listing
        self.first, self.second = depths
        self.begins = MemoryPair.begins(depths)
        self.written = "Where `write` is high that word is replaced, and the new one is read."
        self.pausing = "" if init is None else "  Without advance_2 its two registers do not move."
        super().__init__(chip, width, (self.first, self.begins + self.second), holds, init)


class SharedRam(_TwoPorts):
    """{depth} words of {width} bits in block RAM with two ports, each of which reads or writes.

    The word at `address_1` is in `read_data_1` two cycles later, and likewise on port 2. Where
    `write_1` is high that word is replaced at the clock edge; the other port does not use that word
    in that cycle."""

    def __init__(self, chip: Target, width: int, depth: int, holds: str):
        """holds: what is in it, in a few words."""
        self.depth = depth
        super().__init__(chip, width, (depth, depth), holds)


def bits_of(count: int) -> int:
    """The bits that number `count` things, such as the words of a memory; at least 1."""
    return max(1, (count - 1).bit_length())


class SimpleDualPort(wiring.Component):
    """{depth} words of {width} bits in {storage} RAM, one write port, one read port; width of an
    address: {address}.

    A word is written at the clock edge where write_enable is high.  {reading}"""

    def __init__(
        self,
        chip: Target,
        width: int,
        depth: int,
        storage: str,
        registers: int,
        holds: str = "",
        controls: tuple[str, ...] = (),
        in_order: bool = False,
    ):
        """registers: cycles from an address to its word: 0 or 1 (distributed RAM only), or 2.
        controls: additional ports of the last register: `read_enable` loads it, `read_clear` zeroes
        it if it is enabled.  holds: what is in it, in a few words.  in_order: all words are
        written, in the order of their addresses, before any is read; so distributed RAM may be
        shift registers.

        A kind of RAM is asked for only if the chip is known: some chips have only one kind, and
        their tools stop at the name of the other.

        Raises ValueError for block RAM without its output register, or for controls without a
        register."""
        if storage == "block" and registers < 2:
            raise ValueError("block RAM needs its output register")
        if controls and not registers:
            raise ValueError(f"{', '.join(controls)}: there is no register to control")
        self.width, self.depth = width, depth
        self.storage, self._registers = storage, registers
        shifts = chip.shift_block if in_order and storage == "distributed" else None
        self.shifts = shifts if shifts is not None and depth <= shifts.most else None
        self.holds = holds
        self.reading = _READ[registers] + _CONTROLS[controls]
        self.attributes = style_of(chip, storage)
        self.address = bits = bits_of(depth)
        super().__init__(
            {
                "write_enable": In(1),
                "write_address": In(bits),
                "write_data": In(width),
                "read_address": In(bits),
                **dict.fromkeys(controls, In(1)),
                "read_data": Out(width),
            }
        )

    @property
    def called(self) -> str:
        """What a module is called that several of these become."""
        return ("ram", "registered_ram", "pipelined_ram")[self._registers]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        if self.shifts is None:
            word = self._in_memory(m)
        else:
            before = (self.depth - 1 - self.read_address)[: len(self.read_address)]
            word = whole(self.shifts.place(m, self.write_enable, self.write_data, before))
        stages = int(self.storage == "distributed" and self._registers == 2)
        data = delay(m, word, stages, "word_read")
        if not self._registers:
            m.d.comb += self.read_data.eq(data)
            return m
        out = Signal(self.width, name="read_register", reset_less=True)
        with m.If(getattr(self, "read_enable", ONE)):
            m.d.sync += out.eq(data)
            with m.If(getattr(self, "read_clear", ZERO)):
                m.d.sync += out.eq(0)
        m.d.comb += self.read_data.eq(out)
        return m

    def _in_memory(self, m: Module) -> Value:
        """Place a memory and return the word read."""
        m.submodules.ram = ram = memory.Memory(
            shape=self.width, depth=self.depth, init=[], attrs=self.attributes
        )
        write = ram.write_port()
        read = ram.read_port(domain="sync" if self.storage == "block" else "comb")
        m.d.comb += [
            write.en.eq(self.write_enable),
            write.addr.eq(self.write_address),
            write.data.eq(self.write_data),
            read.addr.eq(self.read_address),
        ]
        word = Signal(self.width, name="word_read")
        m.d.comb += word.eq(read.data)
        return word
