"""Curves in specifications, and the emitted Verilog on curves: what users meet."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from modmul.arithmetic import curves, own_curves, points
from modmul.arithmetic.oracle import OracleQuery, right
from modmul.errors import SpecError
from modmul.spec import Spec
from modmul.verification import replay
from modmul.verification.processors import plan
from modmul.verification.simulation import simulate

OPTIONS = {"architecture": "curve", "multiplier": "fpmm", "width": 64, "schemes": "none"}
TOY = curves.find("toy64")
BASE = {"x": TOY.x, "y": TOY.y}


def test_a_curve_is_a_key_of_a_spec() -> None:
    spec = Spec.from_options({"architecture": "curve", "multiplier": "fpmm", "curve": "P-256"})
    assert spec.design.width == 256 and spec.curve is curves.find("p256")
    assert str(spec.modulus) == "p256"
    assert spec.headline.name == "point-multiply-p256-256-bits"
    options = spec.options()
    assert (options["curve"], options["modulus"]) == ("p256", "p256")
    assert Spec.from_options(options) == spec
    assert Spec.from_options(OPTIONS).options()["curve"] is None
    inverting = Spec.from_options({**OPTIONS, "modulus": "0x65"})
    assert inverting.headline.operation == "invert"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"curve": "p265"}, "did you mean p256"),
        ({"curve": 5}, "no such curve"),
        ({"curve": "p256"}, "must be of at most 64 bits"),
        ({"curve": "toy64", "modulus": "p192"}, "the curve toy64 has its own"),
        ({"modulus": "x^3+x+1"}, "not polynomials over GF"),
        ({"architecture": "exponentiation", "curve": "p256"}, "one of curve"),
        ({"architecture": "fpmm", "multiplier": None, "curve": "p256"}, "one of curve"),
    ],
)
def test_curves_that_cannot_be(options: dict[str, Any], says: str) -> None:
    with pytest.raises(SpecError, match=says):
        Spec.from_options({**OPTIONS, **options})


def test_operations_on_several_curves() -> None:
    """Each line names its curve; numbers and flags come back."""
    spec, order = Spec.from_options(OPTIONS), TOY.order
    lines = [
        {"curve": "toy64", "scalar": 1234, **BASE},
        {"curve": "toy64", "scalar": order - 1, **BASE},
        {"curve": "toy64-long", "scalar": 2, "x": 1, "y": 0x3AD301C032DFBF9F},
    ]
    simulated = simulate(spec, lines, operation="point-multiply")
    assert [line.faults for line in simulated] == [[]] * 3
    assert [set(line.result or ()) for line in simulated] == [
        {"x", "y"},
        {"exceptional"},
        {"x", "y"},
    ]
    assert msgspec.json.encode(simulated[1].line).startswith(b'{"result":{"exceptional":true},')
    mine = Spec.from_options({**OPTIONS, "curve": "toy64"})
    checks = simulate(mine, [BASE, {"x": 1, "y": 1}], operation="point-check")
    assert [check.result for check in checks] == [{"valid": True}, {"valid": False}]
    inverse = simulate(Spec.from_options({**OPTIONS, "modulus": 101}), [{"value": 2}])
    assert inverse[0].result == {"inverse": 51}


def test_an_edwards_curve_with_any_square() -> None:
    """One whose a is neither 1 nor -1, multiplied by affine formulas."""
    curve = own_curves.parse("edwards p=103 a=2 d=3 x=99 y=4 n=29 h=4")
    options = {**OPTIONS, "width": 32, "forms": "edwards", "verification": False}
    spec = Spec.from_options({**options, "curve": own_curves.written(curve)})
    some = filter(None, (points.with_x(curve, x) for x in range(0, 103, 9)))
    lines = [
        {"scalar": scalar, **point._asdict()}
        for scalar, point in zip((0, 1, 2, 28, 29, 127), some, strict=False)
    ]
    for asked, line in zip(lines, simulate(spec, lines, operation="point-multiply"), strict=True):
        wanted = right(OracleQuery("point-multiply", asked, curve.prime, curve=curve))
        assert (line.result, line.faults) == (wanted, [])


def test_a_base_point_with_x_0() -> None:
    """Signatures, what is shared and multiples, by affine formulas."""
    curve = curves.find("toy16-zero")
    options = {**OPTIONS, "width": 32, "forms": "weierstrass", "verification": False}
    spec = Spec.from_options({**options, "schemes": "ecdsa", "curve": "toy16-zero"})
    point, n = {"x": 0, "y": curve.y}, curve.order
    asked: dict[str, list[dict[str, int]]] = {
        "point-multiply": [{"scalar": scalar, **point} for scalar in (2, 3, 12345, n - 3)],
        "ecdh": [{"private": private, **point} for private in (1, 2, 12345, n - 2, n - 1)],
        "ecdsa-sign": [{"digest": 7, "private": 9, "nonce": nonce} for nonce in (1, 4321, n - 1)],
    }
    for operation, lines in asked.items():
        for given, line in zip(lines, simulate(spec, lines, operation=operation), strict=True):
            wanted = right(OracleQuery(operation, given, curve.prime, curve=curve))
            assert (line.result, line.faults) == (wanted, [])


@pytest.mark.long
def test_four_multiplications_on_two_multipliers() -> None:
    """Each with an adder, registers and a port of its own; all results are read by one host."""
    options = {"units": 2, "ports": 2, "batch": 4, "forms": "weierstrass", "verification": False}
    spec = Spec.from_options({**OPTIONS, **options, "curve": "toy64"})
    four = {
        f"{name}{suffix}": value for suffix in ("", "2", "3", "4") for name, value in BASE.items()
    }
    lines = [
        four | {"scalar": 1234, "scalar2": 77, "scalar3": 99999, "scalar4": last}
        for last in (5, TOY.order - 2)
    ]
    right, lost = simulate(spec, lines, operation="point-multiply-four")
    assert right.faults == lost.faults == []
    assert len(right.result or ()) == 8 and lost.result == {"exceptional": True}


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"scalar": 1, **BASE}, "modulus or curve is missing"),
        ({"curve": "toy64", "modulus": 101, "scalar": 1, **BASE}, "absent where a curve is given"),
        ({"curve": "toy46", "scalar": 1, **BASE}, "did you mean toy64"),
        ({"curve": "toy64", "scalar": TOY.order, **BASE}, "scalar = 0xf+4110c1d: must be below"),
        ({"curve": "toy64", "scalar": 1, "x": 1, "y": 1}, "is not on toy64"),
        ({"modulus": 101, "scalar": 1, **BASE}, "must be one of invert"),
    ],
)
def test_lines_that_cannot_be(given: dict[str, Any], says: str) -> None:
    with pytest.raises(SpecError, match=says):
        simulate(Spec.from_options(OPTIONS), [given], operation="point-multiply")


@pytest.mark.long
def test_batches_of_curves_and_their_files(tmp_path: Any) -> None:
    """Every task of the plan can be written and read again, curves by their names."""
    from modmul.export.hdl import Hdl
    from modmul.verification.processors.trial import OperationTrial
    from modmul.verification.verdict import Verdict

    spec = Spec.from_options({**OPTIONS, "curve": "toy64"})
    trial = OperationTrial(spec, Hdl("", {}, ()))
    seen = set()
    for task in plan.tasks(spec.processor, spec.modes, 20):
        request = trial.request(3, task)
        assert request.jobs and request == trial.request(3, task)
        for batch in request.batches:
            assert all(job.modulus == batch.modulus for job in batch.jobs)
            assert all(job.mode.curve in (None, batch.curve) for job in batch.jobs)
        seen |= {(job.mode.operation, task.part) for job in request.jobs}
        replay.write(tmp_path / "case.json", spec, False, request, Verdict(), 0)
        again = replay.read(tmp_path / "case.json")
        assert again.request(0) == request and again.spec == spec
    assert {operation for operation, _ in seen} == {
        operation
        for form in curves.ELLIPTIC
        for operation in spec.processor.programs.operations(form)
    }
