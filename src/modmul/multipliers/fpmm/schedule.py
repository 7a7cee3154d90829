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
    """Optional registers in fabric on the way round the loop, each 0 or 1 (gallin2019, 5.7)."""

    select: int  # behind the operand multiplexer of the task-2 multipliers
    quotient: int  # q_i between task 2 and task 3
    t_stage: int  # second register of t (holds the u adder when u is not added in a DSP)
    t_mux: int  # behind the "zero in the first iteration" multiplexer
    v: int  # v_0 in front of task 2
    product: int = 0  # behind the products, before the word adders


# Registers if t is added behind task 1, as in the paper (its loop of 15 for w = 34 is `full`).
BEHIND = {
    "full": FabricRegisters(select=1, quotient=1, t_stage=1, t_mux=1, v=1),
    "lean": FabricRegisters(select=0, quotient=0, t_stage=0, t_mux=0, v=0),
    "fast": FabricRegisters(select=1, quotient=1, t_stage=1, t_mux=1, v=1, product=1),
}
# Registers if t is added inside the first slice of task 1.
INSIDE = {
    "full": FabricRegisters(select=1, quotient=1, t_stage=0, t_mux=0, v=0),
    "lean": FabricRegisters(select=0, quotient=0, t_stage=0, t_mux=0, v=0),
    "fast": FabricRegisters(select=1, quotient=1, t_stage=0, t_mux=0, v=1, product=1),
}


class SliceRegisters(NamedTuple):
    """For each slice of a task, the register stages in use, or the cycles from its ports to its
    sum; task 2 has one figure for all its slices."""

    task1: tuple[int, ...]
    task2: tuple[int, ...]
    task3: tuple[int, ...]

    @classmethod
    def alike(cls, registers: int, count: int) -> SliceRegisters:
        """The same number for all slices; tasks 1 and 3 have `count` slices each."""
        return cls((registers,) * count, (registers,), (registers,) * count)

    @classmethod
    def read(cls, text: str) -> SliceRegisters:
        """The figures of a text that gives them task by task, as 2333/3/3333."""
        return cls(*(tuple(map(int, part)) for part in text.split("/")))


@dataclass(frozen=True)
class CascadeSchedule:
    """The pipeline on multiply-accumulate slices in cascade.

    offsets: cycles from tile 0 to tile k (`Tiling.offsets`).  dsp: cycles from each slice's ports
    to its P register.  input_registers: 1 if operands are registered before they are written to
    memory. ports: when word 0 is at the ports of the first slice of task 1 (input register, write,
    one or two registers after the read).  a_unregistered: a_i comes from distributed RAM straight
    into the slices' A registers.  t_in_dsp: t enters the first slice of task 1 (its C port), and u
    is a plain sum; else t is added behind task 1, as in the paper.  u_in_dsp: u enters the first
    slice of task 3."""

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
        """The cycles from slice k's ports to its sum; in the small variant, slice 0 has no P
        register."""
        return self.dsp.task1[k] - (self.small and k == 0)

    @cached_property
    def port1(self) -> list[int]:
        """The time at the ports of each slice of task 1; none is before word 0 is there."""
        delays = [self._delay1(k) for k in range(self.tiling.count)]
        pairs = list(zip(delays, self.offsets, strict=True))
        start = max(self.ports + delay - offset for delay, offset in pairs)
        return [start + offset - delay for delay, offset in pairs]

    def sum1(self, k: int) -> int:
        """When P of slice k is visible (combinational for slice 0 of the small variant)."""
        return self.port1[k] + self._delay1(k)

    @property
    def low1(self) -> int:
        """When the low word of a_i*b_0 (+ t_0 if t_in_dsp) is complete."""
        return self.sum1(self.tiling.low - 1) + self.registers.product

    @property
    def high1(self) -> int:
        """When the high word of the word before is complete."""
        return self.sum1(self.tiling.count - 1) + self.registers.product - 1

    @property
    def low_delay(self) -> int:
        """Registers by which a low word waits for the high word of the word before."""
        return max(0, self.high1 - self.low1)

    @property
    def high_delay(self) -> int:
        return max(0, self.low1 - self.high1)

    @property
    def t_in(self) -> int:
        """When t_0, masked, enters: the adder behind task 1, or the slice's C port."""
        return self.sum1(0) - 2 + self.small if self.t_in_dsp else self.low1

    @property
    def u(self) -> int:
        """When u_0 is visible: one adder behind the product if t is already in it, else two."""
        return self.low1 + self.low_delay + (1 if self.t_in_dsp else 2)

    # ---- task 2 ---------------------------------------------------------------------------------

    def v_block(self, h: int) -> int:
        """When block h of v_0 is there for the first time (valid in this one cycle)."""
        if self.t_in_dsp:
            return self.sum1(self.tiling.last_tile_of_block(h))
        return self.low1

    @cached_property
    def port2(self) -> list[int]:
        """The times at the ports of task 2, product by product."""
        r, tiles = self.registers, self.tiling.tiles[: self.tiling.low]
        pairs = list(zip(tiles, self.offsets, strict=False))
        start = max(self.v_block(t.held) + r.v + r.select - offset for t, offset in pairs)
        return [start + offset for _, offset in pairs]

    def q_block(self, h: int) -> int:
        """When the last bit of block h of q_i is in P (valid in this one cycle)."""
        return self.port2[self.tiling.last_tile_of_block(h)] + self.delay2

    @property
    def delay2(self) -> int:
        """Cycles from the ports of task 2 to its sums."""
        return self.dsp.task2[0]

    # ---- task 3 ---------------------------------------------------------------------------------

    @cached_property
    def port3(self) -> list[int]:
        """The times at slice k's ports of task 3: every block of q is there, and u is in time."""
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
        """When u_0 must be at the addend port of task 3's first slice."""
        return self.sum3(0) - 1 - self.u_registered

    def sum3(self, k: int) -> int:
        return self.port3[k] + self.dsp.task3[k]

    @property
    def n_word(self) -> int:
        """When word 0 of N must be there, for the first slice of task 3 that takes it."""
        return min(self.port3)

    @property
    def low3(self) -> int:
        return self.sum3(self.tiling.low - 1) + self.registers.product

    @property
    def z(self) -> int:
        """When z_0, which is t_-1, is visible."""
        return self.low3 + self.low_delay + 1

    @property
    def t0(self) -> int:
        """When t_0 is visible, one cycle after the discarded t_-1."""
        return self.z + self.registers.t_stage + 1

    # ---- what is said of it ---------------------------------------------------------------------

    def timetable(self) -> list[tuple[str, int]]:
        """Signals, each with the cycle in which it holds word 0 of a stream."""
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
        """The shortest outer iteration in cycles: from t_0 to where it enters again."""
        return self.t0 + self.registers.t_mux - self.t_in

    @property
    def first_word(self) -> int:
        """When word 0 of the result is on the output pins if s = 1."""
        return self.t0
