"""Named elliptic curves over GF(p) and GF(2^m), and Kummer surfaces of curves of genus 2, from
curves.toml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal

from modmul import inputs
from modmul.arithmetic import moduli
from modmul.errors import SpecError, quoted, suggestion

Form = Literal["weierstrass", "montgomery", "edwards", "binary", "kummer"]
ELLIPTIC: tuple[Form, ...] = ("weierstrass", "montgomery", "edwards")  # over GF(p)
EQUATIONS: Mapping[Form, str] = {
    "weierstrass": "y^2 = x^3 + a*x + b",
    "montgomery": "b*y^2 = x^3 + a*x^2 + x",
    "edwards": "a*x^2 + y^2 = 1 + d*x^2*y^2",
    "binary": "y^2 + x*y = x^3 + a*x^2 + b",
    "kummer": "4*e*x*y*z*t = (x^2 + y^2 + z^2 + t^2 - f*(x*t + y*z) - g*(x*z + y*t) "
    "- h*(x*y + z*t))^2",
}

NOTATIONS = "the name of a curve, such as p256 or x25519"


@dataclass(frozen=True)
class Curve:
    """An elliptic curve over GF(prime) or GF(2^m), or the Kummer surface of a curve of genus 2.

    form: see EQUATIONS; in Montgomery's form b is 1.  In the form `binary`, `prime` is the
        polynomial of the field, and elements are numbers, bit i the coefficient of x^i.
    (x, y), on a surface (x : y : z : t): the base point.  order: its prime order; 0 if not known.
    order * cofactor: the number of points; of a surface, that of its curve's Jacobian.
    thetas: the squared theta constants of a surface, which are its neutral element.
    source: where the curve is defined; "" for curves made for small designs and tests."""

    name: str
    form: Form
    prime: int
    a: int
    b: int
    x: int
    y: int
    order: int
    cofactor: int = 1
    d: int = 0
    z: int = 0
    t: int = 0
    thetas: tuple[int, ...] = ()
    source: str = ""
    summary: str = ""
    aliases: tuple[str, ...] = ()

    @property
    def field(self) -> moduli.Field:
        return "binary" if self.form == "binary" else "prime"

    @property
    def bits(self) -> int:
        """Length of the prime in bits; of a polynomial of degree m, m + 1."""
        return self.prime.bit_length()

    @property
    def elements(self) -> int:
        """The number of elements of the field; coordinates are below it."""
        return 1 << self.bits - 1 if self.form == "binary" else self.prime

    @property
    def scalar_bits(self) -> int:
        """Length of a scalar in bits: that of the order, or of the prime in the forms of RFC 7748
        and RFC 8032.  On a Kummer surface it is one bit more than the order, as is usual, or twice
        the length of the prime if the order is not known."""
        if self.form == "kummer":
            return self.order.bit_length() + 1 if self.order else 2 * self.bits
        has_order = self.form in ("weierstrass", "binary")
        return self.order.bit_length() if has_order else self.bits

    @property
    def base(self) -> tuple[int, ...]:
        """The coordinates of the base point."""
        return (self.x, self.y, self.z, self.t) if self.form == "kummer" else (self.x, self.y)

    @property
    def size(self) -> int:
        """The number of points, infinity included; it is a multiple of every point's order."""
        return self.order * self.cofactor

    @property
    def equation(self) -> str:
        text = EQUATIONS[self.form]
        return text.removeprefix("b*") if self.form == "montgomery" and self.b == 1 else text

    @property
    def coefficients(self) -> dict[str, int]:
        """The coefficients of the equation, below the prime; of a surface its squared theta
        constants, from which the coefficients follow."""
        if self.form == "kummer":
            return {f"theta{place}": theta for place, theta in enumerate(self.thetas, 1)}
        names = {"weierstrass": "ab", "binary": "ab", "montgomery": "a"}.get(self.form, "ad")
        return {name: getattr(self, name) for name in names}

    def __str__(self) -> str:
        return self.name


@cache
def every() -> tuple[Curve, ...]:
    """All curves: first those of standards, last the small ones for tests."""
    file = resources.files(__package__) / "curves.toml"
    forms = inputs.toml(file.read_text(encoding="utf-8"))
    curves = [_curve(name, form, table) for form in forms for name, table in forms[form].items()]
    return tuple(sorted(curves, key=lambda curve: not curve.source))


def _curve(name: str, form: Any, members: dict[str, Any]) -> Curve:
    """The curve of one table of the file; negative coefficients count modulo the prime."""
    text = str(members["p"])
    prime = moduli.parse(text).value

    def number(key: str, default: int = 0) -> int:
        return int(str(members.get(key, default)), 0)

    return Curve(
        name,
        form,
        prime,
        number("a") % prime,
        number("b", 1),
        number("x"),
        number("y"),
        number("n"),
        number("h", 1),
        number("d") % prime,
        number("z"),
        number("t"),
        tuple(theta % prime for theta in members.get("thetas", ())),
        members.get("source", ""),
        members.get("summary", ""),
        tuple(members.get("aliases", ())),
    )


@cache
def _by_name() -> dict[str, Curve]:
    return {name: curve for curve in every() for name in (curve.name, *curve.aliases)}


def known(name: object) -> Curve | None:
    """The curve of that name or alias, in upper or lower case; None if there is none."""
    return _by_name().get(str(name).strip().lower())


def find(name: object) -> Curve:
    """Raises SpecError with the nearest names if there is none."""
    curve = known(name)
    if curve is not None:
        return curve
    standard = ", ".join(curve.name for curve in every() if curve.source)
    hint = suggestion(name, _by_name()) or f"; there are {standard}"
    raise SpecError("curve", name, NOTATIONS, f"curve = {quoted(name)}: no such curve{hint}")


def within(bits: int) -> tuple[Curve, ...]:
    """The curves whose primes have at most `bits` bits, the longest primes first."""
    fitting = (curve for curve in every() if curve.bits <= bits)
    return tuple(sorted(fitting, key=lambda curve: -curve.bits))
