"""Points of Kummer surfaces, in squared theta coordinates, on GMP.

For the oracle: nothing is shared with the programs of processors.  Here every division is done, no
constant is scaled, and a multiple is reached by Euclid's subtractions, by a ladder only where
that fails.

A point P and its negative are one point of the surface, (x : y : z : t).  Of two points P + Q is
known where P - Q is (P. Gaudry, Fast genus 2 arithmetic based on theta functions, 2007):

    P + Q = H(H(P) * H(Q) / H(mu))^2 / (P - Q)

coordinate by coordinate, H the sums with the signs of `_sums`, mu the squared theta constants,
which are the neutral element; so 2P has mu in the place of P - Q."""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import gmpy2

from modmul.arithmetic.curves import Curve

_TRIES = 5  # ways of subtractions that are tried before the ladder


class Theta(NamedTuple):
    """A point; the coordinates are defined up to a common factor."""

    x: int
    y: int
    z: int
    t: int


def neutral(surface: Curve) -> Theta:
    return Theta(*surface.thetas)


def base(surface: Curve) -> Theta:
    return Theta(surface.x, surface.y, surface.z, surface.t)


def is_on(surface: Curve, point: Sequence[int]) -> bool:
    """Whether the coordinates are a point of the surface; four zeros are not."""
    p, (x, y, z, t) = surface.prime, point
    a, b, c, d = surface.thetas
    f = (a * a - b * b - c * c + d * d) * gmpy2.invert(a * d - b * c, p)
    g = (a * a - b * b + c * c - d * d) * gmpy2.invert(a * c - b * d, p)
    h = (a * a + b * b - c * c - d * d) * gmpy2.invert(a * b - c * d, p)
    below = (a * b - c * d) * (a * c - b * d) * (a * d - b * c)
    e = math.prod(_sums(surface, surface.thetas)) * gmpy2.invert(below, p)
    left = 4 * a * b * c * d * e * e * x * y * z * t
    root = x * x + y * y + z * z + t * t
    root -= f * (x * t + y * z) + g * (x * z + y * t) + h * (x * y + z * t)
    return any(coordinate % p for coordinate in point) and (left - root * root) % p == 0


def same(surface: Curve, first: Sequence[int], second: Sequence[int]) -> bool:
    """Whether two points are the same, that is, differ by a factor only."""
    pairs = itertools.combinations(range(4), 2)
    return all((first[i] * second[j] - first[j] * second[i]) % surface.prime == 0 for i, j in pairs)


def normal(surface: Curve, point: Sequence[int]) -> Theta | None:
    """The point with x = 1; None if its x is 0."""
    if point[0] % surface.prime == 0:
        return None
    factor = gmpy2.invert(point[0], surface.prime)
    return Theta(*(int(coordinate * factor % surface.prime) for coordinate in point))


def unwrapped(prime: int, xy: int, xz: int, xt: int) -> Theta:
    """The point with these x/y, x/z and x/t."""
    return Theta(*(product % prime for product in (xy * xz * xt, xz * xt, xy * xt, xy * xz)))


def wrapped(surface: Curve, point: Sequence[int]) -> tuple[int, int, int] | None:
    """x/y, x/z and x/t of a point; None if y, z or t is 0."""
    x, *others = point
    if not all(other % surface.prime for other in others):
        return None
    y, z, t = (int(x * gmpy2.invert(other, surface.prime) % surface.prime) for other in others)
    return y, z, t


def add(surface: Curve, first: Theta, second: Theta, difference: Theta) -> Theta:
    """P + Q.  difference: P - Q; raises ZeroDivisionError if a coordinate of it is 0."""
    p = surface.prime
    sums = zip(*(_sums(surface, each) for each in (first, second, surface.thetas)), strict=True)
    inner = [a * b * gmpy2.invert(c, p) % p for a, b, c in sums]
    pairs = zip(_sums(surface, inner), difference, strict=True)
    return Theta(*(int(a * a * gmpy2.invert(b, p) % p) for a, b in pairs))


def multiply(surface: Curve, scalar: int, point: Theta) -> Theta:
    """k*P for k from 0.  Raises ZeroDivisionError if P has a coordinate 0.

    If a difference on the way has a coordinate 0, another way is taken; the last of them is a
    ladder, in which all differences are P."""
    if scalar < 2:
        return point if scalar else neutral(surface)
    for start in itertools.islice(_starts(scalar), _TRIES):
        with contextlib.suppress(ZeroDivisionError):
            return _by_subtractions(surface, scalar - start, start, point)
    return _by_bits(surface, scalar, point)


def _starts(scalar: int) -> Iterator[int]:
    """Numbers prime to k, those nearest to k divided by the golden ratio first: with them,
    nearly all of Euclid's quotients are 1."""
    middle = max(1, (math.isqrt(5 * scalar * scalar) - scalar) // 2)
    for step in range(scalar):
        for candidate in {middle + step, middle - step}:
            if 0 < candidate < scalar and math.gcd(candidate, scalar) == 1:
                yield candidate


def _by_subtractions(surface: Curve, some: int, others: int, point: Theta) -> Theta:
    """Return (some + others)*P: some*A + others*B is kept, with A - B known, until both are 1."""
    a, b, difference = point, point, neutral(surface)
    while some != others:
        if some < others:
            some, others, a, b = others, some, b, a
        some -= others
        a, b, difference = a, add(surface, a, b, difference), b
    return add(surface, a, b, difference)


def _by_bits(surface: Curve, scalar: int, point: Theta) -> Theta:
    """k*P by a ladder from the highest bit down, which keeps m*P and (m + 1)*P."""
    low, high = neutral(surface), point
    for bit in format(scalar, "b"):
        both, chosen = add(surface, low, high, point), high if bit == "1" else low
        twice = add(surface, chosen, chosen, neutral(surface))
        low, high = (both, twice) if bit == "1" else (twice, both)
    return low


def _sums(surface: Curve, point: Sequence[int]) -> list[int]:
    """H(P): the four sums and differences of the coordinates."""
    x, y, z, t = point
    p = surface.prime
    return [(x + y + z + t) % p, (x + y - z - t) % p, (x - y + z - t) % p, (x - y - z + t) % p]
