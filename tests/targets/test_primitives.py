"""Chip primitives and their simulation models against the plain HDL they stand for.

Everything runs in one simulation: a design with all pairs side by side, fed with random numbers,
raises `wrong` when two outputs that must be equal differ.  By default every family but Virtex-5,
whose blocks are nearly those of Series 7, has one pair of each kind, with most of what a block can
do; in the long run all have blocks that do less, too."""

from __future__ import annotations

import json
import os
import random
import re
from pathlib import Path

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Array, Cat, Const, Elaboratable, Module, Mux, Signal, Value

from modmul import targets
from modmul.blocks.delay import delay
from modmul.export.check import in_verilator
from modmul.targets import Target, block_ram, models
from modmul.targets.ecp5 import initial
from modmul.targets.memories import BlockMemory, MemoryWrite, PortOfTwo
from modmul.targets.primitives import ONE, HardMultiplier, Link, MacConfig, MacSlice
from modmul.toolchain import icarus, yosys
from modmul.toolchain.cache import Cache
from random_bench import CLOCKED, CYCLES, bench

ECP5, XC2VP = targets.find("ecp5"), targets.find("xc2vp")
# Bits and words of memories, and of what stays in one.
MEMORIES = ((5, 16), (34, 128), (68, 64))
CONTENTS = ((7, 64), (36, 512), (40, 1024), (9, 2048), (7, 4096), (3, 8192))
BLOCKS = ((34, 128), (75, 512))  # those of Xilinx, written or not: what is deeper is inferred
EVERY = bool(os.environ.get("CONFORMANCE"))
CHAINS = ((1, 1), (2, 1), (3, 1), (3, 0)) if EVERY else ((3, 1),)  # registers, that of P
SHIFTS = ((17,), (7,), (9, 7)) if EVERY else ((9, 7),)
XILINX = [targets.find(name) for name in ("xc4v", "xc5v", "xc6s", "xc7", "xcup")]
PAIRED = [target for target in XILINX if EVERY or target.name != "xc5v"]


class Bits:
    """Random bits, taken piece by piece."""

    def __init__(self, source: Value):
        self.source, self.used = source, 0

    def take(self, width: int) -> Value:
        start = self.used
        self.used += width
        return self.source[start : start + width]


def drive(m: Module, mac: MacSlice, inputs: dict[str, Value], step_late: int = 0) -> None:
    for name, value in inputs.items():
        port = getattr(mac, name)
        if len(port):
            late = step_late if name == "step" else 0
            m.d.comb += port.eq(delay(m, value, late, f"{name}_late") if late else value)


def chain(
    m: Module, name: str, target: Target, registers: int, source: Value, first_p: bool = True
) -> Signal:
    """Two slices, the first with a value on C, the second linked by >> 17: equal for both kinds."""
    assert target.dsp is not None
    wide, shift = target.dsp.wide, 17
    outputs = []
    for kind in (MacSlice, target.mac):
        bits = Bits(source)
        first = kind(
            MacConfig(
                17,
                wide,
                44,
                (Link("addend"),),
                registers,
                hold=True,
                addend_width=40,
                addend_register=True,
                p_register=first_p,
            )
        )
        late = int(registers > 1)  # the block's spare register in front of B
        link = (Link("neighbour", shift, target.mac.link_delay(shift)),)
        second = kind(MacConfig(17, wide, 44, link, registers, neighbour_width=44, b_delay=late))
        m.submodules += [first, second]
        inputs = {"a": bits.take(17), "b": bits.take(wide), "a_enable": bits.take(1)}
        drive(m, first, inputs | {"addend": bits.take(40), "addend_clear": bits.take(1)})
        drive(m, second, {"a": bits.take(17), "b": bits.take(wide), "neighbour": first.p})
        m.d.comb += second.link_in.eq(first.link_out)
        outputs.append(second.p)
    return differ(m, name, outputs)


