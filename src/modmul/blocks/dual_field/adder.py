"""An adder for GF(p) and GF(2^m)."""

from __future__ import annotations

from amaranth.hdl import Const, Module, Mux, Signal, Value


def dual_add(
    m: Module,
    x: Value,
    y: Value,
    field: Value,
    name: str,
    width: int | None = None,
    carry: Value | None = None,
) -> Signal:
    """x + y + carry (field 0) or x ^ y (field 1; 1 bit), in `width` bits, by default those
    of the wider operand.  carry: 1 bit, 0 in GF(2^m); default: none.

    Bits above `width` are lost; one bit more than the wider operand loses none.  The XOR is already
    there in front of the carry chain, and the choice goes into the look-up table behind it,
    together with what the caller does there (such as a shift by a word).  x should come from a
    register; y may come from logic.  The published adder instead has a gate on every carry
    (dualfips, section 5.2), which no carry chain of an FPGA has."""
    total = Signal(max(len(x), len(y)) if width is None else width, name=name)
    summed = Signal(len(total), name=f"{name}_integer")
    m.d.comb += [
        summed.eq(x + y + (Const(0, 1) if carry is None else carry)),
        total.eq(Mux(field, x ^ y, summed)),
    ]
    return total
