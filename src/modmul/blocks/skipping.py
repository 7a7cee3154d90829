"""A loop that leaves out iterations in which there is nothing to add (kuang2016, section III)."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from amaranth.hdl import Const, Module, Mux, Signal, Value

from modmul.blocks.carry_save import Skip


class Steps(NamedTuple):
    """The state of a loop, 1 bit each.  The right shift of an iteration is put off to the next
    cycle, so that it does not wait for the decision how far to shift.

    one, two: the shift due in this cycle is by one or by two bits; in iteration -1 none is due.
    running: an iteration follows this one.  several: if one follows, at least two do. allowed: the
    next iteration may be left out (only while running)."""

    one: Value
    two: Value
    running: Value
    several: Value
    allowed: Value


class SkippingLoop:
    """Counts iterations -1, 0 ... `iterations` - 1, one or two in each cycle while `active`.

    adjacent: iterations may be left out in adjacent cycles, too. skip: 1 bit, driven by the caller:
    the next iteration is left out; low where that is not allowed. steps: the state, with `one` and
    `two` from registers.  last: 1 bit, the end of the loop; one shift is still due then."""

    NOTES: ClassVar[dict[str, str]] = {
        "shift_one": "S has yet to be halved, for the iteration of the cycle before",
        "shift_two": "S has yet to be halved twice, for it and for the one skipped behind it",
        "left_iterations": "iterations that follow this one, and one more with shift_two",
        "left_is_[0-9]": "left_iterations has this value; compared a cycle before",
        "running_next": "no iteration follows this one",
        "running": "one does",
        "several_follow_next": "exactly one does",
        "several_follow": "if one does, at least two do",
        "skip": "the next iteration adds nothing: it is skipped",
        "loop_ends": "no iteration follows, or only one that is skipped",
    }

    def __init__(self, m: Module, active: Value, iterations: int, adjacent: bool):
        self.skip, self.last = Signal(name="skip"), Signal(name="loop_ends")
        one, two = Signal(name="shift_one"), Signal(name="shift_two")
        running, several = Signal(name="running"), Signal(name="several_follow")
        at_end, before_end = self._count(m, active, two, iterations)
        m.d.sync += [one.eq(active & ~self.skip), two.eq(active & self.skip)]
        m.d.comb += [
            running.eq(active & ~at_end),
            several.eq(~before_end),
            self.last.eq(at_end | (before_end & self.skip)),
        ]
        allowed = running if adjacent else running & ~two
        self.steps = Steps(one, two, running, several, allowed)

    def _count(self, m: Module, active: Value, two: Value, iterations: int) -> tuple[Value, Value]:
        """Whether no iteration follows this one, and whether exactly one does.

        `left` counts the iterations that follow, plus one while a shift by two is due; so it need
        not wait for the decision, either.  Comparisons are made a cycle before they are needed."""
        left = Signal(range(iterations + 1), name="left_iterations", reset_less=True)
        with m.If(active):
            m.d.sync += left.eq(left - 1 - two)
        with m.Else():
            m.d.sync += left.eq(iterations)
        will_be = [Signal(name=f"left_is_{value}") for value in range(3)]
        for value, flag in enumerate(will_be):
            m.d.sync += flag.eq(Mux(two, left == value + 2, left == value + 1))
        return Mux(two, will_be[1], will_be[0]), Mux(two, will_be[2], will_be[1])


def plain_steps(m: Module, active: Value, last: Value) -> Steps:
    """The steps of a loop that leaves out nothing.  active: 1 bit, in the loop; last: its
    last cycle."""
    one = Signal(name="shift_one")
    m.d.sync += one.eq(active)
    return Steps(one, Const(0, 1), active & ~last, Const(1, 1), Const(0, 1))


def skip_one_row(
    ss: Value,
    sc: Value,
    addend: Value,
    following: tuple[Value, Value],
    loop: Steps,
    otherwise: tuple[Value, Value],
) -> Skip:
    """Whether the iteration after this one can be left out, for one row of full adders.

    ss, sc: the aligned sum, its 3 low bits.  addend: bit 2 of what this iteration adds (bits 1 and
    0 are zero).  following: the multiplier bits of the next iteration and of the one after it.
    otherwise: quotient and bit if no iteration follows; zero if one does. Both bits that two shifts
    drop have to be zero.  The quotient alone is not enough: it is zero, too, when both bits are
    ones.  Source: kuang2016, section III and Fig. 12."""
    next_bit, bit_after = following
    high, low = ss[1] ^ sc[1], ss[0] & sc[0]
    skip = ~(next_bit | high | low | ~loop.allowed)
    quotient_after = ss[2] ^ sc[2] ^ addend ^ (ss[1] & sc[1])
    quotient = Mux(skip, quotient_after & loop.several, (high ^ low) & loop.running)
    bit = Mux(skip, bit_after, next_bit & loop.running)
    # `otherwise` is combined last, since it may come late.
    return Skip(skip, quotient | otherwise[0], bit | otherwise[1])
