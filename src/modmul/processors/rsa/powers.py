"""Texts that compute y = T1^d for a secret exponent d, in the Montgomery domain.

All bits of the exponent are taken, leading zeros, too.  A blinded exponent is d + k*m, k random and
m a multiple of the order of the group.  It has more bits than a register, so it is made in two,
`low` with as many bits as d and `high` with as many as k, both shifted left as far as a register
goes: k*m comes bit by bit, from the highest bit of k on, and what falls off `low` is counted in
`high`.  Then the power is taken to the one and on with the other."""

from __future__ import annotations

WINDOW, LADDER = "window", "ladder"
_DIGIT = 5  # bits of a window
_ENTRIES = 1 << _DIGIT


def power(method: str, exponent: str, order: str, bits: int, blind: int) -> str:
    """The text of a power.  exponent: name of the scalar, which has `bits` bits.  order:
    name of m.  blind: bits of k, or 0; the random number k is named as the exponent with a k before
    it."""
    steps = _Ladder if method == LADDER else _Window
    if not blind:
        return steps.table() + steps.begun(exponent, bits) + steps.ended(exponent)
    parts = (
        _sum(exponent, order, blind),
        f"scalar {exponent} = high\n",
        steps.table(),
        steps.begun(exponent, blind),
        steps.between(exponent),
        f"scalar {exponent} = low\n",
        steps.went_on(exponent, bits),
        steps.ended(exponent),
    )
    return "".join(parts)


def _sum(exponent: str, order: str, blind: int) -> str:
    """The text that computes high and low.  `carry` is a 1 at the lowest bit of `high`."""
    return f"""constant {order} secret whole
low = zero
high = zero
scalar {exponent} = k{exponent}
loop {blind}:
  bit {exponent}
  m = {order} if {exponent} else zero
  wrap {exponent}: low = low + low
  s = carry if {exponent} else zero
  wrap {exponent}: low = low + m
  t = carry if {exponent} else zero
  wrap {exponent}: high = high + high
  wrap {exponent}: high = high + s
  wrap {exponent}: high = high + t
end
wrap {exponent}: low = low + {exponent}
s = carry if {exponent} else zero
wrap {exponent}: high = high + s
"""


class _Ladder:
    """A product and a square for each bit."""

    @staticmethod
    def table() -> str:
        return "y0 = one\ny1 = T1 * one\n"

    @staticmethod
    def begun(scalar: str, bits: int) -> str:
        return _Ladder.went_on(scalar, bits)

    @staticmethod
    def went_on(scalar: str, bits: int) -> str:
        return f"""loop {bits}:
  bit {scalar}
  s = y1 if {scalar} else y0
  y1 = y0 * y1
  y0 = s * s
end
"""

    @staticmethod
    def between(scalar: str) -> str:
        """The text that puts y0 and y1 in order, as the next bit is compared with a 0."""
        return f"bit {scalar}\ns = y0 if {scalar} else y1\ny0 = y1 if {scalar} else y0\ny1 = s\n"

    @staticmethod
    def ended(scalar: str) -> str:
        return f"bit {scalar}\ny = y1 if {scalar} else y0\n"


class _Window:
    """Five squares and a product for five bits, highest first.  The whole table is read for each
    digit."""

    @staticmethod
    def table() -> str:
        lines = (
            f"T{k} = T{k // 2} ** 2\n" if k % 2 == 0 else f"T{k} = T{k - 1} * T1\n"
            for k in range(2, _ENTRIES)
        )
        return "".join(lines)

    @staticmethod
    def begun(scalar: str, bits: int) -> str:
        """The text of a power from its first digit on, which may be shorter than the
        others."""
        first = bits % _DIGIT or _DIGIT
        text = f"digit {scalar} {first}\n{_scan(scalar)}y = t * one\n"
        return text + _loop(scalar, bits // _DIGIT - (first == _DIGIT))

    @staticmethod
    def went_on(scalar: str, bits: int) -> str:
        """The text that continues a power, in digits of five bits and a shorter last one."""
        left = bits % _DIGIT
        text = _loop(scalar, bits // _DIGIT)
        squares = "y = y ** 2\n" * left
        return text + (f"digit {scalar} {left}\n{_scan(scalar)}{squares}y = y * t\n" * bool(left))

    @staticmethod
    def between(_scalar: str) -> str:
        return ""

    @staticmethod
    def ended(_scalar: str) -> str:
        return ""


def _loop(scalar: str, turns: int) -> str:
    """The loop over `turns` digits of five bits."""
    squares = "  y = y ** 2\n" * _DIGIT
    turn = f"  digit {scalar} {_DIGIT}\n{_scan(scalar, '  ')}{squares}  y = y * t\n"
    return f"loop {turns}:\n{turn}end\n" if turns else ""


def _scan(scalar: str, indent: str = "") -> str:
    """The text for t = the entry of the table for the digit."""
    entries = (f"{indent}t = T{k} if {scalar}[{k}] else t\n" for k in range(1, _ENTRIES))
    return f"{indent}t = one\n" + "".join(entries)
