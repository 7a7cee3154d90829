"""Points of Kummer surfaces against known answers, known orders and a ladder."""

import random

import pytest

from known_answers import load
from modmul.arithmetic import curves, surfaces
from modmul.arithmetic.curves import Curve
from modmul.arithmetic.surfaces import Theta

EVERY = tuple(curve for curve in curves.every() if curve.form == "kummer")
KNOWN = curves.find("gaudry-schost")
SMALL, TINY = curves.find("toy16-kummer"), curves.find("toy12-kummer")


def same(surface: Curve, first: Theta, second: Theta) -> bool:
    return surfaces.same(surface, first, second)


@pytest.mark.parametrize("surface", EVERY, ids=str)
def test_multiples_are_those_of_a_ladder(surface: Curve) -> None:
    """By doublings and sums with a difference of P in place of Euclid's subtractions."""
    rng, point = random.Random(1), surfaces.base(surface)
    assert surfaces.is_on(surface, point)
    assert surfaces.is_on(surface, surfaces.neutral(surface))
    for k in (*range(12), *(rng.getrandbits(surface.scalar_bits) for _ in range(5))):
        product = surfaces.multiply(surface, k, point)
        assert same(surface, product, surfaces._by_bits(surface, k, point))
        assert surfaces.is_on(surface, product)


def test_the_surface_of_the_literature() -> None:
    """The base point has the order, and points of the twist that of the twist."""
    told = load("kummer")
    assert [squared_theta % KNOWN.prime for squared_theta in told["squared_thetas"]] == list(
        KNOWN.thetas
    )
    assert eval_product(told["jacobian_order"]) == KNOWN.size
    zero, base = surfaces.neutral(KNOWN), surfaces.base(KNOWN)
    assert same(KNOWN, surfaces.multiply(KNOWN, KNOWN.order, base), zero)
    wrapped = told["base_points"]["qdsa_base_on_jacobian"]
    assert [base.x * pow(coordinate, -1, KNOWN.prime) % KNOWN.prime for coordinate in base[1:]] == [
        int(coordinate, 16) for coordinate in wrapped
    ]
    orders = [KNOWN.size, eval_product(told["twist_order"])]
    seen = set()
    for point in others(KNOWN, 8):
        annihilates = [same(KNOWN, surfaces.multiply(KNOWN, n, point), zero) for n in orders]
        assert sum(annihilates) == 1
        seen.add(annihilates.index(True))
    assert seen == {0, 1}


def eval_product(text: str) -> int:
    first, second = map(int, text.split("*"))
    return first * second


def others(surface: Curve, count: int) -> list[Theta]:
    """Doubles of points with y = 0, for which the equation is a square: one root is taken."""
    p, (a, b, c, d) = surface.prime, surface.thetas
    f = (a * a - b * b - c * c + d * d) * pow(a * d - b * c, -1, p)
    g = (a * a - b * b + c * c - d * d) * pow(a * c - b * d, -1, p)
    h = (a * a + b * b - c * c - d * d) * pow(a * b - c * d, -1, p)
    doubles: list[Theta] = []
    z = 2
    while len(doubles) < count:
        z += 1
        half = (f + h * z) * pow(2, -1, p)
        square = (half * half - 1 - z * z + g * z) % p
        root = pow(square, (p + 1) // 4, p)
        if root * root % p == square:
            point = Theta(1, 0, z, (half + root) % p)
            assert surfaces.is_on(surface, point)
            doubles.append(surfaces.add(surface, point, point, surfaces.neutral(surface)))
    return doubles


def test_vectors() -> None:
    told = load("kummer")
    for test in told["tests"]:
        product = surfaces.multiply(KNOWN, int(test["k"], 16), surfaces.base(KNOWN))
        wrapped = [
            product.x * pow(coordinate, -1, KNOWN.prime) % KNOWN.prime for coordinate in product[1:]
        ]
        assert wrapped == [int(coordinate, 16) for coordinate in test["out"]]


def test_all_small_multiples() -> None:
    """One after the other; a product of scalars is one multiple after the other."""
    base = surfaces.base(SMALL)
    before, now = surfaces.neutral(SMALL), base
    for k in range(1, 200):
        assert same(SMALL, surfaces.multiply(SMALL, k, base), now), k
        before, now = now, surfaces.add(SMALL, now, base, before)
    twice = surfaces.multiply(SMALL, 35, surfaces.multiply(SMALL, 99, base))
    assert same(SMALL, twice, surfaces.multiply(SMALL, 35 * 99, base))


def test_what_is_no_point() -> None:
    for surface in EVERY:
        x, y, z, t = surfaces.base(surface)
        for wrong in ((x, y, z, t ^ 1), (y, x, z, t + 1), (0, 0, 0, 0), (x, y, z, 0)):
            assert not surfaces.is_on(surface, wrong)
        assert surfaces.is_on(surface, Theta(3 * x, 3 * y, 3 * z, 3 * t))
    assert surfaces.normal(KNOWN, (0, 1, 2, 3)) is None
    assert surfaces.normal(KNOWN, (2, 4, 6, 2 * KNOWN.prime + 8)) == (1, 2, 3, 4)


def test_a_point_with_a_coordinate_0_is_no_difference() -> None:
    point = surfaces.base(SMALL)
    with pytest.raises(ZeroDivisionError):
        surfaces.add(SMALL, point, point, Theta(0, 1, 2, 3))
    with pytest.raises(ZeroDivisionError):
        surfaces.multiply(SMALL, 3, point._replace(y=0))


def test_a_difference_with_a_coordinate_0_is_gone_round() -> None:
    """Of a point whose double has one every third number of the way is such."""
    x_of_double = next(
        point
        for k in range(1, 1 << 13)
        if all(point := surfaces.multiply(TINY, k, surfaces.base(TINY)))
        and not all(surfaces.multiply(TINY, 2, point))
    )
    ladder = surfaces._by_bits(TINY, 1001, x_of_double)
    assert same(TINY, surfaces.multiply(TINY, 1001, x_of_double), ladder)
    assert surfaces.is_on(TINY, ladder)