def accumulator(
    m: Module, name: str, target: Target, shifts: tuple[int, ...], source: Value, late: bool = False
) -> Signal:
    """One slice that loads, accumulates, or accumulates shifted by one of `shifts`; late: by the
    last one, a cycle later than it could."""
    outputs = []
    delays = target.mac.link_delay
    steps = (Link("zero"), *(Link("own", shift, delays(shift)) for shift in (0, *shifts)))
    steps = (*steps[:-1], steps[-1]._replace(delay=1)) if late else steps
    for kind in (MacSlice, target.mac):
        bits = Bits(source)
        mac = kind(MacConfig(17, 17, 48, steps))
        m.submodules += mac
        chosen = bits.take(3)
        # one of them, and often enough a shift that keeps the sum inside 48 bits
        shifted = 1 << len(steps) - 1
        if len(shifts) > 1:
            shifted = Mux(bits.take(1), shifted, shifted >> 1)
        step = Mux(chosen[0], shifted, Mux(chosen[1], 0b010, 0b001))[: len(steps)]
        inputs = {"a": bits.take(17), "b": bits.take(17), "step": step}
        drive(m, mac, inputs, step_late=target.mac.step_register - mac.step_register)
        outputs.append(mac.p)
    return differ(m, name, outputs)


def product(m: Module, name: str, target: Target, registers: int, source: Value) -> Signal:
    assert target.dsp is not None
    width, outputs = target.dsp.wide, []
    for kind in (HardMultiplier, target.multiplier):
        bits = Bits(source)
        multiplier = kind(registers, f"{name}_{kind.__name__}")
        a, b, enable = (bits.take(size) for size in (width, width, 1))
        outputs.append(multiplier.place(m, a, b, enable, bits.take(2).all()))
    return differ(m, name, outputs)


def fabric_slice(m: Module, name: str, target: Target, source: Value) -> Signal:
    """A slice in fabric has one register more behind the block: two in front stand for three."""
    outputs = []
    for kind, registers in ((MacSlice, 3), (target.mac, 2)):
        bits = Bits(source)
        mac = kind(MacConfig(17, 17, 36, (Link("addend"),), registers, addend_width=34))
        m.submodules += mac
        drive(m, mac, {"a": bits.take(17), "b": bits.take(17), "addend": bits.take(34)})
        outputs.append(mac.p)
    return differ(m, name, outputs)


def memory(m: Module, name: str, target: Target, width: int, depth: int, source: Value) -> Signal:
    """Written and read at random places, never at the same one."""
    outputs = []
    for kind in (BlockMemory, target.block_memory):
        bits, part = Bits(source), Module()
        m.submodules += part
        places = (depth - 1).bit_length()
        read, address, go = bits.take(places), bits.take(places), bits.take(1)
        write = MemoryWrite(go & (read != address), address, bits.take(width))
        outputs.append(kind(width, depth).place(part, read, write))
    return differ(m, name, outputs)


def content(m: Module, name: str, target: Target, width: int, depth: int, source: Value) -> Signal:
    """Words that stay, read at random places, with pauses."""
    rng = random.Random(depth)
    words = [rng.getrandbits(width) for _ in range(depth)]
    outputs = []
    for kind in (BlockMemory, target.block_memory):
        bits, part = Bits(source), Module()
        m.submodules += part
        read, go = bits.take((depth - 1).bit_length()), bits.take(1)
        outputs.append(kind(width, depth, words).place(part, read, None, go))
    return differ(m, name, outputs)


