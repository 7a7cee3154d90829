"""Computes the right answers of operations as plain numbers, with which the results of simulated
hardware are compared.

Numbers are computed by GMP, polynomials over GF(2) by FLINT, points of curves by affine slopes, and
points of Kummer surfaces by Euclid's subtractions.  The oracle shares nothing with golden models,
nor with `binary` and `montgomery`, which make constants.
Polynomials are integers, bit i the coefficient of x^i; R is `factor`, a power 1 << k of x."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import gmpy2

from modmul.arithmetic import binary_points, points, signatures, surfaces
from modmul.arithmetic.curves import Curve
from modmul.arithmetic.keys import Key
from modmul.arithmetic.moduli import Field

if TYPE_CHECKING:
    import flint  # where it is used: it takes its time to load


class OracleQuery(NamedTuple):
    """One operation: its name in ORACLES, its operands by name, the modulus (0: none), the field, R
    of a*b/R mod N (1: none), and the curve, if the operation is on one."""

    operation: str
    operands: Mapping[str, int]
    modulus: int
    field: Field = "prime"
    factor: int = 1
    curve: Curve | None = None


def right(query: OracleQuery) -> dict[str, int]:
    """The right results of an operation by their names, fully reduced.

    multiply (a, b), square (a): `residue` = a*b/R mod N; without a modulus, `product` = a*b.
    add (a, b), subtract (a, b), of numbers: `residue` = a + b or a - b mod N.
    exponentiate (base, exponent): `power`, 1 for an exponent of 0.
    point-multiply (scalar, x, y): `x` and `y`, or True for `infinity`; on any curve with this `a`
        that contains the point.  x-multiply (scalar, u): `u`, 0 for infinity.
    On a Kummer surface, point-multiply takes x, y, z, t, up to a factor, and gives them with x = 1,
        or True for `exceptional` if x is 0.  wrapped-multiply takes and gives x/y, x/z, x/t as xy,
        xz, xt, or gives the same flag; wrapped-multiply-pair does so for two points.
    double-multiply (scalar, x, y, scalar2, x2, y2): the sum of two multiples; point-add (x, y, x2,
        y2): the sum of two points; both as from point-multiply.
    point-multiply-pair, x-multiply-pair: as these names without -pair, for two points, with x2, y2,
        u2; the first gives True for `exceptional` alone if a result is infinity.  -four: for four.
    point-check (x, y): `valid`, True or False.
    ecdsa-sign, sm2-sign (digest, private, nonce): `r` and `s`, or True for `exceptional` if another
        nonce has to be drawn.  eddsa-sign (nonce, challenge, private): `s`.
    ecdsa-verify, sm2-verify (digest, r, s, x, y), eddsa-verify (s, challenge, x, y, x2, y2):
        `valid`.
    ecdh, sm2-decrypt (private, x, y), sm2-encrypt (nonce, x, y), sm2-exchange (private, ephemeral,
        factor, x, y, factor2, x2, y2): as point-multiply; True for `invalid` if a point is not on
        the curve.
    invert (value): `inverse` modulo a prime or in GF(2^m), 0 for 0.
    private (x): `y` = x^d, for a modulus that is a key.  public (x, e): `y` = x^e.

    Raises KeyError for an unknown operation or a missing operand; ZeroDivisionError if R has no
    inverse modulo N."""
    return ORACLES[query.operation](query)


def _product(query: OracleQuery) -> dict[str, int]:
    return _multiplied(query, query.operands["a"], query.operands["b"])


def _square(query: OracleQuery) -> dict[str, int]:
    return _multiplied(query, query.operands["a"], query.operands["a"])


def _multiplied(query: OracleQuery, a: int, b: int) -> dict[str, int]:
    if query.modulus == 0:
        return {"product": a * b}
    if query.field == "prime":
        n = gmpy2.mpz(query.modulus)
        return {"residue": int(a * b * gmpy2.invert(query.factor, n) % n)}
    n, factor = _polynomial(query.modulus), _polynomial(query.factor)
    common, inverse, _ = factor.xgcd(n)
    if not common.is_one():
        raise ZeroDivisionError(f"R = {query.factor:#x} has no inverse modulo {query.modulus:#x}")
    return {"residue": _number(_polynomial(a) * _polynomial(b) * inverse % n)}


def _added(query: OracleQuery) -> dict[str, int]:
    return {"residue": (query.operands["a"] + query.operands["b"]) % query.modulus}


def _subtracted(query: OracleQuery) -> dict[str, int]:
    return {"residue": (query.operands["a"] - query.operands["b"]) % query.modulus}


def _power(query: OracleQuery) -> dict[str, int]:
    base, exponent = query.operands["base"], query.operands["exponent"]
    if query.field == "prime":
        return {"power": int(gmpy2.powmod(base, exponent, query.modulus))}
    power = pow(_polynomial(base), exponent, _polynomial(query.modulus))
    return {"power": _number(power)}


def _point(query: OracleQuery) -> dict[str, int]:
    if _curve(query).form == "kummer":
        return _on_surface(query, "")
    return _told(query, _multiple(query, ""))


def _double(query: OracleQuery) -> dict[str, int]:
    both = _multiple(query, ""), _multiple(query, "2")
    return _told(query, points.add(_curve(query), *both))


def _sum(query: OracleQuery) -> dict[str, int]:
    both = _given(query, ""), _given(query, "2")
    return _told(query, points.add(_curve(query), *both))


def _points(query: OracleQuery) -> dict[str, int]:
    suffixes = _suffixes(query)
    if _curve(query).form == "kummer":
        return _on_surface(query, *suffixes)
    answer = dict[str, int]()
    for suffix in suffixes:
        point = _multiple(query, suffix)
        if point is None and _curve(query).form != "edwards":
            return {"exceptional": True}
        answer |= {f"{name}{suffix}": value for name, value in _told(query, point).items()}
    return answer


def _suffixes(query: OracleQuery) -> list[str]:
    """The suffixes of the names of operands, one for each multiplication: "", "2", ..."""
    return [name.removeprefix("scalar") for name in query.operands if name.startswith("scalar")]


def _on_surface(query: OracleQuery, *suffixes: str) -> dict[str, int]:
    """Multiples of one point of a Kummer surface, or of several."""
    surface, of, answer = _curve(query), query.operands, dict[str, int]()
    for suffix in suffixes:
        wrapped = f"xy{suffix}" in of
        names = ("xy", "xz", "xt") if wrapped else ("x", "y", "z", "t")
        coordinates = [of[f"{name}{suffix}"] for name in names]
        point = (
            surfaces.unwrapped(surface.prime, *coordinates)
            if wrapped
            else surfaces.Theta(*coordinates)
        )
        multiple = surfaces.multiply(surface, of[f"scalar{suffix}"], point)
        result = (surfaces.wrapped if wrapped else surfaces.normal)(surface, multiple)
        if result is None:
            return {"exceptional": True}
        answer |= {f"{name}{suffix}": value for name, value in zip(names, result, strict=True)}
    return answer


def _given(query: OracleQuery, suffix: str) -> points.Affine:
    """The point of an operation whose coordinates have names with this suffix."""
    return points.Affine(query.operands[f"x{suffix}"], query.operands[f"y{suffix}"])


def _multiple(query: OracleQuery, suffix: str) -> points.Point:
    scalar = query.operands[f"scalar{suffix}"]
    return points.multiply(_curve(query), scalar, _given(query, suffix))


def _told(query: OracleQuery, point: points.Point) -> dict[str, int]:
    if point is not None:
        return point._asdict()
    return {"x": 0, "y": 1} if _curve(query).form == "edwards" else {"infinity": True}


def _multiple_of_x(query: OracleQuery) -> dict[str, int]:
    of = query.operands
    return {"u": points.multiply_x(_curve(query), of["scalar"], of["u"])}


def _several_of_x(query: OracleQuery) -> dict[str, int]:
    of, curve = query.operands, _curve(query)
    return {
        f"u{suffix}": points.multiply_x(curve, of[f"scalar{suffix}"], of[f"u{suffix}"])
        for suffix in _suffixes(query)
    }


def _signed(query: OracleQuery) -> dict[str, int]:
    of = query.operands
    r, s = signatures.ecdsa(_curve(query), of["digest"], of["private"], of["nonce"])
    return {"r": r, "s": s} if r and s else {"exceptional": True}


def _verified(query: OracleQuery) -> dict[str, int]:
    of, of_scheme = (
        query.operands,
        {"ecdsa-verify": signatures.is_ecdsa, "sm2-verify": signatures.is_sm2},
    )
    verify = of_scheme[query.operation]
    return {"valid": verify(_curve(query), of["digest"], of["r"], of["s"], _given(query, ""))}


def _signed_by_sm2(query: OracleQuery) -> dict[str, int]:
    of = query.operands
    signature = signatures.sm2(_curve(query), of["digest"], of["private"], of["nonce"])
    return {"exceptional": True} if signature is None else dict(zip("rs", signature, strict=True))


def _agreed(query: OracleQuery) -> dict[str, int]:
    """A multiple of the other party's point, or `invalid` if that is not on the curve."""
    of, curve = query.operands, _curve(query)
    if not points.is_on(curve, *_given(query, "")):
        return {"invalid": True}
    scalar = of["nonce" if "nonce" in of else "private"]
    return _told(query, points.multiply(curve, scalar, _given(query, "")))


