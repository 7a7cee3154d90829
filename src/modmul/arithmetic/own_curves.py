"""Reads curves of the user's own: their parameters in writing, in a file, or as OpenSSL writes
them.

    weierstrass p=0xfb a=-3 b=0x1a x=0x2 y=0x5c n=0xef h=1

`@FILE` is a file with that, with the same keys in TOML (`form` among them), or with explicit EC
PARAMETERS in PEM.  Everything is checked: the field, the equation, the base point and its order."""

from __future__ import annotations

import base64
import hashlib
import math
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import gmpy2

from modmul import inputs
from modmul.arithmetic import binary, curves, der, moduli, points
from modmul.arithmetic.curves import Curve, Form
from modmul.arithmetic.notation import is_polynomial, read_polynomial, shortened
from modmul.errors import SpecError

# The coefficients of each form that a user can give; other forms exist for named curves only.
COEFFICIENTS: Mapping[Form, tuple[str, ...]] = {
    "weierstrass": ("a", "b"),
    "edwards": ("a", "d"),
    "montgomery": ("a",),
    "binary": ("a", "b"),
}
NOTATIONS = (
    f"{curves.NOTATIONS}, parameters such as `weierstrass p=0x.. a=-3 b=0x.. x=0x.. y=0x.. "
    "n=0x..`, or @FILE that holds these, or EC PARAMETERS"
)
SOURCE = "given by its parameters"
_SURE = 40  # rounds of the test whether a number is prime
_LEAST = 5  # the smallest prime of a field
_MOST = 1024  # bits of a field: the checks of longer ones take too long
_LONGEST = 1 << 16  # characters of a file
_COMPOSITE = 1 << 10  # a composite order must be a prime times a number below this
_PEM = re.compile(r"-----BEGIN (?:EC|SM2) PARAMETERS-----([A-Za-z0-9+/=\s]+)-----END ")
_NUMBER = re.compile(r"-?(0[xX][0-9a-fA-F]+|[0-9]+)\Z")
_PRIME_FIELD = bytes.fromhex("2a8648ce3d0101")  # object identifiers of X9.62
_BINARY_FIELD = bytes.fromhex("2a8648ce3d0102")
_TRINOMIAL, _PENTANOMIAL = _BINARY_FIELD + b"\x03\x02", _BINARY_FIELD + b"\x03\x03"
_UNCOMPRESSED = 4


def parse(value: object, folder: Path | None = None) -> Curve:
    """The curve of a name, of written parameters, or of `@FILE` that holds these.

    folder: the folder of a relative FILE (default: the current one).  Parameters that equal those
    of a named curve give the named curve.  Raises SpecError for anything else."""
    text = str(value).strip()
    if in_a_file(text):
        return _of_file(text, folder)
    form, _, rest = text.partition(" ")
    if "=" not in rest:
        return curves.find(value)
    members = dict[str, Any]()
    for token in rest.split():
        key, equals, number = token.partition("=")
        if not equals or key in members:
            raise _refused(text, f"{token} is not a new key=value")
        members[key] = number
    return of(form, members, text)


def in_a_file(value: object) -> bool:
    """Whether `parse` would read a file for this text."""
    return str(value).strip().startswith("@")


def written(curve: Curve) -> str:
    """A text that `parse` reads as this curve: its name, or a user's curve's parameters."""
    if curve.source != SOURCE:
        return curve.name
    numbers = {"p": curve.prime} | {key: getattr(curve, key) for key in COEFFICIENTS[curve.form]}
    numbers |= {"x": curve.x, "y": curve.y, "n": curve.order, "h": curve.cofactor}
    return " ".join([curve.form, *(f"{key}={number:#x}" for key, number in numbers.items())])


