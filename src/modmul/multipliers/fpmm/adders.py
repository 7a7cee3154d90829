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
    """The register of sum <- x + y + carry, carry <- carry out, as wide as the wider
    operand.

    clear: drops the carry out.  restart (when, carry): when this carry comes in, not the kept
    one."""
    width = max(len(x), len(y))
    total = Signal(width, name=name, reset_less=True)
    carry = Signal(name=f"{name}_carry", reset_less=True)
    carry_in: Value = carry if restart is None else Mux(restart[0], restart[1], carry)
    m.d.sync += Cat(total, carry).eq(x + y + carry_in)
    if clear is not None:
        with m.If(clear):
            m.d.sync += carry.eq(0)
    return total