def _exchanged(query: OracleQuery) -> dict[str, int]:
    curve = _curve(query)
    if not all(points.is_on(curve, *_given(query, suffix)) for suffix in ("", "2")):
        return {"invalid": True}
    return _told(query, signatures.sm2_agreed(curve, query.operands))


def _signed_by_eddsa(query: OracleQuery) -> dict[str, int]:
    of = query.operands
    return {"s": signatures.eddsa(_curve(query), of["nonce"], of["challenge"], of["private"])}


def _verified_by_eddsa(query: OracleQuery) -> dict[str, int]:
    of = query.operands
    valid = signatures.is_eddsa(
        _curve(query), of["s"], of["challenge"], _given(query, ""), _given(query, "2")
    )
    return {"valid": valid}


def _valid(query: OracleQuery) -> dict[str, int]:
    return {"valid": points.is_on(_curve(query), query.operands["x"], query.operands["y"])}


def _curve(query: OracleQuery) -> Curve:
    assert query.curve is not None
    return query.curve


def _inverse(query: OracleQuery) -> dict[str, int]:
    if query.field == "binary":
        return {"inverse": binary_points.invert(query.operands["value"], query.modulus)}
    value = query.operands["value"] % query.modulus
    return {"inverse": int(gmpy2.invert(value, query.modulus)) if value else 0}


