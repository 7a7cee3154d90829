"""Parts of programs that several schemes have, made of those of the library.

Modulus 0 is the prime of the curve, modulus 1 the order n of the base point G."""

from __future__ import annotations

from modmul.arithmetic.curves import Curve
from modmul.processors.curve.schemes.task import Sources, between

HEAD = """constant one, r2, fermat, a, b
constant n aligned
"""
_EXACTLY = """i = 1 / (W * y2)
t = i * y2
x = X + xQ * (x3 * (Y * t))
y = (Y + 2 * (M * xQ)) * (Y1 * (V * t))
# ---- 2P, and the scalars for which the ladder is not defined
t = i * W
m = (x3 * X + a) * t
xd = m ** 2 - 2 * X
yd = m * (xd - X) + Y1
wrap k: t = number + two
x = x if k else X
y = y if k else Y1
wrap k: t = number + least
x = xd if k else x
y = yd if k else y
wrap k: t = number + last
x = X if k else x
yd = (one - one) - Y1
y = yd if k else y
"""
_DEFINED = """constant two, least, last whole
wrap k: t = number + two
W = W if k else one
wrap k: t = number + least
W = one if k else W
"""


def multiplied(sources: Sources, steps: str = "bits") -> str:
    """x and y of k*P, for the point (X, Y1) and any k from 1 to n - 1, which is `number` as well:
    all in the multiplier's domain.  W is 0 where X is 0.

    It comes from the ladder, which is not defined for k = 1, n - 2 and n - 1: for these P and 2P
    are taken, as the carries of three sums tell.  So all take the same time.  Constants that are
    needed behind the ladder are read behind it: a fault that changed one would change results
    that are points of the curve."""
    body = between(sources.library("ladder"), "L = lam * r2", "test W")
    return body.replace("loop bits:", f"loop {steps}:") + _DEFINED + _EXACTLY


def combined(sources: Sources, program: str) -> str:
    """X, Y and Z of k*P + l*Q in projective coordinates, for numbers `times_p` and `times_q` and
    the points (PX, PY) and (QX, QY) in the multiplier's domain, by a program of the library for a
    sum of two multiples.  All bits of registers are taken."""
    body = sources.library(program)
    loop = f"scalar k = times_p\nscalar l = times_q\nloop {sources.wide}:"
    end = "test Z" if "\ntest Z" in body else "i = 1 / Z"
    body = between(body, "QY = y2", end).partition("\n")[2]
    return "nil = one - one\n" + body.replace("loop bits:", loop)


def constants(sources: Sources, program: str, *more: str) -> str:
    """A line with those of a program of the library, and more."""
    known = between(sources.library(program), "constant ", "\n").removeprefix("constant ")
    return f"constant {', '.join(dict.fromkeys([*known.split(', '), *more]))}\n"


def on_curve(flag: int, x: str, y: str) -> str:
    """A bit of the status that is 1 where (x, y) is not on the curve."""
    return f"test {flag}: ({y} ** 2 - {x} * ({x} ** 2 + a) - b) % N\n"


def result_on_curve(flag: int, unless: str = "") -> str:
    """The same of (x, y) that `multiplied` gives: 1 after a fault; 0 where `unless` is 0."""
    factor = f" * {unless}" if unless else ""
    return f"test {flag}: (y ** 2 - x * (x ** 2 + a) - b){factor} % N\n"


def not_zero(flag: int, *names: str) -> str:
    """A bit of the status that is 1 where one of the numbers, which are residues, is 0."""
    return "constant zero, most whole\n" + "".join(
        f"wrap k: t = {name} + most\nt = zero if k else unit\ntest {flag}: t\n"
        for name in names
    )


def below_order(flag: int, *names: str) -> str:
    """A bit of the status that is 1 where one of the numbers is not below n."""
    return "".join(
        f"wrap k: t = {name} + over\nt = unit if k else zero\ntest {flag}: t\n" for name in names
    )


def facts(curve: Curve, wide: int) -> dict[str, int]:
    """The numbers of a curve that these programs take besides; registers have `wide` bits."""
    size, n = 1 << wide, curve.order
    return {
        "bx": curve.x, "by": curve.y, "two": size - 2, "least": size - n + 2, "last": size - n + 1,
        "over": size - n, "most": size - 1, "zero": 0, "high": -size % n,
    }  # fmt: skip
