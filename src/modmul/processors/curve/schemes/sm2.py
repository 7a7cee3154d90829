"""SM2 (GM/T 0003, GB/T 32918), at the level of numbers and points; on curves with a = -3.

A signature is r = z + x(k*G) mod n and s = (k + r) / (1 + d) - r mod n.  It is one of z under the
public point Q if z + x(s*G + (r + s)*Q) mod n is r.  What two parties agree on is t*(Q' + f'*R')
with t = d + f*e mod n, for a private key d, an ephemeral one e, and f made of x of e*G: of as many
bits as half the order has, with 1 as its highest.  To encrypt is to multiply the other's point by a
nonce, to decrypt is to multiply that of the message by the private key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from modmul.arithmetic import signatures
from modmul.arithmetic.curves import Curve
from modmul.operation import OperandRule
from modmul.processors.curve.schemes import agreement, ecdsa, texts
from modmul.processors.curve.schemes.task import LARGE, Operands, Results, SchemeTask, Sources
from modmul.processors.engine import blinding
from modmul.processors.engine.blinding import Added

_DOUBLE = "double-3"
_VALID = 0b0011
_AGREED, _FINITE, _OFF = 0b0111, 0b0011, 0b1000


# ---- signatures ---------------------------------------------------------------------------------


# s = b*(k + r) / (b*(1 + d)) - r mod n for a random number b; B is b in the Montgomery domain.
_MADE = """R = x * r2 + z * r2
r = R * unit % N
sum = nonce * B + r * B
j = 1 / (B + d * B * r2)
s = (sum * j - r) % N
sum = sum % N
"""
# r = z + x and (s + r)*(1 + d) = k + r, multiplied by b.
_EQUATIONS = """test 2: (r * r2 - x * r2 - z * r2) % N
test 2: (((s + r) * r2) * (B * unit + d * B) - (nonce + r) * B) % N
"""


def _sign(sources: Sources, _: str) -> str:
    head = texts.about_signing(
        "A signature of SM2 of the digest z with the private key d", "r, s or r + k"
    )
    tests = texts.SAME_NONCE + _EQUATIONS
    made = texts.signature(sources, _MADE, tests, "sum", *texts.defined(sources))
    return head + texts.of_nonce(sources) + made


def _rules_of_signing(curve: Curve) -> Iterator[OperandRule]:
    yield ecdsa.digest(curve)
    yield OperandRule("private", "the private key", curve.order - 1, 1)
    yield ecdsa.nonce(curve)


def _unsigned(curve: Curve, of: Operands) -> Results | None:
    told = signatures.sm2(curve, of["digest"], of["private"], of["nonce"])
    return {"exceptional": True} if told is None else None


SIGN = SchemeTask(
    name="sm2-sign",
    scheme="sm2",
    form="weierstrass",
    operands=("digest", "private", "nonce"),
    results=("r", "s", "exceptional", "fault"),
    program="sm2-sign",
    text=_sign,
    scalar="nonce",
    inputs={"digest": "z", "private": "d", "nonce": "number"},
    rules=_rules_of_signing,
    said=ecdsa.signed,
    declined=_unsigned,
)


# ---- verification -------------------------------------------------------------------------------


def _verify(sources: Sources, _: str) -> str:
    return f"""# Whether (r, s) is a signature of SM2 of the digest z under the point (x2, y2).
