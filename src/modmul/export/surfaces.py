"""Chooses operands of operations on Kummer surfaces that reveal errors: scalars at both ends,
points with any common factor."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

from modmul.arithmetic import surfaces
from modmul.arithmetic.curves import Curve
from modmul.arithmetic.surfaces import Theta
from modmul.export.operands import drawn_below, runs_of_bits
from modmul.operation import OperandRule
from modmul.processors.engine.batches import batch

Operands = dict[str, int]


def edges(operation: str, surface: Curve, rule: OperandRule, rng: random.Random) -> list[Operands]:
    """Each edge scalar with a point: the base point, the neutral element, others.  rule: of
    a scalar."""
    points = itertools.cycle(
        [
            surfaces.base(surface),
            random_point(surface, rng),
            surfaces.neutral(surface),
            _largest(surface),
        ]
    )
    every = [_asked(operation, surface, k, next(points)) for k in scalars(surface, rule, rng)]
    every += [_asked(operation, surface, drawn_below(rule, rng), next(points)) for _ in range(4)]
    return batch(operation).turned(every)


def drawn(operation: str, surface: Curve, rule: OperandRule, rng: random.Random) -> Operands:
    """Draw scalars and points; every fourth further point equals the first one."""
    shape, first = batch(operation), random_point(surface, rng)
    others = (
        random_point(surface, rng) if rng.random() < 0.75 else first for _ in shape.copies[1:]
    )
    return shape.joined(
        _asked(operation, surface, drawn_below(rule, rng), point) for point in (first, *others)
    )


def _asked(operation: str, surface: Curve, scalar: int, point: Theta) -> Operands:
    wrapped = surfaces.wrapped(surface, point) if operation.startswith("wrapped") else None
    if wrapped is None:
        return {"scalar": scalar, **point._asdict()}
    return {"scalar": scalar, **dict(zip(("xy", "xz", "xt"), wrapped, strict=True))}


def random_point(surface: Curve, rng: random.Random) -> Theta:
    """Draw a multiple of the base point that has no coordinate 0, with any common factor."""
    while True:
        point = surfaces.multiply(surface, rng.randrange(1 << 16), surfaces.base(surface))
        factor = rng.randrange(1, surface.prime)
        if all(point):
            return Theta(*(coordinate * factor % surface.prime for coordinate in point))


def _largest(surface: Curve) -> Theta:
    """The base point with all coordinates negated modulo p, so that its x is p - 1."""
    return Theta(*(-coordinate % surface.prime for coordinate in surfaces.base(surface)))


def scalars(surface: Curve, rule: OperandRule, rng: random.Random) -> Sequence[int]:
    """Scalars at both ends, near the order and near the middle, where the two halves of a
    scalar meet, and with long runs of bits."""
    below, order = rule.below or 0, surface.order
    bits = below.bit_length() - 1
    middle = 1 << -(-bits // 2)
    every = [0, below - 1, 1, 2, 3, middle - 1, middle, middle + 1, below >> 1, (below >> 1) - 1]
    every += [order - 1, order, order + 1] if order else []
    every += [runs_of_bits(bits, rng), drawn_below(rule, rng)]
    return [scalar for scalar in dict.fromkeys(every) if 0 <= scalar < below]
