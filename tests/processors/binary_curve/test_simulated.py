"""The emitted Verilog on binary curves: known answers, what users meet, and `verify`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from modmul.arithmetic import curves, points
from modmul.arithmetic.curves import Curve
from modmul.arithmetic.points import Affine
from modmul.errors import SpecError
from modmul.export.hdl import Hdl
from modmul.spec import Spec
from modmul.verification import replay
from modmul.verification.processors import plan
from modmul.verification.processors.trial import OperationTrial
from modmul.verification.simulation import simulate
from modmul.verification.verdict import Verdict

pytestmark = pytest.mark.timeout(1800)  # compiles, on a machine that may be busy
OPTIONS = {"architecture": "binary-curve", "multiplier": "fips"}
TESTS = json.loads((Path(__file__).parent / "vectors" / "ecdsa.json").read_text())["tests"]
STANDARD = [curve for curve in curves.every() if curve.form == "binary" and curve.source]


def answers(
    curve: Curve, operation: str, lines: list[dict[str, int]], **options: Any
) -> list[Mapping[str, Any]]:
    spec = Spec.from_options({**OPTIONS, "curve": curve.name, **options})
    simulated = simulate(spec, lines, operation=operation)
    assert [line.faults for line in simulated] == [[]] * len(lines)
    return [line.result or {} for line in simulated]


def signed(curve: Curve, test: Mapping[str, str]) -> dict[str, int]:
    digest = hashlib.new(test["hash"].replace("-", ""), bytes.fromhex(test["msg"])).digest()
    surplus = max(0, 8 * len(digest) - curve.order.bit_length())
    return {
        "digest": int.from_bytes(digest, "big") >> surplus,
        "private": int(test["d"], 16),
        "nonce": int(test["k"], 16),
    }


@pytest.mark.long
@pytest.mark.parametrize("curve", STANDARD, ids=lambda curve: curve.name)
def test_vectors(curve: Curve) -> None:
    """Signatures, and their verification, also of what is wrong in one thing."""
    of = [case for case in TESTS if curves.find(case["curve"]) == curve]
    lines = [signed(curve, case) for case in of]
    wanted = [{"r": int(case["r"], 16), "s": int(case["s"], 16)} for case in of]
    assert answers(curve, "ecdsa-sign", lines) == wanted
    keys = [points.multiply(curve, line["private"], Affine(curve.x, curve.y)) for line in lines]
    right = [
        {"digest": line["digest"], **signature, **key._asdict()}
        for line, signature, key in zip(lines, wanted, keys, strict=True)
        if key
    ]
    wrong = [
        {**line, name: line[name] ^ 1}
        for line, name in zip(right, ("r", "s", "digest", "y", "r", "s"), strict=True)
    ]
    valid = [answer["valid"] for answer in answers(curve, "ecdsa-verify", right + wrong)]
    assert valid == [True] * len(right) + [False] * len(wrong)


@pytest.mark.long
@pytest.mark.parametrize("target", ["generic", "ecp5", "xc7"])
@pytest.mark.parametrize(
    "options",
    [
        {"binary_square": "spread"},
        {"multipliers": 2},
        {"word": 64},
        {"units": 2, "ports": 1},
        {"stages": 3, "lookahead": 2},
        {"degrees": "any", "width": 284},
    ],
    ids=str,
)
def test_other_multipliers(target: str, options: dict[str, Any]) -> None:
    curve = curves.find("b233" if "width" in options else "k163")
    lines = [{"scalar": k, "x": curve.x, "y": curve.y} for k in (1, 12345, curve.order - 2)]
    wanted = [points.multiply(curve, line["scalar"], Affine(curve.x, curve.y)) for line in lines]
    products = answers(curve, "point-multiply", lines, target=target, **options)
    assert products == [point and point._asdict() for point in wanted]


def test_what_users_meet() -> None:
    spec = Spec.from_options({**OPTIONS, "curve": "K-163"})
    assert spec.design.width == 164 and str(spec.modulus) == "b163"
    assert spec.headline.name == "point-multiply-k163-163-bits"
    assert Spec.from_options(spec.options()) == spec
    toy = curves.find("toy17-binary")
    base = {"x": toy.x, "y": toy.y}
    two = [{"scalar": 0, **base}, {"scalar": 5, **base}]
    zero, five = answers(toy, "point-multiply", two, word=8)
    assert zero == {"infinity": True} and set(five) == {"x", "y"}
    inverse = simulate(
        Spec.from_options({**OPTIONS, "word": 8, "modulus": "x^17+x^3+1"}), [{"value": 2}]
    )
    assert inverse[0].result == {"inverse": 0x10004}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"curve": "p256"}, "curve = p256: must be a curve over GF.*; curve takes those over GF"),
        ({"curve": "b163", "architecture": "curve"}, "curve = b163: must .*; binary-curve takes"),
        ({"curve": "b163", "width": 163}, "its degree is 163: take width = 164"),
        ({"curve": "b163", "width": 234}, "take width = 164, or degrees = any"),
        ({"modulus": 101}, "must be a polynomial"),
        ({"curve": "b163", "multiplier": "fpmm"}, "fpmm"),
        ({"curve": "b163", "field": "prime"}, "polynomial|GF\\(2\\^m\\)"),
    ],
)
def test_specifications_that_cannot_be(options: dict[str, Any], says: str) -> None:
    with pytest.raises(SpecError, match=says):
        Spec.from_options({**OPTIONS, **options})


@pytest.mark.long  # `verify` simulates a small one below
@pytest.mark.parametrize("curve", STANDARD, ids=lambda curve: curve.name)
def test_one_field_on_a_multiplier_of_its_own(curve: Curve) -> None:
    """In the cycles that are declared."""
    spec = Spec.from_options({**SERIAL, "curve": curve.name})
    lines = [{"scalar": k, "x": curve.x, "y": curve.y} for k in (1, 12345, curve.order - 2)]
    wanted = [points.multiply(curve, line["scalar"], Affine(curve.x, curve.y)) for line in lines]
    simulated = simulate(spec, lines, operation="point-multiply")
    assert [line.faults for line in simulated] == [[]] * 3
    assert [line.result for line in simulated] == [point and point._asdict() for point in wanted]
    assert simulated[0].cycles == spec.processor.latency(spec.headline).maximum


@pytest.mark.parametrize("curve", STANDARD, ids=lambda curve: curve.name)
@pytest.mark.short("k163")
def test_one_field_takes_an_eighth_of_the_time(curve: Curve) -> None:
    """And less, by the same programs; nothing of the order is there."""
    spec = Spec.from_options({**SERIAL, "curve": curve.name})
    slower = Spec.from_options({**OPTIONS, "schemes": False, "curve": curve.name}).processor
    cycles = spec.processor.latency(spec.headline).maximum
    assert 7 * cycles < slower.latency(spec.headline).maximum
    texts = [design.programs.parsed["ladder-binary"].text for design in (spec.processor, slower)]
    assert texts[0] == texts[1]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({}, "name it"),
        ({"curve": "b163", "schemes": True}, "computes in GF\\(2\\^m\\) alone"),
        ({"curve": "p256"}, "takes polynomials over GF"),
    ],
)
def test_what_one_field_cannot_do(options: dict[str, Any], says: str) -> None:
    with pytest.raises(SpecError, match=says):
        Spec.from_options({**SERIAL, **options})
    processor = Spec.from_options({**SERIAL, "curve": "toy17-binary"}).processor
    with pytest.raises(SpecError, match="is made for 0x20009 alone"):
        processor.check_modulus(1 << 17 | 1 << 5 | 1, "binary", None)


@pytest.mark.long
def test_batches_of_curves_and_their_files(tmp_path: Any) -> None:
    """Every task of the plan can be written and read again."""
    spec = Spec.from_options({**OPTIONS, "curve": "toy17-quarter", "word": 8})
    trial = OperationTrial(spec, Hdl("", {}, ()))
    seen = set()
    for task in plan.tasks(spec.processor, spec.modes, 20):
        request = trial.request(3, task)
        assert request.jobs and request == trial.request(3, task)
        seen |= {job.mode.operation for job in request.jobs}
        replay.write(tmp_path / "case.json", spec, False, request, Verdict(), 0)
        again = replay.read(tmp_path / "case.json")
        assert again.request(0) == request and again.spec == spec
    assert spec.load is not None
    assert seen == set(spec.processor.operations_on(spec.load))


SERIAL = {"architecture": "binary-curve", "multiplier": "gf2m-serial", "schemes": False}


@pytest.mark.parametrize(
    "options",
    [
        {**OPTIONS, "width": 8, "word": 4, "degrees": "any"},
        {**SERIAL, "curve": "toy7-binary", "digit": 3, "word": 3},
    ],
    ids=["fips", "gf2m-serial"],
)
@pytest.mark.long
def test_verification_finds_nothing(options: dict[str, Any]) -> None:
    from modmul.verification.verify import verify

    result = verify(Spec.from_options(options), products=6)
    assert result.passed, result
