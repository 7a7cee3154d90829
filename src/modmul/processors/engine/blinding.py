"""Rewrites the texts of programs for a blinded scalar: k + r*n in the place of k, with a random r.

The sum has more bits than a register, so it is made in two: `low` has as many bits as n, `high`
the others, both shifted left as far as a register goes.  r*n comes bit by bit, from the highest bit
of r on: doubled, and n added if the bit is 1; what falls off `low` is counted in `high`.  Then the
loop over the bits of the scalar is there twice, first for `high`, then for `low`.

A ladder needs a scalar whose highest bit is known.  So a multiple of n is added that is next above
a power of 2; the host sends what it is above that: `top`.  Where the scalar is a number that was
computed, not one that the host shifted, `low` has all bits of a register, and n and that multiple
are taken as they are: `order` and `above`.

The ladder for curves over GF(p) is lost where a beginning of the scalar is 0 or -1 modulo n.  So
the scalar is k + m*n there with m = 4r + c and m = 1 modulo 4.  A beginning without the last j bits
is 0 modulo n where (m mod 2^j)*n + k < 2^j, and -1 where it is at least 2^j*(n - 1).  For 2^j <= n
the first is never so, and the second for j = 1 and k from n - 2 alone, for which the ladder is not
defined anyway.  For 2^j > n the beginning is below 2^(bits of r + 4), so that it is neither if n
has 5 bits more than r: then every k is as right as without blinding, whatever r is (`is_certain`).
"""

from __future__ import annotations

import re
from typing import NamedTuple

# The variables that the loop carries, by file, in pairs: the last bit that was read says whether
# the two of a pair are swapped.
_STATE = {
    "ladder": (("q", "r"),),
    **dict.fromkeys(("ladder-x", "ladder-binary"), (("X2", "X1"), ("Z2", "Z1"))),
    **dict.fromkeys(
        ("complete", "complete-3", "complete0", "ed448"), (("X2", "X1"), ("Y2", "Y1"), ("Z2", "Z1"))
    ),
    "ed25519": (("X2", "X1"), ("Y2", "Y1"), ("Z2", "Z1"), ("T2", "T1")),
}
FILES = tuple(_STATE)
# Ladders: bits of `high` besides those of r, and what r is multiplied by.
# `ladder-x` does without the factor, but takes the same constants as `ladder`.
_LADDERS = {"ladder": (3, 4), "ladder-x": (3, 4), "ladder-binary": (1, 1)}
LONGER = 5  # if n has so many bits more than r, the ladder never fails by chance
_RANDOM = "random blind below R\n"
_SUM = """low = zero
high = zero
scalar k = blind
loop {bits}:
  bit k
  m = {n} if k else zero
  wrap k: low = low + low
  s = {carry} if k else zero
  wrap k: low = low + m
  t = {carry} if k else zero
  wrap k: high = high + high
  wrap k: high = high + s
  wrap k: high = high + t
end
"""
_PLUS = """wrap k: low = low + {number}
s = {carry} if k else zero
wrap k: high = high + s
"""
_DOUBLED = """wrap k: low = low + low
s = {carry} if k else zero
wrap k: high = high + high
wrap k: high = high + s
"""


class Added(NamedTuple):
    """The names in a program of what a blinded scalar is made of.  k: the scalar.  n: the order.
    top, rest: how far the multiple of n is above a power of 2 (see the module), divided by 4, and
    the remainder.  steps: bits of `low`, a number or a counter."""

    k: str = "k"
    n: str = "n"
    top: str = "top"
    rest: str = "rest"
    steps: str = "bits"


def blinded(file: str, text: str, bits: int) -> str:
    """The text for a blinded scalar, with r of this many bits.  file: its name, in FILES."""
    text = re.sub(r"scalar k secret( by n)?\n", f"{_RANDOM}scalar k secret\n", text)
    plain = _taken(file, Added())
    if file not in _LADDERS:
        plain = f"constant n aligned\n{plain}"
    text = re.sub(r"(?m)^input ", f"{plain}input ", text, count=1)
    return in_two(file, text, bits, Added())


