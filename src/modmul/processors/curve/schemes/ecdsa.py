"""ECDSA (FIPS 186-5, section 6.4).

A signature is r = x(k*G) mod n and s = (z + r*d) / k mod n, with a nonce k and a private key d.  It
is one of z under the public point Q if x(z/s*G + r/s*Q) mod n is r; for that nothing is secret."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from modmul.arithmetic import signatures
from modmul.arithmetic.curves import Curve, Form
from modmul.operation import OperandRule
from modmul.processors.curve.schemes import texts
from modmul.processors.curve.schemes.task import Operands, Results, SchemeTask, Sources, Text

_SIGNED, _AGAIN = 0, 0b001  # status: signed; r or s is 0, so that another nonce is needed
_VALID = 0b0011
KINDS = "-3", "0", ""  # suffixes of a program's name, by the coefficient a


# ---- signatures ---------------------------------------------------------------------------------


# s = (z*b + r*d*b) / (k*b) mod n for a random number b; B is b in the Montgomery domain.
MADE = """R = x * r2
r = R * unit % N
j = 1 / (nonce * B * r2)
s = (z * B + R * (d * B)) * j % N
"""
# x = r and s*k = z + r*d, multiplied by b.
EQUATIONS = """test 2: (r * r2 - x * r2) % N
test 2: ((s * r2) * (nonce * B) - z * B - (r * r2) * (d * B)) % N
"""


def _sign(sources: Sources, _: str) -> str:
    head = texts.about_signing(
        "An ECDSA signature of the digest z with the private key d", "r or s"
    )
    made = texts.signature(sources, MADE, texts.SAME_NONCE + EQUATIONS, *texts.defined(sources))
    return head + texts.of_nonce(sources) + made


def _rules_of_signing(curve: Curve) -> Iterator[OperandRule]:
    yield digest(curve)
    yield OperandRule("private", "the private key", curve.order, 1)
    yield nonce(curve)


def signed(numbers: Sequence[int], status: int) -> Results:
    """r and s by name, or the reason why there are none."""
    if status == _SIGNED:
        return dict(zip(("r", "s"), numbers, strict=True))
    return {"exceptional" if status == _AGAIN else "fault": True}


def _unsigned(curve: Curve, of: Operands) -> Results | None:
    r, s = signatures.ecdsa(curve, of["digest"], of["private"], of["nonce"])
    return None if r and s else {"exceptional": True}


def signing(form: Form, program: str, text: Text, number: str = "nonce") -> SchemeTask:
    """The operation that signs on curves of a form.  number: the nonce's name as a
    number."""
    return SchemeTask(
        name="ecdsa-sign",
        scheme="ecdsa",
        form=form,
        operands=("digest", "private", "nonce"),
        results=("r", "s", "exceptional", "fault"),
        program=program,
        text=text,
        scalar="nonce",
        inputs={"digest": "z", "private": "d", "nonce": number},
        rules=_rules_of_signing,
        said=signed,
        declined=_unsigned,
    )


SIGN = signing("weierstrass", "ecdsa-sign", _sign, "number")


# ---- verification -------------------------------------------------------------------------------


FACTORS = """test 1: R * S % N
w = 1 / S
times_p = (z * r2) * w * unit % N
times_q = R * w * unit % N
"""


def _verify(sources: Sources, kind: str) -> str:
    return f"""# Whether (r, s) is an ECDSA signature of the digest z under a point (x2, y2).
# The status is 3 if it is: bit 0, the sum is finite; bit 1, r and s are not 0 modulo n; bit 2 is 1
# where r or s is not below n, or x of the sum is not r; bit 3, where (x2, y2) is not on the curve.
{texts.pair(", fermat")}{FACTORS}{texts.x_of_sum(sources, f"double{kind}")}\
{texts.equal(sources, ("X * r2", "r * r2"))}"""


def _rules_of_verifying(curve: Curve) -> Iterator[OperandRule]:
    yield digest(curve)
    yield from signature(curve)


def verifying(
    form: Form, program: str, text: Text, variants: tuple[str, ...] = ("",), valid: int = _VALID
) -> SchemeTask:
    """The operation that verifies on curves of a form.  valid: status of a valid
    signature."""
    return SchemeTask(
        name="ecdsa-verify",
        scheme="ecdsa",
        form=form,
        operands=("digest", "r", "s", "x", "y"),
        results=("valid",),
        program=program,
        variants=variants,
        text=text,
        inputs={"digest": "z", "x": "x2", "y": "y2"},
        rules=_rules_of_verifying,
        public=True,
        said=lambda _, status: {"valid": status == valid},
    )


VERIFY = verifying("weierstrass", "ecdsa-verify", _verify, KINDS)


# ---- rules that other schemes have too ----------------------------------------------------------


def digest(curve: Curve) -> OperandRule:
    return OperandRule(
        "digest",
        "of the message, its highest bits if it has more than the order",
        1 << curve.order.bit_length(),
    )


def nonce(curve: Curve) -> OperandRule:
    return OperandRule("nonce", "random, secret, never used again", curve.order, 1)


def signature(curve: Curve) -> Iterator[OperandRule]:
    full = 1 << curve.order.bit_length()
    for name in ("r", "s"):
        yield OperandRule(name, "of the signature; valid from 1 and below the order", full)
    for name in ("x", "y"):
        yield OperandRule(name, "of the public point", curve.elements)