def _private(query: OracleQuery) -> dict[str, int]:
    """The result of a private operation: a power modulo n itself, not modulo its primes."""
    key = query.modulus
    assert isinstance(key, Key)
    exponent = gmpy2.invert(key.e, math.prod(prime - 1 for prime in key.primes))
    return {"y": int(gmpy2.powmod(query.operands["x"], exponent, int(key)))}


def _public(query: OracleQuery) -> dict[str, int]:
    of = query.operands
    return {"y": int(gmpy2.powmod(of["x"], of["e"], int(query.modulus)))}


def _polynomial(value: int) -> flint.nmod_poly:
    import flint

    return flint.nmod_poly([value >> i & 1 for i in range(value.bit_length())], 2)


def _number(value: flint.nmod_poly) -> int:
    return int("".join(str(int(bit)) for bit in reversed(value.coeffs())) or "0", 2)


ORACLES: Mapping[str, Callable[[OracleQuery], dict[str, int]]] = {
    "multiply": _product,
    "square": _square,
    "add": _added,
    "subtract": _subtracted,
    "exponentiate": _power,
    "point-multiply": _point,
    "x-multiply": _multiple_of_x,
    "double-multiply": _double,
    "point-add": _sum,
    "ecdsa-sign": _signed,
    "ecdsa-verify": _verified,
    "ecdh": _agreed,
    "sm2-sign": _signed_by_sm2,
    "sm2-verify": _verified,
    "sm2-exchange": _exchanged,
    "sm2-encrypt": _agreed,
    "sm2-decrypt": _agreed,
    "eddsa-sign": _signed_by_eddsa,
    "eddsa-verify": _verified_by_eddsa,
    "point-multiply-pair": _points,
    "point-multiply-four": _points,
    "x-multiply-pair": _several_of_x,
    "x-multiply-four": _several_of_x,
    "wrapped-multiply": _point,
    "wrapped-multiply-pair": _points,
    "point-check": _valid,
    "invert": _inverse,
    "private": _private,
    "public": _public,
}