def in_two(file: str, text: str, bits: int, added: Added) -> str:
    """A text, or a part of one, that computes the blinded scalar before its loop over the
    bits of the scalar, and has that loop twice.  It needs the declarations of `declared`."""
    before, loop, after = re.split(r"(?ms)^(loop bits:.*?^end\n)", text, maxsplit=1)
    swap = "".join(
        f"t = {name} if k else {other}\n{name} = {other} if k else {name}\n{other} = t\n"
        for name, other in _STATE[file]
    )
    first = loop.replace("loop bits:", f"loop {high_bits(file, bits)}:")
    number = _number(file, bits, added)
    between = f"bit k\n{swap}scalar k = low\n"
    last = loop.replace("loop bits:", f"loop {added.steps}:")
    return f"{before}{number}scalar k = high\n{first}{between}{last}{after}"


def _number(file: str, bits: int, added: Added) -> str:
    """The statements that compute the blinded scalar."""
    carry, before, after = _carry(file), list[str](), [added.k]
    if file in _LADDERS:
        before.append(_PLUS.format(number=added.top, carry=carry))
    if _in_fours(file):
        before.append(2 * _DOUBLED.format(carry=carry))
        after.append(added.rest)
    plus = (_PLUS.format(number=name, carry=carry) for name in after)
    return "".join([_SUM.format(bits=bits, n=added.n, carry=carry), *before, *plus])


def declared(file: str, added: Added) -> str:
    """The declarations for a part of a program that is a ladder of the library."""
    own = () if added.n == Added().n else (added.n,)  # an order that is not shifted
    return f"{_taken(file, added, *own)}{_RANDOM}"


def high_bits(file: str, bits: int) -> int:
    """The number of bits of the scalar in `high`."""
    return bits + _LADDERS.get(file, (0, 1))[0]


def longest(wide: int) -> int:
    """The most bits that r can have, for registers of `wide` bits."""
    return wide - max(more for more, _ in _LADDERS.values())


def is_certain(order: int, bits: int) -> bool:
    """Whether the ladder for curves over GF(p) is right for every k and every r."""
    return bits + LONGER <= order.bit_length()


def constants(order: int, bits: int, wide: int, ladder: str = "ladder") -> dict[str, int]:
    """The constants that blinding needs, by name.  order: a multiple of the point's order.
    bits: of r.  wide: bits of a register.  ladder: the file of the ladder for this kind of
    curve."""
    more, factor = _LADDERS[ladder]
    length = order.bit_length()
    carries = {_carry(file): 1 << wide - high_bits(file, bits) for file in (ladder, "complete")}
    top, above = (_above(1 << bits + more + low, order, factor) for low in (length, wide))
    return carries | {
        "n": order,
        "order": order,
        "zero": 0,
        "above": above[0],
        "rest_above": above[1],
        "top": top[0] << wide - length,
        "rest": top[1] << wide - length,
    }


def _above(power: int, order: int, factor: int) -> tuple[int, int]:
    """How far m*n is above a power of 2, divided by the factor, and the remainder.  m is the
    least number, 1 modulo the factor, for which m*n reaches the power."""
    times = -(-power // order)
    times += (1 - times) % factor
    return divmod(times * order - power, factor)


def _taken(file: str, added: Added, *own: str) -> str:
    """The declaration of the constants."""
    tops = [added.top] * (file in _LADDERS) + [added.rest] * _in_fours(file)
    return f"constant {', '.join(('zero', _carry(file), *own, *tops))} whole\n"


def _in_fours(file: str) -> bool:
    """Whether r is multiplied by 4."""
    return file in _LADDERS and _LADDERS[file][1] == 4


def _carry(file: str) -> str:
    """The name of the constant that is the lowest bit of `high`."""
    return "carry" if file in _LADDERS else "carry_complete"
