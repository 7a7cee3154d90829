"""An adder for GF(p) and GF(2^m) without a multiplexer behind its carry chain."""

from __future__ import annotations

from amaranth.hdl import Module, Signal, Value

from modmul.blocks.carry_save import masked


def dual_add(
    m: Module, x: Value, y: Value, field: Value, name: str, width: int | None = None
) -> Signal:
    """x + y (field 0) or x ^ y (field 1; 1 bit), of `width` bits: the wider one's if not given.

    What `width` cuts off is lost, and with one bit more nothing is.  In GF(2^m) y is moved to the
    other operand, 0 + (x ^ y), so that no carry arises: y should be the narrower one and come from
    a register, x may come from logic that the look-up tables in front of the chain take in."""
    total = Signal(max(len(x), len(y)) if width is None else width, name=name)
    m.d.comb += total.eq(masked(y, ~field) + (x ^ masked(y, field)))
    return total
