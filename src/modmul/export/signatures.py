"""Chooses operands of signatures and key agreement that reveal errors: keys and nonces at both
ends, signatures that are right or wrong in one thing, points of every kind."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence

from modmul.arithmetic import points, signatures
from modmul.arithmetic.curves import Curve
from modmul.arithmetic.points import Affine
from modmul.export.operands import drawn_below
from modmul.operation import OperandRule

Rules = Mapping[str, OperandRule]
Operands = dict[str, int]
_SECRET = ("private", "nonce", "ephemeral")


def known(operation: str) -> bool:
    """Whether this module draws the operands of that operation."""
    return operation in _DRAWN


def edges(operation: str, curve: Curve, rules: Rules, rng: random.Random) -> list[Operands]:
    """Operands of an operation, from the smallest to the largest, with some between."""
    rows = [_DRAWN[operation](curve, rules, rng)]
    for name, rule in rules.items():
        if name in _SECRET:
            rows += [{**drawn(operation, curve, rules, rng), name: value} for value in _ends(rule)]
    numbers = [name for name in rules if name in ("digest", "challenge", "factor", "factor2")]
    for name in numbers:
        ends = (rules[name].least, (rules[name].below or 1) - 1)
        rows += [{**_DRAWN[operation](curve, rules, rng), name: value} for value in ends]
    return [*rows, *_wrong(operation, curve, rules, rng)]


def drawn(operation: str, curve: Curve, rules: Rules, rng: random.Random) -> Operands:
    """Draw random operands; for a verification every fourth set is wrong in one thing."""
    right = _DRAWN[operation](curve, rules, rng)
    if "x" not in rules or rng.random() < 0.75:
        return right
    return rng.choice(list(_wrong(operation, curve, rules, rng)))


def _ends(rule: OperandRule) -> list[int]:
    """The three smallest and the three largest allowed numbers."""
    below = rule.below or 1
    every = (*range(rule.least, rule.least + 3), *range(below - 3, below))
    return [value for value in dict.fromkeys(every) if rule.least <= value < below]


def _wrong(operation: str, curve: Curve, rules: Rules, rng: random.Random) -> Iterator[Operands]:
    right = _DRAWN[operation](curve, rules, rng)
    for name in ("r", "s"):
        if name in rules:
            yield {**right, name: 0}
            yield {**right, name: min(curve.order, (rules[name].below or 1) - 1)}
            yield {**right, name: right[name] ^ 1}
    if "s" in rules and "r" in rules:
        yield {**right, "s": (curve.order - right["r"]) % curve.order}
    for name in ("digest", "challenge"):
        if name in rules and "x" in rules:
            yield {**right, name: drawn_below(rules[name], rng)}
    for suffix in ("", "2"):
        if f"y{suffix}" in rules:
            yield {**right, f"y{suffix}": (right[f"y{suffix}"] + 1) % curve.elements}
            yield right | _named(points.negative(curve, signatures.base(curve)), suffix)
            yield from (
                {**right, f"x{suffix}": point.x, f"y{suffix}": point.y} for point in _special(curve)
            )


def _special(curve: Curve) -> Sequence[Affine]:
    """The points with x = 0, if there are any."""
    point = None if curve.form == "binary" else points.with_x(curve, 0)
    return [point] if point is not None and points.in_group(curve, point) else []


# ---- right operands -----------------------------------------------------------------------------


def _plain(_: Curve, rules: Rules, rng: random.Random) -> Operands:
    return {name: drawn_below(rule, rng) for name, rule in rules.items()}


def _agreement(curve: Curve, rules: Rules, rng: random.Random) -> Operands:
    operands = _plain(curve, rules, rng)
    for suffix in ("", "2"):
        if f"x{suffix}" in rules:
            operands |= _named(_point(curve, rng), suffix)
    return operands


def _verified(
    sign: Callable[[Curve, int, int, int], tuple[int, int] | None],
) -> Callable[[Curve, Rules, random.Random], Operands]:
    """A function that draws operands of a verification, from signatures by `sign`."""

    def operands(curve: Curve, rules: Rules, rng: random.Random) -> Operands:
        digest = drawn_below(rules["digest"], rng)
        for private, nonce in _pairs(curve, rng):
            signature = sign(curve, digest, private, nonce)
            if signature is not None and all(signature):
                public = points.multiply(curve, private, signatures.base(curve))
                return {"digest": digest, "r": signature[0], "s": signature[1], **_named(public)}
        raise AssertionError

    return operands


def _verified_by_eddsa(curve: Curve, rules: Rules, rng: random.Random) -> Operands:
    private, nonce = next(_pairs(curve, rng))
    challenge = drawn_below(rules["challenge"], rng)
    public, point = (
        points.multiply(curve, scalar, signatures.base(curve)) for scalar in (private, nonce)
    )
    number = signatures.eddsa(curve, nonce, challenge, private)
    return {"s": number, "challenge": challenge, **_named(public), **_named(point, "2")}


_DRAWN: Mapping[str, Callable[[Curve, Rules, random.Random], Operands]] = {
    "ecdsa-sign": _plain,
    "ecdsa-verify": _verified(signatures.ecdsa),
    "ecdh": _agreement,
    "sm2-sign": _plain,
    "sm2-verify": _verified(signatures.sm2),
    "sm2-exchange": _agreement,
    "sm2-encrypt": _agreement,
    "sm2-decrypt": _agreement,
    "eddsa-sign": _plain,
    "eddsa-verify": _verified_by_eddsa,
}


def _pairs(curve: Curve, rng: random.Random) -> Iterator[tuple[int, int]]:
    """Keys and nonces."""
    for _ in itertools.count():
        yield rng.randrange(1, curve.order - 1), rng.randrange(1, curve.order)


def _point(curve: Curve, rng: random.Random) -> points.Point:
    return points.multiply(curve, rng.randrange(1, curve.order), signatures.base(curve))


def _named(point: points.Point, suffix: str = "") -> Operands:
    assert point is not None
    return {f"x{suffix}": point.x, f"y{suffix}": point.y}