# The status is 3 if it is: bit 0, the sum is finite; bit 1, r, s and r + s are not 0 modulo n; bit
# 2 is 1 where r or s is not below n, or the sum gives another r; bit 3, where (x2, y2) is not on
# the curve.
{texts.pair()}t = R + S
test 1: R * S * t % N
times_p = S * unit % N
times_q = t * unit % N
{texts.x_of_sum(sources, _DOUBLE)}{texts.equal(sources, ("X * r2 + z * r2", "r * r2"))}"""


def _rules_of_verifying(curve: Curve) -> Iterator[OperandRule]:
    yield ecdsa.digest(curve)
    yield from ecdsa.signature(curve)


VERIFY = SchemeTask(
    name="sm2-verify",
    scheme="sm2",
    form="weierstrass",
    operands=("digest", "r", "s", "x", "y"),
    results=("valid",),
    program="sm2-verify",
    text=_verify,
    public=True,
    inputs={"digest": "z", "x": "x2", "y": "y2"},
    rules=_rules_of_verifying,
    said=lambda _, status: {"valid": status == _VALID},
)


# ---- key exchange -------------------------------------------------------------------------------


_RECODED = """wrap k: recoded = number + high
wrap l: t = recoded + over
recoded = t if k else recoded
"""


def _exchange(sources: Sources, _: str) -> str:
    """The program of the key exchange.

    The ladder needs a scalar whose highest bit is known, here the one just above a register.  So
    the least multiple of n that has it, 2^wide + `high`, is added to t, or, if the sum is too long,
    the multiple before.  A blinded t gets another multiple of n, when the ladder begins."""
    blinded = bool(sources.blinding)
    added = Added("number", "order", "above", "rest_above", str(sources.wide))
    again = f"{_RECODED}other = recoded\n"
    recoding, recoded = ("", "") if blinded else ("constant high, over whole\n", _RECODED)
    begin = blinding.declared("ladder", added) if blinded else "scalar k = recoded\n"
    return f"""# t*(P + f2*Q) with t = d + f*e mod n, the point that two parties of SM2 agree on.
# The status is 7: bit 0 is 0 where the sum of points is infinity, bit 1, where t is 0, bit 2, where
# the ladder is by chance not defined; bit 3 is 1 where P or Q is not on the curve, or after a
# fault: then x and y are 0.  lam, not 0, and mask are random: coordinates, and what is done with d
# and e.
modulus 1
constant one, r2
{recoding}input d, e secret
input f, f2
random mask
B = mask * r2
F = f * r2
scalar k secret
scalar l
number = (d + B + (e + B) * F - B * F - B) % N
{recoded}modulus 0 near
{texts.constants(sources, _DOUBLE, "a", "b")}input x, y, x2, y2
random lam
PX = x * r2
PY = y * r2
QX = x2 * r2
QY = y2 * r2
{texts.on_curve(3, "PX", "PY")}{texts.on_curve(3, "QX", "QY")}times_p = unit % N
times_q = f2
{texts.combined(sources, _DOUBLE)}finite = Z * unit % N
i = 1 / Z
X = X * i % N
Y1 = Y * i
{begin}{texts.multiplied(sources, added, again)}\
{texts.result_on_curve(3, "W * finite")}constant unit
output x * unit % N checked
output y * unit % N checked
test finite
test 1: number
test 2: W * unit % N
"""


def _rules_of_exchange(curve: Curve) -> Iterator[OperandRule]:
    yield OperandRule("private", "the private key", curve.order, 1)
    yield OperandRule("ephemeral", "the private key of this exchange", curve.order, 1)
    half = 1 << signatures.half_bits(curve)
    for name, whose in (("factor", "one's own"), ("factor2", "the other's")):
        yield OperandRule(name, f"made of x of {whose} ephemeral point", half, half >> 1)
    yield from agreement.point(curve)
    yield from agreement.point(curve, "2")


def _agreed(numbers: Sequence[int], status: int) -> Results:
    if status == _AGREED:
        return dict(zip(("x", "y"), numbers, strict=True))
    if status & _OFF:
        return {"invalid": True}
    return {"infinity" if status & _FINITE != _FINITE else "exceptional": True}


def _not_agreed(curve: Curve, _: Operands) -> Results | None:
    """The answer where the ladder may by chance not be defined, for some leading bits of t
    plus a multiple of n, which happens only on toy curves."""
    return {"exceptional": True} if curve.order < LARGE else None


EXCHANGE = SchemeTask(
    name="sm2-exchange",
    scheme="sm2",
    form="weierstrass",
    operands=("private", "ephemeral", "factor", "x", "y", "factor2", "x2", "y2"),
    results=("x", "y", "invalid", "infinity", "exceptional"),
    program="sm2-exchange",
    text=_exchange,
    inputs={"private": "d", "ephemeral": "e", "factor": "f", "factor2": "f2"},
    rules=_rules_of_exchange,
    said=_agreed,
    declined=_not_agreed,
)
ENCRYPT = agreement.task("sm2-encrypt", "sm2", "nonce", "random, secret, never used again")
DECRYPT = agreement.task("sm2-decrypt", "sm2", "private", "the private key")
