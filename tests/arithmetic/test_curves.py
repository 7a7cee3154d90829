"""Named curves and affine points against known answers, the standards' rules and brute force."""

import itertools

import gmpy2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from known_answers import load
from modmul.arithmetic import curves, moduli, points
from modmul.arithmetic.curves import Curve
from modmul.arithmetic.points import Affine
from modmul.errors import SpecError

EVERY = tuple(curve for curve in curves.every() if curve.form in curves.ELLIPTIC)
TOYS = tuple(curve for curve in EVERY if not curve.source)
SMALL = tuple(toy for toy in TOYS if toy.bits <= 16)
WEIERSTRASS = tuple(curve for curve in EVERY if curve.form == "weierstrass")


def named(*chosen: Curve) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("curve", chosen, ids=[curve.name for curve in chosen])


@named(*EVERY)
def test_the_base_point_has_the_order(curve: Curve) -> None:
    base = Affine(curve.x, curve.y)
    assert points.is_on(curve, *base)
    assert points.multiply(curve, curve.order, base) is None
    assert gmpy2.is_prime(curve.prime, 40) and gmpy2.is_prime(curve.order, 40)
    points_less_1 = curve.order * curve.cofactor - curve.prime - 1
    assert points_less_1**2 <= 4 * curve.prime  # Hasse: so there are no other points


def test_they_are_those_of_the_standards() -> None:
    """Against a transcription of its own."""
    told = load("curves")
    remaining = {curve.name: curve for curve in EVERY if curve.source}
    for name, wanted in told["weierstrass"].items():
        curve = curves.find(name)
        numbers = (curve.prime, curve.a, curve.b, curve.x, curve.y, curve.order, curve.cofactor)
        keys = ("p", "a", "b", "gx", "gy", "n", "h")
        assert numbers == tuple(int(str(wanted[key]), 0) for key in keys)
        assert remaining.pop(curve.name).form == "weierstrass"
    for name, wanted in told["montgomery"].items():
        curve = curves.find(name)
        numbers = (curve.prime, curve.a, curve.x, curve.order, curve.cofactor)
        assert numbers == tuple(int(str(wanted[key]), 0) for key in ("p", "A", "u", "n", "h"))
        assert remaining.pop(curve.name).form == "montgomery"
    for name, wanted in told["edwards"].items():
        curve = curves.find(name)
        numbers = (curve.prime, curve.a, curve.d, curve.x, curve.y, curve.order, curve.cofactor)
        keys = ("p", "a", "d", "gx", "gy", "n", "h")
        assert numbers == tuple(int(str(wanted[key]), 0) for key in keys)
        assert remaining.pop(curve.name).form == "edwards"
    assert remaining == {}


def test_toys_are_what_the_file_says() -> None:
    for toy in TOYS:
        rest, turn = (5, 8) if toy.name.endswith("-twisted") else (3, 4)
        below = range(toy.prime + turn, 1 << toy.bits, turn)
        assert toy.prime % turn == rest and not any(map(gmpy2.is_prime, below))
        if toy.form == "edwards":
            wanted = 2 if toy.name.endswith("-square") else 1
            assert toy.a == (toy.prime - 1 if rest == 5 else wanted)
            assert toy.cofactor == rest + 3 & 12
            assert gmpy2.legendre(toy.d, toy.prime) == -1
        elif toy.form == "weierstrass":
            assert toy.a == toy.prime - 3 and toy.cofactor == 1
            assert (toy.order.bit_length() > toy.bits) == toy.name.endswith("-long")
        else:
            assert toy.a % 4 == 2 and gmpy2.legendre(toy.a**2 - 4, toy.prime) == -1


@named(*SMALL)
def test_all_points_of_small_curves(curve: Curve) -> None:
    """Counted one by one; `with_x` finds them all."""
    affine = list(filter(None, (points.with_x(curve, x) for x in range(curve.prime))))
    assert all(points.is_on(curve, *point) for point in affine)
    infinity = curve.form != "edwards"
    count = infinity + sum(1 if point.y == 0 else 2 for point in affine)
    assert count == curve.order * curve.cofactor


def test_the_multiples_of_a_small_curve_are_its_group() -> None:
    curve = curves.find("toy8")
    base = Affine(curve.x, curve.y)
    multiples = [points.multiply(curve, k, base) for k in range(curve.order)]
    assert len(set(multiples)) == curve.order
    for i, j in itertools.product(range(curve.order), repeat=2):
        wanted = multiples[(i + j) % curve.order]
        assert points.add(curve, multiples[i], multiples[j]) == wanted


