"""Edwards curves whose a is any square: the processor computes with a = -1 or a = 1.

With s^2 = a, (x, y) -> (s*x, y) is an isomorphism from ax^2 + y^2 = 1 + dx^2y^2 to the curve with
a = 1 and d/a.  The factor s is part of the constants that take x into the Montgomery domain and out
of it, so that it costs no product."""

from __future__ import annotations

import re
from dataclasses import replace

from modmul.arithmetic import points
from modmul.arithmetic.curves import Curve

PROGRAMS = ("twisted", "edwards", "double-twisted", "double-edwards", "add-edwards", "on-edwards")


def is_twisted(curve: Curve) -> bool:
    """Whether the processor computes with a = -1."""
    return curve.a == curve.prime - 1


def scaled(curve: Curve, factor: int) -> tuple[Curve, dict[str, int]]:
    """The curve with which the processor computes, and its constants.

    factor: R of the Montgomery domain.  r2x: s*R, in the domain s*R^2.  unitx: 1/(s*R), in the
    domain 1/s."""
    p = curve.prime
    s = 1 if curve.a in (1, p - 1) else points.root(curve.a, p)
    assert s is not None  # `own_curves` refuses other curves
    if not is_twisted(curve):
        curve = replace(curve, a=1, d=curve.d * pow(curve.a, -1, p) % p, x=s * curve.x % p)
    numbers = {"r2x": s * factor % p, "unitx": pow(s * factor, -1, p)}
    return curve, {"a": curve.a, "d": curve.d, "d2": 2 * curve.d % p} | numbers


def for_any_square(text: str) -> str:
    """The text of one of PROGRAMS, which is for a = -1 or a = 1, for any square a."""
    text = re.sub(r"(?m)^constant one, r2,", "constant one, r2, r2x, unitx,", text)
    text = re.sub(r"\b(x2?) \* r2\b", r"\1 * r2x", text)
    return re.sub(r"(?m)^(output .*) unit % N$", r"\1 unitx % N", text, count=1)