def pair(m: Module, name: str, target: Target, source: Value, width: int = 34) -> Signal:
    """Two memories in a block, beside two of their own: read or written at random places.  A word
    that is written is read, too."""
    assert target.pair_block is not None
    bits, part, places = Bits(source), Module(), 3
    m.submodules += part
    ports, theirs = [], []
    for second in (0, 1):
        place, go, data = bits.take(places), bits.take(1), bits.take(width)
        ports.append(PortOfTwo(Cat(place, Const(second, 6)), ONE, go, data))
        told = Signal(width, name=f"{name}_told_{second}", reset_less=True)
        late = Signal(width, name=f"{name}_late_{second}", reset_less=True)
        wrote = Signal(name=f"{name}_wrote_{second}")
        apart = Module()
        part.submodules += apart
        stored = BlockMemory(width, 1 << places).place(apart, place, MemoryWrite(go, place, data))
        part.d.sync += [wrote.eq(go), told.eq(data), late.eq(told)]
        after = Signal(name=f"{name}_after_{second}")
        part.d.sync += after.eq(wrote)
        theirs.append(Mux(after, late, stored))
    first, second_word = target.pair_block.place(part, width, (ports[0], ports[1]))
    return differ(m, name, [Cat(first, second_word), Cat(*theirs)])


def program_beside(m: Module, name: str, target: Target, source: Value) -> Signal:
    """Words that stay, read with pauses, behind a memory that is written meanwhile."""
    assert target.pair_block is not None
    rng = random.Random(321)
    words = [rng.getrandbits(36) for _ in range(128)]
    bits, part = Bits(source), Module()
    m.submodules += part
    place, advance = bits.take(7), bits.take(1)
    other = PortOfTwo(bits.take(7), ONE, bits.take(1), bits.take(36))
    mine = PortOfTwo(Cat(place, Const(1, 1)), advance)
    _, word = target.pair_block.place(part, 36, (other, mine), [*[0] * 128, *words])
    apart = Module()
    part.submodules += apart
    stored = BlockMemory(36, 128, words).place(apart, place, None, advance)
    return differ(m, name, [word, stored])


def shifted(m: Module, name: str, target: Target, source: Value) -> Signal:
    """Words that come now and then, and one of the last ones."""
    assert target.shift_block is not None
    bits, part = Bits(source), Module()
    m.submodules += part
    enable, data, before = bits.take(1), bits.take(5), bits.take(2)
    stages = [Signal(5, name=f"{name}_{k}", reset_less=True) for k in range(4)]
    with m.If(enable):
        for stage, word in zip(stages, [data, *stages], strict=False):
            m.d.sync += stage.eq(word)
    return differ(
        m, name, [target.shift_block.place(part, enable, data, before), Array(stages)[before]]
    )


def differ(m: Module, name: str, outputs: list[Value]) -> Signal:
    flag = Signal(name=name)
    m.d.comb += flag.eq(outputs[0] != outputs[1])
    return flag