@named(*WEIERSTRASS)
def test_a_line_meets_a_curve_three_times(curve: Curve) -> None:
    """P + Q, P and Q: the slope is not asked, the determinant is."""
    base = Affine(curve.x, curve.y)
    p = points.multiply(curve, 5, base)
    q = points.multiply(curve, curve.order // 3, base)
    r = points.negative(curve, points.add(curve, p, q))
    assert p and q and r
    turn = (q.x - p.x) * (r.y - p.y) - (r.x - p.x) * (q.y - p.y)
    assert turn % curve.prime == 0 and points.is_on(curve, *r)
    assert points.add(curve, points.multiply(curve, 7, base), p) == points.multiply(curve, 12, base)
    assert points.multiply(curve, -1, base) == (curve.x, curve.prime - curve.y)


@pytest.mark.parametrize("name", ["ed25519", "ed448", "babyjubjub", "toy16-twisted"])
def test_edwards_curves_add_as_others_do(name: str) -> None:
    """By the map to the Montgomery curve: u = (1 + y)/(1 - y), v = u/x."""
    curve, base = curves.find(name), Affine(curves.find(name).x, curves.find(name).y)
    p, a, d = curve.prime, curve.a, curve.d
    scale = int(4 * gmpy2.invert(a - d, p) % p)
    other = Curve(
        "", "montgomery", p, int(2 * (a + d) * gmpy2.invert(a - d, p) % p), scale, 0, 0, curve.order
    )

    def mapped(point: Affine) -> Affine:
        u = (1 + point.y) * gmpy2.invert(1 - point.y, p) % p
        return Affine(int(u), int(u * gmpy2.invert(point.x, p) % p))

    assert points.is_on(other, *mapped(base))
    for k in (1, 2, 3, 12345, curve.order - 2):
        product, wanted = points.multiply(curve, k, base), points.multiply(other, k, mapped(base))
        assert product is not None and mapped(product) == wanted
    assert points.add(curve, base, points.negative(curve, base)) is None
    assert points.add(curve, Affine(0, 1), base) == base


def rfc_7748(curve: Curve, k: int, u: int) -> int:
    """The ladder as RFC 7748, 5, writes it."""
    p, a24 = curve.prime, (curve.a - 2) // 4
    x2, z2, x3, z3 = 1, 0, u, 1
    for t in reversed(range(curve.bits)):
        if k >> t & 1:
            x2, x3, z2, z3 = x3, x2, z3, z2
        a, b, c, d = x2 + z2, x2 - z2, x3 + z3, x3 - z3
        e = a * a - b * b
        x2, z2 = a * a * b * b % p, e * (a * a + a24 * e) % p
        x3, z3 = (d * a + c * b) ** 2 % p, u * (d * a - c * b) ** 2 % p
        if k >> t & 1:
            x2, x3, z2, z3 = x3, x2, z3, z2
    return x2 * pow(z2, p - 2, p) % p


@given(st.integers(0, 2**16 - 1), st.integers(0, 2**16 - 1))
def test_multiples_of_x_are_those_of_the_ladder(k: int, u: int) -> None:
    curve = curves.find("toy16-montgomery")
    assert points.multiply_x(curve, k, u) == rfc_7748(curve, k, u % curve.prime)


def test_vectors_of_rfc_7748() -> None:
    for case in load("x_rfc7748")["tests"]:
        curve = curves.find(case["function"])
        k, u, out = (
            int.from_bytes(bytes.fromhex(case[key]), "little") for key in ("k", "u", "out")
        )
        if curve.name == "curve25519":
            k, u = k & ~7 & ~(1 << 255) | 1 << 254, u & (1 << 255) - 1
        else:
            k = k & ~3 | 1 << 447
        assert points.multiply_x(curve, k, u) == out


def test_vectors_of_cavp() -> None:
    """Z is right where the point is, but for those whose Z was changed on purpose."""
    bad = 0
    for case in load("ecdh")["tests"]:
        curve = curves.find(case["curve"])
        d, x, y, z = (int(case[key], 16) for key in ("d", "qx", "qy", "z"))
        if not points.is_on(curve, x, y):
            assert case["result"].startswith("F")
            bad += 1
            continue
        product = points.multiply(curve, d, Affine(x, y))
        assert product is not None
        assert (product.x == z) == ("changed" not in case["result"]), case
    assert bad > 0


def test_names_and_aliases() -> None:
    names = [name for curve in curves.every() for name in (curve.name, *curve.aliases)]
    assert len(names) == len(set(names))
    assert all(name == name.lower() for name in names)
    assert curves.find("X25519") is curves.find("curve25519")
    assert curves.find("P-256").prime == moduli.find("p256").value
    assert str(curves.find("secp256r1")) == "p256"
    assert [curve.name for curve in curves.within(256)][:2] == ["p256", "secp256k1"]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("p265", "did you mean p256"),
        ("brainpool256r1", "brainpoolp256r1"),
        ("x25591", "x25519"),
        ("nothing like it", "there are p192"),
        ("", "there are p192"),
        ("0x61", "no such curve"),
    ],
)
def test_what_is_no_curve_is_refused_with_a_remedy(name: str, says: str) -> None:
    with pytest.raises(SpecError) as caught:
        curves.find(name)
    assert says in caught.value.message
    assert caught.value.key == "curve"