def of(form: object, members: Mapping[str, Any], shown: str) -> Curve:
    """The curve of these parameters: p, the coefficients of its form, the base point (x, y),
    its order n, and the cofactor h, which may be left out if it follows from n.

    shown: what errors call the curve.  Raises SpecError if the parameters give no curve or
    contradict each other, as a base point of another order, or a cofactor that Hasse's bound rules
    out."""
    if not isinstance(form, str) or form not in COEFFICIENTS:
        raise _refused(shown, f"its form must be one of {', '.join(COEFFICIENTS)}")
    form = cast(Form, form)
    needed = ("p", *COEFFICIENTS[form], "x", "y", "n")
    missing = [key for key in needed if key not in members]
    unknown = [key for key in members if key not in (*needed, "h")]
    if missing or unknown:
        fault = f"{missing[0]} is missing" if missing else f"there is no {unknown[0]}"
        raise _refused(shown, f"{fault}; {form} has {', '.join(needed)} and h")
    prime = _field(form, members["p"], shown)
    numbers = {key: _number(key, members[key], shown) for key in members if key != "p"}
    elements = 1 << prime.bit_length() - 1 if form == "binary" else prime
    for key in (*COEFFICIENTS[form], "x", "y"):
        if form != "binary" and key in COEFFICIENTS[form] and -prime < numbers[key] < 0:
            numbers[key] += prime
        if not 0 <= numbers[key] < elements:
            raise _refused(shown, f"{key} = {shortened(hex(numbers[key]))} is not below p")
    curve = Curve(
        "",
        form,
        prime,
        numbers["a"],
        numbers.get("b", 1),
        numbers["x"],
        numbers["y"],
        numbers["n"],
        numbers.get("h", 0),
        numbers.get("d", 0),
        source=SOURCE,
        summary="a curve of the user's own",
    )
    return _named(_checked(curve, elements, shown))


def _named(curve: Curve) -> Curve:
    """The named curve that equals this one, or else this curve named by a digest."""

    def key(of: Curve) -> tuple[object, ...]:
        return (of.form, of.prime, of.a, of.b, of.d, of.x, of.y, of.order, of.cofactor)

    for other in curves.every():
        if key(other) == key(curve):
            return other
    digest = hashlib.sha256(repr(key(curve)).encode()).hexdigest()
    return replace(curve, name=f"own-{digest[:8]}")


# ---- checks --------------------------------------------------------------------------------------


def _field(form: Form, value: object, shown: str) -> int:
    """The prime or the polynomial of the field.  Raises SpecError."""
    text = value if isinstance(value, str) else ""
    if form == "binary":
        # A p must not be @FILE: curves are also read from lines of input.
        written = is_polynomial(text) and not moduli.in_a_file(text)
        try:
            polynomial = read_polynomial(text, "p") if written else _number("p", value, shown)
        except SpecError as error:
            raise _refused(shown, str(error)) from None
        degree = polynomial.bit_length() - 1
        _check_length(polynomial, shown)
        if degree < 3 or not binary.is_irreducible(polynomial):
            raise _refused(shown, "p must be an irreducible polynomial of degree 3 or more")
        return polynomial
    if text and not _NUMBER.match(text):
        try:
            prime = moduli.find(text).value
        except SpecError:
            why = "no such modulus; `modmul list` shows the names"
            raise _refused(shown, f"p = {shortened(text)}: {why}") from None
    else:
        prime = _number("p", value, shown)
    _check_length(prime, shown)
    if prime < _LEAST or not gmpy2.is_prime(prime, _SURE):
        raise _refused(shown, f"p = {shortened(hex(prime))} must be a prime from {_LEAST}")
    return prime


def _check_length(field: int, shown: str) -> None:
    if field.bit_length() > _MOST:
        raise _refused(shown, f"p has {field.bit_length()} bits: must have at most {_MOST}")