class Pairs(Elaboratable):
    """All pairs; built at once, so that the outputs are known."""

    def __init__(self) -> None:
        self.random = source = Signal(256)
        self.module = m = Module()
        flags = [
            *(
                chain(m, f"{t.name}_chain_{r}_{p}", t, r, source, bool(p))
                for t in PAIRED
                for r, p in CHAINS
            ),
            *(
                accumulator(m, f"{t.name}_accumulator_{shifts[0]}", t, shifts, source)
                for t in PAIRED
                for shifts in SHIFTS
            ),
            *(
                accumulator(m, f"{t.name}_accumulator_late", t, (17, 17), source, late=True)
                for t in PAIRED
                if not t.mac.link_delay(17)
            ),
            chain(m, "xc7_chain_without_p", targets.find("xc7"), 3, source, first_p=False),
            *(
                product(m, f"{t.name}_product_{r}", t, r, source)
                for t in (ECP5, XC2VP)
                for r in (1, 2, 3)
            ),
            *(fabric_slice(m, f"{t.name}_slice", t, source) for t in (ECP5, XC2VP)),
            *(memory(m, f"memory_{w}_{d}", ECP5, w, d, source) for w, d in MEMORIES),
            *(
                content(m, f"content_{w}_{d}", ECP5, w, d, source)
                for w, d in (CONTENTS if EVERY else CONTENTS[1::2])
            ),
            *(
                kind(m, f"{t.name}_{kind.__name__}_{w}_{d}", t, w, d, source)
                for t in PAIRED
                for kind in (memory, content)
                for w, d in (BLOCKS if EVERY else BLOCKS[-1:])
            ),
            *(shifted(m, f"{t.name}_shifted", t, source) for t in PAIRED if t.shift_block),
            *(
                kind(m, f"{t.name}_{kind.__name__}", t, source)
                for t in PAIRED
                if t.pair_block
                for kind in (pair, program_beside)
            ),
            *(pair(m, f"{t.name}_wide_pair", t, source, 75) for t in PAIRED if t.pair_block),
        ]
        self.outputs = [Signal(name=f"{flag.name}_differs") for flag in flags]
        m.d.comb += [out.eq(flag) for out, flag in zip(self.outputs, flags, strict=True)]

    def elaborate(self, platform: object) -> Module:
        return self.module


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The files of a simulation of all pairs."""
    folder, design = tmp_path_factory.mktemp("pairs"), Pairs()
    pins = [design.random, *design.outputs]
    (folder / "pairs.il").write_text(
        rtlil.convert(design, ports=pins, name="pairs", emit_src=False)
    )
    yosys.run("read_rtlil pairs.il\nproc\nwrite_verilog -noattr pairs.v", folder)
    flags = [out.name for out in design.outputs]
    (folder / "bench.v").write_text(bench(flags, ", ".join(f".{f}({f})" for f in flags)))
    needed = [file for target in (*PAIRED, ECP5, XC2VP) for file in target.models]
    (folder / "models.v").write_text("".join(model.text for model in models.read(needed)))
    return [folder / "bench.v", folder / "pairs.v", folder / "models.v"]


def test_primitives_equal_the_generic_blocks(pairs: list[Path]) -> None:
    in_verilator(pairs, "bench", CYCLES, Cache(), what="cycles")


@pytest.mark.long
@pytest.mark.skipif(not icarus.installed(), reason="needs Icarus Verilog")
def test_primitives_equal_the_generic_blocks_in_icarus(pairs: list[Path], tmp_path: Path) -> None:
    """Half a minute; in the default suite every design with hard blocks runs there."""
    (tmp_path / "clocked.v").write_text(CLOCKED)
    assert "PASS" in icarus.simulate([*pairs, tmp_path / "clocked.v"], "clocked")


COLLISION = """
module bench;
  reg clk = 0, rst = 1, enable = 0;
  reg [3:0] write_to = 3, read_from = 3;
  wire [4:0] word;
  top dut (.clk(clk), .rst(rst), .enable(enable), .write_to(write_to), .read_from(read_from),
           .value(5'd21), .word(word));
  task step; begin #1 clk = 1; #1 clk = 0; end endtask
  initial begin
    step; rst = 0; enable = 1; step;
    enable = 0; step; $display("at once %b", word);
    step; $display("afterwards %b", word);
    enable = 1; write_to = 4; step; enable = 0; step; $display("beside %b", word);
  end
endmodule
"""


@pytest.mark.skipif(not icarus.installed(), reason="Icarus Verilog is not installed: no X")
@pytest.mark.parametrize("target", [ECP5, *XILINX], ids=lambda target: target.name)
def test_a_word_read_as_it_is_written_is_undefined(target: Target, tmp_path: Path) -> None:
    """So that a simulation with X finds a design that relies on the old word or on the new one."""
    m = Module()
    enable, value, word = Signal(name="enable"), Signal(5, name="value"), Signal(5, name="word")
    write_to, read_from = Signal(4, name="write_to"), Signal(4, name="read_from")
    write = MemoryWrite(enable, write_to, value)
    m.d.comb += word.eq(target.block_memory(5, 16).place(m, read_from, write))
    pins = [enable, value, word, write_to, read_from]
    (tmp_path / "top.il").write_text(rtlil.convert(m, ports=pins, name="top", emit_src=False))
    yosys.run("read_rtlil top.il\nproc\nwrite_verilog -noattr top.v", tmp_path)
    (tmp_path / "bench.v").write_text(COLLISION)
    (tmp_path / "models.v").write_text("".join(model.text for model in models.read(target.models)))
    files = [tmp_path / "bench.v", tmp_path / "top.v", tmp_path / "models.v"]
    said = icarus.simulate(files, "bench").split("\n")
    assert {"at once xxxxx", "afterwards 10101", "beside 10101"} <= set(said)


def test_contents_lie_where_yosys_puts_them(tmp_path: Path) -> None:
    """In a block of words of 36 bits, in two that have 18 bits of each, in four with 9, and words
    of 4 and 2 bits."""
    rng, made, script = random.Random(36), [], ""
    for width, depth, wide in (
        (36, 512, 36),
        (36, 1024, 18),
        (36, 2048, 9),
        (4, 4096, 4),
        (2, 8192, 2),
    ):
        words = [rng.getrandbits(width) for _ in range(depth)]
        m, name = Module(), f"top_{wide}"
        read, out = Signal((depth - 1).bit_length()), Signal(width)
        m.d.comb += out.eq(BlockMemory(width, depth, words).place(m, read, None))
        text = rtlil.convert(m, ports=[read, out], name=name, emit_src=False)
        (tmp_path / f"{name}.il").write_text(text)
        script += f"read_rtlil {name}.il\n"
        made.append((name, [initial(words, low, wide) for low in range(0, width, wide)]))
    yosys.run(
        f"{script}proc\nmemory -nomap\nsynth_ecp5 -run map_ram:map_ffram\nwrite_json top.json",
        tmp_path,
    )
    modules = json.loads((tmp_path / "top.json").read_text())["modules"]
    for name, ours in made:
        theirs = [
            {
                name: int(value, 2)
                for name, value in cell["parameters"].items()
                if name.startswith("INITVAL") and int(value, 2)
            }
            for cell in modules[name]["cells"].values()
            if cell["type"] == "DP16KD"
        ]
        assert sorted(map(str, theirs)) == sorted(map(str, ours))


@pytest.mark.parametrize(
    ("name", "depth"),
    [("xc4v", 512), ("xc5v", 512), ("xc6s", 512), ("xc6s", 256), ("xc7", 512), ("xcup", 512)],
)
@pytest.mark.short("xc6s-256")
def test_contents_of_xilinx_lie_where_yosys_puts_them(
    name: str, depth: int, tmp_path: Path
) -> None:
    """The same parameters INIT and INITP, but that Yosys has a bit of parity behind each eight."""
    rng = random.Random(depth)
    words = [rng.getrandbits(block_ram.WORD) for _ in range(depth)]
    m = Module()
    read, out = Signal((depth - 1).bit_length()), Signal(block_ram.WORD)
    style = {"ram_style": "block"}
    m.d.comb += out.eq(BlockMemory(block_ram.WORD, depth, words, style).place(m, read, None))
    text = rtlil.convert(m, ports=[read, out], name="top", emit_src=False)
    (tmp_path / "top.il").write_text(text)
    yosys.run(
        f"read_rtlil top.il\nproc\nmemory -nomap\nsynth_xilinx -family {name} "
        "-run map_memory:map_ffram\nwrite_json top.json",
        tmp_path,
    )
    cells = json.loads((tmp_path / "top.json").read_text())["modules"]["top"]["cells"]
    (theirs,) = (cell for cell in cells.values() if cell["type"].startswith("RAMB"))
    given = {
        key: int(value, 2)
        for key, value in theirs["parameters"].items()
        if re.fullmatch(r"INITP?_[0-9A-F][0-9A-F]", key) and "1" in value
    }
    turned = [
        sum((word >> 9 * k & 255) << 8 * k | (word >> 9 * k + 8 & 1) << 32 + k for k in range(4))
        for word in words
    ]
    assert given == block_ram.initial(turned, 0)
