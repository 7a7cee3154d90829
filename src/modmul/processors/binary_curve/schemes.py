"""Signatures and key agreement on binary curves: ECDSA (FIPS 186-5) and multiples by private keys.

Modulus 0 is the polynomial of the field, modulus 1 the order n of the base point G.  What they
have in common with those on curves over GF(p) is in `curve.schemes`: operands, results and
what they tell."""

from __future__ import annotations

from collections.abc import Mapping

from modmul.processors.curve.schemes import agreement, ecdsa, texts
from modmul.processors.curve.schemes.task import SchemeTask, Sources, between

_FIELD = """modulus 0 binary
constant fermat
constant one, r2, b, c"""
_LADDER = "L = lam", "constant most"  # where the ladder begins and ends in its program
# x and y of k*P, unless it is infinity.  Where (k + 1)*P is, the ladder gives no y: there k*P is
# -P.
_EXACTLY = """wrap k: t = S + most
v = X * S
i = 1 / (v * R)
x = P * (v * i)
y = (x + X) * (((X * R + P) * (v + Q) + (xx + Y) * (R * S)) * i) + Y
x = x if k else X
t = X + Y
y = y if k else t
"""


def _multiplied(sources: Sources) -> str:
    """The text that computes k*P for the point with this X and a secret scalar k: x of k*P
    as P : R, and x of (k + 1)*P as Q : S."""
    return texts.laddered(sources, "ladder-binary", *_LADDER)


def _multiplied_public(sources: Sources, number: str) -> str:
    """The same for a public number from 0 on: it takes all bits that the field has, starts
    at infinity, and does not randomise coordinates."""
    body = between(sources.library("ladder-binary"), *_LADDER)
    loop = body[body.index("loop bits:") :].replace("loop bits:", f"loop {sources.width}:")
    skipped = sources.wide - sources.width
    skip = f"loop {skipped}:\n  bit k\n  nil = nil + nil\nend\n" if skipped else ""
    return f"scalar k = {number}\n{skip}X1 = one\nZ1 = nil\nX2 = X\nZ2 = one\nxx = X ** 2\n{loop}"


def _on_curve(flag: int, x: str, y: str, unless: str = "") -> str:
    """The text that sets a bit of the status if (x, y) is not on the curve.  The bit stays 0
    if `unless` is 0."""
    factor = f" * {unless}" if unless else ""
    return f"test {flag}: ({y} * ({y} + {x}) + {x} ** 2 * ({x} + a) + b){factor}\n"


def _on_a_line(unless: str = "") -> str:
    """The text that detects faults: P (its x is X), k*P (x) and their sum (k + 1)*P (Q : S)
    must fulfil the equation of three points on a line (Semaev, IACR ePrint 2004/031).  Afterwards
    `unit` is read, and the result is multiplied by it.  unless: as for `_on_curve`."""
    factor = f" * {unless}" if unless else ""
    return f"""t = x * Q
w = X * (x * S + Q)
test 2: ((t + w) ** 2 + S * (X * t + b * S)){factor}
"""


def _sign(sources: Sources, _: str) -> str:
    head = texts.about_signing(
        "An ECDSA signature of the digest z with the private key d, on a curve over GF(2^m)",
        "r or s",
    )
    return f"""{head}{_FIELD}, bx
constant n aligned
random lam
{texts.scalar(sources, "ladder-binary")}counter bits
X = bx
{_multiplied(sources)}x = P * (1 / R)
{_on_a_line()}constant unit
x = x * unit
{texts.signature(sources, ecdsa.MADE, ecdsa.EQUATIONS, near="")}"""


def _verify(sources: Sources, _: str) -> str:
    first, second = (
        _multiplied_public(sources, number) + _EXACTLY for number in ("times_p", "times_q")
    )
    return f"""# Whether (r, s) is an ECDSA signature of the digest z under (x2, y2), over GF(2^m).
# The status is 2 if it is: bit 1, r and s are not 0 modulo n; bit 2 is 1 where r or s is not below
# n, or x of the sum is not r, or it is infinity; bit 3, where (x2, y2) is not on the curve.
{texts.pair(", fermat", ", most", "k")}{ecdsa.FACTORS}\
{_FIELD}, a, bx, by, unit
input x2, y2
nil = one + one
X = bx
Y = by
{first}xp = x
yp = y
X = x2 * r2
Y = y2 * r2
{_on_curve(3, "X", "Y")}{second}{_SUM}modulus 1
constant r2
test 2: (X * r2 - r * r2) % N
"""


# (xp, yp) + (x, y), by the line through both, or, if they are equal, by the tangent.  The first is
# infinity if `times_p` is 0.  The carry of a number plus `most` says that the number is not 0.
_SUM = """dx = xp + x
dy = yp + y
rise = x ** 2 + y
wrap k: t = dx + most
same = nil if k else dy
rise = dy if k else rise
run = dx if k else x
slope = rise * (1 / run)
X = slope ** 2 + slope + dx + a
wrap k: t = times_p + most
X = X if k else x
same = same if k else nil
test 2: same
X = X * unit
"""


def _agree(sources: Sources, _: str) -> str:
    """The program of ECDH."""
    return f"""# k*P for a multiple P of the base point, over GF(2^m); k from 1 to n - 1 is secret.
# The status is 1: bit 0 is 0 where k*P is infinity; bit 1 is 1 where P is not on the curve, bit 2
# after a fault: then the result is 0.
{_FIELD}, a
constant n aligned
constant most whole
input x, y
random lam
{texts.scalar(sources, "ladder-binary")}counter bits
X = x * r2
Y = y * r2
{_on_curve(1, "X", "Y")}{_multiplied(sources)}{_EXACTLY}{_on_a_line("R")}\
{_on_curve(2, "x", "y", "R")}\
constant unit
output x * unit checked
output y * unit checked
test R
"""


SIGN = ecdsa.signing("binary", "ecdsa-sign-binary", _sign)
VERIFY = ecdsa.verifying("binary", "ecdsa-verify-binary", _verify, valid=0b0010)
ECDH = agreement.task(
    "ecdh",
    "ecdsa",
    "private",
    "the private key",
    form="binary",
    program="multiple-binary",
    text=_agree,
    lost="infinity",
)
TASKS: Mapping[str, SchemeTask] = {task.name: task for task in (SIGN, VERIFY, ECDH)}
