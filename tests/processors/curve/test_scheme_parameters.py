"""Signatures and key agreement: operands that are refused, and which operations there are."""

from __future__ import annotations

from typing import Any

import pytest

from curve_jobs import fitting, job, processor
from modmul.arithmetic import curves, points
from modmul.errors import SpecError
from modmul.processors.contract import Load
from modmul.processors.curve import PrimeCurve
from modmul.processors.curve.schemes import SCHEMES, TASKS
from modmul.spec import Spec

# ---- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("operation", "names"),
    [
        ("ecdsa-sign", {"digest": 0, "private": 1, "nonce": 1}),
        ("ecdsa-verify", {"digest": 0, "r": 0, "s": 0, "x": 0, "y": 0}),
        ("ecdh", {"private": 1, "x": 0, "y": 0}),
        ("sm2-sign", {"digest": 0, "private": 1, "nonce": 1}),
        ("sm2-encrypt", {"nonce": 1, "x": 0, "y": 0}),
        (
            "sm2-exchange",
            {
                "private": 1,
                "ephemeral": 1,
                "factor": 8,
                "x": 0,
                "y": 0,
                "factor2": 8,
                "x2": 0,
                "y2": 0,
            },
        ),
        ("eddsa-sign", {"nonce": 0, "challenge": 0, "private": 0}),
        ("eddsa-verify", {"s": 0, "challenge": 0, "x": 0, "y": 0, "x2": 0, "y2": 0}),
    ],
)
def test_operands_out_of_range(operation: str, names: dict[str, int]) -> None:
    """From what they are at least to what they are below; -1, and one more, are refused."""
    name = "toy16-twisted" if operation.startswith("eddsa") else "toy8"
    curve = curves.find(name)
    n, p, full = curve.order, curve.prime, 1 << curve.order.bit_length()
    below = {
        "digest": full,
        "private": n - (operation == "sm2-sign"),
        "nonce": n,
        "r": full,
        "s": full,
        "ephemeral": n,
        "factor": 16,
        "factor2": 16,
        "challenge": n,
        "x": p,
        "y": p,
        "x2": p,
        "y2": p,
    }
    if curve.form == "edwards":
        below["s"] = 1 << curve.scalar_bits
    design = fitting(name)
    for key, least in names.items():
        for value in (least, below[key] - 1):
            assert design.compute(job(operation, name, design, **names | {key: value})) != {}
        for value in (least - 1, below[key]):
            with pytest.raises(SpecError) as caught:
                design.compute(job(operation, name, design, **names | {key: value}))
            assert caught.value.key == key


# ---- what there is ------------------------------------------------------------------------------


def operations(name: str, **options: Any) -> set[str]:
    """Those of schemes, on a curve, of a processor with such parameters."""
    curve = curves.find(name)
    design = processor(max(9, curve.bits), **options)
    return {each for each in design.operations_on(Load.of(curve)) if each in TASKS}


def programs(**options: Any) -> set[str]:
    """The tasks that there are programs for; of none there are only some."""
    stored = set(processor(16, **options).programs.names)
    names = {each.name for each in TASKS.values() if stored & set(each.programs)}
    assert all(stored >= set(TASKS[each].programs) for each in names)
    return names


def test_parameters_leave_out_what_they_say() -> None:
    ecdsa, eddsa = {"ecdsa-sign", "ecdsa-verify", "ecdh"}, {"eddsa-sign", "eddsa-verify"}
    sm2 = {task for task in TASKS if task.startswith("sm2")}
    assert set(TASKS) == ecdsa | sm2 | eddsa and SCHEMES == ("ecdsa", "sm2", "eddsa")
    verifications = {task for task in TASKS if task.endswith("-verify")}
    assert operations("toy8") == ecdsa | sm2
    assert operations("toy16-edwards") == operations("toy16-twisted") == eddsa
    assert operations("toy8", schemes="ecdsa") == ecdsa
    assert operations("toy8", schemes="sm2") == sm2
    assert programs() == set(TASKS) and programs(schemes="none") == set()
    same = {"sm2-encrypt", "sm2-decrypt"}  # their program is that of ecdh
    assert programs(schemes="ecdsa") == ecdsa | same
    assert programs(schemes="sm2") == sm2 | {"ecdh"}
    assert programs(schemes="eddsa", forms="edwards") == eddsa
    assert programs(verification=False) == set(TASKS) - verifications
    assert operations("toy8", schemes="eddsa") == operations("toy8", schemes="none") == set()
    assert operations("toy16-twisted", schemes="eddsa", forms="edwards") == eddsa
    less = operations("toy8", verification=False, forms="weierstrass")
    assert less == (ecdsa | sm2) - verifications
    with pytest.raises(SpecError, match="schemes = .rsa.: must be one of all, none"):
        processor(schemes="rsa")
    with pytest.raises(SpecError, match="operation = ecdsa-sign: must be one of"):
        job("ecdsa-sign", "toy8", processor(schemes="none"))


