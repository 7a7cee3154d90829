"""Times of the datapath of `columns`: what stands where, and so when what is visible."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ProductRegisters:
    """Fabric registers behind the products of each task, and `select` between the multiplexer of
    task 2 and its multiplier, each 0 or 1."""

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
    """Times as in CascadeSchedule.  dsp: cycles from a multiplier's ports to its output."""

    registers: ProductRegisters
    dsp: int
    input_registers: int
    ports: int
    a_unregistered: bool

    @property
    def p00(self) -> int:
        """Product a_0*b_0 of digits is visible; p01, p10 one cycle later, p11 three."""
        return self.ports + self.dsp + self.registers.task1

    @property
    def v0(self) -> int:
        """Digit 0 of v_0 is visible; digit 1 two cycles later."""
        return self.p00 + 1

    @property
    def u0(self) -> int:
        """Digit 0 of u_0 is visible; digit 1 one cycle later."""
        return self.p00 + 4

    @property
    def q0(self) -> int:
        """Digit 0 of q_i is visible (in this one cycle); digit 1 three cycles later."""
        return self.v0 + self.registers.select + self.dsp + self.registers.task2

    @property
    def r00(self) -> int:
        """Product q_0*p_0 of digits is visible; r01 two cycles later, r10 three, r11 four."""
        return self.q0 + self.dsp + self.registers.task3

    @property
    def t0(self) -> int:
        """Digit 0 of t_0 is visible; digit 1 one cycle later."""
        return self.r00 + 5

    @property
    def loop(self) -> int:
        """From t_0 back to where it enters, through the register that zeroes it."""
        return self.t0 + 1 - self.p00

    @property
    def first_word(self) -> int:
        """Both digits together, canonical: three more registers."""
        return self.t0 + 3
