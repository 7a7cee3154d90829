"""Registered word adders whose carry out is the next cycle's carry in."""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal, Value


def carry_adder(
    m: Module,
    x: Value,
    y: Value,
    name: str,
    *,
    clear: Value | None = None,
    restart: tuple[Value, Value] | None = None,
) -> Signal:
    """sum <- x + y + carry, carry <- carry out; x and y as wide as the sum.

    clear: the carry out is dropped.  restart (when, carry): in those cycles the given carry comes
    in instead of the kept one."""
    width = max(len(x), len(y))
    total = Signal(width, name=name, reset_less=True)
    carry = Signal(name=f"{name}_carry", reset_less=True)
    carry_in: Value = carry if restart is None else Mux(restart[0], restart[1], carry)
    m.d.sync += Cat(total, carry).eq(x + y + carry_in)
    if clear is not None:
        with m.If(clear):
            m.d.sync += carry.eq(0)
    return total
