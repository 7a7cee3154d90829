"""Texts of the programs for ECDSA (FIPS 186-5, section 6.4), made from those that multiply points
of curves in Weierstrass' form.  Modulus 0 is the prime of the curve, modulus 1 the order n of the
base point G.

A signature is r = x(k*G) mod n and s = (z + r*d) / k mod n, with a nonce k and a private key d.
k*G comes from the ladder, which is not defined for k = 1, n - 2 and n - 1: for these x is taken
from constants, as the carries of three sums tell.  So every nonce from 1 to n - 1 is right, in the
same time.

(r, s) is a signature of z under the public point Q if x(z/s*G + r/s*Q) mod n is r; for that nothing
is secret."""

from __future__ import annotations

from modmul.arithmetic import points
from modmul.arithmetic.curves import Curve
from modmul.arithmetic.points import Affine

SIGNED = 3  # status of a signature with r and s that are not 0
VALID = 3  # status of one that is right


def sign(ladder: str) -> str:
    """The text for signatures, given that of the ladder.  The host sends the nonce twice, as a
    scalar and as a number."""
    body = _between(ladder, "L = lam * r2", "test W")
    return f"""{_SIGN}{body}i = 1 / W
x = (X + xQ * (x3 * (Y * i))) * unit % N
{_NONCE}"""


def verify(double: str, wide: int) -> str:
    """The text for their verification, given that of a sum of two multiples, with registers of
    `wide` bits, all of which are taken of both scalars."""
    constants = _between(double, "constant ", "\n").removeprefix("constant ")
    own = constants if ", b" in constants.replace("b3", "") else f"{constants}, b"
    own = own if ", a" in own else f"{own}, a"
    body = _between(double, "zero = one - one", "test Z").replace("zero", "none")
    body = body.replace("x2 *", "x *").replace("y2 *", "y *")
    body = body.replace("PX = x * r2\nPY = y * r2\n", "PX = bx\nPY = by\n", 1)
    body = body.replace("bit k\n", "bit k plain\n").replace("bit l\n", "bit l plain\n")
    body = body.replace("loop bits:", f"scalar k = times_g\nscalar l = times_q\nloop {wide}:")
    return f"{_FACTORS}constant {own}, bx, by\n{_ON_CURVE}{body}{_COMPARED}"


def facts(curve: Curve, wide: int) -> dict[str, int]:
    """The numbers of a curve that these programs take besides; registers have `wide` bits."""
    base = Affine(curve.x, curve.y)
    twice, size = points.add(curve, base, base), 1 << wide
    n = curve.order
    return {
        "bx": base.x, "by": base.y, "gx": base.x, "g2x": twice.x if twice else 0,
        "two": size - 2, "least": size - n + 2, "last": size - n + 1, "over": size - n, "zero": 0,
    }  # fmt: skip


def _between(text: str, begin: str, end: str) -> str:
    start = text.index(begin)
    return text[start : text.index(end, start)]


_SIGN = """# An ECDSA signature of the digest z with the private key d.
# Bits 0 and 1 of the status are 1 where r and s are not 0.
# lam, not 0, is random: it randomises all coordinates.
constant one, r2, unit, fermat, a, bx, by
constant n aligned
random lam
scalar k secret by n
counter bits
X = bx
Y1 = by
"""
_NONCE = """# ---- x of the nonces for which the ladder is not defined
constant two, least, last, gx, g2x whole
input nonce secret below R
wrap k: t = nonce + two
x = x if k else gx
wrap k: t = nonce + least
x = g2x if k else x
wrap k: t = nonce + last
x = gx if k else x
# ---- modulo n
modulus 1
constant one, r2, unit, fermat
input d, z secret below R
R = x * r2
r = R * unit % N
j = 1 / (nonce * r2)
s = (z * r2 + R * (d * r2)) * j * unit % N
test r
test 1: s
output r
output s
"""
_FACTORS = """# Whether (r, s) is an ECDSA signature of the digest z under the public point (x, y).
# The status is 3 if it is: bit 0, the sum is finite; bit 1, r and s are not 0 modulo n; bit 2 is 1
# where r or s is not below n, or x of the sum is not r; bit 3, where (x, y) is not on the curve.
modulus 1
constant one, r2, unit, fermat
constant zero, over whole
input r, s, z below R
scalar k
scalar l
R = r * r2
S = s * r2
test 1: R * S % N
wrap k: t = r + over
t = unit if k else zero
test 2: t
wrap k: t = s + over
t = unit if k else zero
test 2: t
w = 1 / S
times_g = (z * r2) * w * unit % N
times_q = R * w * unit % N
modulus 0
"""
_ON_CURVE = """input x, y
X = x * r2
Y = y * r2
test 3: (Y ** 2 - X * (X ** 2 + a) - b) % N
"""
_COMPARED = """test Z * unit % N
i = 1 / Z
X = X * i * unit % N
modulus 1
constant r2
test 2: (X * r2 - r * r2) % N
"""
