"""Signatures and key agreement by the golden machine: every key and nonce, operands at their ends,
and what is answered in place of a result."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest

from curve_jobs import fitting, job
from modmul.arithmetic import curves, points, signatures
from modmul.arithmetic.curves import Curve
from modmul.arithmetic.oracle import OracleQuery, right
from modmul.arithmetic.points import Affine
from modmul.export.signatures import Operands
from modmul.processors.curve.schemes import TASKS

EXCEPTIONAL, INVALID = {"exceptional": True}, {"invalid": True}
TOYS = ("toy8", "toy8-long")  # the order below the prime, and above it


def asked(operation: str, name: str, **operands: int) -> dict[str, int]:
    """By the golden machine: right, or declined as the processor declares."""
    design, given = fitting(name), job(operation, name, **operands)
    computed, declined = design.compute(given), design.declined(given)
    mode = given.mode
    wanted = right(OracleQuery(operation, operands, given.modulus, curve=mode.curve))
    assert computed in (wanted, declined), given
    return computed


def base(curve: Curve, k: int = 1) -> Affine:
    """k times the base point."""
    product = points.multiply(curve, k % curve.order, signatures.base(curve))
    assert product is not None
    return product


def named(point: Affine, suffix: str = "") -> Operands:
    return {f"x{suffix}": point.x, f"y{suffix}": point.y}


# ---- every key and nonce ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "operation", "all_pairs"),
    [
        pytest.param(name, operation, all_pairs, marks=pytest.mark.long if all_pairs else ())
        for all_pairs in (False, True)
        for name in TOYS
        for operation in ("ecdsa-sign", "sm2-sign")
    ],
)
@pytest.mark.timeout(7200)
@pytest.mark.short("toy8-long-ecdsa-sign-False")
def test_signatures_by_every_private_key_and_nonce(
    name: str, operation: str, all_pairs: bool
) -> None:
    """Each key with each nonce; by default each once."""
    curve, rng = curves.find(name), random.Random(name)
    n, keys = curve.order, range(1, curve.order - (operation == "sm2-sign"))
    nonces = rng.sample(range(1, n), n - 1)
    pairs = (
        [(d, k) for d in keys for k in nonces]
        if all_pairs
        else list(itertools.zip_longest(keys, nonces, fillvalue=1))
    )
    counts = Counter(
        frozenset(
            asked(operation, name, digest=rng.getrandbits(n.bit_length()), private=d, nonce=k)
        )
        for d, k in pairs
    )
    assert counts.keys() <= {frozenset("rs"), frozenset(EXCEPTIONAL)}
    assert counts[frozenset("rs")] > 0.95 * len(pairs)


@pytest.mark.parametrize("operation", ["ecdh", pytest.param("sm2-decrypt", marks=pytest.mark.long)])
@pytest.mark.parametrize("name", TOYS)
@pytest.mark.short("toy8-ecdh")
def test_agreement_by_every_private_key(name: str, operation: str) -> None:
    """With the base point and with others, one with x = 0 among them."""
    curve, rng, seen = curves.find(name), random.Random(operation), set()
    for d in range(1, curve.order):
        point = base(curve) if d % 2 else base(curve, rng.randrange(1, curve.order))
        answer = asked(operation, name, private=d, **named(point))
        assert set(answer) == {"x", "y"}
        seen.add(answer["x"])
    assert len(seen) > curve.order // 4


@pytest.mark.parametrize("name", ["toy16-edwards", "toy16-twisted"])
def test_numbers_of_eddsa(name: str) -> None:
    """With all three at their ends, and in between."""
    n, rng = curves.find(name).order, random.Random(name)
    ends = (0, 1, n - 1)
    for nonce in ends:
        for challenge in ends:
            for private in (*ends, rng.randrange(n)):
                asked("eddsa-sign", name, nonce=nonce, challenge=challenge, private=private)


@pytest.mark.parametrize("name", TOYS)
@pytest.mark.short("toy8-long")
def test_exchanges_on_small_curves(name: str) -> None:
    """Right, or declined: the ladder may meet a multiple for which it is not defined."""
    curve, rng, counts = curves.find(name), random.Random(name), Counter[frozenset[str]]()
    rules = {rule.name: rule for rule in TASKS["sm2-exchange"].rules(curve)}
    for _ in range(50):
        drawn = {
            key: rng.randrange(rules[key].least, rules[key].below or 1)
            for key in ("private", "ephemeral", "factor", "factor2")
        }
        others = (base(curve, rng.randrange(1, curve.order)) for _ in range(2))
        given = drawn | named(next(others)) | named(next(others), "2")
        counts[frozenset(asked("sm2-exchange", name, **given))] += 1
    assert counts[frozenset("xy")] > 40


@pytest.mark.parametrize("name", ["p256", "sm2"])
@pytest.mark.short("p256")
def test_nonces_and_private_keys_at_their_ends_on_curves_of_standards(name: str) -> None:
    """Nothing is declined there."""
    curve, rng = curves.find(name), random.Random(name)
    n, sign = curve.order, "sm2-sign" if name == "sm2" else "ecdsa-sign"
    for nonce in (1, 2, n - 2, n - 1):
        given = {"digest": rng.randrange(n), "private": rng.randrange(1, n - 1), "nonce": nonce}
        assert set(asked(sign, name, **given)) == {"r", "s"}
    for private in (1, 2, n - 2, n - 1):
        assert set(asked("ecdh", name, private=private, **named(base(curve, 5)))) == {"x", "y"}


@pytest.mark.parametrize("d", [-1, 0, 1, 2])
@pytest.mark.short("-1", "1")
def test_exchange_of_keys_at_their_ends(d: int) -> None:
    """t = d + f*e mod n for t that are hard: n - 1, 0, 1, 2; with 0 there is no point."""
    curve, e, factor = curves.find("sm2"), 12345, 1 << 127
    private = (d - factor * e) % curve.order
    others = {**named(base(curve, 7)), "factor2": factor + 99, **named(base(curve, 8), "2")}
    answer = asked("sm2-exchange", "sm2", private=private, ephemeral=e, factor=factor, **others)
    assert answer == {"infinity": True} if d == 0 else set(answer) == {"x", "y"}
    opposite = base(curve, -7 * pow(factor + 99, -1, curve.order))  # the sum is infinity, too
    others |= named(opposite, "2")
    answer = asked("sm2-exchange", "sm2", private=private, ephemeral=e, factor=factor, **others)
    assert answer == {"infinity": True}


# ---- digests ------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["ecdsa", "sm2"])
@pytest.mark.parametrize("name", TOYS)
@pytest.mark.short("toy8-ecdsa", "toy8-long-sm2")
def test_digests_at_their_ends(name: str, scheme: str) -> None:
    """0, n, and as long as n: all are signed, and the signatures are right."""
    curve, rng = curves.find(name), random.Random(scheme)
    full = 1 << curve.order.bit_length()
    for digest in (0, 1, curve.order - 1, curve.order, curve.order + 1, full - 1):
        for d in (1, curve.order - 2, rng.randrange(1, curve.order - 1)):
            given = {"digest": digest, "private": d, "nonce": rng.randrange(1, curve.order)}
            answer = asked(f"{scheme}-sign", name, **given)
            if answer != EXCEPTIONAL:
                checked = {"digest": digest, **answer, **named(base(curve, d))}
                assert asked(f"{scheme}-verify", name, **checked) == {"valid": True}


# ---- what is no signature -----------------------------------------------------------------------


def signed(curve: Curve, scheme: str, d: int = 77) -> Operands:
    """Operands of verification, of a signature that is right."""
    make = {"ecdsa": signatures.ecdsa, "sm2": signatures.sm2}[scheme]
    signature = make(curve, 5, d, 9)
    assert signature is not None and all(signature)
    return {"digest": 5, "r": signature[0], "s": signature[1], **named(base(curve, d))}


@pytest.mark.parametrize("scheme", ["ecdsa", "sm2"])
@pytest.mark.parametrize("name", [*TOYS, pytest.param("p256", marks=pytest.mark.long)])
def test_what_is_no_signature(name: str, scheme: str) -> None:
    """r or s 0, or not below n; a digest or point that is another one, or no point."""
    curve, operation = curves.find(name), f"{scheme}-verify"
    good, n, full = signed(curve, scheme), curve.order, 1 << curve.order.bit_length()
    assert asked(operation, name, **good) == {"valid": True}
    wrong: list[Operands] = [
        {"r": 0},
        {"s": 0},
        {"r": 0, "s": 0},
        {"r": n},
        {"s": n},
        {"r": full - 1},
        {"s": full - 1},
        {"digest": 6},
        {"y": curve.prime - good["y"]},
        {"y": good["y"] ^ 1},
        {"x": 0, "y": 0},
    ]
    wrong += [{key: good[key] + n} for key in "rs" if good[key] + n < full]
    wrong += [{"s": (n - good["r"]) % n}] if scheme == "sm2" else []
    for change in wrong:
        assert asked(operation, name, **good | change) == {"valid": False}, change
    mirrored = asked(operation, name, **good | {"s": n - good["s"]})
    assert mirrored == {"valid": scheme == "ecdsa"}


@pytest.mark.parametrize("scheme", ["ecdsa", "sm2"])
@pytest.mark.parametrize("name", [*TOYS, "p256"])
@pytest.mark.short("toy8-ecdsa", "toy8-sm2", "toy8-long-ecdsa", "toy8-long-sm2")
def test_sums_at_infinity(name: str, scheme: str) -> None:
    """A key for which both multiples of the sum are opposite: r and s are from 1 to n - 1, the
    point is on the curve, and still nothing is valid."""
    curve, r, s, digest = curves.find(name), 30, 41, 52
    n = curve.order
    d = (-digest * pow(r, -1, n) if scheme == "ecdsa" else -s * pow(r + s, -1, n)) % n
    given = {"digest": digest, "r": r, "s": s, **named(base(curve, d))}
    assert asked(f"{scheme}-verify", name, **given) == {"valid": False}
    status = fitting(name).run(job(f"{scheme}-verify", name, **given)).status
    assert status & 0b1011 == 0b0010  # the sum alone is refused


@pytest.mark.parametrize("name", ["toy16-edwards", "toy16-twisted", "ed25519"])
@pytest.mark.short("toy16-edwards", "toy16-twisted")
def test_what_is_no_signature_of_eddsa(name: str) -> None:
    """s of n and more is none, also where s - n is right: signatures are not malleable."""
    curve = curves.find(name)
    n, d, nonce, challenge = curve.order, 77, 99, 1234
    s = signatures.eddsa(curve, nonce, challenge, d)
    good = {
        "s": s,
        "challenge": challenge,
        **named(base(curve, d)),
        **named(base(curve, nonce), "2"),
    }
    assert asked("eddsa-verify", name, **good) == {"valid": True}
    for change in (
        {"s": s + n},
        {"s": n},
        {"s": (1 << curve.scalar_bits) - 1},
        {"s": s ^ 1},
        {"challenge": challenge + 1},
        {"y": good["y"] ^ 1},
        {"y2": good["y2"] ^ 1},
        {"x": curve.prime - good["x"]},
        {"x2": curve.prime - good["x2"]},
    ):
        assert asked("eddsa-verify", name, **good | change) == {"valid": False}, change
    zero = {"s": 0, "challenge": 0, **named(base(curve, d)), "x2": 0, "y2": 1}
    assert asked("eddsa-verify", name, **zero) == {"valid": True}


# ---- nonces that do not serve, points that do not -----------------------------------------------


@pytest.mark.parametrize("name", [*TOYS, "sm2"])
@pytest.mark.short("toy8")
def test_nonces_with_which_nothing_can_be_signed(name: str) -> None:
    """r = 0 and s = 0, of SM2 also r + k = n."""
    curve, d, k = curves.find(name), 77, 9
    n, x = curve.order, base(curve, k).x
    of_sm2 = {-x % n, (n - k - x) % n, (k * pow(d, -1, n) - x) % n}
    for digest in range(n) if n < 1 << 16 else (*of_sm2, 4):
        answer = asked("sm2-sign", name, digest=digest, private=d, nonce=k)
        assert (answer == EXCEPTIONAL) == (digest in of_sm2)
    assert asked("ecdsa-sign", name, digest=-x * d % n, private=d, nonce=k) == EXCEPTIONAL


@pytest.mark.parametrize("scheme", ["ecdsa", "sm2"])
@pytest.mark.short("sm2")
def test_nonces_whose_points_have_an_x_of_n_and_more(scheme: str) -> None:
    """r is x - n then; the signature is right, and found right.  For x = n r is 0."""
    curve, n, seen = curves.find("toy8"), curves.find("toy8").order, set()
    for k in range(1, n):
        if (x := base(curve, k).x) >= n:
            given = {"digest": 40, "private": 77, "nonce": k}
            answer = asked(f"{scheme}-sign", "toy8", **given)
            if answer != EXCEPTIONAL:
                seen.add(x - n)
                checked = {"digest": 40, **answer, **named(base(curve, 77))}
                assert asked(f"{scheme}-verify", "toy8", **checked) == {"valid": True}
    assert len(seen) > 3


def test_a_nonce_whose_point_has_x_0() -> None:
    """r is 0: with ECDSA nothing is signed by it."""
    assert base(curves.find("toy8-long"), 140).x == 0
    assert asked("ecdsa-sign", "toy8-long", digest=5, private=6, nonce=140) == EXCEPTIONAL
    assert set(asked("sm2-sign", "toy8-long", digest=5, private=6, nonce=140)) == {"r", "s"}


@pytest.mark.parametrize("name", ["p256", "sm2"])
@pytest.mark.short("p256")
def test_points_with_x_0(name: str) -> None:
    """They are multiplied, and signatures are verified under them."""
    curve, u, v = curves.find(name), 1234, 5678
    zero = points.with_x(curve, 0)
    assert zero is not None
    for operation in ("ecdh", "sm2-decrypt"):
        for private in (1, 2, 5, curve.order - 2, curve.order - 1):
            assert set(asked(operation, name, private=private, **named(zero))) == {"x", "y"}
    total, n = points.add(curve, base(curve, u), points.multiply(curve, v, zero)), curve.order
    assert total is not None
    s = total.x * pow(v, -1, n) % n
    of_ecdsa = {"digest": u * s % n, "r": total.x % n, "s": s}
    assert asked("ecdsa-verify", name, **of_ecdsa, **named(zero)) == {"valid": True}
    of_sm2 = {"digest": (v - u - total.x) % n, "r": v - u, "s": u}
    assert asked("sm2-verify", name, **of_sm2, **named(zero)) == {"valid": True}


def test_an_agreement_that_others_publish_with_x_0() -> None:
    """Project Wycheproof, ecdh_secp384r1_ecpoint_test, tcId 53."""
    y = int(
        "3cf99ef04f51a5ea630ba3f9f960dd593a14c9be39fd2bd2"
        "15d3b4b08aaaf86bbf927f2c46e52ab06fb742b8850e521e",
        16,
    )
    private = int(
        "2bc15cf3981eab6102c39f9a925aa1309db59c2c02a54411"
        "928d73c3945d157848dc36959efef7495c8528ea284c1c97",
        16,
    )
    shared = int(
        "6092a1757ddd43a04e185ff9472a0d18c7f7a7dc802f7e05"
        "9e0c69ae16c802651719406e04de27652ff83da4a780ef2f",
        16,
    )
    assert asked("ecdh", "p384", private=private, x=0, y=y)["x"] == shared


def test_an_exchange_whose_sum_has_x_0() -> None:
    curve, factor, ephemeral = curves.find("sm2"), 1 << 127, base(curves.find("sm2"), 77)
    zero = points.with_x(curve, 0)
    other = points.add(curve, zero, points.multiply(curve, -factor, ephemeral))
    assert zero is not None and other is not None
    given = {"private": 5, "ephemeral": 6, "factor": factor, "factor2": factor}
    answer = asked("sm2-exchange", "sm2", **given, **named(other), **named(ephemeral, "2"))
    assert set(answer) == {"x", "y"}


@pytest.mark.parametrize("operation", ["ecdh", "sm2-encrypt", "sm2-decrypt", "sm2-exchange"])
@pytest.mark.parametrize("name", ["toy8", pytest.param("sm2", marks=pytest.mark.long)])
def test_points_off_the_curve(name: str, operation: str) -> None:
    """Either point of the other side, and (0, 0)."""
    curve = curves.find(name)
    good = named(base(curve, 3))
    given: Operands = {rule.name: rule.least + 5 for rule in TASKS[operation].rules(curve)} | good
    suffixes = ("", "2") if "x2" in given else ("",)
    given |= named(base(curve, 4), "2") if "x2" in given else {}
    for suffix in suffixes:
        for x, y in ((0, 0), (good["x"], good["y"] ^ 1), (good["y"], good["x"])):
            bad = given | {f"x{suffix}": x, f"y{suffix}": y}
            assert asked(operation, name, **bad) == INVALID