def _checked(curve: Curve, elements: int, shown: str) -> Curve:
    """Check a curve and return it with its cofactor.  Raises SpecError."""
    if not _is_smooth(curve):
        raise _refused(shown, f"of {curve.equation}, {_SMOOTH[curve.form]}")
    if not points.is_on(curve, curve.x, curve.y):
        raise _refused(shown, f"(x, y) is not on {curve.equation}")
    # By Hasse's bound, the number of points is within 2 sqrt(q) of q + 1.
    most = math.isqrt(4 * elements)
    if curve.order > elements + 1 + most:
        raise _refused(shown, "n is above the most points of any curve over the field")
    primes, base = _primes_of(curve), points.Affine(curve.x, curve.y)
    if primes is None:
        allowed = "an odd prime"
        if curve.form == "binary":
            allowed += f", or, for points and ecdh alone, one times a number below {_COMPOSITE}"
        raise _refused(shown, f"n = {shortened(hex(curve.order))} must be {allowed}")
    if points.multiply(curve, curve.order, base) is not None or any(
        points.multiply(curve, curve.order // prime, base) is None for prime in primes
    ):
        raise _refused(shown, "n is not the order of (x, y)")
    least_h = -(-(elements + 1 - most) // curve.order)
    most_h = (elements + 1 + most) // curve.order
    if curve.cofactor == 0 and least_h == most_h:
        return replace(curve, cofactor=least_h)
    if not max(1, least_h) <= curve.cofactor <= most_h:
        told = "must be given" if curve.cofactor == 0 else "must be"
        raise _refused(shown, f"h {told} from {max(1, least_h)} to {most_h}, by Hasse's bound")
    return curve


def _primes_of(curve: Curve) -> tuple[int, ...] | None:
    """The prime factors of the order; None if such an order is not accepted.

    Over GF(2^m) it may be a prime times a small number: multiples of points have no exceptions
    there, and only signatures need inverses of all numbers modulo n."""
    rest, primes = curve.order, list[int]()
    for factor in range(2, _COMPOSITE if curve.form == "binary" else 2):
        if factor * factor > rest or curve.order // rest >= _COMPOSITE:
            break
        if rest % factor == 0:
            primes.append(factor)
        while rest % factor == 0 and rest > factor:
            rest //= factor
    taken = rest > 2 and gmpy2.is_prime(rest, _SURE) and curve.order // rest < _COMPOSITE
    return tuple(dict.fromkeys((*primes, rest))) if taken else None


_SMOOTH: Mapping[Form, str] = {
    "weierstrass": "4*a^3 + 27*b^2 must not be 0",
    "montgomery": "a^2 must not be 4, and a^2 - 4 must be no square",
    "edwards": "a must be a square, d must be none, so that addition has no exceptions",
    "binary": "b must not be 0",
}


def _is_smooth(curve: Curve) -> bool:
    """Whether the coefficients satisfy what the equation and our formulas require of them."""
    p = curve.prime
    if curve.form == "weierstrass":
        return bool((4 * curve.a**3 + 27 * curve.b**2) % p)
    if curve.form == "montgomery":
        return bool(gmpy2.legendre(curve.a**2 - 4, p) == -1)
    if curve.form == "edwards":
        return bool(gmpy2.legendre(curve.a, p) == 1 and gmpy2.legendre(curve.d, p) == -1)
    return curve.b != 0


def _number(key: str, value: object, shown: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    text = str(value)
    if not _NUMBER.match(text) or len(text) > _LONGEST // 16:
        raise _refused(shown, f"{key} = {shortened(text)} must be a number, 0x... or decimal")
    return int(text, 0) if "x" in text.lower() else int(text)


def _refused(shown: str, reason: str) -> SpecError:
    text = shortened(shown)
    return SpecError("curve", text, NOTATIONS, f"curve = {text}: {reason}")


# ---- files ---------------------------------------------------------------------------------------


def _of_file(text: str, folder: Path | None) -> Curve:
    path = (folder or Path()) / text[1:]
    try:
        content = inputs.read(path)
    except ValueError as error:
        raise _refused(text, f"cannot read {path}: {error}") from None
    if len(content) > _LONGEST or in_a_file(content):
        raise _refused(text, f"{path} holds no curve")
    if match := _PEM.search(content):
        try:
            return of(*_explicit(base64.b64decode(match[1])), text)
        except (ValueError, IndexError):
            raise _refused(
                text,
                f"{path} has no explicit parameters: write them by "
                f"`openssl ecparam -param_enc explicit`",
            ) from None
    one_line = " ".join(content.split())
    if "=" in one_line and one_line.partition(" ")[0] in COEFFICIENTS:
        return parse(one_line)
    try:
        members = inputs.toml(content)
    except ValueError as error:
        raise _refused(text, f"{path} is no TOML: {error}") from None
    return of(members.pop("form", None), members, text)


def _explicit(encoded: bytes) -> tuple[Form, dict[str, int]]:
    """Form and members of ECParameters (SEC 1, C.2).

    Raises ValueError or IndexError for anything else."""
    _, field, equation, base, order, *rest = der.elements(der.elements(encoded)[0].content)
    kind, parameters = der.elements(field.content)[:2]
    if kind.content == _PRIME_FIELD:
        form: Form = "weierstrass"
        prime = der.integer(parameters)
    elif kind.content == _BINARY_FIELD:
        form, (degree, basis, middle) = "binary", der.elements(parameters.content)
        terms = [der.integer(degree), 0]
        if basis.content == _TRINOMIAL:
            terms.append(der.integer(middle))
        elif basis.content == _PENTANOMIAL:
            terms += map(der.integer, der.elements(middle.content))
        else:
            raise ValueError("a normal basis")
        prime = sum(1 << term for term in terms)
    else:
        raise ValueError("another field")
    a, b = (int.from_bytes(element.content) for element in der.elements(equation.content)[:2])
    octets = base.content
    if octets[0] != _UNCOMPRESSED:
        raise ValueError("a compressed point")
    half = len(octets) // 2
    members = {
        "p": prime,
        "a": a,
        "b": b,
        "x": int.from_bytes(octets[1 : half + 1]),
        "y": int.from_bytes(octets[half + 1 :]),
        "n": der.integer(order),
    }
    return form, members | ({"h": der.integer(rest[0])} if rest else {})
