"""Named elliptic curves over GF(p), from curves.toml."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal

from modmul import inputs
from modmul.arithmetic import moduli
from modmul.errors import SpecError, quoted

Form = Literal["weierstrass", "montgomery"]

NOTATIONS = "the name of a curve, such as p256 or x25519"


@dataclass(frozen=True)
class Curve:
    """An elliptic curve over GF(prime).

    form: weierstrass, y^2 = x^3 + a*x + b, or montgomery, b*y^2 = x^3 + a*x^2 + x with b = 1.
    (x, y): the base point, of prime `order`; all points are order * cofactor.
    source: where it stands; "" for one made for small designs and tests."""

    name: str
    form: Form
    prime: int
    a: int
    b: int
    x: int
    y: int
    order: int
    cofactor: int = 1
    source: str = ""
    summary: str = ""
    aliases: tuple[str, ...] = ()

    @property
    def bits(self) -> int:
        """Length of the prime."""
        return self.prime.bit_length()

    @property
    def scalar_bits(self) -> int:
        """Length of a scalar: that of the order, or, as RFC 7748 has it, of the prime."""
        return self.order.bit_length() if self.form == "weierstrass" else self.bits

    def __str__(self) -> str:
        return self.name


@cache
def every() -> tuple[Curve, ...]:
    """All of them: those of standards first, the toys last."""
    file = resources.files(__package__) / "curves.toml"
    forms = inputs.toml(file.read_text(encoding="utf-8"))
    found = [_curve(name, form, told) for form in forms for name, told in forms[form].items()]
    return tuple(sorted(found, key=lambda one: not one.source))


def _curve(name: str, form: Any, told: dict[str, Any]) -> Curve:
    """One table of the file; a negative `a` is that below the prime."""
    text = str(told["p"])
    prime = moduli.parse(text).value
    numbers = {key: int(str(told[key]), 0) for key in ("a", "x", "y", "n", "h")}
    return Curve(
        name, form, prime, numbers["a"] % prime, int(str(told.get("b", 1)), 0),
        numbers["x"], numbers["y"], numbers["n"], numbers["h"],
        told.get("source", ""), told.get("summary", ""), tuple(told.get("aliases", ())),
    )  # fmt: skip


@cache
def _by_name() -> dict[str, Curve]:
    return {name: one for one in every() for name in (one.name, *one.aliases)}


def find(name: object) -> Curve:
    """The curve of that name or alias, in any case; SpecError with the nearest names if none."""
    known = _by_name().get(str(name).strip().lower())
    if known is not None:
        return known
    near = difflib.get_close_matches(str(name).lower()[:80], _by_name(), n=3, cutoff=0.6)
    standard = ", ".join(one.name for one in every() if one.source)
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are {standard}"
    raise SpecError(
        "curve", name, NOTATIONS, f"curve = {quoted(name)}: no such curve; {hint}",
    )  # fmt: skip


def within(bits: int) -> tuple[Curve, ...]:
    """Those whose primes have at most so many bits, the longest primes first."""
    fitting = (one for one in every() if one.bits <= bits)
    return tuple(sorted(fitting, key=lambda one: -one.bits))
