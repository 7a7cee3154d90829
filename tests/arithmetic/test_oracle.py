"""The oracle against arithmetic that shares nothing with it: repeated products by hand, `binary`,
and its own two ways of telling a wrong product."""

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modmul.arithmetic import binary, curves, oracle
from modmul.arithmetic.congruence import incongruent, unlike_sums
from modmul.arithmetic.moduli import Field
from modmul.arithmetic.oracle import ORACLES, OracleQuery, right

numbers = st.integers(0, 2**70) | st.integers(2**250, 2**260)
odd = st.integers(1, 2**80).map(lambda a: 2 * a + 1)
fields = st.sampled_from(["prime", "binary"])


@given(numbers, numbers, odd, st.integers(1, 100), fields)
def test_products(a: int, b: int, modulus: int, bits: int, field: Field) -> None:
    """A residue is below N (below x^deg N) and times R it is a*b; by `binary` over GF(2)."""
    factor = 1 << bits
    residue = right(OracleQuery("multiply", {"a": a, "b": b}, modulus, field, factor))["residue"]
    if field == "binary":
        assert residue == binary.BinaryMontgomery(modulus, factor).product(a, b)
    else:
        assert 0 <= residue < modulus and (residue * factor - a * b) % modulus == 0
    square = OracleQuery("square", {"a": a}, modulus, field, factor)
    assert right(square) == right(square._replace(operation="multiply", operands={"a": a, "b": a}))


@given(numbers, numbers)
def test_plain_products_have_no_residue(a: int, b: int) -> None:
    assert right(OracleQuery("multiply", {"a": a, "b": b}, 0)) == {"product": a * b}


@given(numbers, numbers, odd)
def test_sums(a: int, b: int, modulus: int) -> None:
    for operation, term in (("add", b), ("subtract", -b)):
        residue = right(OracleQuery(operation, {"a": a, "b": b}, modulus))["residue"]
        assert 0 <= residue < modulus and (a + term - residue) % modulus == 0
        values = [residue, residue + 1, residue + modulus]
        assert unlike_sums([(a, term)] * 3, values, modulus) == [1]


@given(numbers, st.integers(0, 300), odd, fields)
def test_powers_by_products(base: int, exponent: int, modulus: int, field: Field) -> None:
    wanted = 1
    for _ in range(exponent):
        if field == "binary":
            wanted = binary.product(wanted, base, modulus)
        else:
            wanted = wanted * base % modulus
    asked = OracleQuery("exponentiate", {"base": base, "exponent": exponent}, modulus, field)
    assert right(asked) == {"power": wanted}


@given(numbers, numbers, odd, st.integers(1, 100), fields, st.integers(0, 80))
def test_a_wrong_bit_is_incongruent(
    a: int, b: int, modulus: int, bits: int, field: Field, place: int
) -> None:
    """A value that is not reduced is none: N added, or N times a power of x."""
    factor = 1 << bits
    value = right(OracleQuery("multiply", {"a": a, "b": b}, modulus, field, factor))["residue"]
    unreduced = value ^ modulus << place if field == "binary" else value + modulus
    values = [value, value ^ 1 << place, unreduced]
    assert incongruent([(a, b)] * 3, values, modulus, field, factor) == [1]


def test_plain_products_that_are_wrong() -> None:
    assert incongruent([(3, 5), (3, 5)], [15, 16], 0) == [1]


def test_points() -> None:
    """The point's affine formulas have tests of their own (`test_curves`)."""
    curve = curves.find("toy8")

    def asked(operation: str, **operands: int) -> dict[str, int]:
        return right(OracleQuery(operation, operands, curve.prime, curve=curve))

    base = {"x": curve.x, "y": curve.y}
    assert asked("point-multiply", scalar=1, **base) == base
    last = base | {"y": curve.prime - curve.y}
    assert asked("point-multiply", scalar=curve.order - 1, **base) == last
    assert asked("point-multiply", scalar=curve.order, **base) == {"infinity": True}
    assert asked("point-check", **base) == {"valid": True}
    assert asked("point-check", x=curve.x, y=curve.y + 1) == {"valid": False}
    curve = curves.find("curve25519")
    assert asked("x-multiply", scalar=1, u=9) == {"u": 9}
    assert asked("x-multiply", scalar=8 * curve.order, u=9) == {"u": 0}


@given(st.sampled_from([251, 65519, 2**255 - 19]), numbers)
def test_inverses(prime: int, value: int) -> None:
    inverse = right(OracleQuery("invert", {"value": value}, prime))["inverse"]
    assert 0 <= inverse < prime and inverse * value % prime == (1 if value % prime else 0)


def test_what_cannot_be_asked() -> None:
    with pytest.raises(KeyError):
        right(OracleQuery("divide", {"a": 1, "b": 2}, 7))
    with pytest.raises(KeyError):
        right(OracleQuery("multiply", {"a": 1}, 7))
    for field in ("prime", "binary"):
        with pytest.raises(ZeroDivisionError):
            right(OracleQuery("multiply", {"a": 1, "b": 1}, 12, field, 4))  # type: ignore[arg-type]


def test_it_shares_nothing_with_golden_models() -> None:
    """Of the package it knows the names of fields and of curves, and what knows nothing else."""
    known = set()
    modules = (
        "oracle",
        "congruence",
        "binary_congruence",
        "points",
        "binary_points",
        "signatures",
        "surfaces",
    )
    for module in modules:
        text = Path(oracle.__file__).with_name(f"{module}.py").read_text()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("modmul"):
                known |= {(str(node.module), alias.name) for alias in node.names}
    assert known == {
        ("modmul.arithmetic.moduli", "Field"),
        ("modmul.arithmetic.binary_congruence", "congruent"),
        ("modmul.arithmetic.curves", "Curve"),
        ("modmul.arithmetic", "points"),
        ("modmul.arithmetic.keys", "Key"),
        ("modmul.arithmetic", "surfaces"),
        ("modmul.arithmetic", "signatures"),
        ("modmul.arithmetic", "binary_points"),
        *(
            ("modmul.arithmetic.points", name)
            for name in ("Affine", "Point", "add", "is_on", "multiply", "negative")
        ),
    }
    assert set(ORACLES) == {
        "multiply",
        "square",
        "add",
        "subtract",
        "exponentiate",
        "point-multiply",
        "x-multiply",
        "point-check",
        "invert",
        "double-multiply",
        "point-add",
        "point-multiply-pair",
        "x-multiply-pair",
        "wrapped-multiply",
        "wrapped-multiply-pair",
        "point-multiply-four",
        "x-multiply-four",
        "private",
        "public",
        "ecdsa-sign",
        "ecdsa-verify",
        "ecdh",
        "sm2-sign",
        "sm2-verify",
        "sm2-exchange",
        "sm2-encrypt",
        "sm2-decrypt",
        "eddsa-sign",
        "eddsa-verify",
    }
