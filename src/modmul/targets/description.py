"""What a target is: a frozen description of a chip family (contract 2 of docs/contracts.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from modmul.targets.arcs import FamilyArcs

if TYPE_CHECKING:
    from modmul.targets.memories import BlockMemory, MemoryPair, ShiftedWords
    from modmul.targets.primitives import HardMultiplier, MacSlice
    from modmul.targets.rows import AdderRow, ConfigurableRow

UNVERIFIED = "unverified"  # stands beside every figure that was not checked in the source it names


@dataclass(frozen=True)
class DspBlock:
    """A hard multiplier: unsigned operand widths (bits) of its wide and narrow port.

    cell: its name in netlists; None for plain HDL.
    accumulator: bits of the post-adder's P register; None where sums go to fabric."""

    cell: str | None
    wide: int
    narrow: int
    accumulator: int | None

    def latency(self, registers: int) -> int:
        """Cycles from the ports to the sum's register, which fabric holds where no block does.

        registers: stages in use, 1 (P) to 3 (A/B, M, P)."""
        return registers + (self.accumulator is None)


@dataclass(frozen=True)
class CellArea:
    """What one cell of the mapped netlist counts as."""

    lut: int = 0
    ff: int = 0
    dsp: int = 0
    ram_blocks: int = 0
    ram_bits: int = 0


@dataclass(frozen=True)
class Limit:
    """Highest clock of a hard block (a cell name; "clock" is the clock net itself).

    verified: it was checked against the source named.  speed: the speed grade it holds for; None:
    the fastest, so that it is an upper bound for the others."""

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
        """The clock alone, in the words of `clock_words`."""
        return clock_words(self.mhz, self.verified)

    @property
    def words(self) -> str:
        """The limit for people: block, clock, source, and whether that is verified."""
        return f"{self.block}: {self.mhz:g} MHz ({self.named_source})"


def clock_words(mhz: float, verified: bool | None) -> str:
    """A clock for people; UNVERIFIED beside one that an unverified limit decides.

    verified: as of that limit; None where no limit decides."""
    doubt = f" ({UNVERIFIED})" if verified is False else ""
    return f"{mhz:.6g} MHz{doubt}"


@dataclass(frozen=True)
class Device:
    """One chip in one package and speed grade, and its size.

    dsps, ram_blocks: hard multipliers and memory blocks.  pins: user pins of the package.
    options: what tells the router to use it.
    ffs, slices: flip-flops, and slices that LUTs and flip-flops stand in; None: not recorded."""

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
    """A chip family.  `word` and `tile` are its defaults for word-serial DSP multipliers.

    synthesis: Yosys commands that map the module `{top}`, flat; None: it cannot be implemented.
    cells: what each cell of the netlist that they leave counts as.
    cell_models: Yosys' own models of these cells, in its share folder; none: the netlist cannot be
    simulated.
    arcs: how paths run through the cells; None: no LUT levels are told.
    router: what places and routes it; None: cells are counted and no clock is claimed.
    constraints: kinds of timing constraint files ("sdc", "lpf", "xdc", "ucf").
    ram_styles: memories say which kind of RAM they ask for.
    pair_block: a block RAM that has two memories, each on one port of 36 bits that reads or writes;
    None where a port of that width only does one of them.
    shallow: words up to which a memory that would leave a block RAM all but empty is in look-up
    tables: as many as one of these holds; 0: it is in block RAM all the same.
    shift_block: shift registers that take fewer look-up tables than distributed RAM does for words
    that are written in order; None where they do not.
    logic_before_carry: an adder has a look-up table in front of each bit of its carry chain, so
    that one of its operands may be inverted, or chosen, for nothing.
    no_shifted_sum: why not every multiply-accumulate slice can add its own sum, shifted, to an
    addend; empty: each can.
    models: Verilog files in targets/models/ that simulate the primitives instantiated for it.
    mac_block, multiplier_block: the multiply-accumulate slice and the plain multiplier where they
    are hard blocks; adder_cells, configurable_cells: rows of full adders where they are cells of a
    library; None: plain HDL.  What is used in a design is `mac`, `multiplier`, `adder_row`,
    `configurable_row`."""

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
        """Whether designs are made of the cells of a library, which a spec names."""
        return self.kind == "cells"

    @property
    def title_end(self) -> str:
        """What titles of designs end in whose circuit is another one in cells of a library."""
        return "-cells" if self.takes_library else ""

    @property
    def netlists(self) -> bool:
        """Whether mapped netlists of this target can be simulated."""
        return bool(self.cell_models) or self.takes_library

    @property
    def carry_chains(self) -> bool:
        """Whether a long addition is fastest as it is written, in a chain of its own; else adders
        are better made of gates."""
        return not self.takes_library

    @property
    def slow_wires(self) -> bool:
        """Whether what is chosen of many words, or tested over all of them, is registered on the
        way, a cycle more, since wires take longer than logic: where place and route has shown
        that it pays.  All others have the cycles of the papers."""
        return self.router is not None

    @property
    def gate_inputs(self) -> int:
        """Inputs of the gate or look-up table in which logic is best planned."""
        return 2 if self.takes_library else 4

    @property
    def hard_multiplier(self) -> DspBlock | None:
        """The hard multiplier; None where products are logic."""
        return None if self.takes_library else self.dsp

    def pairs(self, width: int, depths: tuple[int, int]) -> bool:
        """Whether a block RAM is saved if two memories of so many words share one."""
        return self.pair_block is not None and self.pair_block.saves(width, depths)

    def shares(self, depth: int) -> bool:
        """Whether a memory of so many words that is read twice takes half of the block RAM if both
        ports of its blocks read and write, in different cycles."""
        return self.pair_block is not None and self.pair_block.shares(depth)

    # Imported where they are asked for: without a design, nobody has to wait for Amaranth.
    @property
    def mac(self) -> type[MacSlice]:
        """The multiply-accumulate slice."""
        from modmul.targets.primitives import MacSlice

        return self.mac_block or MacSlice

    def link_delay(self, shift: int) -> int:
        """Cycles more that a link of `mac` with this shift takes; plain HDL takes none."""
        return 0 if self.mac_block is None else self.mac_block.link_delay(shift)

    @property
    def multiplier(self) -> type[HardMultiplier]:
        """The plain multiplier."""
        from modmul.targets.primitives import HardMultiplier

        return self.multiplier_block or HardMultiplier

    @property
    def block_memory(self) -> type[BlockMemory]:
        """A memory in block RAM with its output register."""
        from modmul.targets.memories import BlockMemory

        return self.memory_block or BlockMemory

    @property
    def adder_row(self) -> type[AdderRow]:
        """A row of full adders."""
        from modmul.targets.rows import AdderRow

        return self.adder_cells or AdderRow

    @property
    def configurable_row(self) -> type[ConfigurableRow]:
        """A row of full adders whose carries can be switched off."""
        from modmul.targets.rows import ConfigurableRow

        return self.configurable_cells or ConfigurableRow

    @property
    def model_files(self) -> tuple[Path, ...]:
        """The Verilog files of the simulation models."""
        return tuple(Path(__file__).parent / "models" / name for name in self.models)
