"""Carry-save arithmetic on whole vectors: rows of full adders, serial bits, detectors.

A pair (sum, carry) stands for sum + carry; carry words here are already shifted, so that their bit
0 is zero.  Rows come from the target: cells of a library, or plain logic."""

from __future__ import annotations

import functools
import operator
from typing import NamedTuple

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from modmul.targets import Target
from modmul.targets.rows import AdderRow, ConfigurableRow


class Pair(NamedTuple):
    """A carry-save pair, value sum + carry."""

    sum: Value
    carry: Value


class Skip(NamedTuple):
    """What follows for the next cycle: whether an iteration is left out, its quotient and bit of
    the multiplier (each 1 bit)."""

    skip: Value
    quotient: Value
    bit: Value


def carry_save_add(m: Module, chip: Target, a: Value, b: Value, c: Value, name: str) -> Pair:
    """One row of full adders, a + b + c; as wide as the widest input, the carry one bit wider."""
    width = max(len(a), len(b), len(c))
    row = chip.adder_row(width, name)
    feed(m, row, a=a, b=b, c=c)
    row.place(m)
    return Pair(row.sum, Cat(Const(0, 1), row.carry))


def configurable_add(
    m: Module, chip: Target, a: Value, b: Value, x: Value, full: Value, name: str
) -> Pair:
    """One configurable row: a + b + x if `full`, else two half-adder steps on a + b.

    Without `full` the top carry of the first step is lost: the top bits of a and b must not both
    be set."""
    width = max(len(a), len(b), len(x))
    row = chip.configurable_row(width, name)
    feed(m, row, a=a, b=b, x=x, full=full)
    row.place(m)
    return Pair(row.sum, Cat(Const(0, 1), row.carry))


def feed(m: Module, row: AdderRow | ConfigurableRow, **inputs: Value) -> None:
    """Connect the inputs of a row, by port: a signal of the row's width itself, under its own name;
    what is narrower, or an expression, through the signal of the port."""
    for port, value in inputs.items():
        if isinstance(value, Signal) and len(value) == len(getattr(row, port)):
            setattr(row, port, value)
        else:
            m.d.comb += getattr(row, port).eq(value)


def masked(value: Value, enable: Value) -> Value:
    """`value` where `enable` (1 bit) is set, else 0: one AND gate a bit."""
    return value & enable.replicate(len(value))


def one_of(*options: tuple[Value, Value]) -> Value:
    """The word whose enable (1 bit, at most one of them set) is set, else 0: AND gates and an OR.

    options: (word, enable)."""
    chosen = [masked(*option) for option in options]
    return functools.reduce(operator.or_, chosen)


def select4(high: Value, low: Value, words: tuple[Value, Value, Value, Value]) -> Value:
    """Word number 2 * high + low of four: a row of four-to-one multiplexers."""
    zero, one, two, three = words
    return Mux(high, Mux(low, three, two), Mux(low, one, zero))


def serial_add(a: Value, b: Value, carry: Value) -> tuple[Value, Value]:
    """A full adder of single bits: (sum, carry out)."""
    return a ^ b ^ carry, (a & b) | (a & carry) | (b & carry)


def is_zero(m: Module, value: Value, name: str) -> Signal:
    """Zero detector, one wide NOR."""
    zero = Signal(name=name)
    m.d.comb += zero.eq(~value.any())
    return zero


def skip_four_to_two(
    ss: Value, sc: Value, addend: Value, following: tuple[Value, Value], never: Value
) -> Skip:
    """Whether the iteration after this one can be left out, for two rows of full adders.

    ss, sc: the aligned sum, its 3 low bits at least; bit 0 of sc must be 0, as it is behind two
    rows if the addends have two zero bits.  addend: bit 2 of what this iteration adds.  following:
    the bits of the multiplier of the next iteration and of the one after it.  never: no skip now.
    The next quotient is then the bit that the shift drops, so that a zero loses nothing.
    Source: kuang2016, section III, with its detector reduced to this sum."""
    next_bit, bit_after = following
    next_quotient = ss[1] ^ sc[1]
    quotient_after = ss[2] ^ sc[2] ^ addend ^ (ss[1] & sc[1])
    skip = ~(next_bit | next_quotient | never)
    return Skip(skip, Mux(skip, quotient_after, next_quotient), Mux(skip, bit_after, next_bit))
