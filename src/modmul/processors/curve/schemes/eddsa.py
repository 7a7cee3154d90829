"""EdDSA (RFC 8032) at the level of numbers and points: hashes and encodings are the host's.

A signature is R = r*B, for which there is point-multiply, and S = r + h*s mod L, for a nonce r, the
private scalar s and the challenge h, a hash of R, the public point A and the message.  It is right
if S*B = R + h*A; not multiplied by the cofactor."""

from __future__ import annotations

from collections.abc import Iterator

from modmul.arithmetic.curves import Curve
from modmul.operation import OperandRule
from modmul.processors.curve.schemes import texts
from modmul.processors.curve.schemes.task import SchemeTask, Sources

KINDS = "-twisted", "-edwards"
_SIGN = """# r + h*d modulo the order, the second half of a signature of EdDSA.
# mask is random: B is added to d before anything else is done with it.
modulus 1
constant one, r2
input number, h, d secret
random mask
B = mask * r2
H = h * r2
s = (number - H * B + H * (d + B)) % N
"""
# The same, multiplied by b, and whether the modulus is the order.
_EQUATIONS = """constant n aligned
test 2: n * r2 % N
test 2: ((s - number) * B - (h * r2) * (d * B)) % N
"""
_ON_EDWARDS = """t = {x} ** 2
u = {y} ** 2
test 3: (a * t + u - one - d * t * u) % N
"""


def _sign(sources: Sources, _: str) -> str:
    if sources.protected:
        return f"{_SIGN}{_EQUATIONS}output s checked\n"
    return f"{_SIGN}output s\n"


def _rules_of_signing(curve: Curve) -> Iterator[OperandRule]:
    yield OperandRule("nonce", "a hash modulo the order; secret", curve.order)
    yield _challenge(curve)
    yield OperandRule("private", "the scalar of the private key, modulo the order", curve.order)


def _challenge(curve: Curve) -> OperandRule:
    return OperandRule("challenge", "a hash modulo the order", curve.order)


SIGN = SchemeTask(
    name="eddsa-sign",
    scheme="eddsa",
    form="edwards",
    operands=("nonce", "challenge", "private"),
    results=("s", "fault"),
    program="eddsa-sign",
    text=_sign,
    inputs={"nonce": "number", "challenge": "h", "private": "d"},
    rules=_rules_of_signing,
    said=lambda numbers, status: {"fault": True} if status else {"s": numbers[0]},
)


def _verify(sources: Sources, kind: str) -> str:
    double = f"double{kind}"
    return f"""# Whether s*B = R + h*A, with R = (x, y) and A = (x2, y2).  The status is 0 if it is:
# bit 0 is 1 where s is not below the order, bit 2, where the sum is another point, bit 3, where R
# or A is not on the curve.
modulus 1
constant unit
constant zero, over whole
input s, h below R
scalar k
scalar l
{texts.below_order(0, "s")}modulus 0
{texts.constants(sources, double, "r2x", "a", "d", "bx", "by")}input x, y, x2, y2
RX = x * r2x
RY = y * r2
QX = x2 * r2x
QY = y2 * r2
{_ON_EDWARDS.format(x="RX", y="RY")}{_ON_EDWARDS.format(x="QX", y="QY")}QX = (one - one) - QX
PX = bx
PY = by
times_p = s
times_q = h
{texts.combined(sources, double)}{_finite(sources)}\
{texts.equal(sources, ("X", "RX * Z"), ("Y", "RY * Z"))}"""


def _finite(sources: Sources) -> str:
    """The text that sets bit 1 of the status if Z is 0, which only a fault can do."""
    return f"z = Z * unit % N\n{texts.not_zero(1, 'z')}" if sources.protected else ""


def _rules_of_verifying(curve: Curve) -> Iterator[OperandRule]:
    yield OperandRule("s", "of the signature; valid below the order", 1 << curve.scalar_bits)
    yield _challenge(curve)
    for names, whose in ((("x", "y"), "the public"), (("x2", "y2"), "the signature's")):
        for name in names:
            yield OperandRule(name, f"of {whose} point", curve.prime)


VERIFY = SchemeTask(
    name="eddsa-verify",
    scheme="eddsa",
    form="edwards",
    operands=("s", "challenge", "x", "y", "x2", "y2"),
    results=("valid",),
    program="eddsa-verify",
    variants=KINDS,
    text=_verify,
    public=True,
    inputs={"challenge": "h", "x": "x2", "y": "y2", "x2": "x", "y2": "y"},
    rules=_rules_of_verifying,
    said=lambda _, status: {"valid": status == 0},
)
