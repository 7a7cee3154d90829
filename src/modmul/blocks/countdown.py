"""Counters that are loaded and count down."""

from amaranth.hdl import Mux, Signal, Value


def counted_down(counter: Signal, loads: Value, value: Value | int) -> Value:
    """What `counter` has next: `value` with `loads` (1 bit), else one less.

    The choice is in front of the carry chain, whose other operand is -1 or 0.  So a chip with a
    look-up table there needs one for a bit, and neither another for the choice nor inverters."""
    less = (~loads).replicate(len(counter))
    return (Mux(loads, value, counter) + less)[: len(counter)]
