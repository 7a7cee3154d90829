"""Counters that are loaded and count down."""

from amaranth.hdl import Mux, Signal, Value

from modmul.targets.description import Target


def counted_down(chip: Target, counter: Signal, loads: Value, value: Value | int) -> Value:
    """What `counter` has next: `value` with `loads` (1 bit), else one less.

    Where a look-up table stands in front of each bit of a carry chain, the choice is made there,
    and the other operand is -1 or 0: a bit takes one, without another for the choice or an
    inverter.  Elsewhere that would lengthen the path from `loads`."""
    if not chip.logic_before_carry:
        return Mux(loads, value, counter - 1)[: len(counter)]
    less = (~loads).replicate(len(counter))
    return (Mux(loads, value, counter) + less)[: len(counter)]
