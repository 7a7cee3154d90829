"""Multiples of points by private keys: public keys, and what two parties share (ECDH)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from modmul.arithmetic.curves import Curve, Form
from modmul.operation import OperandRule
from modmul.processors.curve.schemes import texts
from modmul.processors.curve.schemes.task import Results, SchemeTask, Sources, Text

_OFF, _FAULT, _RIGHT = 0b010, 0b100, 0b001


def text(sources: Sources, _: str) -> str:
    """The program.  The host sends the private key twice: as a scalar and as a number."""
    return f"""# k*P for a point P of prime order n and k from 1 to n - 1, which is secret.
# The status is 1: bit 0 is 0 where the ladder is by chance not defined for a blinded k; bit 1 is 1
# where P is not on the curve, bit 2 where the result is not, after a fault: then the result is 0.
{texts.HEAD}input x, y
random lam
input number secret below R
{texts.scalar(sources)}counter bits
X = x * r2 % N
Y1 = y * r2
{texts.on_curve(1, "X", "Y1")}{texts.multiplied(sources)}{_left(sources)}test W * unit % N
"""


def _left(sources: Sources) -> str:
    """The text that puts out x and y if they are on the curve; with protection the residues
    are what is tested."""
    if not sources.protected:
        return f"""{texts.result_on_curve(2, "W")}constant unit
x = x * unit % N
output x checked
output y * unit % N checked
"""
    return f"""constant unit
x = x * unit % N
y = y * unit % N
constant r2
{texts.result_on_curve(2, "", "x * r2", "y * r2")}output x checked
output y checked
"""


def point(curve: Curve, suffix: str = "") -> Iterator[OperandRule]:
    """The rules for the coordinates of the other party's point."""
    for name in (f"x{suffix}", f"y{suffix}"):
        yield OperandRule(name, "of the other's point, which is verified", curve.elements)


def task(
    name: str,
    scheme: str,
    scalar: str,
    meaning: str,
    *,
    form: Form = "weierstrass",
    program: str = "exactly",
    text: Text = text,
    lost: str = "exceptional",
) -> SchemeTask:
    """An operation that multiplies a point by the operand `scalar`.  lost: what is told if
    bit 0 of the status is 0."""

    def said(numbers: Sequence[int], status: int) -> Results:
        if status == _RIGHT:
            return dict(zip(("x", "y"), numbers, strict=True))
        return {"invalid" if status & _OFF else "fault" if status & _FAULT else lost: True}

    def rules(curve: Curve) -> Iterator[OperandRule]:
        yield OperandRule(scalar, meaning, curve.order, 1)
        yield from point(curve)

    return SchemeTask(
        name=name,
        scheme=scheme,
        form=form,
        operands=(scalar, "x", "y"),
        results=("x", "y", "invalid", lost, "fault"),
        program=program,
        text=text,
        scalar=scalar,
        inputs={scalar: "number"},
        rules=rules,
        said=said,
    )


ECDH = task("ecdh", "ecdsa", "private", "the private key")
