"""Curves by their parameters: what is read is what was written, and what is no curve is refused."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from modmul.arithmetic import curves, own_curves, points
from modmul.arithmetic.curves import Curve
from modmul.errors import SpecError
from openssl_command import curves as known
from openssl_command import explicit

ELLIPTIC = [
    pytest.param(curve, id=curve.name, marks=() if curve.bits < 200 else pytest.mark.long)
    for curve in curves.every()
    if curve.form != "kummer"
]
FEW = {"prime256v1", "secp160k1", "brainpoolP160t1", "sect113r1", "sect163k1", "c2pnb176v1"}
OWN = "weierstrass p=0xf1 a=-3 b={b} x={x} y={y} n={n}"


def small() -> Curve:
    """y^2 = x^3 - 3x + b over GF(241) with a prime number of points, counted."""
    for b in range(3, 241):
        points = [
            (x, y) for x in range(241) for y in range(241) if (y * y - x**3 + 3 * x - b) % 241 == 0
        ]
        order = len(points) + 1
        if order != 241 and all(order % factor for factor in range(2, 17)):
            x, y = next(point for point in points if point[1])
            return own_curves.parse(OWN.format(b=b, x=x, y=y, n=order))
    raise AssertionError


@pytest.mark.parametrize("curve", ELLIPTIC)
def test_parameters_of_a_named_curve_name_it(curve: Curve) -> None:
    text = own_curves.written(replace(curve, source=own_curves.SOURCE))
    assert own_curves.parse(text) is curve
    assert own_curves.parse(curve.name.upper()) is curve
    assert own_curves.written(curve) == curve.name


def test_a_curve_of_ones_own() -> None:
    """The cofactor follows; the name depends on the parameters alone."""
    curve = small()
    assert curve.cofactor == 1 and curve.name.startswith("own-")
    text = own_curves.written(curve)
    assert own_curves.parse(text) == curve
    assert own_curves.parse(text.replace(f"p={curve.prime:#x}", "p=241")) == curve
    other = points.multiply(curve, 2, points.Affine(curve.x, curve.y))
    assert other is not None
    moved = own_curves.written(replace(curve, x=other.x, y=other.y))
    assert own_curves.parse(moved).name != curve.name


def test_files(tmp_path: Path) -> None:
    """In writing over several lines, and in TOML; relative to a folder."""
    curve = small()
    (tmp_path / "line").write_text(own_curves.written(curve).replace(" ", "\n"))
    members = own_curves.written(curve).split()
    rows = [member.replace("=", ' = "', 1) + '"' for member in members[1:]]
    (tmp_path / "curve.toml").write_text("\n".join([f'form = "{members[0]}"', *rows]))
    for name in ("line", "curve.toml"):
        assert own_curves.parse(f"@{name}", tmp_path) == curve
        assert own_curves.parse(f"@{tmp_path / name}") == curve


@pytest.mark.skipif(not known() >= FEW, reason="no command openssl with curves over GF(2^m)")
@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.long)])
def test_explicit_parameters_of_openssl(every: bool, tmp_path: Path) -> None:
    """All curves that it knows, with those over fields of even degree, and the two of Oakley, whose
    orders are no primes."""
    for name in sorted(known() if every else FEW):
        curve = own_curves.parse(f"@{explicit(name, tmp_path)}")
        named = curves.known(name)
        assert named is None or named is curve
    (tmp_path / "named.pem").write_bytes(
        subprocess.run(
            ["openssl", "ecparam", "-name", "prime256v1"], capture_output=True, check=True
        ).stdout
    )
    with pytest.raises(SpecError, match="no explicit parameters: write them by"):
        own_curves.parse("@named.pem", tmp_path)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"p": "0xf2"}, "p = 0xf2 must be a prime"),
        ({"p": "p257"}, "curve = weierstrass p=p257 .* p = p257: no such modulus"),
        ({"p": ""}, "p =  must be a number"),
        ({"a": "0", "b": "0"}, "must not be 0"),
        ({"b": None}, "b is missing; weierstrass has p, a, b, x, y, n and h"),
        ({"c": "1"}, "there is no c"),
        ({"x": "0xf1"}, "x = 0xf1 is not below p"),
        ({"x": "-1"}, "x = -0x1 is not below p"),
        ({"y": "0"}, "is not on y.2 = "),
        ({"n": "15"}, "n = 0xf must be an odd prime"),
        ({"n": "13"}, "n is not the order of"),
        ({"n": "307"}, "n is above the most points"),
        ({"h": "2"}, "h must be from 1 to 1, by Hasse's bound"),
        ({"n": "many"}, "n = many must be a number"),
        ({"b": ""}, "b =  must be a number"),
    ],
)
def test_what_is_no_curve_is_refused(change: dict[str, str | None], says: str) -> None:
    members = dict(member.split("=") for member in own_curves.written(small()).split()[1:])
    members |= {key: str(value) for key, value in change.items()}
    members = {key: value for key, value in members.items() if value != "None"}
    text = " ".join(["weierstrass", *(f"{key}={value}" for key, value in members.items())])
    with pytest.raises(SpecError, match=says):
        own_curves.parse(text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("hesse p=7 a=1", "its form must be one of weierstrass, edwards, montgomery, binary"),
        ("weierstrass p=7 p=7", "p=7 is not a new key=value"),
        ("weierstrass p=7 odd", "odd is not a new key=value"),
        ("edwards p=13 a=2 d=1 x=0 y=1 n=3", "a must be a square, d must be none"),
        ("montgomery p=13 a=2 x=0 y=0 n=3", "a.2 must not be 4"),
        ("binary p=x^4+x^2+1 a=1 b=1 x=0 y=1 n=3", "irreducible polynomial of degree 3 or more"),
        ("binary p=x^5+x^2+1 a=1 b=1 x=0 y=1 n=4", "n = 0x4 must be an odd prime, or, for points"),
        ("binary p=x^5+x^2+1 a=1 b=1 x=0 y=1 n=35", "n = 0x23|n is not the order|Hasse"),
        ("binary p=x^5+x^2+1 a=1 b=0 x=0 y=1 n=3", "b must not be 0"),
        ("binary p=@x^5 a=1 b=1 x=0 y=1 n=3", "p = @x.5 must be a number|polynomial"),
        ("binary p=x^5+ a=1 b=1 x=0 y=1 n=3", "curve = .*: p = x.5.: a term is missing"),
        ("binary p=x^2001+1 a=1 b=1 x=0 y=1 n=3", "p has 2002 bits: must have at most 1024"),
        (f"weierstrass p={2**1279 - 1} a=1 b=1 x=0 y=1 n=3", "p has 1279 bits: must have at most"),
        ("weierstrass p = 7", "= is not|=value|is not a new"),
        ("p265", "did you mean p256"),
    ],
)
def test_what_is_none_in_writing(text: str, says: str) -> None:
    with pytest.raises(SpecError, match=says) as caught:
        own_curves.parse(text)
    assert caught.value.key == "curve"


def test_files_that_hold_none(tmp_path: Path) -> None:
    rest = "a = 1\nb = 1\nx = 0\ny = 1\nn = 3"
    for content, says in {
        "@other": "holds no curve",
        "no curve": "is no TOML",
        "x" * 70_000: "holds no curve",
        "form = 1": "its form must be one of",
        "form = []": "its form must be one of",
        "form = {}": "its form must be one of",
        'form = "weierstrass"\np = [1]': "is missing",
        f'form = "weierstrass"\np = [1]\n{rest}': "curve = @file: p = .1. must be a number",
        f'form = "binary"\np = true\n{rest}': "curve = @file: p = True must be a number",
    }.items():
        (tmp_path / "file").write_text(content)
        with pytest.raises(SpecError, match=says) as caught:
            own_curves.parse("@file", tmp_path)
        assert caught.value.key == "curve"
    with pytest.raises(SpecError, match="cannot read .*nothing"):
        own_curves.parse("@nothing", tmp_path)
