"""Counters that are loaded and count down."""

from amaranth.hdl import Mux, Signal, Value

from modmul.targets.description import Target


def counted_down(chip: Target, counter: Signal, loads: Value, value: Value | int) -> Value:
    """The next value of `counter`: `value` with `loads` (1 bit), else one less.

    If the chip has a look-up table in front of each bit of a carry chain, the choice is made in it
    and the other operand is -1 or 0.  A bit then takes one look-up table, and none for the choice
    or an inverter.  On other chips this would lengthen the path from `loads`."""
    if not chip.logic_before_carry:
        return Mux(loads, value, counter - 1)[: len(counter)]
    less = (~loads).replicate(len(counter))
    return (Mux(loads, value, counter) + less)[: len(counter)]
