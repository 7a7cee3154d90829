"""The schedule of the datapath of `columns`: which word is where in which cycle, and so when a
result is visible."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ProductRegisters:
    """Numbers of registers in fabric, each 0 or 1: behind the products of each task, and (`select`)
    between the multiplexer of task 2 and its multiplier."""

    task1: int
    task2: int
    task3: int
    select: int = 0


PIPELINES = {
    "lean": ProductRegisters(0, 0, 0),
    "full": ProductRegisters(0, 1, 1),
    "fast": ProductRegisters(1, 1, 1, select=1),
}


@dataclass(frozen=True)
class ColumnsSchedule:
    """Times as in CascadeSchedule.  dsp: cycles from a multiplier's ports to its output.
    b_unregistered: b_j and a_i go from block RAMs, which have their own output registers, straight
    to the multipliers, which zero both in empty slots."""

    registers: ProductRegisters
    dsp: int
    input_registers: int
    ports: int
    a_unregistered: bool
    b_unregistered: bool = False

    @property
    def ab00(self) -> int:
        """When product ab00 is visible; ab01 and ab10 are visible one cycle later, ab11 three."""
        return self.ports + self.dsp + self.registers.task1

    @property
    def v0(self) -> int:
        """Cycle in which half 0 of v_0 is visible; half 1 is two cycles later."""
        return self.ab00 + 1

    @property
    def u0(self) -> int:
        """Cycle in which half 0 of u_0 is visible; half 1 is one cycle later."""
        return self.ab00 + 4

    @property
    def q0(self) -> int:
        """The one cycle in which half 0 of q_i is visible; half 1 is three cycles later."""
        return self.v0 + self.registers.select + self.dsp + self.registers.task2

    @property
    def qn00(self) -> int:
        """When product qn00 is visible; qn01 is visible two cycles later, qn10 three, qn11 four."""
        return self.q0 + self.dsp + self.registers.task3

    @property
    def t0(self) -> int:
        """Cycle in which half 0 of t_0 is visible; half 1 is one cycle later."""
        return self.qn00 + 5

    def timetable(self) -> list[tuple[str, int]]:
        """Signals, each with the cycle in which it holds word 0 of a stream."""
        products = {
            name: f"{name}_d1" if late else name
            for name, late in (("ab00", self.registers.task1), ("qn00", self.registers.task3))
        }
        return [
            ("b_word", self.ports),
            (products["ab00"], self.ab00),
            ("t0_in", self.ab00),
            ("v0", self.v0),
            ("v1_partial", self.v0 + 1),
            ("cross_lo", self.v0 + 1),
            ("v1", self.v0 + 2),
            ("v2", self.v0 + 3),
            ("v3", self.v0 + 4),
            ("u0", self.u0),
            ("n_lo", self.q0),
            ("n_hi", self.q0 + 2),
            (products["qn00"], self.qn00),
            ("acc00_lo", self.qn00 + 1),
            ("acc01_lo", self.qn00 + 2),
            ("acc10_lo", self.qn00 + 3),
            ("t0", self.t0),
            ("t1", self.t0 + 1),
            ("result_data", self.first_word),
        ]

    def digit_timetable(self) -> list[tuple[str, int]]:
        """Signals, each with the cycle in which it holds a half of q."""
        product = "vn_d1" if self.registers.task2 else "vn"
        return [(f"{product}, low half of q", self.q0), ("q1, high half of q", self.q0 + 3)]

    @property
    def loop(self) -> int:
        """Cycles from t_0 to where it enters again, through the register that zeroes it."""
        return self.t0 + 1 - self.ab00

    @property
    def first_word(self) -> int:
        """The cycle in which both halves of a word are canonical: three registers behind t_0."""
        return self.t0 + 3
