"""The schedule: when every word is where, as one pure function of the pipeline that is really
built.

Hardware and timing report both read this.  Times are cycles after word 0 of a slot was on the input
pins ("visible": a register holds the value during that cycle); word j is j cycles later.
Source: gallin2019, 5 (the register-by-register schedule is reconstructed there).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from modmul.multipliers.fpmm.tiling import Tiling


@dataclass(frozen=True)
class FabricRegisters:
    """Optional fabric registers on the way round the loop, each 0 or 1 (gallin2019, 5.7)."""

    select: int  # behind the operand multiplexer of the task-2 multipliers
    quotient: int  # q_i between task 2 and task 3
    t_stage: int  # second register of t (holds the u adder when u is not added in a DSP)
    t_mux: int  # behind the "zero in the first iteration" multiplexer
    v: int  # v_0 in front of task 2
    product: int = 0  # behind the products, before the word adders


# t added behind task 1, as in the paper (its loop of 15 for w = 34 is `full`)
BEHIND = {
    "full": FabricRegisters(select=1, quotient=1, t_stage=1, t_mux=1, v=1),
    "lean": FabricRegisters(select=0, quotient=0, t_stage=0, t_mux=0, v=0),
    "fast": FabricRegisters(select=1, quotient=1, t_stage=1, t_mux=1, v=1, product=1),
}
# t added inside the first slice of task 1
INSIDE = {
    "full": FabricRegisters(select=1, quotient=1, t_stage=0, t_mux=0, v=0),
    "lean": FabricRegisters(select=0, quotient=0, t_stage=0, t_mux=0, v=0),
    "fast": FabricRegisters(select=1, quotient=1, t_stage=0, t_mux=0, v=1, product=1),
}


class SliceRegisters(NamedTuple):
    """The register stages in use of each slice of a task, or the cycles from its ports to its sum;
    task 2 has one figure for all its slices."""

    task1: tuple[int, ...]
    task2: tuple[int, ...]
    task3: tuple[int, ...]

    @classmethod
    def alike(cls, registers: int, count: int) -> SliceRegisters:
        """The same number in all slices; tasks 1 and 3 have `count` of them each."""
        return cls((registers,) * count, (registers,), (registers,) * count)

    @classmethod
    def read(cls, text: str) -> SliceRegisters:
        """Reads figures that stand task by task, as in 2333/3/3333."""
        return cls(*(tuple(map(int, part)) for part in text.split("/")))


@dataclass(frozen=True)
class CascadeSchedule:
    """The pipeline on multiply-accumulate slices in cascade.

    offsets: cycles from tile 0 to tile k (`Tiling.offsets`).  dsp: cycles from each slice's ports
    to its P register.  input_registers: 1 if operands are
    registered before they are written to memory; ports: when word 0 is at the ports of the first
    slice of task 1 (input register, write, one or two registers after the read); a_unregistered:
    a_i comes from distributed RAM straight into the slices' A registers.  t_in_dsp: t enters the
    first slice of task 1 (its C port), u is a plain sum; otherwise t is added behind task 1 as in
    the paper.  u_in_dsp: u enters task 3's first."""

    tiling: Tiling
    offsets: tuple[int, ...]
    registers: FabricRegisters
    dsp: SliceRegisters
    input_registers: int
    ports: int
    a_unregistered: bool
    small: bool
    t_in_dsp: bool
    u_in_dsp: bool

    # ---- task 1 ---------------------------------------------------------------------------------

    def _delay1(self, k: int) -> int:
        """Cycles from slice k's ports to its sum.  Slice 0 of the small version has no P
        register."""
        return self.dsp.task1[k] - (self.small and k == 0)

    @cached_property
    def port1(self) -> list[int]:
        """Slice k's ports, none before word 0 is there."""
        delays = [self._delay1(k) for k in range(self.tiling.count)]
        pairs = list(zip(delays, self.offsets, strict=True))
        start = max(self.ports + delay - offset for delay, offset in pairs)
        return [start + offset - delay for delay, offset in pairs]

    def sum1(self, k: int) -> int:
        """P of slice k (combinational for the first slice of the small version)."""
        return self.port1[k] + self._delay1(k)

    @property
    def low1(self) -> int:
        """The low word of a_i*b_0 (+ t_0 if t_in_dsp) is complete."""
        return self.sum1(self.tiling.low - 1) + self.registers.product

    @property
    def high1(self) -> int:
        """The high word of the word before."""
        return self.sum1(self.tiling.count - 1) + self.registers.product - 1

    @property
    def low_delay(self) -> int:
        """Registers for a low word to meet the high word of the word before."""
        return max(0, self.high1 - self.low1)

    @property
    def high_delay(self) -> int:
        return max(0, self.low1 - self.high1)

    @property
    def t_in(self) -> int:
        """t_0, masked, is where it enters: the adder behind task 1, or the slice's C port."""
        return self.sum1(0) - 2 + self.small if self.t_in_dsp else self.low1

    @property
    def u(self) -> int:
        """u_0 is visible: one adder behind the product if t is in it already, else two."""
        return self.low1 + self.low_delay + (1 if self.t_in_dsp else 2)

    # ---- task 2 ---------------------------------------------------------------------------------

    def v_block(self, h: int) -> int:
        """Block h of v_0 is there for the first time (valid in this one cycle)."""
        if self.t_in_dsp:
            return self.sum1(self.tiling.last_tile_of_block(h))
        return self.low1

    @cached_property
    def port2(self) -> list[int]:
        """The ports of task 2, product by product."""
        r, tiles = self.registers, self.tiling.tiles[: self.tiling.low]
        pairs = list(zip(tiles, self.offsets, strict=False))
        start = max(self.v_block(t.held) + r.v + r.select - offset for t, offset in pairs)
        return [start + offset for _, offset in pairs]

    def q_block(self, h: int) -> int:
        """The last bit of block h of q_i is in P (valid in this one cycle)."""
        return self.port2[self.tiling.last_tile_of_block(h)] + self.delay2

    @property
    def delay2(self) -> int:
        """Cycles from the ports of task 2 to its sums."""
        return self.dsp.task2[0]

    # ---- task 3 ---------------------------------------------------------------------------------

    @cached_property
    def port3(self) -> list[int]:
        """Slice k's ports: every block of q there in time, and u not late."""
        tiles, r, delays = self.tiling.tiles, self.registers, self.dsp.task3
        both = list(zip(delays, self.offsets, strict=True))
        ready = [self.q_block(tile.held) + r.quotient for tile in tiles]
        start = max(time + delay - at for time, (delay, at) in zip(ready, both, strict=True))
        if self.u_in_dsp:
            start = max(start, self.u + 1 + self.u_registered)
        return [start + offset - delay for delay, offset in both]

    @property
    def u_registered(self) -> int:
        """1 if u has a register inside the slice (the C register of t_in_dsp designs)."""
        return int(self.t_in_dsp)

    @property
    def u_at_addend(self) -> int:
        """u_0 must be at the addend port of task 3's first slice."""
        return self.sum3(0) - 1 - self.u_registered

    def sum3(self, k: int) -> int:
        return self.port3[k] + self.dsp.task3[k]

    @property
    def n_word(self) -> int:
        """Word 0 of N is there for the first slice of task 3 that takes it."""
        return min(self.port3)

    @property
    def low3(self) -> int:
        return self.sum3(self.tiling.low - 1) + self.registers.product

    @property
    def z(self) -> int:
        """z_0, which is t_-1, is visible."""
        return self.low3 + self.low_delay + 1

    @property
    def t0(self) -> int:
        """t_0, one cycle after the discarded t_-1."""
        return self.z + self.registers.t_stage + 1

    # ---- what is said of it ---------------------------------------------------------------------

    def timetable(self) -> list[tuple[str, int]]:
        """Signals, and when they hold word 0 of a stream."""
        return [
            ("b_word", self.ports),
            ("product_low", self.low1 - self.registers.product),
            ("product_high", self.high1 + 1 - self.registers.product),
            *([] if self.t_in_dsp else [("t_in", self.t_in)]),
            ("u", self.u),
            ("n_word", self.n_word),
            ("reduction_low", self.low3 - self.registers.product),
            ("reduction_high", self.sum3(self.tiling.count - 1)),
            ("result_data", self.t0),
        ]

    def digit_timetable(self) -> list[tuple[str, int]]:
        """When the last bit of q is there."""
        return [("q, its last bit", max(self.q_block(t.held) for t in self.tiling.tiles))]

    # ---- what is declared -----------------------------------------------------------------------

    @property
    def loop(self) -> int:
        """Smallest duration of an outer iteration, cycles: t_0 back to where it enters."""
        return self.t0 + self.registers.t_mux - self.t_in

    @property
    def first_word(self) -> int:
        """Result word 0 on the output pins when s = 1."""
        return self.t0
