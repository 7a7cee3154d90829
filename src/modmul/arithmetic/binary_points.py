"""Points of elliptic curves over GF(2^m), y^2 + x*y = x^3 + a*x^2 + b, in affine coordinates, by
the formulas of textbooks, on FLINT.

For the oracle: nothing is shared with the programs of processors, which are projective, nor with
`binary`.  A point is a pair of polynomials as integers, bit i the coefficient of x^i; None is the
point at infinity."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from modmul.arithmetic.curves import Curve

Pair = tuple[int, int]
_NMOD = 2  # FLINT's number of the kind of field whose elements have coefficients in machine words


class BinaryField:
    """The field GF(2^m) of an irreducible polynomial of degree m."""

    def __init__(self, polynomial: int):
        import flint  # here: it takes its time to load

        ring = flint.fmpz_mod_poly_ctx(flint.fmpz_mod_ctx(2))
        modulus = ring([int(bit) for bit in format(polynomial, "b")[::-1]])
        self.context: Any = flint.fq_default_ctx(modulus=modulus, fq_type=_NMOD)

    def element(self, value: int) -> Any:
        """The element whose coefficients are the bits of `value`."""
        return self.context([int(bit) for bit in format(value, "b")[::-1]])

    def number(self, element: Any) -> int:
        """The number whose bits are the coefficients of an element."""
        return int("".join(str(int(bit)) for bit in reversed(element.to_list())) or "0", 2)

    def point(self, pair: Pair | None) -> Any:
        return None if pair is None else tuple(map(self.element, pair))

    def pair(self, point: Any) -> Pair | None:
        return None if point is None else (self.number(point[0]), self.number(point[1]))


field = cache(BinaryField)


def is_on(curve: Curve, x: int, y: int) -> bool:
    """Whether (x, y) is a point of the curve, with both coordinates below 2^m."""
    if max(x, y).bit_length() >= curve.prime.bit_length():
        return False
    u, v, a, b = map(field(curve.prime).element, (x, y, curve.a, curve.b))
    return bool(v * v + u * v == u * u * (u + a) + b)


def add(curve: Curve, first: Pair | None, second: Pair | None) -> Pair | None:
    of = field(curve.prime)
    return of.pair(_add(of.element(curve.a), of.point(first), of.point(second)))


def multiply(curve: Curve, scalar: int, point: Pair | None) -> Pair | None:
    """k*P for k from 0."""
    of = field(curve.prime)
    a, base, multiple = of.element(curve.a), of.point(point), None
    for bit in format(scalar, "b"):
        multiple = _add(a, multiple, multiple)
        if bit == "1":
            multiple = _add(a, multiple, base)
    return of.pair(multiple)


def _add(a: Any, first: Any, second: Any) -> Any:
    """P + Q: the third point on the line through both, or on the tangent, mirrored.  Points
    are pairs of elements."""
    if first is None or second is None:
        return first or second
    (x1, y1), (x2, y2) = first, second
    if x1 == x2 and y1 + y2 == x1:
        return None
    slope = x1 + y1 / x1 if x1 == x2 else (y1 + y2) / (x1 + x2)
    x = slope * slope + slope + x1 + x2 + a
    return x, slope * (x1 + x) + x + y1


def with_x(curve: Curve, x: int) -> Pair | None:
    """The point with this x and an even y/x (x = 0: the only one); None if there is none."""
    of, steps = field(curve.prime), curve.prime.bit_length() - 2
    u, a, b = map(of.element, (x, curve.a, curve.b))
    if x == 0:
        for _ in range(steps):
            b = b * b
        return 0, of.number(b)
    root = _root(of, u + a + b / (u * u), steps)
    return None if root is None else (x, of.number(u * of.element(of.number(root) & ~1)))


def in_group(curve: Curve, x: int, y: int) -> bool:
    """Whether a point with x not 0 is a multiple of the base point, for a cofactor of 2 or 4 and
    odd m.

    A point is the double of another point if its x has the trace of a.  It is four times a point if
    the other point is a double, too; the x of the other point, squared, is y + x*(l + 1) with
    l^2 + l = x + a (E. W. Knudsen, Elliptic scalar multiplication using point halving, 1999)."""
    of, steps = field(curve.prime), curve.prime.bit_length() - 2
    u, v, a = map(of.element, (x, y, curve.a))
    slope = _root(of, u + a, steps)
    if slope is None:
        return False
    return curve.cofactor == 2 or _root(of, v + u * (slope + of.element(1)) + a, steps) is not None


def _root(of: BinaryField, c: Any, steps: int) -> Any:
    """A root of z^2 + z = c in GF(2^m), where m = steps + 1; None if there is none.

    For odd m it is the half trace of c, else a sum of products of powers of c and of an element of
    trace 1 (IEEE P1363, A.4.7)."""
    root = power = c
    if steps % 2 == 0:
        for _ in range(steps // 2):
            power = (power * power) ** 2
            root = root + power
        return root if root * root + root == c else None
    powers = (of.element(1 << place) for place in range(steps + 1))
    power = unit = next(candidate for candidate in powers if int(candidate.trace()))
    root = of.element(0)
    for _ in range(steps):
        root = root * root + power * power * c
        power = power * power + unit
    return root if root * root + root == c else None


def invert(value: int, polynomial: int) -> int:
    """1 / value in the field of a polynomial; 0 for 0."""
    of = field(polynomial)
    element = of.element(value)
    return 0 if element.is_zero() else of.number(1 / element)
