"""What a target is: a frozen description of a chip family (contract 2 of docs/contracts.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from modmul.arithmetic.words import ceil_div
from modmul.targets.arcs import FamilyArcs

if TYPE_CHECKING:
    from modmul.targets.memories import BlockMemory, MemoryPair, ShiftedWords
    from modmul.targets.primitives import HardMultiplier, MacSlice
    from modmul.targets.rows import AdderRow, ConfigurableRow

UNVERIFIED = "unverified"  # a remark beside every figure that was not checked in its source


@dataclass(frozen=True)
class DspBlock:
    """A hard multiplier.  wide, narrow: bits of its two operands, unsigned.

    cell: its name in netlists; None for plain HDL.  accumulator: bits of the register P behind its
    adder; None if the block has no adder, so that sums are made in fabric."""

    cell: str | None
    wide: int
    narrow: int
    accumulator: int | None

    def latency(self, registers: int) -> int:
        """The cycles from the ports to the register of the sum (in fabric if there is no
        adder).

        registers: pipeline stages in use, from 1 (P) to 3 (A/B, M, P)."""
        return registers + (self.accumulator is None)


@dataclass(frozen=True)
class CellArea:
    """What a cell of the mapped netlist, or a sum of such cells, counts as."""

    lut: int = 0
    ff: int = 0
    dsp: int = 0
    ram_blocks: int = 0
    ram_bits: int = 0


@dataclass(frozen=True)
class Limit:
    """The highest clock of a hard block.  block: the name of a cell, or "clock" for the clock net.

    verified: it was checked in `source`.  speed: the speed grade that it holds for; None: the
    fastest grade, so that it is an upper bound for the others."""

    block: str
    mhz: float
    source: str
    verified: bool
    speed: str | None = None

    @property
    def named_source(self) -> str:
        """The source, with a remark if the figure was not checked there."""
        return self.source if self.verified else f"{self.source}; {UNVERIFIED}"

    @property
    def clock(self) -> str:
        """The clock alone, as `clock_words` writes it."""
        return clock_words(self.mhz, self.verified)

    @property
    def words(self) -> str:
        """The limit as a text: block, clock, source, and whether it is verified."""
        return f"{self.block}: {self.mhz:g} MHz ({self.named_source})"


def clock_words(mhz: float, verified: bool | None) -> str:
    """A clock as a text, with UNVERIFIED beside it if an unverified limit decides it.

    verified: of that limit; None if no limit decides the clock."""
    doubt = f" ({UNVERIFIED})" if verified is False else ""
    return f"{mhz:.6g} MHz{doubt}"


@dataclass(frozen=True)
class Device:
    """A chip in one package and speed grade.

    dsps, ram_blocks: the number of hard multipliers and memory blocks.  pins: user pins of the
    package.  options: the router's options for this chip.  ffs, slices: the number of flip-flops
    and of slices; None: not recorded."""

    name: str
    package: str
    speed: str
    luts: int
    dsps: int
    ram_blocks: int
    pins: int
    options: tuple[str, ...] = ()
    ffs: int | None = None
    slices: int | None = None


@dataclass(frozen=True)
class Target:
    """A chip family or a cell library.  `word` and `tile`: defaults of word-serial DSP multipliers.

    synthesis: Yosys commands that map the module `{top}`, flat; None: it cannot be implemented.
    cells: what each cell of the netlist after these commands counts as.
    cell_models: Yosys' own models of these cells, in its share folder, for simulating netlists.
    arcs: how paths run through the cells; None: LUT levels are not counted.
    router: the program that places and routes; None: cells are counted and no clock is claimed.
    constraints: kinds of timing constraint files ("sdc", "lpf", "xdc", "ucf").
    ram_styles: memories have an attribute that asks for a kind of RAM.
    initial_values: registers and RAM can have values at power-up.
    pair_block: a block RAM that holds two memories, each on a port of 36 bits that both reads and
        writes; None if ports of that width do only one of both.
    shallow: a memory of at most so many words that would leave a block RAM nearly empty is put in
        look-up tables, of which one holds so many words; 0: it is in block RAM nevertheless.
    shift_block: shift registers that take fewer look-up tables than distributed RAM for words that
        are written in order; None if they do not.
    logic_before_carry: an adder has a look-up table before each bit of its carry chain, which can
        invert or choose an operand at no cost.
    no_shifted_sum: why not every multiply-accumulate slice can add its own sum, shifted, to an
        addend; empty: each can.
    models: files of `targets.models` that simulate the instantiated primitives.
    mac_block, multiplier_block: the multiply-accumulate slice and the multiplier, if they are hard
        blocks.  adder_cells, configurable_cells: rows of full adders, if they are library cells.
        None: plain HDL.  Designs use `mac`, `multiplier`, `adder_row` and `configurable_row`."""

    name: str
    summary: str
    kind: Literal["fpga", "cells"] = "fpga"
    dsp: DspBlock | None = None
    tile: tuple[int, int] = (17, 17)
    word: int = 34
    synthesis: str | None = None
    cells: Mapping[str, CellArea] = field(default_factory=dict, hash=False)
    cell_models: tuple[str, ...] = ()
    arcs: FamilyArcs | None = field(default=None, hash=False)
    limits: tuple[Limit, ...] = ()
    devices: tuple[Device, ...] = ()
    router: str | None = None
    constraints: tuple[str, ...] = ("sdc",)
    ram_styles: bool = True
    initial_values: bool = True
    logic_before_carry: bool = False
    shallow: int = 0
    no_shifted_sum: str = ""
    models: tuple[str, ...] = ()
    mac_block: type[MacSlice] | None = None
    multiplier_block: type[HardMultiplier] | None = None
    memory_block: type[BlockMemory] | None = None
    pair_block: type[MemoryPair] | None = None
    shift_block: type[ShiftedWords] | None = None
    adder_cells: type[AdderRow] | None = None
    configurable_cells: type[ConfigurableRow] | None = None

    @property
    def takes_library(self) -> bool:
        """Whether designs are made of the cells of a library that the spec names."""
        return self.kind == "cells"

    @property
    def title_end(self) -> str:
        """The end of the titles of designs for this target."""
        return "" if self.name == "generic" else f"-{self.name}"

    def hard_blocks(self, *, dsp: bool, block_ram: bool) -> set[str]:
        """The cells that are DSP blocks and block RAM, or one of both."""
        return {
            name
            for name, counted in self.cells.items()
            if (dsp and counted.dsp) or (block_ram and counted.ram_blocks)
        }

    def ram_blocks(self, bits: int) -> int:
        """The block RAMs that have so many bits in all."""
        sizes = [
            counted.ram_bits // counted.ram_blocks
            for counted in self.cells.values()
            if counted.ram_blocks
        ]
        return ceil_div(bits, min(sizes)) if sizes else 0

    @property
    def netlists(self) -> bool:
        """Whether mapped netlists of this target can be simulated."""
        return bool(self.cell_models) or self.takes_library

    @property
    def carry_chains(self) -> bool:
        """Whether a long addition is fastest as one `+`, on a carry chain; if not, adders are
        better made of gates."""
        return not self.takes_library

    @property
    def slow_wires(self) -> bool:
        """Whether a choice among many words, or a test over all of them, is registered half-way,
        which takes one more cycle, because wires are slower than logic.  This is so where place and
        route has shown that it pays; on all other targets the cycles are those of the papers."""
        return self.router is not None

    @property
    def gate_inputs(self) -> int:
        """The inputs of the gate or look-up table for which logic is best planned."""
        return 2 if self.takes_library else 4

    @property
    def hard_multiplier(self) -> DspBlock | None:
        """The hard multiplier; None if products are made of logic."""
        return None if self.takes_library else self.dsp

    def pairs(self, width: int, depths: tuple[int, int]) -> bool:
        """Whether two memories with so many words save a block RAM by sharing one."""
        return self.pair_block is not None and self.pair_block.saves(width, depths)

    def shares(self, depth: int) -> bool:
        """Whether a memory of so many words with two read ports takes half as many block RAMs if
        each port of its blocks reads and writes, in different cycles."""
        return self.pair_block is not None and self.pair_block.shares(depth)

    # These properties import when they are called: without a design, Amaranth is not needed.
    @property
    def mac(self) -> type[MacSlice]:
        """The class of the multiply-accumulate slice."""
        from modmul.targets.primitives import MacSlice

        return self.mac_block or MacSlice

    def link_delay(self, shift: int) -> int:
        """The additional cycles that a link of `mac` with this shift takes: 0 in plain
        HDL."""
        return 0 if self.mac_block is None else self.mac_block.link_delay(shift)

    @property
    def multiplier(self) -> type[HardMultiplier]:
        from modmul.targets.primitives import HardMultiplier

        return self.multiplier_block or HardMultiplier

    @property
    def block_memory(self) -> type[BlockMemory]:
        """The class of a memory in block RAM with its output register."""
        from modmul.targets.memories import BlockMemory

        return self.memory_block or BlockMemory

    @property
    def adder_row(self) -> type[AdderRow]:
        from modmul.targets.rows import AdderRow

        return self.adder_cells or AdderRow

    @property
    def configurable_row(self) -> type[ConfigurableRow]:
        """The class of a row of full adders whose carries can be switched off."""
        from modmul.targets.rows import ConfigurableRow

        return self.configurable_cells or ConfigurableRow
