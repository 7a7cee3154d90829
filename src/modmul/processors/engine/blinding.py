"""Texts of programs whose scalar is blinded: k + r*n in place of k, r random.

The sum has more bits than a register, so it is made in two: `low` has as many bits as n, `high`
the others, both shifted left as far as a register goes.  r*n comes bit by bit, from the highest bit
of r on: doubled, and n added if the bit is 1; what falls off `low` is counted in `high`.  Then the
loop over the bits of the scalar is there twice, first for `high`, then for `low`.

A ladder needs a scalar whose highest bit is known.  So the multiple of n that is next above
2^length is added, with length = bits of r + 1 + bits of n; the host sends what it is above that:
`top`."""

from __future__ import annotations

import re

# By file: what goes round the loop, in pairs of which the last bit says which is which.
_STATE = {
    "ladder": (("q", "r"),),
    **dict.fromkeys(("complete", "complete-3", "complete0", "ed448"),
                    (("X2", "X1"), ("Y2", "Y1"), ("Z2", "Z1"))),
    "ed25519": (("X2", "X1"), ("Y2", "Y1"), ("Z2", "Z1"), ("T2", "T1")),
}  # fmt: skip
FILES = tuple(_STATE)
_SUM = """low = zero
high = zero
scalar k = blind
loop {bits}:
  bit k
  m = n if k else zero
  wrap k: low = low + low
  s = carry if k else zero
  wrap k: low = low + m
  t = carry if k else zero
  wrap k: high = high + high
  wrap k: high = high + s
  wrap k: high = high + t
end
wrap k: low = low + k
s = carry if k else zero
wrap k: high = high + s
"""
_TOP = """wrap k: low = low + top
s = carry if k else zero
wrap k: high = high + s
"""


def blinded(file: str, text: str, bits: int) -> str:
    """The text with r of so many bits.  file: the text's, one of FILES."""
    ladder = "by n" in text
    steps = high_bits(ladder, bits)
    text = re.sub(r"scalar k secret( by n)?\n", "random blind below R\nscalar k secret\n", text)
    plain = "constant zero, carry, top whole\n" if ladder else "constant zero, carry whole\n"
    if not ladder:
        plain = f"constant n aligned\n{plain}"
    text = re.sub(r"(?m)^input ", f"{plain}input ", text, count=1)
    before, loop, after = re.split(r"(?ms)^(loop bits:.*?^end\n)", text, maxsplit=1)
    swap = "".join(f"t = {name} if k else {other}\n{name} = {other} if k else {name}\n{other} = t\n"
                   for name, other in _STATE[file])  # fmt: skip
    first = loop.replace("loop bits:", f"loop {steps}:")
    number = _SUM.format(bits=bits) + _TOP * ladder
    between = f"bit k\n{swap}scalar k = low\n"
    return f"{before}{number}scalar k = high\n{first}{between}{loop}{after}"


def high_bits(ladder: bool, bits: int) -> int:
    """Bits of the scalar that `high` has."""
    return bits + 1 if ladder else bits


def constants(order: int, bits: int, ladder: bool, wide: int) -> dict[str, int]:
    """What the host sends besides, for r of so many bits, a multiple of the point's order and
    registers of `wide` bits."""
    length = order.bit_length()
    top = -(1 << bits + 1 + length) % order << wide - length
    return {"n": order, "zero": 0, "carry": 1 << wide - high_bits(ladder, bits),
            "top": top if ladder else 0}  # fmt: skip