def test_curves_that_lack_schemes() -> None:
    """SM2 where a is not -3; nothing with a cofactor, with an order that does not fit, or where
    only x is computed."""
    assert operations("secp256k1") == {"ecdsa-sign", "ecdsa-verify", "ecdh"}
    assert operations("toy16-montgomery") == set()
    design, curve = processor(8), curves.find("toy8-long")
    assert not design.signs_on(curve) and not processor(381).signs_on(curves.find("bls12-381"))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"curve": "curve25519", "schemes": "ecdsa"}, "curve25519, montgomery, has no ecdsa"),
        ({"curve": "ed25519", "schemes": "ecdsa-cofactor"}, "ed25519, edwards, has no ecdsa"),
        ({"curve": "p256", "schemes": "eddsa"}, "p256, weierstrass, has no eddsa"),
        ({"curve": "secp256k1", "schemes": "sm2"}, "secp256k1, weierstrass, has no sm2"),
        ({"curve": "bls12-381", "schemes": "ecdsa"}, "take schemes = ecdsa-cofactor"),
        ({"curve": "toy8-long", "schemes": "ecdsa"}, "the order has 9 bits"),
        ({"forms": "montgomery", "schemes": "sm2"}, "sm2 needs curves of the form weierstrass"),
        ({"forms": "weierstrass", "schemes": "eddsa"}, "eddsa needs curves of the form edwards"),
        ({"forms": "montgomery", "blinding": 16}, "blinding = 16: must be 0 with forms = mont"),
    ],
)
def test_options_without_an_operation(options: dict[str, Any], says: str) -> None:
    """What the forms, or the curve of a specification, lack is not asked for."""
    with pytest.raises(SpecError, match=says):
        Spec.from_options({"architecture": "curve", "multiplier": "fpmm", **options})


def test_default_options_suit_every_curve() -> None:
    for options in ({}, {"schemes": "none"}, {"schemes": "all", "powers": True}):
        given = {"architecture": "curve", "multiplier": "fpmm", "curve": "curve25519", **options}
        assert "x-multiply" in Spec.from_options(given).headline.name


def test_signatures_on_a_curve_with_other_points() -> None:
    """ECDSA alone, where it is asked for; points of others have to be multiples of the base."""
    curve = curves.find("bls12-381")
    design = processor(381, schemes="ecdsa-cofactor", forms="weierstrass", verification=False)
    assert {"ecdsa-sign", "ecdh"} <= {*design.operations_on(Load.of(curve))}
    assert PrimeCurve.suited(curve, "ecdsa-sign")["schemes"] == "ecdsa-cofactor"
    other = next(point for point in (points.with_x(curve, x) for x in range(9)) if point)
    with pytest.raises(SpecError, match="of the group of prime order; that is not all of bls12"):
        design.check_operands(job("ecdh", "bls12-381", design, private=5, **other._asdict()))
    with pytest.raises(SpecError, match="ecdsa-sign, -verify and ecdh take schemes = ecdsa-cof"):
        job("ecdh", "bls12-381", processor(381, forms="weierstrass", schemes="none"))
    with pytest.raises(SpecError, match="the order has 9 bits: take that as the width"):
        job("ecdh", "toy8-long", processor(8))
    off = job("ecdh", "bls12-381", design, private=5, x=other.x, y=other.y ^ 1)
    design.check_operands(off)
    assert design.compute(off) == {"invalid": True}
