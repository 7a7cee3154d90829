"""What programs of the library check in addition where faults are to be found: that points are on
the curve, that a number that leaves is the one that was computed, and that the bits of scalars are
the same when they are taken again.

A bit of the status above the lowest one is 1 after a fault, or for a point that is not on the
curve; then zeros leave."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial

FAULTS, TWICE = 0b1110, 0b0011  # bits of the status
WEIERSTRASS = "{y} ** 2 - {x} * ({x} ** 2 + a) - b"
EDWARDS = "a * {x} ** 2 + {y} ** 2 - one - d * ({x} * {y}) ** 2"
_LOOP = re.compile(r"(?ms)^loop (?:(?!^end).)*^end\n(?:bit k\n)?(?:\w+ = \w+ if k else \w+\n)*")
_OUTPUT = re.compile(r"(?m)^output (.*) % N\n")


def twice(text: str, steps: str = "bits") -> tuple[str, str]:
    """The text of a program with its last loop over the bits of scalars, which keeps these
    bits in mind, and the text that takes them again and compares them.  steps: passes of the
    loop."""
    loops = list(_LOOP.finditer(text))
    if not loops:
        return text, ""
    end = loops[-1].end()
    bits = re.findall(r"(?m)^  (bit .*)\n", loops[-1][0])
    scalars = [bit.split()[1] for bit in bits]
    *others, last = scalars
    taken = "".join(f"bit {scalar}\n" for scalar in others)
    loop = "".join(f"  {bit}\n" for bit in bits)
    again = "".join(f"scalar {scalar} again\n" for scalar in scalars)
    ending = "" if bits[0].endswith("plain") else f"bit {last}\n"
    kept = f"{text[:end]}{taken}bit {last} keep\n{text[end:]}"
    return kept, f"{again}loop {steps}:\n{loop}end\n{ending}{taken}bit {last} same\n"


# Both numbers are 0 where the ladder is not defined: its W is 0, so there is no point to check.
_NOTHING = """constant most whole
wrap k: t = left + most
nil = (one - one) % N
result_0 = result_0 if k else nil
result_1 = result_1 if k else nil
"""


def point(kind: str, text: str) -> str:
    """The text of a program that gives a multiple or a sum of points, with checks.  kind: of
    the curve, weierstrass or edwards.

    Where the text tests W or Z, no point is the result if it is 0.  One residue, `left`, decides
    that, chooses the numbers and is a factor of the check: so what it says fits what leaves."""
    curve, constants = {"weierstrass": (WEIERSTRASS, "a, b"), "edwards": (EDWARDS, "a, d")}[kind]
    into = "r2x" if "r2x" in text else "r2"
    told = re.search(r"(?m)^test ([WZ] \* unit % N)\n", text)
    taken = re.findall(r"(?m)^input ((?:\w+, )+\w+)", text)[0].split(", ")
    checks = "".join(
        f"IX = {x} * {into}\nIY = {y} * r2\ntest 1: ({curve.format(x='IX', y='IY')}) % N\n"
        for x, y in zip(taken[::2], taken[1::2], strict=True)
    )
    numbers = _OUTPUT.findall(text)
    body = _OUTPUT.sub("", text).replace(told[0] if told else "", "")
    ends = "".join(f"result_{place} = {number} % N\n" for place, number in enumerate(numbers))
    body, again = twice(body)
    return (
        _declared(body, constants, checks)
        + ends
        + (f"left = {told[1]}\n" if told else "")
        + (_NOTHING if told and told[1].startswith("W") else "")
        + again
        + f"OX = result_0 * {into}\nOY = result_1 * r2\n"
        + f"test 2: ({curve.format(x='OX', y='OY')}){' * left' if told else ''} % N\n"
        + "output result_0 checked\noutput result_1 checked\n"
        + ("test left\n" if told else "")
    )


def _declared(text: str, constants: str, checks: str) -> str:
    """A text with further constants, and with checks behind its declarations."""
    known = re.search(r"(?m)^constant (.*)$", text)
    assert known is not None
    names = ", ".join(dict.fromkeys([*known[1].split(", "), *constants.split(", ")]))
    text = text.replace(known[0], f"constant {names}", 1)
    last = [*re.finditer(r"(?m)^(?:constant|input|random|scalar|counter) .*\n", text)]
    head = next(each for each in last if text[each.end() :].split(" ", 1)[0] not in _DECLARING)
    return text[: head.end()] + checks + text[head.end() :]


_DECLARING = ("constant", "input", "random", "scalar", "counter")


def ladder_x(text: str) -> str:
    """The text of the ladder on curves in Montgomery's form, with checks: the three
    coordinates of P, Q and P + Q fulfil (pq + pr + qr - 1)^2 = 4pqr(p + q + r + A).  A is a
    constant of its own: with a wrong a24 the ladder is right on another curve.  If a fault makes
    lam 0, all coordinates are 0, and fulfil everything: so both of P are 0 for u = 0 only, where
    the ladder has no other coordinates."""
    text = text.replace("x1 = u * r2\n", "x1 = u * r2\ntest 1: (x1 * unit - u) % N\n")
    others = "xr = X2 if k else X3\nzr = Z2 if k else Z3\n"
    body, again = twice(text.partition("i = 1 / z\n")[0] + others)
    return (
        body
        + """i = 1 / z
result = x * i * unit % N
"""
        + again
        + """zz = z * zr
xx = x * xr
U = x * zr + xr * z
T = x1 * U + xx - zz
constant a
sum = x1 * zz + U + a * zz
test 2: (T ** 2 - 4 * (x1 * xx * sum)) % N
test 2: ((result * r2) * z - x) * z % N
constant most whole
nil = (one - one) % N
left = x * unit % N
wrap k: t = left + most
none = nil if k else x1
left = z * unit % N
wrap k: t = left + most
none = nil if k else none
test 2: none % N
output result checked
"""
    )


def inverse(text: str) -> str:
    return (
        _OUTPUT.sub("", text)
        + """result = i * unit % N
test 1: (X * unit - x) % N
test 2: ((result * r2) * X - one) * X % N
output result checked
"""
    )


def check(text: str) -> str:
    """The text of a check of a point that is made twice, into two bits of the status."""
    text, _, last = text.rstrip("\n").rpartition("\n")
    again = re.sub(r"\b([XY]) = ", r"\1\1 = ", "\n".join(text.splitlines()[-2:]))
    other = re.sub(r"\b([XY])\b", r"\1\1", last.replace("test ", "test 1: "))
    return f"{text}\n{last}\n{again}\n{other}\n"


_WEIERSTRASS = (
    *("ladder", "ladder-x", "complete", "complete-3", "complete0"),
    *("double", "double-3", "double0", "add"),
)
_EDWARDS = "ed25519", "ed448", "double-twisted", "double-edwards", "add-edwards"
TEXTS: Mapping[str, Callable[[str], str]] = {
    "x": ladder_x,
    "inverse": inverse,
    **dict.fromkeys(("on-curve", "on-edwards"), check),
    **dict.fromkeys(_WEIERSTRASS, partial(point, "weierstrass")),
    **dict.fromkeys(_EDWARDS, partial(point, "edwards")),
}
