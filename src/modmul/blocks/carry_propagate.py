"""Long carry-propagate additions and subtractions, in pieces that Amaranth can check quickly.

Its search for combinational loops takes time with the square of an adder's width; pieces with the
carry from one to the next are the same circuit."""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Signal, Value

PIECE = 512  # bits; numbers up to this length are added by one plain + or -


def add(m: Module, a: Value, b: Value, name: str, carry: Value | int = 0) -> Signal:
    """A + b + carry (1 bit), unsigned, one bit wider than the wider operand."""
    return _pieces(m, a, b, carry, False, name)


def subtract(m: Module, a: Value, b: Value, name: str) -> Signal:
    """A - b in two's complement, one bit wider than the wider operand; top bit: a < b."""
    return _pieces(m, a, b, 0, True, name)


def _pieces(m: Module, a: Value, b: Value, carry: Value | int, minus: bool, name: str) -> Signal:
    width = max(len(a), len(b))
    whole = Signal(width + 1, name=name)
    if width <= PIECE:
        m.d.comb += whole.eq(a - b if minus else a + b + carry)
        return whole
    pieces: list[Value] = []
    for start in range(0, width, PIECE):
        size = min(PIECE, width - start)
        left, right = _part(a, start, size), _part(b, start, size)
        piece = Signal(size + 1, name=f"{name}_{start}")
        if not minus:
            m.d.comb += piece.eq(left + right + carry)
        elif not start:
            m.d.comb += piece.eq(left - right)
        else:  # with the borrow as a bit below, synthesis makes no adder of three operands
            m.d.comb += piece.eq((Cat(Const(0, 1), left) - Cat(carry, right))[1:])
        pieces.append(piece[:-1])
        carry = piece[-1]
    m.d.comb += whole.eq(Cat(*pieces, carry))
    return whole


def _part(value: Value, start: int, size: int) -> Value:
    part = value[start : start + size]
    return Cat(part, Const(0, size - len(part)))


def prefix_level(generate: Value, propagate: Value, level: int) -> tuple[Value, Value]:
    """Return (generate, propagate) after one level, counted from 0, of Sklansky's parallel-prefix
    network.

    Groups of 2^level bits become groups of twice as many; before level 0 every bit is a group."""
    new_g, new_p = list(generate), list(propagate)
    for i in range(len(generate)):
        if i >> level & 1:
            j = (i >> level << level) - 1
            new_g[i] = generate[i] | (propagate[i] & generate[j])
            new_p[i] = propagate[i] & propagate[j]
    return Cat(new_g), Cat(new_p)
