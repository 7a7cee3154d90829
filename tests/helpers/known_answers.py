"""Programs of the engine with the numbers that they are known to give."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from modmul import multipliers
from modmul.processors.engine import library, stored
from modmul.processors.engine.assembler import Image, assemble
from modmul.processors.engine.engine import Engine
from modmul.processors.engine.operation import Result, run

VECTORS = Path(__file__).parents[1] / "processors" / "engine" / "vectors"
_BRAINPOOL = (160, 192, 224, 256, 320, 384, 512)
CURVES = {
    "P-192": "p192",
    "P-224": "p224",
    "P-256": "p256",
    "P-384": "p384",
    "P-521": "p521",
    "SM2": "sm2",
    "BN254": "bn254",
    "BLS12-381-G1": "bls12-381",
    "secp256k1": "secp256k1",
    **{f"brainpoolP{bits}r1": f"brainpoolp{bits}r1" for bits in _BRAINPOOL},
}
Point = tuple[int, int] | None


def load(name: str) -> Any:
    return json.loads((VECTORS / f"{name}.json").read_text())


@cache
def image(program: str, architecture: str = "fpmm", width: int = 0) -> Image:
    """A program in words, on an engine with the default multiplier of that width."""
    multiplier = multipliers.find(architecture)(width=width or library.entry(program).width)
    return assemble(library.find(program), Engine(multiplier), stored.schedule)


class AffineCurve(NamedTuple):
    """y^2 = x^3 + ax + b over GF(p), order n: affine, to compare with."""

    p: int
    a: int
    b: int
    gx: int
    gy: int
    n: int

    @property
    def ba(self) -> int:
        """4b/a, a constant of the ladder; 0 if a is 0."""
        return 4 * self.b * pow(self.a, -1, self.p) % self.p if self.a else 0

    def on(self, x: int, y: int) -> bool:
        return (y * y - x**3 - self.a * x - self.b) % self.p == 0

    def add(self, some: Point, other: Point) -> Point:
        if some is None or other is None:
            return some or other
        if some[0] == other[0] and (some[1] + other[1]) % self.p == 0:
            return None
        if some == other:
            slope = (3 * some[0] ** 2 + self.a) * pow(2 * some[1], -1, self.p)
        else:
            slope = (other[1] - some[1]) * pow(other[0] - some[0], -1, self.p)
        x = (slope * slope - some[0] - other[0]) % self.p
        return x, (slope * (some[0] - x) - some[1]) % self.p

    def times(self, k: int, point: Point) -> Point:
        multiple: Point = None
        for bit in f"{k:b}":
            multiple = self.add(multiple, multiple)
            if bit == "1":
                multiple = self.add(multiple, point)
        return multiple


@cache
def curve(name: str) -> AffineCurve:
    """A curve of curves.json by its name there."""
    given = load("curves")["weierstrass"][name]
    return AffineCurve(*(int(given[key], 16) for key in AffineCurve._fields))


def multiply(
    name: str,
    method: str,
    k: int,
    point: tuple[int, int],
    lam: int = 1,
    *,
    architecture: str = "fpmm",
    width: int = 0,
) -> Result:
    """k times a point by the program CURVE-METHOD (`ladder`, `complete`)."""
    program = image(f"{CURVES[name]}-{method}", architecture, width)
    return multiplied(program, curve(name), k, point, lam)


def multiplied(
    program: Image, c: AffineCurve, k: int, point: tuple[int, int], lam: int = 1
) -> Result:
    """k times a point by a program for one curve or for any."""
    values = {
        "a": c.a,
        "b": c.b,
        "b3": 3 * c.b % c.p,
        "ba": c.ba,
        "x": point[0],
        "y": point[1],
        "lam": lam,
        "k": k,
        "n": c.n,
        "bits": c.n.bit_length(),
    }
    return run(program, c.p, values)


def x_values(function: str, k: str, u: str) -> Mapping[str, int]:
    """Scalar and coordinate of X25519 or X448 from their strings of bytes."""
    scalar, point = (int.from_bytes(bytes.fromhex(text), "little") for text in (k, u))
    if function == "X25519":
        low = (1 << 255) - 1
        point = (point & low) % (2**255 - 19)
        k = scalar & ~7 & low | 1 << 254
        return {"a24": 121665, "u": point, "k": k, "lam": 1 + k % 1000}
    k = scalar & ~3 | 1 << 447
    return {"a24": 39081, "u": point % (2**448 - 2**224 - 1), "k": k, "lam": 1 + k % 1000}


def x_tests(function: str) -> Iterator[tuple[Mapping[str, int], int]]:
    """Values and answer of each vector of a function."""
    for test in load("x_rfc7748")["tests"]:
        if test["function"] == function:
            answer = int.from_bytes(bytes.fromhex(test["out"]), "little")
            yield x_values(function, test["k"], test["u"]), answer


def kummer_values(full: bool) -> dict[str, int]:
    """The constants of the surface of kummer.json; scaled so that the first of each set is 1."""
    p, mu = 2**127 - 1, load("kummer")["squared_thetas"]

    def inverted(x: int, y: int, z: int, t: int) -> list[int]:
        products = [y * z * t, x * z * t, x * y * t, x * y * z]
        factor = 1 if full else pow(products[0], -1, p)
        return [product * factor % p for product in products]

    dual = [
        sum(sign * theta for sign, theta in zip(signs, mu, strict=True))
        for signs in ((1, 1, 1, 1), (1, 1, -1, -1), (1, -1, 1, -1), (1, -1, -1, 1))
    ]
    assert dual == load("kummer")["dual"]
    sets = {"m": [theta % p for theta in mu], "h": inverted(*dual), "i": inverted(*mu)}
    return {
        f"{name}{place}": constant
        for name, several in sets.items()
        for place, constant in enumerate(several, 1)
    }


def kummer_tests(full: bool) -> Iterator[tuple[dict[str, int], tuple[int, ...]]]:
    """Base point and scalar, and the answer, of each vector.  full: for the program that takes 126
    and 125 bits, else twice 125."""
    given = load("kummer")
    names, low = ("x", "y", "z") if full else ("xy", "xz", "xt"), 125
    for test in given["tests"]:
        base = [int(coordinate, 16) for coordinate in given["base_points"][test["base"]]]
        k = int(test["k"], 16)
        values = dict(zip(names, base, strict=True)) | {"lam": 1 + k % 1000, "mu": 5}
        values |= {"k1": k >> low, "k0": k & (2 << low) - 1}
        yield values, tuple(int(coordinate, 16) for coordinate in test["out"])


class Edwards(NamedTuple):
    """ax^2 + y^2 = 1 + dx^2y^2 over GF(p), affine."""

    p: int
    a: int
    d: int
    gx: int
    gy: int
    n: int

    def add(self, some: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
        (x1, y1), (x2, y2), p = some, other, self.p
        e = self.d * x1 * x2 * y1 * y2
        return (
            (x1 * y2 + y1 * x2) * pow(1 + e, -1, p) % p,
            (y1 * y2 - self.a * x1 * x2) * pow(1 - e, -1, p) % p,
        )

    def times(self, k: int, point: tuple[int, int]) -> tuple[int, int]:
        multiple = (0, 1)
        for bit in f"{k:b}":
            multiple = self.add(multiple, multiple)
            if bit == "1":
                multiple = self.add(multiple, point)
        return multiple


@cache
def edwards(name: str) -> Edwards:
    given = load("curves")["edwards"][name]
    return Edwards(*(int(given[key], 16) for key in Edwards._fields))


def seeded(text: str) -> random.Random:
    return random.Random(text)
