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
    """A number in carry-save form, of value sum + carry."""

    sum: Value
    carry: Value


class Skip(NamedTuple):
    """The decision about the next iteration: whether it is left out, and quotient and multiplier
    bit of the iteration that comes in the next cycle (each 1 bit)."""

    skip: Value
    quotient: Value
    bit: Value


def carry_save_add(m: Module, chip: Target, a: Value, b: Value, c: Value, name: str) -> Pair:
    """A + b + c by a row of full adders, as wide as the widest; the carry one bit wider."""
    width = max(len(a), len(b), len(c))
    row = chip.adder_row(width, name)
    feed(m, row, a=a, b=b, c=c)
    row.place(m)
    return Pair(row.sum, Cat(Const(0, 1), row.carry))


def configurable_add(
    m: Module, chip: Target, a: Value, b: Value, x: Value, full: Value, name: str
) -> Pair:
    """A + b + x by one configurable row if `full`, else a + b after two half-adder steps.

    Without `full` the top carry of the first step is lost: the top bits of a and b must not both be
    set."""
    width = max(len(a), len(b), len(x))
    row = chip.configurable_row(width, name)
    feed(m, row, a=a, b=b, x=x, full=full)
    row.place(m)
    return Pair(row.sum, Cat(Const(0, 1), row.carry))


def feed(m: Module, row: AdderRow | ConfigurableRow, **inputs: Value) -> None:
    """Connect the inputs of a row, by port.  A signal as wide as the row replaces the signal of the
    port, so that it keeps its name; a narrower signal or an expression drives the signal of the
    port."""
    for port, value in inputs.items():
        if isinstance(value, Signal) and len(value) == len(getattr(row, port)):
            setattr(row, port, value)
        else:
            m.d.comb += getattr(row, port).eq(value)


def masked(value: Value, enable: Value) -> Value:
    """`value` where `enable` (1 bit) is set, else 0: one AND gate for each bit."""
    return value & enable.replicate(len(value))


def one_of(*options: tuple[Value, Value]) -> Value:
    """The word whose enable is set, else 0, by AND gates and an OR.

    options: pairs (word, enable); each enable has 1 bit, and at most one of them is set."""
    chosen = [masked(*option) for option in options]
    return functools.reduce(operator.or_, chosen)


def select4(high: Value, low: Value, words: tuple[Value, Value, Value, Value]) -> Value:
    """Word number 2 * high + low of four words, by a row of four-to-one multiplexers."""
    zero, one, two, three = words
    return Mux(high, Mux(low, three, two), Mux(low, one, zero))


def serial_add(a: Value, b: Value, carry: Value) -> tuple[Value, Value]:
    """Return (sum, carry out) of a full adder of single bits."""
    return a ^ b ^ carry, (a & b) | (a & carry) | (b & carry)


def is_zero(m: Module, value: Value, name: str) -> Signal:
    """Whether all bits are 0: one wide NOR."""
    zero = Signal(name=name)
    m.d.comb += zero.eq(~value.any())
    return zero


def skip_four_to_two(
    ss: Value, sc: Value, addend: Value, following: tuple[Value, Value], never: Value
) -> Skip:
    """Whether the iteration after this one can be left out, for two rows of full adders.

    ss, sc: the aligned sum, at least its 3 low bits; bit 0 of sc must be 0, which it is behind two
    rows if the two low bits of the addends are 0.  addend: bit 2 of what this iteration adds.
    following: the multiplier bits of the next iteration and of the one after it.  never: no skip
    now. The next quotient is then the bit that the shift drops, so that nothing is lost if it is 0.
    Source: kuang2016, section III, with its detector reduced to this sum."""
    next_bit, bit_after = following
    next_quotient = ss[1] ^ sc[1]
    quotient_after = ss[2] ^ sc[2] ^ addend ^ (ss[1] & sc[1])
    skip = ~(next_bit | next_quotient | never)
    return Skip(skip, Mux(skip, quotient_after, next_quotient), Mux(skip, bit_after, next_bit))
