"""Forecasts of area and clock before anything is elaborated: their records, and what the formulas
need to know about chips.

Each architecture has its own formula (`Multiplier.forecast`): arithmetic on its parameters and
derived facts, in microseconds.  What depends on the chip alone is here: inputs of a LUT, what
adders and memories take, and how long a path takes of so many LUTs in series and bits of carry
chains.  `python -m benchmarks --forecast compare` puts forecasts beside what was measured.
What formulas say of their calibration leaves out errors of up to 20 cells.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import NamedTuple

from modmul.arithmetic.words import ceil_div
from modmul.targets import Target


class Forecast(NamedTuple):
    """Resources and clock of the bare core on its target, by a formula.

    lut, ff, dsp: as `implement` counts them.  On `generic` there are up to 40 % more LUTs than
    forecast, since enables of registers are LUTs there, too.  For `cells`, where `implement` counts
    cells instead, the forecast is for a chip with six-input LUTs.  ram_bits: block RAM only, in
    whole blocks.  mhz: the routed clock before the limits of hard blocks, in the fastest grade; on
    a chip without a router, the clock of the delay that `implement` estimates
    (docs/decisions/path-estimate.md); None where there is neither."""

    lut: int
    ff: int
    dsp: int
    ram_bits: int
    mhz: float | None


class Logic(NamedTuple):
    """The logic that an architecture forecasts; its figures need not be whole numbers.

    levels: LUTs in series on the path that limits the clock, where an adder counts as one.  The
    figure is fitted, so it is less than `implement` counts where the deepest path is not the
    slowest.  carry: bits of carry chains on that path.  broadcast: its nets go to the whole core,
    not to neighbours only."""

    lut: float
    ff: float
    levels: float
    carry: float = 0
    dsp: int = 0
    ram_bits: int = 0
    broadcast: bool = True


class Delays(NamedTuple):
    """Delays on a path in ns.  register: a register and the net behind it.  level: a LUT and the
    net behind it.  carry: one bit of a carry chain.  across: what nets across a core add, times the
    square root of its LUTs."""

    register: float
    level: float
    carry: float
    across: float


# ecp5: fitted to routed clocks, medians of 1 to 8 seeds, fastest grade: level and carry to the
# arrays of 16 and 32 bits and to `interleaved` of 64 and 256, across to the carry-save multipliers
# of amanor2005 from 32 to 1024 bits.  Others: the delays that the estimate of `implement` adds up.
_DELAYS = {
    "ecp5": Delays(register=1.0, level=0.75, carry=0.031, across=0.0436),
    "xc7": Delays(register=0.5, level=0.92, carry=0.0285, across=0.0),
    "xc4v": Delays(register=1.2, level=0.6, carry=0.034, across=0.0),
}
_LUT4 = ("ecp5", "xc4v", "xcve", "xc2vp")
# A distributed RAM of four LUTs: its words, its bits per word with two ports, and with one port.
_RAM = {"ecp5": (16, 4, 4), **dict.fromkeys(("xc4v", "xcve", "xc2vp"), (16, 2, 4))}
_RAM_OF_LUT6 = (32, 6, 8)
_BLOCK_BITS, _BLOCK_WIDTH = 18 * 1024, 36


@dataclass(frozen=True)
class Fabric:
    """The building blocks of a chip, as far as forecasts need them.

    inputs: of a LUT, 4 or 6.  fused: the LUT at a carry cell can also compute that cell's operand.
    ram: for a distributed RAM of four LUTs: words, bits per word with a write and a read port, and
    bits per word with one port for both; None where every memory is counted in bits (`generic`).
    delays: None where nothing was measured."""

    inputs: int
    fused: bool
    ram: tuple[int, int, int] | None
    delays: Delays | None

    def by_lut_inputs(self, four: float, six: float) -> float:
        """Return `four` if LUTs have four inputs, else `six`."""
        return four if self.inputs == 4 else six

    def memory(
        self, depth: int, width: int, storage: str = "distributed", *, ports: int = 2
    ) -> tuple[float, int]:
        """The LUTs and the bits of block RAM of a memory with a write and a read port.

        ports: 1 if both ports always have the same address."""
        if self.ram is None:
            return 0, depth * width
        if storage == "block":
            bits = ceil_div(depth * width, _BLOCK_BITS)
            return 0, _BLOCK_BITS * max(ceil_div(width, _BLOCK_WIDTH), bits)
        words, bits = self.ram[0], self.ram[3 - ports]
        banks = ceil_div(depth, words)
        return 4 * ceil_div(width, bits) * banks + (banks - 1) * width, 0

    def forecast(
        self,
        lut: float,
        ff: float,
        levels: float,
        carry: float = 0,
        dsp: int = 0,
        ram_bits: int = 0,
        broadcast: bool = True,
    ) -> Forecast:
        """The forecast for `Logic` of these figures, with its cells in whole numbers and its
        clock."""
        mhz, of = None, self.delays
        if of is not None:
            nets = of.across * math.sqrt(lut) if broadcast else 0.0
            mhz = 1000 / (of.register + of.level * levels + of.carry * carry + nets)
        return Forecast(round(lut), round(ff), dsp, ram_bits, mhz)


def fabric(chip: Target) -> Fabric:
    """The building blocks of a chip."""
    return _fabric(chip.name)


@functools.cache
def _fabric(name: str) -> Fabric:
    return Fabric(
        inputs=4 if name in _LUT4 else 6,
        fused=name != "ecp5",
        ram=None if name == "generic" else _RAM.get(name, _RAM_OF_LUT6),
        delays=_DELAYS.get(name),
    )
