"""Known answers on the simulated Verilog: every vector of ECDSA, ECDH, SM2, EdDSA, X25519 and X448
over GF(p), and all curves of standards with scalars at their ends, on processors of the curves'
widths."""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest

from known_answers import load
from known_signatures import NAMES, known
from modmul.arithmetic import curves
from modmul.arithmetic.curves import Curve
from modmul.arithmetic.oracle import OracleQuery, right
from modmul.spec import Spec
from modmul.verification.simulation import simulate

pytestmark = [pytest.mark.timeout(1800), pytest.mark.long]
STANDARD = tuple(
    curve for curve in curves.every() if curve.source and curve.form in curves.ELLIPTIC
)


@cache
def spec(curve: Curve, formulas: str) -> Spec:
    """Of as many bits as the curve, but 256 for all from 224 to 256, so that they share one."""
    width = 256 if 224 <= curve.bits <= 256 else curve.bits
    return Spec.from_options(
        {
            "architecture": "curve",
            "multiplier": "fpmm",
            "width": width,
            "formulas": formulas,
            "curve": curve,
        }
    )


def answers(
    curve: Curve, operation: str, lines: list[Mapping[str, int]], formulas: str = "ladder"
) -> list[Mapping[str, Any]]:
    simulated = simulate(spec(curve, formulas), lines, operation=operation)
    assert [line.faults for line in simulated] == [[]] * len(lines)
    return [line.result or {} for line in simulated]


def expected(curve: Curve, operation: str, line: Mapping[str, int]) -> Mapping[str, Any]:
    return right(OracleQuery(operation, line, curve.prime, curve=curve))


@pytest.mark.parametrize("formulas", ["ladder", "complete"])
@pytest.mark.parametrize(
    "name", list(dict.fromkeys(case["curve"] for case in load("ecdh")["tests"]))
)
def test_ecdh(name: str, formulas: str) -> None:
    """Points that are none are found by point-check, coordinates beyond the prime by the host."""
    curve = curves.find(name)
    told = [case for case in load("ecdh")["tests"] if case["curve"] == name]
    inside = [max(int(case["qx"], 16), int(case["qy"], 16)) < curve.prime for case in told]
    assert all(
        good or case["result"].startswith("F") for case, good in zip(told, inside, strict=True)
    )
    tests = [case for case, good in zip(told, inside, strict=True) if good]
    points = [{"x": int(case["qx"], 16), "y": int(case["qy"], 16)} for case in tests]
    valid = [answer["valid"] for answer in answers(curve, "point-check", points, formulas)]
    chosen = [(test, point) for test, point, good in zip(tests, points, valid, strict=True) if good]
    lines = [{"scalar": int(test["d"], 16) % curve.order, **point} for test, point in chosen]
    answered = answers(curve, "point-multiply", lines, formulas)
    for (test, _), answer in zip(chosen, answered, strict=True):
        assert (answer["x"] == int(test["z"], 16)) == ("changed" not in test["result"])
    assert all(
        good or test["result"].startswith("F") for test, good in zip(tests, valid, strict=True)
    )


@pytest.mark.parametrize("name", NAMES)
def test_schemes(name: str) -> None:
    """ECDSA, ECDH, SM2 and EdDSA."""
    curve = curves.find(name)
    for operation in dict.fromkeys(case.operation for case in known(curve)):
        asked = [case for case in known(curve) if case.operation == operation]
        results = answers(curve, operation, [case.operands for case in asked])
        assert results == [case.result for case in asked]


@pytest.mark.parametrize("function", ["X25519", "X448"])
def test_rfc_7748(function: str) -> None:
    curve = curves.find(function)
    lines, wanted = [], []
    for case in load("x_rfc7748")["tests"]:
        if case["function"] == function:
            k, u, out = (
                int.from_bytes(bytes.fromhex(case[key]), "little") for key in ("k", "u", "out")
            )
            clamped = k & ~7 & ~(1 << 255) | 1 << 254 if curve.bits == 255 else k & ~3 | 1 << 447
            lines.append({"scalar": clamped, "u": u & (1 << curve.bits) - 1})
            wanted.append({"u": out})
    assert answers(curve, "x-multiply", lines) == wanted


@pytest.mark.parametrize("formulas", ["ladder", "complete"])
@pytest.mark.parametrize(
    "curve",
    [curve for curve in STANDARD if curve.form != "montgomery"],
    ids=lambda curve: curve.name,
)
def test_every_curve(curve: Curve, formulas: str) -> None:
    """Scalars at their ends and any, sums of equal and opposite points, two multiplications."""
    rng, n, base = random.Random(curve.name), curve.order, {"x": curve.x, "y": curve.y}
    lines = [{"scalar": k, **base} for k in (0, 1, 2, n - 3, n - 2, n - 1, rng.randrange(n))]
    ladder = formulas == "ladder" and curve.form == "weierstrass"
    for line, answer in zip(lines, answers(curve, "point-multiply", lines, formulas), strict=True):
        ends = ladder and line["scalar"] in (0, 1, n - 2, n - 1)
        wanted = {"exceptional": True} if ends else expected(curve, "point-multiply", line)
        assert answer == wanted
    opposite = expected(curve, "point-multiply", {"scalar": n - 1, **base})
    for operation, several in {
        "point-add": [{}],
        "double-multiply": [{"scalar": rng.randrange(n), "scalar2": n - 1}],
    }.items():
        asked = [
            {**base, "x2": point["x"], "y2": point["y"], **more}
            for point in (base, opposite)
            for more in several
        ]
        told = answers(curve, operation, asked, formulas)
        assert told == [expected(curve, operation, line) for line in asked]
